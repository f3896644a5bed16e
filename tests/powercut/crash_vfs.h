#pragma once
// CrashVfs: a sqlite3_vfs whose files live in memory and whose every operation is written down, so
// that a power cut or the death of the process at any of them can be made up afterwards (disk.h
// has the model). Locks and the WAL's shared memory work between connections, so several stores
// in one process stand for several processes. It can refuse calls, and it knows at any time what
// is not synced yet. Any thread; must outlive its connections.

#include <sqlite3.h>

#include <array>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "disk.h"

namespace baton::powercut {

/// What can be refused, each with the result code the unix VFS gives.
enum class Call : std::uint8_t { read, write, sync, truncate, lock, open, remove, size, map };
inline constexpr std::array<Call, 9> all_calls = {Call::read,     Call::write, Call::sync,
                                                  Call::truncate, Call::lock,  Call::open,
                                                  Call::remove,   Call::size,  Call::map};
const char* name_of(Call call);

class CrashVfs {
 public:
  struct Options {
    Profile profile;
    std::uint64_t seed = 1;
    bool syncs_work = true;  // false: a sync says it has succeeded and does nothing
  };

  explicit CrashVfs(const Options& options) : CrashVfs(options, Disk(options.profile)) {}
  /// A process that starts where another one died: it sees what the system still caches.
  CrashVfs(const Options& options, Disk disk);
  ~CrashVfs();
  CrashVfs(const CrashVfs&) = delete;
  CrashVfs& operator=(const CrashVfs&) = delete;

  const std::string& name() const { return name_; }

  // What was done so far. Reads are not written down: they change nothing.
  std::size_t op_count();
  std::vector<OpPtr> ops();
  Disk disk();

  /// A problem if a power cut now could undo a commit: the WAL or its name is not synced. Call
  /// when a commit has been acknowledged and nothing else writes.
  std::optional<std::string> unsynced_commit(const std::string& store_path);

  /// The `nth` call of that sort from now on is refused; then, if `forever`, all of them.
  struct Fault {
    Call call = Call::read;
    std::int64_t nth = 1;
    bool forever = false;
  };
  void refuse(const Fault& fault);
  void heal();
  /// How many calls were refused since refuse().
  std::int64_t refused();

  /// Checkpoints by other threads find the lock taken. A store makes them after some quiet time,
  /// which would make the operations depend on the machine's speed.
  void only_checkpoints_by(std::thread::id thread);
  void anyone_checkpoints();
  /// Checkpoints that ended (done or refused) so far; waits until there are more than `seen`.
  std::int64_t checkpoints();
  void wait_for_checkpoint(std::int64_t seen);

 private:
  struct Shared;  // a main file's wal-index
  struct File;
  struct Handle;
  struct Methods;

  void record(Op op);
  int meet(Call call, int rc);
  std::shared_ptr<File> find(const std::string& path);

  // The calls of SQLite, under the mutex.
  int open(const char* path, Handle* handle, int flags, int* out_flags);
  int remove(const std::string& path, bool with_folder);
  int exists(const std::string& path, int* out);
  int close(Handle& handle);
  int read(Handle& handle, void* out, int size, std::int64_t offset);
  int write(Handle& handle, const void* data, int size, std::int64_t offset);
  int truncate(Handle& handle, std::int64_t size);
  int sync(Handle& handle);
  int lock(Handle& handle, int level);
  int unlock(Handle& handle, int level);
  int map_shared(Handle& handle, int region, int size, bool extend, void volatile** out);
  int lock_shared(Handle& handle, int first, int count, int flags);
  void unmap_shared(Handle& handle);

  std::string name_;
  Options options_;
  sqlite3_vfs vfs_{};

  std::mutex mutex_;  // guards all below
  Dice dice_;
  Disk disk_;
  std::vector<OpPtr> ops_;
  std::map<std::string, std::shared_ptr<File>> names_;
  Inode last_inode_ = 0;
  std::int64_t now_ms_ = 0;

  std::optional<Fault> fault_;
  std::int64_t met_ = 0;
  std::int64_t refused_ = 0;

  std::optional<std::thread::id> checkpointer_;
  std::int64_t checkpoints_ = 0;
  std::condition_variable checkpointed_;
};

}  // namespace baton::powercut
