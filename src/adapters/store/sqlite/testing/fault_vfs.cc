#include "adapters/store/sqlite/testing/fault_vfs.h"

#include <cstring>
#include <new>

#include "base/core/result.h"

namespace baton::adapters::sqlite::testing {

/// SQLite gives the memory for a file; the real file is behind ours in it.
struct FaultFile {
  sqlite3_file base;
  FaultVfs* vfs;
  const char* path;

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  FaultVfs::Verdict meet(FileOp op) { return vfs->meet({op, path != nullptr ? path : ""}); }
};

namespace {

FaultFile& ours(sqlite3_file* file) { return *reinterpret_cast<FaultFile*>(file); }
const sqlite3_io_methods& real_methods(sqlite3_file* file) { return *ours(file).real()->pMethods; }
FaultVfs& owner(sqlite3_vfs* vfs) { return *static_cast<FaultVfs*>(vfs->pAppData); }

/// Runs the real operation unless a fault is due.
template <class Real>
int guarded(sqlite3_file* file, FileOp op, Real real) {
  const int rc = ours(file).meet(op).rc;
  return rc != SQLITE_OK ? rc : real(ours(file).real());
}

int file_close(sqlite3_file* file) {
  sqlite3_file* real = ours(file).real();
  return real->pMethods != nullptr ? real->pMethods->xClose(real) : SQLITE_OK;
}

int file_read(sqlite3_file* file, void* out, int size, sqlite3_int64 at) {
  return guarded(file, FileOp::read,
                 [&](sqlite3_file* real) { return real->pMethods->xRead(real, out, size, at); });
}

int file_write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at);

int file_truncate(sqlite3_file* file, sqlite3_int64 size) {
  return guarded(file, FileOp::truncate,
                 [&](sqlite3_file* real) { return real->pMethods->xTruncate(real, size); });
}

int file_sync(sqlite3_file* file, int flags) {
  return guarded(file, FileOp::sync,
                 [&](sqlite3_file* real) { return real->pMethods->xSync(real, flags); });
}

int file_size(sqlite3_file* file, sqlite3_int64* out) {
  return guarded(file, FileOp::size,
                 [&](sqlite3_file* real) { return real->pMethods->xFileSize(real, out); });
}

int file_lock(sqlite3_file* file, int level) {
  return guarded(file, FileOp::lock,
                 [&](sqlite3_file* real) { return real->pMethods->xLock(real, level); });
}

int file_unlock(sqlite3_file* file, int level) {
  return guarded(file, FileOp::unlock,
                 [&](sqlite3_file* real) { return real->pMethods->xUnlock(real, level); });
}

int file_check_lock(sqlite3_file* file, int* out) {
  return real_methods(file).xCheckReservedLock(ours(file).real(), out);
}

int file_control(sqlite3_file* file, int op, void* argument) {
  return real_methods(file).xFileControl(ours(file).real(), op, argument);
}

int file_sector_size(sqlite3_file* file) {
  return real_methods(file).xSectorSize(ours(file).real());
}

int file_device(sqlite3_file* file) {
  return real_methods(file).xDeviceCharacteristics(ours(file).real());
}

int file_shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return guarded(file, FileOp::shm_map, [&](sqlite3_file* real) {
    return real->pMethods->xShmMap(real, page, size, extend, out);
  });
}

int file_shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  // A release cannot fail: SQLite does not look at what it gives.
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    return real_methods(file).xShmLock(ours(file).real(), offset, count, flags);
  }
  return guarded(file, FileOp::shm_lock, [&](sqlite3_file* real) {
    return real->pMethods->xShmLock(real, offset, count, flags);
  });
}

void file_shm_barrier(sqlite3_file* file) { real_methods(file).xShmBarrier(ours(file).real()); }

int file_shm_unmap(sqlite3_file* file, int remove) {
  return real_methods(file).xShmUnmap(ours(file).real(), remove);
}

constexpr sqlite3_io_methods methods = {
    2,           file_close,   file_read,     file_write,       file_truncate,  file_sync,
    file_size,   file_lock,    file_unlock,   file_check_lock,  file_control,   file_sector_size,
    file_device, file_shm_map, file_shm_lock, file_shm_barrier, file_shm_unmap, nullptr,
    nullptr};

}  // namespace

struct FaultMethods {
  static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
    const FaultVfs::Verdict verdict = ours(file).meet(FileOp::write);
    sqlite3_file* real = ours(file).real();
    if (verdict.rc == SQLITE_OK) return real->pMethods->xWrite(real, data, size, at);
    if (verdict.writes_half && size > 1) real->pMethods->xWrite(real, data, size / 2, at);
    return verdict.rc;
  }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                  int* out_flags) {
    FaultVfs& self = owner(vfs);
    auto* out = new (file) FaultFile{{nullptr}, &self, path};
    out->real()->pMethods = nullptr;
    const int rc = self.meet({FileOp::open, path != nullptr ? path : ""}).rc;
    if (rc != SQLITE_OK) return rc;
    {
      const MutexLock lock(self.mutex_);
      if (self.is_read_only_ && (flags & SQLITE_OPEN_READWRITE) != 0) {
        flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        flags |= SQLITE_OPEN_READONLY;
      }
    }
    const int opened = self.real_->xOpen(self.real_, path, out->real(), flags, out_flags);
    if (out->real()->pMethods != nullptr) out->base.pMethods = &methods;
    return opened;
  }

  static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
    FaultVfs& self = owner(vfs);
    const int rc = self.meet({FileOp::remove, path}).rc;
    return rc != SQLITE_OK ? rc : self.real_->xDelete(self.real_, path, sync_folder);
  }

  static int access(sqlite3_vfs* vfs, const char* path, int flags, int* out) {
    return owner(vfs).real_->xAccess(owner(vfs).real_, path, flags, out);
  }
  static int full_path(sqlite3_vfs* vfs, const char* path, int size, char* out) {
    return owner(vfs).real_->xFullPathname(owner(vfs).real_, path, size, out);
  }
  static int randomness(sqlite3_vfs* vfs, int size, char* out) {
    return owner(vfs).real_->xRandomness(owner(vfs).real_, size, out);
  }
  static int sleep(sqlite3_vfs* vfs, int us) {
    return owner(vfs).real_->xSleep(owner(vfs).real_, us);
  }
  static int time(sqlite3_vfs* vfs, double* out) {
    return owner(vfs).real_->xCurrentTime(owner(vfs).real_, out);
  }
  static int last_error(sqlite3_vfs* vfs, int size, char* out) {
    return owner(vfs).real_->xGetLastError(owner(vfs).real_, size, out);
  }
  static int time_ms(sqlite3_vfs* vfs, sqlite3_int64* out) {
    return owner(vfs).real_->xCurrentTimeInt64(owner(vfs).real_, out);
  }
};

namespace {

int file_write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
  return FaultMethods::write(file, data, size, at);
}

}  // namespace

int usual_failure(FileOp op) {
  switch (op) {
    case FileOp::open: return SQLITE_CANTOPEN;
    case FileOp::remove: return SQLITE_IOERR_DELETE;
    case FileOp::read: return SQLITE_IOERR_READ;
    case FileOp::write: return SQLITE_IOERR_WRITE;
    case FileOp::truncate: return SQLITE_IOERR_TRUNCATE;
    case FileOp::sync: return SQLITE_IOERR_FSYNC;
    case FileOp::size: return SQLITE_IOERR_FSTAT;
    case FileOp::lock: return SQLITE_IOERR_LOCK;
    case FileOp::unlock: return SQLITE_IOERR_UNLOCK;
    case FileOp::shm_map: return SQLITE_IOERR_SHMMAP;
    case FileOp::shm_lock: return SQLITE_IOERR_SHMLOCK;
  }
  return SQLITE_IOERR;
}

FaultVfs::FaultVfs(std::string name) : name_(std::move(name)), real_(sqlite3_vfs_find(nullptr)) {
  ASSERT(real_ != nullptr && sqlite3_vfs_find(name_.c_str()) == nullptr);
  vfs_.iVersion = 2;
  vfs_.szOsFile = static_cast<int>(sizeof(FaultFile)) + real_->szOsFile;
  vfs_.mxPathname = real_->mxPathname;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = FaultMethods::open;
  vfs_.xDelete = FaultMethods::remove;
  vfs_.xAccess = FaultMethods::access;
  vfs_.xFullPathname = FaultMethods::full_path;
  vfs_.xRandomness = FaultMethods::randomness;
  vfs_.xSleep = FaultMethods::sleep;
  vfs_.xCurrentTime = FaultMethods::time;
  vfs_.xGetLastError = FaultMethods::last_error;
  vfs_.xCurrentTimeInt64 = FaultMethods::time_ms;
  ASSERT(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
}

FaultVfs::~FaultVfs() { sqlite3_vfs_unregister(&vfs_); }

void FaultVfs::fail(Fault fault) {
  ASSERT(fault.nth >= 1 && fault.times >= 1);
  const MutexLock lock(mutex_);
  fault_ = fault;
}

void FaultVfs::heal() {
  const MutexLock lock(mutex_);
  fault_.reset();
}

void FaultVfs::set_hook(std::function<int(const FileCall&)> hook) {
  const MutexLock lock(mutex_);
  hook_ = std::move(hook);
}

void FaultVfs::set_read_only(bool is_read_only) {
  const MutexLock lock(mutex_);
  is_read_only_ = is_read_only;
}

std::int64_t FaultVfs::count(FileOp op) const {
  const MutexLock lock(mutex_);
  return counts_[static_cast<std::size_t>(op)];
}

std::int64_t FaultVfs::count_all() const {
  const MutexLock lock(mutex_);
  std::int64_t sum = 0;
  for (const std::int64_t count : counts_) sum += count;
  return sum;
}

std::int64_t FaultVfs::failures() const {
  const MutexLock lock(mutex_);
  return failures_;
}

FaultVfs::Verdict FaultVfs::meet(const FileCall& call) {
  std::function<int(const FileCall&)> hook;
  Verdict verdict;
  {
    const MutexLock lock(mutex_);
    ++counts_[static_cast<std::size_t>(call.op)];
    hook = hook_;
    if (is_read_only_ && call.op == FileOp::write) verdict.rc = SQLITE_READONLY;
    if (fault_ && (!fault_->op || *fault_->op == call.op)) {
      if (fault_->nth > 1) {
        --fault_->nth;
      } else {
        verdict = {fault_->rc.value_or(usual_failure(call.op)), fault_->writes_half};
        if (fault_->times != forever && --fault_->times == 0) fault_.reset();
      }
    }
    if (verdict.rc != SQLITE_OK) ++failures_;
  }
  if (hook && verdict.rc == SQLITE_OK) verdict.rc = hook(call);
  return verdict;
}

}  // namespace baton::adapters::sqlite::testing
