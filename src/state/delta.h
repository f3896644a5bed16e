#pragma once
// Delta: the result of one update: the places that changed and every field computed again.
// It is what an event records. Applying it needs no script. A value.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "state/frame.h"
#include "state/write.h"

namespace baton::state {

enum class ComputeOutcome : std::uint8_t {
  computed,
  fallback,  // the transform failed, and this is the value for that
  ignored,   // it failed, and the field is undefined
};

std::string_view name_of(ComputeOutcome outcome);

struct Computation {
  std::string field;
  std::optional<json::Value> output;  // nothing: undefined from now on
  ComputeOutcome outcome = ComputeOutcome::computed;
  std::string problem;  // why it failed; empty for computed
  std::string trigger;  // the path that changed, or "start"
  std::int64_t elapsed_us = 0;
  bool operator==(const Computation&) const = default;
};

struct Delta {
  std::vector<Assignment> sets;
  std::vector<Computation> computed;  // each after all that it is computed from
  bool operator==(const Delta&) const = default;
};

/// What a delta changed.
std::vector<Path> paths_of(const Delta& delta);

void set_computed(Frame& frame, const Computation& computation);

/// The state after it. STORE_CORRUPT when the delta is of another state.
Result<Frame> replayed(Frame frame, const Delta& delta);

/// {"sets": [{"path", "value"}], "computed": [{"field", "output", "outcome", "problem", "trigger",
/// "elapsed_us"}]}; what is undefined or empty is left out.
json::Object to_json(const Delta& delta);
Result<Delta> delta_from_json(const json::Value& value);  // STORE_CORRUPT

}  // namespace baton::state
