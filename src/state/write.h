#pragma once
// Write: one change that a step or an agent asks for, and its effect. Pure.

#include <optional>
#include <string_view>
#include <vector>

#include "state/frame.h"
#include "state/schema.h"

namespace baton::state {

enum class Operation : std::uint8_t {
  set,
  append,     // one element behind the last of a list; what is unset is an empty list
  increment,  // by the value, or by 1 when it is null; what is unset is 0
  decrement,
  merge,  // members of the value replace those of the object; what is unset is an empty one
  multiply,
};

std::optional<Operation> operation_of(std::string_view name);
std::string_view name_of(Operation operation);

struct Write {
  Path path;
  Operation operation = Operation::set;
  json::Value value;
  bool operator==(const Write&) const = default;
};

/// A place and what is there from now on.
struct Assignment {
  Path path;  // of raw, state or inputs; of `this` for what included frames computed
  json::Value value;
  bool operator==(const Assignment&) const = default;
};

struct Effect {
  std::vector<Assignment> assignments;
  Frame after;
};

/// What the write does to the frame, at the smallest places that change: an append is one new
/// element, a merge one assignment for each member. Refuses what cannot be written: computed
/// fields, undeclared ones, values of another type, paths that lead nowhere. A path of `global`
/// is one of this frame.
Result<Effect> effect_of(const StateSchema& schema, const Frame& frame, const Write& write);

/// The frame after an assignment whose value must fit its field and the limits of depth.
Result<Frame> checked(const StateSchema& schema, Frame frame, const Assignment& assignment);

/// The frame after it. STATE_BAD_PATH when it does not fit.
Result<Frame> assigned(Frame frame, const Assignment& assignment);

}  // namespace baton::state
