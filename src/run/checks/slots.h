#pragma once
// Slots: what a sample of a call leaves to its sender, such as `<fill in: what you did>`. A call
// that still holds one was sent unread, so no attempt with one passes. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "run/decide/submission.h"

namespace baton::run {

/// `<fill in: WHAT>`. Choices are written with ` | ` between them.
std::string slot(std::string_view what);

struct Slot {
  std::string at;    // its path in the sample, such as `output.artifacts[0].decision`
  std::string what;  // to fill in
  bool operator==(const Slot&) const = default;
};

/// Those of a sample, in its order.
std::vector<Slot> slots_in(const json::Object& sample);

/// A sample with made-up values: of each slot its first choice, and a text where it has none. For
/// simulations only.
json::Value filled(const json::Value& sample);

/// INVALID_INPUT when an input still holds a slot, or what earlier releases had in its place.
Result<void> check_no_slots(const StepInput& input);

}  // namespace baton::run
