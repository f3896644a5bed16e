#include "state/write.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::state {
namespace {

constexpr std::array<std::string_view, 6> operations = {"set",       "append", "increment",
                                                        "decrement", "merge",  "multiply"};

using Assignments = std::vector<Assignment>;

/// The tier that a path writes. REQUIRES: a root that target_of() gives.
Tree& tier_of(Frame& frame, Root root) {
  switch (root) {
    case Root::raw: return frame.raw;
    case Root::state: return frame.state;
    case Root::inputs: return frame.inputs;
    default: break;
  }
  ASSERT(root == Root::this_frame);
  return frame.included;
}

std::string hint_of(std::string_view word, const StateSchema::Names& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto near = nearest(word, known);
  return near ? cat("did you mean \"", *near, "\"?") : std::string();
}

StateSchema::Names both(const StateSchema& schema) {
  StateSchema::Names out = schema.names(Root::raw);
  const StateSchema::Names& more = schema.names(Root::state);
  out.insert(more.begin(), more.end());
  return out;
}

std::unexpected<Error> unknown(const Path& path, const StateSchema::Names& names) {
  return fail(Code::STATE_UNKNOWN_NAME,
              cat("\"", path.segments[0], "\" is not declared in ", name_of(path.root)),
              hint_of(path.segments[0], names));
}

/// The tier that `this.name` writes: the one that declares it.
Result<Root> declaring_tier(const StateSchema& schema, const Path& path) {
  const std::string& field = path.segments[0];
  if (schema.names(Root::raw).contains(field)) return Root::raw;
  if (schema.names(Root::state).contains(field)) return Root::state;
  if (schema.names(Root::computed).contains(field)) {
    return fail(Code::STATE_READ_ONLY,
                cat("\"", field, "\" is computed; only the engine writes it"),
                "write what it is computed from");
  }
  const StateSchema::Names known = both(schema);
  if (!known.empty()) return unknown(path, known);
  return Root::raw;
}

/// What is written can be read back from the log.
Result<void> check_length(const Path& path) {
  if (print(path).size() <= limits::state_path_bytes_max) return {};
  return fail(Code::STATE_BAD_PATH,
              cat("a path has at most ", limits::state_path_bytes_max, " bytes"));
}

/// The path by its tier, if it can be written at all.
Result<Path> target_of(const StateSchema& schema, const Path& path) {
  if (path.root == Root::computed || path.root == Root::loop) {
    return fail(
        Code::STATE_READ_ONLY,
        cat("\"", print(path), "\" cannot be written: only the engine writes ", name_of(path.root)),
        path.root == Root::computed ? "write what it is computed from" : "");
  }
  if (path.segments.empty()) {
    return fail(Code::STATE_BAD_PATH, cat("\"", print(path), "\" names no field"),
                cat("name one, as in ", name_of(path.root), ".count"));
  }
  TRY(check_length(path));
  if (path.root == Root::this_frame || path.root == Root::global) {
    return Path{TRY(declaring_tier(schema, path)), path.segments};
  }
  const StateSchema::Names& names = schema.names(path.root);
  if (!names.contains(path.segments[0]) && (!names.empty() || path.root == Root::inputs)) {
    return unknown(path, names);
  }
  return path;
}

std::unexpected<Error> wrong_type(const Path& path, std::string_view expected, const Tree& got) {
  return fail(Code::STATE_WRONG_TYPE, cat("\"", print(path), "\": expected ", expected, ", got ",
                                          json::name_of(got.type())));
}

bool is_exact(std::int64_t integer) {
  constexpr double int64_end = 9223372036854775808.0;
  const auto number = static_cast<double>(integer);
  return number < int64_end && static_cast<std::int64_t>(number) == integer;
}

/// The first integer in it that no double equals.
std::optional<std::int64_t> first_inexact(const json::Value& value) {
  if (const std::int64_t* integer = value.if_int()) {
    return is_exact(*integer) ? std::nullopt : std::optional(*integer);
  }
  std::optional<std::int64_t> found;
  if (const json::Array* list = value.if_array()) {
    for (std::size_t at = 0; at < list->size() && !found; ++at) found = first_inexact((*list)[at]);
  } else if (const json::Object* object = value.if_object()) {
    for (auto each = object->begin(); each != object->end() && !found; ++each) {
      found = first_inexact(each->value);
    }
  }
  return found;
}

/// JavaScript's numbers, but integers stay exact as long as they can.
Result<json::Value> arithmetic(Operation operation, const Tree& left, const Tree& right,
                               const Path& path) {
  if (left.if_int() != nullptr && right.if_int() != nullptr) {
    const std::int64_t a = *left.if_int();
    const std::int64_t b = *right.if_int();
    std::int64_t out = 0;
    const bool overflows = operation == Operation::multiply    ? __builtin_mul_overflow(a, b, &out)
                           : operation == Operation::decrement ? __builtin_sub_overflow(a, b, &out)
                                                               : __builtin_add_overflow(a, b, &out);
    if (!overflows && is_exact(out)) return out;
  }
  const double a = left.to_json().as_double();
  const double b = right.to_json().as_double();
  const double out = operation == Operation::multiply    ? a * b
                     : operation == Operation::decrement ? a - b
                                                         : a + b;
  if (!std::isfinite(out)) {
    return fail(Code::LIMIT_EXCEEDED, cat("\"", print(path), "\" would not be a finite number"));
  }
  return out;
}

Result<Assignments> number_effect(const Write& write, const Path& path, const Tree* current) {
  const bool multiplies = write.operation == Operation::multiply;
  const bool is_unset = current == nullptr || current->is_null();
  if (is_unset && multiplies) {
    return fail(Code::STATE_UNDEFINED,
                cat("\"", print(path), "\" is not set, so ", name_of(write.operation),
                    " has no number to start from"),
                "set it first, or give it a default");
  }
  const Tree left = is_unset ? Tree::from(0) : *current;
  if (!left.is_number()) return wrong_type(path, "a number to change", left);
  const bool by_one = write.value.is_null() && !multiplies;
  const Tree right = by_one ? Tree::from(1) : Tree::from(write.value);
  if (!right.is_number()) return wrong_type(path, "a number as the value", right);
  json::Value result = TRY(arithmetic(write.operation, left, right, path));
  return Assignments{{path, std::move(result)}};
}

Path below(const Path& path, std::string segment) {
  Path out = path;
  out.segments.push_back(std::move(segment));
  return out;
}

Result<Assignments> append_effect(const Write& write, const Path& path, const Tree* current) {
  if (current == nullptr || current->is_null()) {
    return Assignments{{path, json::Array{write.value}}};
  }
  if (!current->is_list()) return wrong_type(path, "a list to append to", *current);
  return Assignments{{below(path, cat(current->size())), write.value}};
}

Result<Assignments> merge_effect(const Write& write, const Path& path, const Tree* current) {
  const json::Object* members = write.value.if_object();
  if (members == nullptr)
    return wrong_type(path, "an object as the value", Tree::from(write.value));
  if (current == nullptr || current->is_null()) return Assignments{{path, write.value}};
  if (!current->is_object()) return wrong_type(path, "an object to merge into", *current);
  Assignments out;
  for (const auto& [name, value] : *members) out.push_back({below(path, name), value});
  return out;
}

Result<Assignments> plain_effect(const Write& write, const Path& path, const Tree* current) {
  switch (write.operation) {
    case Operation::set: return Assignments{{path, write.value}};
    case Operation::append: return append_effect(write, path, current);
    case Operation::merge: return merge_effect(write, path, current);
    case Operation::increment:
    case Operation::decrement:
    case Operation::multiply: break;
  }
  return number_effect(write, path, current);
}

}  // namespace

std::optional<Operation> operation_of(std::string_view name) {
  const auto found = std::ranges::find(operations, name);
  if (found == operations.end()) return std::nullopt;
  return static_cast<Operation>(found - operations.begin());
}

std::string_view name_of(Operation operation) {
  return operations[static_cast<std::size_t>(operation)];
}

Result<Effect> effect_of(const StateSchema& schema, const Frame& frame, const Write& write) {
  const Path path = TRY(target_of(schema, write.path));
  if (const auto inexact = first_inexact(write.value)) {
    return fail(Code::NUMBER_INEXACT,
                cat("\"", print(path), "\": ", *inexact, " cannot be represented in JavaScript"),
                "write it as text");
  }
  Effect out{{}, frame};
  const Tree* current = tier_of(out.after, path.root).find(std::span(path.segments));
  out.assignments = TRY(plain_effect(write, path, current));
  for (const Assignment& each : out.assignments) {
    TRY(check_length(each.path));
    out.after = TRY(checked(schema, std::move(out.after), each));
  }
  return out;
}

Result<Frame> checked(const StateSchema& schema, Frame frame, const Assignment& assignment) {
  const Path& path = assignment.path;
  Frame after = TRY(assigned(std::move(frame), assignment));
  const Tree& tier = tier_of(after, path.root);
  // The tier itself is a level that no path names.
  if (tier.depth() > limits::state_depth_max + 1) {
    return fail(Code::LIMIT_EXCEEDED, cat("\"", print(path), "\" would be nested deeper than ",
                                          limits::state_depth_max, " levels"));
  }
  if (path.root == Root::this_frame) return after;
  const Tree& field = *tier.find(path.segments[0]);
  const FieldType type = schema.type_of(path.root, path.segments[0]);
  if (!fits(field, type)) {
    return wrong_type({path.root, {path.segments[0]}}, name_of(type), field);
  }
  return after;
}

Result<Frame> assigned(Frame frame, const Assignment& assignment) {
  Tree& tier = tier_of(frame, assignment.path.root);
  auto after = tier.with(assignment.path.segments, Tree::from(assignment.value));
  if (!after) {
    Error error = std::move(after).error();
    error.message = cat(print(assignment.path), ": ", error.message);
    return std::unexpected(std::move(error));
  }
  tier = std::move(*after);
  return frame;
}

}  // namespace baton::state
