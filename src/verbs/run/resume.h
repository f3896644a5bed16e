#pragma once
// Finds the runs that a caller may want to continue, and the latest node of each.
// It is handed a Reading, so it cannot append anything; it brings the search index up to date.

#include "engine/engine.h"
#include "ports/search_index.h"
#include "ports/version_control.h"
#include "run/show/resume.h"

namespace baton::verbs {

struct ResumeRequest {
  std::string query = {};
  std::string git_branch = {};
  std::string git_head_sha = {};
  std::string workspace_path = {};  // absolute; empty: everywhere
  std::int64_t limit = limits::resume_candidates_max;
};

struct ResumedRun {
  run::RunRow row;
  run::NodeRow tip;
  std::string snippet;
  std::vector<run::Match> why;
};

struct Resumed {
  std::vector<ResumedRun> candidates;  // best first
  std::int64_t eligible = 0;
  std::int64_t elsewhere = 0;  // runs that are not of the workspace
  std::vector<RunId> damaged;  // that would have been among the candidates
  /// Newer commits that could not be looked through yet, because the search index is being filled:
  /// runs may be missing. 0: none is.
  std::int64_t commits_left = 0;
};

/// `repositories` may be null: then no repository is looked at.
Result<Resumed> resume(const engine::ReadContext& reading, ports::SearchIndex& index,
                       ports::RepositoryReader* repositories, const engine::Principal& principal,
                       const ResumeRequest& request);

}  // namespace baton::verbs
