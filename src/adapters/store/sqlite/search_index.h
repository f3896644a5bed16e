#pragma once
// The SearchIndex in `<db>.search`, beside a store's file, with the words in an FTS5 table. Opened
// when first needed. Nothing is synced; a file that cannot be read is replaced, and where there
// can be none the index is kept in memory. Any thread; processes share the file.

#include <memory>
#include <string>

#include "adapters/store/sqlite/connection.h"
#include "base/core/thread_safety.h"
#include "ports/search_index.h"

namespace baton::adapters {

class SqliteSearch final : public ports::SearchIndex {
 public:
  explicit SqliteSearch(std::string store_path);
  ~SqliteSearch() override;

  Result<ports::IndexMark> mark() override;
  std::shared_ptr<void> claim(std::int64_t wait_ms) override;
  Result<void> add(const ports::IndexMark& after,
                   std::span<const ports::SearchCommit> commits) override;
  Result<void> forget(const SessionId& session) override;
  Result<void> clear() override;
  Result<void> find(std::span<const std::string> words, run::FoundRuns& out) override;

 private:
  struct File;

  /// The file, or the index in memory where no file can be made. Set once, by opened().
  struct Opened {
    std::shared_ptr<File> file;
    ports::SearchIndex* memory;
  };
  Opened open();
  Opened opened() REQUIRES(mutex_);
  void remove_file() REQUIRES(mutex_);

  const std::string path_;
  Mutex mutex_;
  std::shared_ptr<File> file_ GUARDED_BY(mutex_);  // one of these two, once it is open
  std::unique_ptr<ports::SearchIndex> memory_ GUARDED_BY(mutex_);
};

}  // namespace baton::adapters
