#pragma once
// The AuxStore in `<db>.aux`, beside a store's file. Calls and counts gather in memory and go to
// the file in batches: when enough wait, before a read, and at the end. Nothing is synced, a
// file that cannot be read is replaced, and what cannot be written in time is dropped. Any thread.

#include <map>
#include <memory>
#include <string>

#include "adapters/store/sqlite/connection.h"
#include "base/core/thread_safety.h"
#include "ports/aux_store.h"

namespace baton::adapters {

class SqliteAux : public ports::AuxStore {
 public:
  /// Never fails: where the file cannot be used, it gives an AuxStore in memory.
  static std::unique_ptr<ports::AuxStore> open(const std::string& store_path);
  ~SqliteAux() override;

  void count(std::string_view counter, std::int64_t by) override;
  void record(ports::CallRecord call) override;
  Result<std::int64_t> counter(std::string_view name) override;
  Result<std::vector<ports::CallRecord>> calls(std::size_t limit) override;
  void remember(std::string key, std::string text) override;
  std::optional<std::string> remembered(std::string_view key) override;

 private:
  SqliteAux() = default;
  static Result<std::unique_ptr<SqliteAux>> open_file(const std::string& path);

  void flush() REQUIRES(mutex_);
  Result<void> write_pending() REQUIRES(mutex_);
  Result<void> write_texts() REQUIRES(mutex_);

  Mutex mutex_;
  sqlite::Health health_;
  std::unique_ptr<sqlite::Connection> connection_ GUARDED_BY(mutex_);
  std::map<std::string, std::int64_t, std::less<>> counts_ GUARDED_BY(mutex_);
  std::vector<ports::CallRecord> calls_ GUARDED_BY(mutex_);
  std::map<std::string, std::string, std::less<>> texts_ GUARDED_BY(mutex_);  // not yet in the file
};

}  // namespace baton::adapters
