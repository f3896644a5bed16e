#pragma once
// Finding runs by words and surroundings. An index beside the log that is filled from it, commit by
// commit, up to a mark; all of it follows from the log and may be lost and rebuilt. It is never
// part of an append, and nothing but finding depends on it. Any thread.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "run/log/rows.h"
#include "run/log/searchable.h"

namespace baton::ports {

/// The last commit that was taken in. Number 0: none. The rest tells whether the log still is the
/// one it was taken from.
struct IndexMark {
  run::CommitNo commit;
  SessionId session;
  Sha256 hash;
  bool operator==(const IndexMark&) const = default;
};

struct SearchCommit {
  IndexMark mark;  // of this commit
  run::Searchable found;
  std::string workflow_name;  // of the run that it starts
};

class SearchIndex {
 public:
  virtual ~SearchIndex() = default;

  virtual Result<IndexMark> mark() = 0;

  /// The right to fill the index, which one process has at a time; released by dropping it. Null
  /// when another process still has it after `wait_ms`. Where it cannot be asked for, it is given:
  /// what two fill in is taken in once anyway.
  virtual std::shared_ptr<void> claim(std::int64_t wait_ms) = 0;

  /// Takes in the commits that follow `after`. When that is not the mark, another process has taken
  /// them in already, and nothing is done.
  virtual Result<void> add(const IndexMark& after, std::span<const SearchCommit> commits) = 0;

  /// Forgets a session that was removed.
  virtual Result<void> forget(const SessionId& session) = 0;

  /// Forgets everything, also what cannot be read.
  virtual Result<void> clear() = 0;

  /// Every run, with the words that occur in its texts; of a word that occurs in more than
  /// limits::search_hits_max commits, only the newest of these count.
  /// REQUIRES: at most limits::search_words_max words, as search_tokens() gives them.
  virtual Result<void> find(std::span<const std::string> words, run::FoundRuns& out) = 0;
};

}  // namespace baton::ports
