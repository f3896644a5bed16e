#pragma once
// Runs scripts where they can touch nothing: no file, no network, no clock and no chance but those
// of the draw, bounded time, memory, stack and result. Any thread; a call returns when all it was
// asked for is done.

#include <span>

#include "state/script.h"

namespace baton::ports {

/// Whose turn a batch takes. Workflows take turns with one another, and so do the runs of each, so
/// that a script which takes long is waited for by its own run and not by the others.
struct ScriptQueueKey {
  std::string workflow = {};  // empty: none, as when a script is tried
  std::string run = {};
  bool operator==(const ScriptQueueKey&) const = default;
};

class ScriptHost {
 public:
  virtual ~ScriptHost() = default;

  /// What is wrong with the text of each script, before any of it runs; in order.
  virtual std::vector<std::optional<state::ScriptProblem>> check(
      std::span<const state::Script> scripts) = 0;

  /// The results, in order. No evaluation sees anything of another, of this call or any other: the
  /// same evaluation has the same result always, except that what needs nearly all of the time or
  /// memory allowed may fail. When limits::script_jobs_per_run_max batches of the same run wait
  /// already, or limits::script_jobs_per_workflow_max of the same workflow, every result is
  /// ScriptFault::busy.
  virtual std::vector<state::ScriptResult> evaluate(std::span<const state::Evaluation> batch,
                                                    const ScriptQueueKey& turn) = 0;
};

}  // namespace baton::ports
