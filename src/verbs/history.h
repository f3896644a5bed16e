#pragma once
// Looking at runs: the list, the tree of one, its events. Reads only.

#include <string>
#include <vector>

#include "verbs/engine.h"

namespace baton::verbs {

/// A run by its id, or by its session's. NOT_FOUND otherwise.
Result<run::RunRow> find_run(ports::EventReader& store, std::string_view id);

/// Whether the run goes on at its latest point, or as what it was ended there.
Result<run::RunState> run_state(ports::EventReader& store, const run::RunRow& run);

/// How far a run is, in a word or two for people: in progress, complete, failed, abandoned.
Result<std::string> progress_of(ports::EventReader& store, const run::RunRow& run);

/// One node of a run's tree, in the order of creation.
struct TreeNode {
  NodeId id;
  std::optional<std::size_t> parent;  // index into the tree
  run::NodeKind kind = run::NodeKind::step;
  std::string settled_step;
  std::vector<std::string> open_steps;
  WallMs created;
  std::string notes;                             // the first line of what was handed in to get here
  run::RunState state = run::RunState::running;  // what the run was ended as here
  bool is_tip = false;
  std::optional<run::PreferencesChanged> raise = {};  // that was made here, with who and how
};

Result<std::vector<TreeNode>> run_tree(ports::EventReader& store, const run::RunRow& run);

/// What was seen around the run when it was started.
Result<std::vector<run::ObservationRecorded>> observations(ports::EventReader& store,
                                                           const run::RunRow& run);

/// One event of a session's log.
struct LoggedEvent {
  run::Seq seq;
  WallMs at;
  run::Event event;
};

Result<std::vector<LoggedEvent>> run_log(ports::EventReader& store, const run::RunRow& run);

}  // namespace baton::verbs
