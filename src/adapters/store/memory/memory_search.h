#pragma once
// A SearchIndex in memory: for tests, and where the file beside the store cannot be used.
// Any thread.

#include <map>
#include <mutex>
#include <set>

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

  // REQUIRES: mutex_ is held.
  void take(const ports::SearchCommit& commit);

  std::mutex mutex_;  // guards all below
  ports::IndexMark mark_;
  std::map<RunId, run::FoundRun> runs_;  // without words
  std::map<run::CommitNo, Text> texts_;
};

}  // namespace baton::adapters
