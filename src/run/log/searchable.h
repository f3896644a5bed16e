#pragma once
// What a commit lets people find a run by: their words in it, and where it was worked on. Follows
// from the commit's events alone. Pure.

#include <span>
#include <string>
#include <vector>

#include "run/log/event.h"

namespace baton::run {

/// What was seen when a run was started. Empty: not seen.
struct RunSurroundings {
  std::string workspace;  // absolute path
  std::string repo_root;  // absolute path
  std::string branch;
  std::string head_sha;
  std::string principal = "local";
  bool operator==(const RunSurroundings&) const = default;
};

struct Searchable {
  std::optional<RunStarted> started;
  RunSurroundings around;          // of the started run
  std::optional<RunId> run;        // the run that the commit is of; none for a task's
  std::vector<RunId> revoked;      // no token of these is valid: they cannot be resumed
  std::vector<std::string> words;  // each once, in the form of search_tokens()
};

Searchable searchable(std::span<const Event> events);

/// A run and how it answers to the words of a question.
struct FoundRun {
  RunId run;
  SessionId session;
  std::string workflow_id;
  std::string workflow_name;
  RunSurroundings around;
  CommitNo last;            // its latest commit
  std::uint64_t words = 0;  // bit i: word i occurs in its texts
  CommitNo best;            // the newest of its commits with most of the words; 0: none has any
};

/// Takes what an index finds, in no particular order.
class FoundRuns {
 public:
  virtual ~FoundRuns() = default;
  /// Before the first run: how many there are, and in how many of them each word occurs.
  virtual void begin(std::int64_t runs, std::span<const std::int64_t> runs_with_word) = 0;
  virtual void add(const FoundRun& run) = 0;
};

}  // namespace baton::run
