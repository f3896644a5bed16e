#pragma once
// Starts a run of a workflow, in a session of its own.

#include "engine/attempt.h"
#include "engine/wait_policy.h"

namespace baton::verbs {

/// The folder of runs that are tried out where there is none.
inline constexpr const char* rehearsal_workspace = "/rehearsal";

struct StartRequest {
  std::string workflow_id;
  std::string goal;
  json::Object context;
  run::PreferencesDelta preferences;
  std::optional<std::string> workspace_path = {};  // absolute
  engine::WaitPolicy wait = {};                    // for commands that the server runs first
  std::string tool = {};                           // that was called, for the record
  run::Budget budget = {};                         // beside that of the workflow
  /// The context holds the workflow's inputs and nothing else: warn of others, and of what the
  /// compiler found in the file.
  bool only_inputs = false;
};

Result<engine::NodeAnswer> start_run(engine::Engine& engine, const engine::Principal& principal,
                                     const StartRequest& request);

}  // namespace baton::verbs
