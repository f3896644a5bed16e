#pragma once
// A step's result that is in the state already: callers may write it there while the step is open,
// and then complete the step without sending it again. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/decide/submission.h"
#include "run/log/event.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

/// A place of the state that was written while a step was open, other than by the step itself.
struct EarlierWrite {
  std::string frame;  // the key of it
  state::Path path;
  bool operator==(const EarlierWrite&) const = default;
};

/// Adds what one commit at an open step wrote, the newest commit first. Whether an earlier one
/// counts too: what was written for a try that failed does not.
bool add_earlier_writes(std::span<const Event> events, std::vector<EarlierWrite>& out);

/// Whether an output leaves out the result, so that the state may have it.
bool leaves_out_result(const StepInput& input);

struct StoredResult {
  bool is_stored = false;                  // all that the step makes of its result was written
  std::optional<json::Value> result = {};  // as it stands there, where it stands whole
  std::vector<std::size_t> done = {};      // the updates of the step that are not made again
};

/// REQUIRES: `scripts` asks.
Known<StoredResult> stored_result(const workflow::Step& step, const NodeState& state,
                                  const workflow::CompiledWorkflow& workflow,
                                  std::span<const EarlierWrite> writes, Scripts& scripts);

}  // namespace baton::run
