#pragma once
// A SearchIndex in memory: for tests, and where the file beside the store cannot be used.
// Any thread.

#include <map>
#include <set>

#include "base/core/thread_safety.h"
#include "ports/search_index.h"

namespace baton::adapters {

class MemorySearch final : public ports::SearchIndex {
 public:
  Result<ports::IndexMark> mark() override;
  std::shared_ptr<void> claim(std::int64_t wait_ms) override;
  Result<void> add(const ports::IndexMark& after,
                   std::span<const ports::SearchCommit> commits) override;
  Result<void> forget(const SessionId& session) override;
  Result<void> clear() override;
  Result<void> find(std::span<const std::string> words, run::FoundRuns& out) override;

 private:
  struct Text {
    RunId run;
    std::vector<std::string> words;  // sorted
  };

  void take(const ports::SearchCommit& commit) REQUIRES(mutex_);

  Mutex mutex_;
  ports::IndexMark mark_ GUARDED_BY(mutex_);
  std::map<RunId, run::FoundRun> runs_ GUARDED_BY(mutex_);  // without words
  std::map<run::CommitNo, Text> texts_ GUARDED_BY(mutex_);
};

}  // namespace baton::adapters
