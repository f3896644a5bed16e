#pragma once
// Which runs to offer to a returning caller, best first: an exact id in the question, then the
// commit the work began at, the branch, all words in what was written, all words in the workflow's
// name, some words, and last what was worked on last. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "run/log/searchable.h"

namespace baton::run {

/// Why a run is offered, best reason first.
enum class Match : std::uint8_t { id, head_sha, branch, notes, workflow, some_words, recency };

std::string_view name_of(Match match);

struct ResumeQuestion {
  std::vector<SessionId> sessions;  // ids that were named
  std::vector<RunId> runs;
  std::vector<std::string> words;  // the others, each once, as search_tokens() gives them
  std::string branch;
  std::string head_sha;
  std::string workspace;  // only runs of this folder's project, unless empty
  std::string repo_root;  // of that folder, if it is known
  std::string principal = "local";
};

/// Reads the words and ids of `query` into `question`.
void read_query(std::string_view query, ResumeQuestion& question);

struct ResumeCandidate {
  FoundRun run;
  std::vector<Match> why;
};

/// Ranks what an index finds and keeps the best.
class ResumeRanking final : public FoundRuns {
 public:
  ResumeRanking(const ResumeQuestion& question, std::size_t candidates_max)
      : question_(question), candidates_max_(candidates_max) {}

  void begin(std::int64_t runs, std::span<const std::int64_t> runs_with_word) override;
  void add(const FoundRun& run) override;

  /// Of these the candidates were chosen.
  std::int64_t eligible() const { return eligible_; }
  /// The caller's runs in other workspaces.
  std::int64_t elsewhere() const { return elsewhere_; }

  /// At most as many as were asked for. If none of them has all the words although some run has,
  /// the best of those takes the last place: a caller that sends words means them.
  std::vector<ResumeCandidate> best() &&;

 private:
  struct Ranked {
    bool id = false;
    bool head_sha = false;
    int branch = 0;  // 2: the same, 1: one begins with the other
    bool notes = false;
    bool workflow = false;
    std::int64_t weight = 0;  // of the words that occur anywhere in it
    FoundRun run;
  };

  bool is_named(const FoundRun& run) const;
  bool is_here(const FoundRun& run) const;
  Ranked rank(const FoundRun& run) const;
  static bool is_better(const Ranked& a, const Ranked& b);
  static ResumeCandidate candidate(Ranked ranked);

  const ResumeQuestion& question_;
  const std::size_t candidates_max_;
  std::vector<std::int64_t> weights_;
  std::vector<Ranked> kept_;      // best first
  std::vector<Ranked> by_words_;  // at most one
  std::int64_t eligible_ = 0;
  std::int64_t elsewhere_ = 0;
};

/// At most limits::resume_snippet_bytes_max of `text`, from the first line with one of the words
/// on; from its beginning when there are none.
std::string snippet_of(std::string_view text, const std::vector<std::string>& words);

}  // namespace baton::run
