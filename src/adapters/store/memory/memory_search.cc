#include "adapters/store/memory/memory_search.h"

#include <algorithm>
#include <ranges>

#include "adapters/store/rules/search_hits.h"
#include "base/core/limits.h"

namespace baton::adapters {

Result<ports::IndexMark> MemorySearch::mark() {
  const MutexLock lock(mutex_);
  return mark_;
}

std::shared_ptr<void> MemorySearch::claim(std::int64_t) {
  // No other process knows of it.
  return std::make_shared<int>();
}

Result<void> MemorySearch::add(const ports::IndexMark& after,
                               std::span<const ports::SearchCommit> commits) {
  const MutexLock lock(mutex_);
  if (mark_ != after) return {};
  for (const ports::SearchCommit& commit : commits) take(commit);
  return {};
}

void MemorySearch::take(const ports::SearchCommit& commit) {
  const run::Searchable& found = commit.found;
  mark_ = commit.mark;
  if (found.started) {
    run::FoundRun run;
    run.run = found.started->run;
    run.session = commit.mark.session;
    run.workflow_id = found.started->workflow_id;
    run.workflow_name = commit.workflow_name;
    run.around = found.around;
    runs_[run.run] = std::move(run);
  }
  if (found.run) {
    if (const auto run = runs_.find(*found.run); run != runs_.end()) {
      run->second.last = commit.mark.commit;
      if (!found.words.empty()) texts_[commit.mark.commit] = {*found.run, found.words};
    }
  }
  for (const RunId& run : found.revoked) {
    runs_.erase(run);
    std::erase_if(texts_, [&](const auto& text) { return text.second.run == run; });
  }
}

Result<void> MemorySearch::forget(const SessionId& session) {
  const MutexLock lock(mutex_);
  std::set<RunId> gone;
  std::erase_if(runs_, [&](const auto& run) {
    if (run.second.session != session) return false;
    gone.insert(run.first);
    return true;
  });
  std::erase_if(texts_, [&](const auto& text) { return gone.contains(text.second.run); });
  return {};
}

Result<void> MemorySearch::clear() {
  const MutexLock lock(mutex_);
  mark_ = {};
  runs_.clear();
  texts_.clear();
  return {};
}

Result<void> MemorySearch::find(std::span<const std::string> words, run::FoundRuns& out) {
  const MutexLock lock(mutex_);
  SearchHits<RunId> hits(words.size());
  for (std::size_t word = 0; word < words.size(); ++word) {
    std::size_t count = 0;
    for (const auto& [commit, text] : texts_ | std::views::reverse) {
      if (!std::ranges::binary_search(text.words, words[word])) continue;
      if (++count > limits::search_hits_max) break;
      hits.add(word, text.run, commit);
    }
  }
  out.begin(std::ssize(runs_), hits.runs_with_word());
  for (const auto& [id, run] : runs_) {
    run::FoundRun found = run;
    hits.fill(id, found);
    out.add(found);
  }
  return {};
}

}  // namespace baton::adapters
