#include "crash_vfs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "base/core/result.h"
#include "base/text/text.h"

namespace baton::powercut {
namespace {

constexpr int shared_slots = SQLITE_SHM_NLOCK;
constexpr int checkpoint_slot = 1;  // of the wal-index's locks: see SQLite's wal.c
constexpr std::int64_t wal_frame_bytes = 24 + 4096;

std::atomic<int> made = 0;

}  // namespace

const char* name_of(Call call) {
  static constexpr const char* names[] = {"read", "write",  "sync", "truncate", "lock",
                                          "open", "remove", "size", "map"};
  return names[static_cast<std::size_t>(call)];
}

struct CrashVfs::Shared {
  std::vector<std::unique_ptr<Bytes>> regions;
  std::array<int, shared_slots> readers{};
  std::array<Handle*, shared_slots> owner{};
  int users = 0;
};

struct CrashVfs::File {
  Inode inode = 0;
  Bytes data;
  int shared = 0;
  Handle* reserved = nullptr;
  Handle* pending = nullptr;
  Handle* exclusive = nullptr;
  Shared wal_index;
};

/// What SQLite knows as an open file; it lives in SQLite's memory.
struct CrashVfs::Handle {
  sqlite3_file base;  // first: SQLite's pointer is this one's
  CrashVfs* vfs;
  std::shared_ptr<File> file;
  std::string path;
  int level = SQLITE_LOCK_NONE;
  bool is_removed_on_close = false;
  bool is_folder_sync_due = false;
  bool is_mapped = false;
  std::array<bool, shared_slots> reads{};
};

// --- SQLite's side ------------------------------------------------------------------------------

struct CrashVfs::Methods {
  static Handle& of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }
  static CrashVfs& of(sqlite3_vfs* vfs) { return *static_cast<CrashVfs*>(vfs->pAppData); }

  template <class Work>
  static int with(sqlite3_file* file, Work work) {
    Handle& handle = of(file);
    const std::lock_guard lock(handle.vfs->mutex_);
    return work(*handle.vfs, handle);
  }

  static int close(sqlite3_file* file) {
    const int rc = with(file, [](CrashVfs& vfs, Handle& handle) { return vfs.close(handle); });
    std::destroy_at(&of(file));
    return rc;
  }
  static int read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
    return with(file, [&](CrashVfs& v, Handle& h) { return v.read(h, out, size, offset); });
  }
  static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    return with(file, [&](CrashVfs& v, Handle& h) { return v.write(h, data, size, offset); });
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    return with(file, [&](CrashVfs& v, Handle& h) { return v.truncate(h, size); });
  }
  static int sync(sqlite3_file* file, int) {
    return with(file, [](CrashVfs& v, Handle& h) { return v.sync(h); });
  }
  static int size(sqlite3_file* file, sqlite3_int64* out) {
    return with(file, [&](CrashVfs& v, Handle& h) {
      *out = static_cast<sqlite3_int64>(h.file->data.size());
      return v.meet(Call::size, SQLITE_IOERR_FSTAT);
    });
  }
  static int lock(sqlite3_file* file, int level) {
    return with(file, [&](CrashVfs& v, Handle& h) { return v.lock(h, level); });
  }
  static int unlock(sqlite3_file* file, int level) {
    return with(file, [&](CrashVfs& v, Handle& h) { return v.unlock(h, level); });
  }
  static int check_reserved(sqlite3_file* file, int* out) {
    return with(file, [&](CrashVfs&, Handle& h) {
      *out = h.file->reserved != nullptr ? 1 : 0;
      return SQLITE_OK;
    });
  }
  static int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
  static int sector_size(sqlite3_file* file) {
    return static_cast<int>(of(file).vfs->options_.profile.sector_bytes);
  }
  static int characteristics(sqlite3_file* file) {
    return of(file).vfs->options_.profile.characteristics();
  }
  static int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
    return with(file, [&](CrashVfs& v, Handle& h) {
      return v.map_shared(h, region, size, extend != 0, out);
    });
  }
  static int shm_lock(sqlite3_file* file, int first, int count, int flags) {
    return with(file,
                [&](CrashVfs& v, Handle& h) { return v.lock_shared(h, first, count, flags); });
  }
  static void shm_barrier(sqlite3_file*) { std::atomic_thread_fence(std::memory_order_seq_cst); }
  static int shm_unmap(sqlite3_file* file, int) {
    return with(file, [](CrashVfs& v, Handle& h) {
      v.unmap_shared(h);
      return SQLITE_OK;
    });
  }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
    CrashVfs& self = of(vfs);
    Handle* handle = std::construct_at(reinterpret_cast<Handle*>(file));
    const std::lock_guard lock(self.mutex_);
    const int rc = self.open(path, handle, flags, out);
    // SQLite closes a file whose opening failed only if it has methods.
    if (rc != SQLITE_OK) std::destroy_at(handle);
    if (rc != SQLITE_OK) file->pMethods = nullptr;
    return rc;
  }
  static int remove(sqlite3_vfs* vfs, const char* path, int with_folder) {
    const std::lock_guard lock(of(vfs).mutex_);
    return of(vfs).remove(path, (with_folder & 1) != 0);
  }
  static int access(sqlite3_vfs* vfs, const char* path, int flags, int* out) {
    const std::lock_guard lock(of(vfs).mutex_);
    *out = 1;
    return flags == SQLITE_ACCESS_EXISTS ? of(vfs).exists(path, out) : SQLITE_OK;
  }
  static int full_path(sqlite3_vfs*, const char* path, int room, char* out) {
    const std::size_t size = std::strlen(path) + 1;
    if (size > static_cast<std::size_t>(room)) return SQLITE_CANTOPEN;
    std::memcpy(out, path, size);
    return SQLITE_OK;
  }
  static int randomness(sqlite3_vfs* vfs, int size, char* out) {
    const std::lock_guard lock(of(vfs).mutex_);
    for (int i = 0; i < size; ++i) out[i] = static_cast<char>(of(vfs).dice_.next());
    return size;
  }
  static int pass_time(sqlite3_vfs*, int microseconds) { return microseconds; }
  static int now(sqlite3_vfs* vfs, sqlite3_int64* out) {
    const std::lock_guard lock(of(vfs).mutex_);
    *out = 211'845'153'600'000 + ++of(vfs).now_ms_;  // in the Julian milliseconds of SQLite
    return SQLITE_OK;
  }
  static int now_days(sqlite3_vfs* vfs, double* out) {
    sqlite3_int64 ms = 0;
    now(vfs, &ms);
    *out = static_cast<double>(ms) / 86'400'000.0;
    return SQLITE_OK;
  }
  static int last_error(sqlite3_vfs*, int, char*) { return 0; }

  static constexpr sqlite3_io_methods table = [] {
    sqlite3_io_methods out{};
    out.iVersion = 2;
    out.xClose = close;
    out.xRead = read;
    out.xWrite = write;
    out.xTruncate = truncate;
    out.xSync = sync;
    out.xFileSize = size;
    out.xLock = lock;
    out.xUnlock = unlock;
    out.xCheckReservedLock = check_reserved;
    out.xFileControl = control;
    out.xSectorSize = sector_size;
    out.xDeviceCharacteristics = characteristics;
    out.xShmMap = shm_map;
    out.xShmLock = shm_lock;
    out.xShmBarrier = shm_barrier;
    out.xShmUnmap = shm_unmap;
    return out;
  }();
};

CrashVfs::CrashVfs(const Options& options, Disk disk)
    : name_(cat("crash-", ++made)), options_(options), dice_(options.seed), disk_(std::move(disk)) {
  for (const auto& [path, inode] : disk_.cached_names()) {
    names_[path] = std::make_shared<File>();
    names_[path]->inode = inode;
    names_[path]->data = disk_.cached(inode);
  }
  last_inode_ = disk_.last_inode();
  vfs_.iVersion = 2;
  vfs_.szOsFile = sizeof(Handle);
  vfs_.mxPathname = 512;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = Methods::open;
  vfs_.xDelete = Methods::remove;
  vfs_.xAccess = Methods::access;
  vfs_.xFullPathname = Methods::full_path;
  vfs_.xRandomness = Methods::randomness;
  vfs_.xSleep = Methods::pass_time;
  vfs_.xCurrentTime = Methods::now_days;
  vfs_.xGetLastError = Methods::last_error;
  vfs_.xCurrentTimeInt64 = Methods::now;
  ASSERT(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
}

CrashVfs::~CrashVfs() { sqlite3_vfs_unregister(&vfs_); }

// --- files --------------------------------------------------------------------------------------

void CrashVfs::record(Op op) {
  auto kept = std::make_shared<const Op>(std::move(op));
  disk_.apply(kept);
  ops_.push_back(std::move(kept));
}

int CrashVfs::meet(Call call, int rc) {
  if (!fault_ || fault_->call != call) return SQLITE_OK;
  ++met_;
  if (met_ != fault_->nth && !(fault_->forever && met_ > fault_->nth)) return SQLITE_OK;
  ++refused_;
  return rc;
}

std::shared_ptr<CrashVfs::File> CrashVfs::find(const std::string& path) {
  const auto found = names_.find(path);
  return found == names_.end() ? nullptr : found->second;
}

int CrashVfs::open(const char* path, Handle* handle, int flags, int* out_flags) {
  if (const int rc = meet(Call::open, SQLITE_CANTOPEN); rc != SQLITE_OK) return rc;
  handle->vfs = this;
  handle->path = path != nullptr ? path : "";
  handle->file = path != nullptr ? find(path) : nullptr;
  const bool creates = (flags & SQLITE_OPEN_CREATE) != 0;
  if (handle->file == nullptr) {
    if (path != nullptr && !creates) return SQLITE_CANTOPEN;
    handle->file = std::make_shared<File>();
    handle->file->inode = ++last_inode_;
    if (path != nullptr) {
      names_[path] = handle->file;
      record({.kind = Op::Kind::create, .inode = handle->file->inode, .name = path});
    }
  }
  const int journals = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
  handle->is_folder_sync_due = creates && (flags & journals) != 0;
  handle->is_removed_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
  handle->base.pMethods = &Methods::table;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int CrashVfs::remove(const std::string& path, bool with_folder) {
  if (const int rc = meet(Call::remove, SQLITE_IOERR_DELETE); rc != SQLITE_OK) return rc;
  const auto file = find(path);
  if (file == nullptr) return SQLITE_IOERR_DELETE_NOENT;
  names_.erase(path);
  record({.kind = Op::Kind::remove, .inode = file->inode, .name = path});
  if (!with_folder) return SQLITE_OK;
  if (const int rc = meet(Call::sync, SQLITE_IOERR_DIR_FSYNC); rc != SQLITE_OK) return rc;
  record({.kind = options_.syncs_work ? Op::Kind::sync_folder : Op::Kind::sync_faked});
  return SQLITE_OK;
}

int CrashVfs::exists(const std::string& path, int* out) {
  const auto file = find(path);
  *out = file != nullptr && !file->data.empty() ? 1 : 0;  // the unix VFS: an empty file is no file
  return SQLITE_OK;
}

int CrashVfs::close(Handle& handle) {
  unmap_shared(handle);
  unlock(handle, SQLITE_LOCK_NONE);
  if (handle.is_removed_on_close && find(handle.path) == handle.file) remove(handle.path, false);
  return SQLITE_OK;
}

int CrashVfs::read(Handle& handle, void* out, int size, std::int64_t offset) {
  if (const int rc = meet(Call::read, SQLITE_IOERR_READ); rc != SQLITE_OK) return rc;
  const Bytes& data = handle.file->data;
  const auto wanted = static_cast<std::size_t>(size);
  const auto from = std::min(static_cast<std::size_t>(offset), data.size());
  const std::size_t got = std::min(wanted, data.size() - from);
  if (got > 0) std::memcpy(out, data.data() + from, got);
  if (got == wanted) return SQLITE_OK;
  std::memset(static_cast<char*>(out) + got, 0, wanted - got);
  return SQLITE_IOERR_SHORT_READ;
}

int CrashVfs::write(Handle& handle, const void* data, int size, std::int64_t offset) {
  const int refusal = meet(Call::write, SQLITE_IOERR_WRITE);
  // A write that fails may have done half of its work.
  const auto length = static_cast<std::size_t>(refusal == SQLITE_OK ? size : size / 2);
  if (length > 0) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    Bytes& file = handle.file->data;
    const auto from = static_cast<std::size_t>(offset);
    if (file.size() < from + length) file.resize(from + length);
    std::memcpy(file.data() + from, bytes, length);
    record({.kind = Op::Kind::write,
            .inode = handle.file->inode,
            .offset = offset,
            .data = Bytes(bytes, bytes + length)});
  }
  return refusal;
}

int CrashVfs::truncate(Handle& handle, std::int64_t size) {
  if (const int rc = meet(Call::truncate, SQLITE_IOERR_TRUNCATE); rc != SQLITE_OK) return rc;
  handle.file->data.resize(static_cast<std::size_t>(size));
  record({.kind = Op::Kind::truncate, .inode = handle.file->inode, .offset = size});
  return SQLITE_OK;
}

int CrashVfs::sync(Handle& handle) {
  const Inode inode = handle.file->inode;
  if (const int rc = meet(Call::sync, SQLITE_IOERR_FSYNC); rc != SQLITE_OK) {
    record({.kind = Op::Kind::sync_failed, .inode = inode});
    return rc;
  }
  record({.kind = options_.syncs_work ? Op::Kind::sync : Op::Kind::sync_faked, .inode = inode});
  if (!handle.is_folder_sync_due) return SQLITE_OK;
  if (const int rc = meet(Call::sync, SQLITE_IOERR_DIR_FSYNC); rc != SQLITE_OK) return rc;
  record({.kind = options_.syncs_work ? Op::Kind::sync_folder : Op::Kind::sync_faked});
  handle.is_folder_sync_due = false;
  return SQLITE_OK;
}

// --- locks --------------------------------------------------------------------------------------

int CrashVfs::lock(Handle& handle, int level) {
  if (const int rc = meet(Call::lock, SQLITE_IOERR_LOCK); rc != SQLITE_OK) return rc;
  File& file = *handle.file;
  const auto others = [&](const Handle* holder) { return holder != nullptr && holder != &handle; };
  if (level <= handle.level) return SQLITE_OK;
  if (level == SQLITE_LOCK_SHARED) {
    if (others(file.pending) || others(file.exclusive)) return SQLITE_BUSY;
    ++file.shared;
  } else if (level == SQLITE_LOCK_RESERVED) {
    if (others(file.reserved)) return SQLITE_BUSY;
    file.reserved = &handle;
  } else {
    if (others(file.reserved) || others(file.pending)) return SQLITE_BUSY;
    file.pending = &handle;
    handle.level = std::max(handle.level, SQLITE_LOCK_PENDING);
    if (level == SQLITE_LOCK_PENDING) return SQLITE_OK;
    if (file.shared > 1) return SQLITE_BUSY;
    file.exclusive = &handle;
  }
  handle.level = level;
  return SQLITE_OK;
}

int CrashVfs::unlock(Handle& handle, int level) {
  File& file = *handle.file;
  if (level >= handle.level) return SQLITE_OK;
  for (Handle** holder : {&file.reserved, &file.pending, &file.exclusive}) {
    if (*holder == &handle) *holder = nullptr;
  }
  if (level == SQLITE_LOCK_NONE && handle.level >= SQLITE_LOCK_SHARED) --file.shared;
  handle.level = level;
  return SQLITE_OK;
}

int CrashVfs::map_shared(Handle& handle, int region, int size, bool extend, void volatile** out) {
  *out = nullptr;
  if (const int rc = meet(Call::map, SQLITE_IOERR_SHMMAP); rc != SQLITE_OK) return rc;
  Shared& shared = handle.file->wal_index;
  if (!handle.is_mapped) {
    handle.is_mapped = true;
    ++shared.users;
  }
  const auto wanted = static_cast<std::size_t>(region);
  while (extend && shared.regions.size() <= wanted) {
    shared.regions.push_back(std::make_unique<Bytes>(static_cast<std::size_t>(size)));
  }
  if (wanted < shared.regions.size()) *out = shared.regions[wanted]->data();
  return SQLITE_OK;
}

int CrashVfs::lock_shared(Handle& handle, int first, int count, int flags) {
  Shared& shared = handle.file->wal_index;
  const bool is_checkpoint = first == checkpoint_slot && count == 1;
  const auto end_checkpoint = [&] {
    if (!is_checkpoint) return;
    ++checkpoints_;
    checkpointed_.notify_all();
  };
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    for (int i = first; i < first + count; ++i) {
      const auto slot = static_cast<std::size_t>(i);
      if (shared.owner[slot] == &handle) shared.owner[slot] = nullptr;
      if (handle.reads[slot]) --shared.readers[slot];
      handle.reads[slot] = false;
    }
    end_checkpoint();
    return SQLITE_OK;
  }
  if (const int rc = meet(Call::lock, SQLITE_IOERR_SHMLOCK); rc != SQLITE_OK) {
    end_checkpoint();
    return rc;
  }
  if (is_checkpoint && checkpointer_ && *checkpointer_ != std::this_thread::get_id()) {
    return SQLITE_BUSY;
  }
  const bool is_exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  for (int i = first; i < first + count; ++i) {
    const auto slot = static_cast<std::size_t>(i);
    if (shared.owner[slot] != nullptr && shared.owner[slot] != &handle) return SQLITE_BUSY;
    if (is_exclusive && shared.readers[slot] > (handle.reads[slot] ? 1 : 0)) return SQLITE_BUSY;
  }
  for (int i = first; i < first + count; ++i) {
    const auto slot = static_cast<std::size_t>(i);
    if (is_exclusive) {
      shared.owner[slot] = &handle;
    } else if (!handle.reads[slot]) {
      handle.reads[slot] = true;
      ++shared.readers[slot];
    }
  }
  return SQLITE_OK;
}

void CrashVfs::unmap_shared(Handle& handle) {
  if (!handle.is_mapped) return;
  handle.is_mapped = false;
  Shared& shared = handle.file->wal_index;
  for (std::size_t slot = 0; slot < shared_slots; ++slot) {
    if (shared.owner[slot] == &handle) shared.owner[slot] = nullptr;
    if (handle.reads[slot]) --shared.readers[slot];
    handle.reads[slot] = false;
  }
  // The next one recovers, as the first process at an unused file does.
  if (--shared.users == 0) shared.regions.clear();
}

// --- the driver's side --------------------------------------------------------------------------

std::size_t CrashVfs::op_count() {
  const std::lock_guard lock(mutex_);
  return ops_.size();
}

std::vector<OpPtr> CrashVfs::ops() {
  const std::lock_guard lock(mutex_);
  return ops_;
}

Disk CrashVfs::disk() {
  const std::lock_guard lock(mutex_);
  return disk_;
}

std::optional<std::string> CrashVfs::unsynced_commit(const std::string& store_path) {
  const std::lock_guard lock(mutex_);
  const std::string wal_path = store_path + "-wal";
  for (const std::string& path : {store_path, wal_path}) {
    const auto file = find(path);
    if (file == nullptr) return cat(path, " does not exist");
    if (!disk_.is_name_certain(path, file->inode))
      return cat("the name of ", path, " is not synced");
  }
  const Disk::Unsynced rest = disk_.unsynced(find(wal_path)->inode);
  if (rest.ops == 0) return std::nullopt;
  // Without powersafe overwrite SQLite pads a commit with copies of its last frame up to the next
  // sector, syncs there, and writes the rest of the last copy after that.
  const Profile& profile = disk_.profile();
  if (!profile.powersafe_overwrite && rest.first_offset % profile.sector_bytes == 0 &&
      rest.bytes < wal_frame_bytes) {
    return std::nullopt;
  }
  return cat(rest.ops, " writes to the WAL, from byte ", rest.first_offset, " on, are not synced");
}

void CrashVfs::refuse(const Fault& fault) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
  met_ = 0;
  refused_ = 0;
}

void CrashVfs::heal() {
  const std::lock_guard lock(mutex_);
  fault_.reset();
}

std::int64_t CrashVfs::refused() {
  const std::lock_guard lock(mutex_);
  return refused_;
}

void CrashVfs::only_checkpoints_by(std::thread::id thread) {
  const std::lock_guard lock(mutex_);
  checkpointer_ = thread;
}

void CrashVfs::anyone_checkpoints() {
  const std::lock_guard lock(mutex_);
  checkpointer_.reset();
}

std::int64_t CrashVfs::checkpoints() {
  const std::lock_guard lock(mutex_);
  return checkpoints_;
}

void CrashVfs::wait_for_checkpoint(std::int64_t seen) {
  std::unique_lock lock(mutex_);
  // A store that never checkpoints is a failure that the caller sees in the count.
  checkpointed_.wait_for(lock, std::chrono::seconds(20), [&] { return checkpoints_ > seen; });
}

}  // namespace baton::powercut
