#include "adapters/store/sqlite/write/wal_batch.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "base/core/thread_safety.h"
#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

// SQLite's file format: a frame is a header of 24 bytes and a page. The second word of the header
// is not zero in the last frame of a commit.
constexpr int frame_header_bytes = 24;
// SQLite's unix files take at most 128 KiB in one call.
constexpr std::size_t batch_bytes_max = 64u << 10;
// A file that grows with every commit is synced with its new length, which costs as much as the
// commit. So it grows by this much at a time, with zeros, which no reader takes for frames.
constexpr sqlite3_int64 growth_bytes = 256 << 10;

/// A WAL file of ours. The file of the base vfs is behind it in the same memory, which SQLite
/// provides and does not construct.
struct WalFile {
  sqlite3_file base;
  std::string* batch;
  sqlite3_int64 start;  // where the batch belongs in the file
  sqlite3_int64 grown;  // the file is at least this long
  bool ends_commit;     // the last header was of a commit's last frame
  bool is_padded;       // commits end at a sector, so a frame may come in any pieces: no batches

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }

  /// Makes the file long enough for more commits than the one that ends at `end`. Only the holder
  /// of the write lock comes here, so no other process writes after that end. Its success does not
  /// matter: without room for zeros there may be some for the commit.
  void grow(sqlite3_int64 end) {
    static constexpr char zeros[batch_bytes_max] = {};
    constexpr auto piece = static_cast<sqlite3_int64>(batch_bytes_max);
    if (end <= grown) return;
    if (real()->pMethods->xFileSize(real(), &grown) != SQLITE_OK || end <= grown) return;
    for (; grown < end + growth_bytes; grown = std::max(grown, end) + piece) {
      if (real()->pMethods->xWrite(real(), zeros, sizeof zeros, std::max(grown, end)) !=
          SQLITE_OK) {
        return;
      }
    }
  }

  int flush() {
    if (batch->empty()) return SQLITE_OK;
    grow(start + static_cast<sqlite3_int64>(batch->size()));
    const int rc =
        real()->pMethods->xWrite(real(), batch->data(), static_cast<int>(batch->size()), start);
    // Also after an error: SQLite writes these frames again or gives them up.
    batch->clear();
    return rc;
  }

  int write(const void* data, int size, sqlite3_int64 at) {
    if (is_padded) return real()->pMethods->xWrite(real(), data, size, at);
    if (!batch->empty() && at != start + static_cast<sqlite3_int64>(batch->size())) {
      if (const int rc = flush(); rc != SQLITE_OK) return rc;
    }
    if (batch->empty()) start = at;
    batch->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
    if (size == frame_header_bytes) {
      std::uint32_t pages_after = 0;
      std::memcpy(&pages_after, static_cast<const char*>(data) + 4, sizeof pages_after);
      ends_commit = pages_after != 0;
      return SQLITE_OK;
    }
    if (!ends_commit && batch->size() < batch_bytes_max) return SQLITE_OK;
    ends_commit = false;
    return flush();
  }
};

WalFile& wal(sqlite3_file* file) { return *reinterpret_cast<WalFile*>(file); }

int close_wal(sqlite3_file* file) {
  WalFile& self = wal(file);
  const int flushed = self.flush();
  const int closed = self.real()->pMethods->xClose(self.real());
  std::unique_ptr<std::string>(self.batch).reset();
  return flushed != SQLITE_OK ? flushed : closed;
}

int write_wal(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
  return wal(file).write(data, size, at);
}

/// A method of the base file, after what is collected was written.
template <auto method, class... Arguments>
int after_flush(sqlite3_file* file, Arguments... arguments) {
  WalFile& self = wal(file);
  if (const int rc = self.flush(); rc != SQLITE_OK) return rc;
  return (self.real()->pMethods->*method)(self.real(), arguments...);
}

template <auto method, class... Arguments>
int pass(sqlite3_file* file, Arguments... arguments) {
  WalFile& self = wal(file);
  return (self.real()->pMethods->*method)(self.real(), arguments...);
}

int truncate_wal(sqlite3_file* file, sqlite3_int64 size) {
  wal(file).grown = 0;
  return after_flush<&sqlite3_io_methods::xTruncate, sqlite3_int64>(file, size);
}

// Version 1: a WAL has neither shared memory nor mapped pages of its own.
using Methods = sqlite3_io_methods;
constexpr Methods wal_methods = {1,
                                 close_wal,
                                 after_flush<&Methods::xRead, void*, int, sqlite3_int64>,
                                 write_wal,
                                 truncate_wal,
                                 after_flush<&Methods::xSync, int>,
                                 after_flush<&Methods::xFileSize, sqlite3_int64*>,
                                 pass<&Methods::xLock, int>,
                                 pass<&Methods::xUnlock, int>,
                                 pass<&Methods::xCheckReservedLock, int*>,
                                 after_flush<&Methods::xFileControl, int, void*>,
                                 pass<&Methods::xSectorSize>,
                                 pass<&Methods::xDeviceCharacteristics>,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr};

sqlite3_vfs* base_of(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  sqlite3_vfs* base = base_of(vfs);
  if ((flags & SQLITE_OPEN_WAL) == 0) return base->xOpen(base, path, file, flags, out_flags);
  WalFile& self = wal(file);
  self.base.pMethods = nullptr;
  self.real()->pMethods = nullptr;
  const int rc = base->xOpen(base, path, self.real(), flags, out_flags);
  if (rc != SQLITE_OK) {
    // SQLite would not close what it does not know.
    if (self.real()->pMethods != nullptr) self.real()->pMethods->xClose(self.real());
    return rc;
  }
  self.batch = std::make_unique<std::string>().release();
  self.start = 0;
  self.grown = 0;
  self.ends_commit = false;
  const int device = self.real()->pMethods->xDeviceCharacteristics(self.real());
  self.is_padded = (device & SQLITE_IOCAP_POWERSAFE_OVERWRITE) == 0;
  self.base.pMethods = &wal_methods;
  return SQLITE_OK;
}

/// A method of the base vfs, called with the base itself.
template <auto method, class Answer, class... Arguments>
Answer forward(sqlite3_vfs* vfs, Arguments... arguments) {
  return (base_of(vfs)->*method)(base_of(vfs), arguments...);
}

sqlite3_vfs batching_over(sqlite3_vfs* base, const char* name) {
  using Vfs = sqlite3_vfs;
  sqlite3_vfs vfs = *base;
  vfs.iVersion = 1;
  vfs.szOsFile = static_cast<int>(sizeof(WalFile)) + base->szOsFile;
  vfs.pNext = nullptr;
  vfs.zName = name;
  vfs.pAppData = base;
  vfs.xOpen = open;
  vfs.xDelete = forward<&Vfs::xDelete, int, const char*, int>;
  vfs.xAccess = forward<&Vfs::xAccess, int, const char*, int, int*>;
  vfs.xFullPathname = forward<&Vfs::xFullPathname, int, const char*, int, char*>;
  vfs.xDlOpen = nullptr;
  vfs.xDlError = nullptr;
  vfs.xDlSym = nullptr;
  vfs.xDlClose = nullptr;
  vfs.xRandomness = forward<&Vfs::xRandomness, int, int, char*>;
  vfs.xSleep = forward<&Vfs::xSleep, int, int>;
  vfs.xCurrentTime = forward<&Vfs::xCurrentTime, int, double*>;
  vfs.xGetLastError = forward<&Vfs::xGetLastError, int, int, char*>;
  return vfs;
}

struct Registered {
  std::string name;
  sqlite3_vfs vfs;
};

}  // namespace

std::string batching_vfs(const std::string& base) {
  static Mutex mutex;
  static std::map<sqlite3_vfs*, std::unique_ptr<Registered>> all GUARDED_BY(mutex);
  sqlite3_vfs* found = sqlite3_vfs_find(base.empty() ? nullptr : base.c_str());
  if (found == nullptr) return {};
  const MutexLock lock(mutex);
  std::unique_ptr<Registered>& entry = all[found];
  if (entry == nullptr) {
    entry = std::make_unique<Registered>();
    entry->name = cat("baton-", all.size(), '-', found->zName);
    entry->vfs = batching_over(found, entry->name.c_str());
    if (sqlite3_vfs_register(&entry->vfs, 0) != SQLITE_OK) return {};
  }
  return entry->name;
}

}  // namespace baton::adapters::sqlite
