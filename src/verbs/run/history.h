#pragma once
// Looking at runs: the list, the tree of one, its events. Reads only.

#include <string>
#include <vector>

#include "engine/engine.h"
#include "run/graph/marks.h"
#include "run/steps/shell_command.h"

namespace baton::verbs {

/// How far a run is at its latest point, as its agent is told.
struct RunProgress {
  run::RunStatus status = run::RunStatus::in_progress;
  std::vector<run::Gap> gaps;                      // open ones, the oldest first
  std::vector<run::Assumption> assumptions;        // in the user's place, in order
  std::vector<std::string> open_steps;             // keys
  std::optional<run::CommandStatus> command = {};  // of the open step's, when the server runs it
  std::optional<run::RunHeld> hold = {};           // by the owner
  run::Budget budget = {};                         // what it may use, and has used
  run::Usage usage = {};
};

Result<RunProgress> progress_of(const engine::ReadContext& reading, const run::RunRow& run);

/// The same in a few words for people: "complete with 2 gaps".
std::string words_of(const RunProgress& progress);

/// What an open step waits for.
enum class OpenMark : std::uint8_t {
  open,         // its agent
  left_behind,  // nothing: the run advanced from here
  user,         // the user's word
  sub_agents,   // tasks that sub-agents carry out
  running,      // the end of its command
  unknown_end,  // nothing runs; the end of its command is unknown
  held          // nothing runs; its command was not started, because the owner holds the run
};

std::string_view name_of(OpenMark mark);

/// One node of a run's tree, in the order of creation.
struct TreeNode {
  NodeId id;
  std::optional<std::size_t> parent;  // index into the tree
  run::NodeMark mark;
  std::vector<std::string> open_steps;
  OpenMark open_mark = OpenMark::open;  // of the first of these
  WallMs created;
  std::string notes;  // the first line of what was sent to get here
  bool is_tip = false;
  std::optional<run::PreferencesChanged> raise = {};  // that was made here, with who and how
};

Result<std::vector<TreeNode>> run_tree(const engine::ReadContext& reading, const run::RunRow& run);

/// What the owner said to the agent of a run, in order, and when.
struct GuidanceEntry {
  run::Guidance guidance;
  WallMs at;
};
Result<std::vector<GuidanceEntry>> guidance_of(ports::EventReader& store, const run::RunRow& run);

/// One event of a session's log.
struct LoggedEvent {
  run::Seq seq;
  WallMs at;
  run::Event event;
};

Result<std::vector<LoggedEvent>> run_log(ports::EventReader& store, const run::RunRow& run);

}  // namespace baton::verbs
