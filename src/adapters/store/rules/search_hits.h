#pragma once
// Which words of a question occur in which runs, collected word by word. One thread.

#include <bit>
#include <map>
#include <unordered_map>
#include <vector>

#include "ports/search_index.h"

namespace baton::adapters {

/// `Key` is how the index names a run.
template <class Key>
class SearchHits {
 public:
  explicit SearchHits(std::size_t words) : runs_with_(words) {}

  /// The text of `commit`, which is of `run`, has the word.
  void add(std::size_t word, const Key& run, run::CommitNo commit) {
    const std::uint64_t bit = std::uint64_t{1} << word;
    Run& of = runs_[run];
    if ((of.words & bit) == 0) ++runs_with_[word];
    of.words |= bit;
    Commit& at = commits_[commit.value];
    at.words |= bit;
    at.run = &of;
  }

  /// In how many runs each word occurs.
  const std::vector<std::int64_t>& runs_with_word() {
    for (const auto& [no, commit] : commits_) {
      Run& run = *commit.run;
      const int words = std::popcount(commit.words);
      if (words < run.best_words || (words == run.best_words && no < run.best.value)) continue;
      run.best_words = words;
      run.best = {no};
    }
    commits_.clear();
    return runs_with_;
  }

  /// REQUIRES: runs_with_word() was called since the last add().
  void fill(const Key& key, run::FoundRun& found) const {
    const auto run = runs_.find(key);
    if (run == runs_.end()) return;
    found.words = run->second.words;
    found.best = run->second.best;
  }

 private:
  struct Run {
    std::uint64_t words = 0;
    int best_words = 0;
    run::CommitNo best;
  };
  struct Commit {
    std::uint64_t words = 0;
    Run* run = nullptr;  // in runs_, whose elements stay where they are
  };

  std::map<Key, Run> runs_;
  std::unordered_map<std::int64_t, Commit> commits_;
  std::vector<std::int64_t> runs_with_;
};

}  // namespace baton::adapters
