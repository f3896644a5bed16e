#pragma once
// Shapes: what a document may contain, as data. shape_check.h compares a tree with them,
// json_schema.h turns them into JSON Schema, so that the two cannot disagree. Constant data.

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "workflow/check/diagnostic.h"

namespace baton::workflow {

struct Shape;

enum class KeyRule : std::uint8_t {
  optional,
  required,
  ignored,  // of `of`: a warning in its files, unknown in others
};

struct Key {
  std::string_view name;
  const Shape* shape;
  std::string_view help = {};
  KeyRule rule = KeyRule::optional;
  std::string_view canonical = {};  // the canonical spelling of this one; empty for itself
  Dialect of = Dialect::native;     // only with KeyRule::ignored
};

enum class ShapeKind : std::uint8_t {
  any,
  text,
  boolean,
  integer,
  number,
  list,
  map,     // any keys, values of `item`
  object,  // of `keys`
  choice,  // the first of `choices` that fits the value's type, or whose `mark` is there
  condition,
  step,
};

struct Shape {
  ShapeKind kind = ShapeKind::any;
  std::string_view what = {};                                   // in messages: "a list of steps"
  const Shape* item = nullptr;                                  // of a list or map
  std::span<const Key> keys = {};                               // of an object
  std::span<const std::string_view> words = {};                 // of a text: its closed set
  std::span<const Shape* const> choices = {};                   // of a choice
  std::int64_t min = std::numeric_limits<std::int64_t>::min();  // of a number; items of a list;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();  // bytes of a text
  std::string_view mark = {};  // an object of a choice is this one when it has that key
  bool open = false;           // an object may have further keys, by its JSON Schema
  bool closed = false;         // of an object: AroMCP refuses further keys there too
};

struct CheckContext;
struct SyntaxNode;
struct Step;
class StepChecks;
class StepLowering;

/// What the steps inside a step of some type are to the steps around it.
enum class Inside : std::uint8_t {
  same,
  loop,   // rounds of a loop
  task,   // done by sub-agents, with ids of their own
  frame,  // of another workflow, with state of its own
};

/// A step type as files spell it. Several spellings may become one type of a compiled workflow.
struct StepType {
  std::string_view name;
  std::string_view canonical = {};  // empty for itself
  std::string_view actor;           // agent, person, server, sub-agents, compiler
  std::string_view help = {};
  std::span<const Key> keys = {};
  Inside inside = Inside::same;
  bool leaves_block = false;  // what follows it in its block cannot run
  /// Brings the keys of its own to one spelling.
  void (*normalise)(SyntaxNode& step, const CheckContext& context) = nullptr;
  /// Reports what is wrong with an expanded step.
  void (*check)(const SyntaxNode& step, StepChecks& checks) = nullptr;
  /// Fills the payload and the blocks of the compiled step. nullptr: the compiler has replaced it.
  void (*lower)(SyntaxNode& step, StepLowering& lowering, Step& out) = nullptr;
};

/// The shape of a workflow document, without `steps` being required.
const Shape& document_shape();

/// Of scenario files.
const Shape& scenario_shape();

/// Of agents/*.md and rules/*.md.
const Shape& persona_shape();
const Shape& rule_shape();

/// Every spelling, in the order of the table in workflow/steps/body.h.
std::span<const StepType> step_types();
const StepType* find_step_type(std::string_view name);

/// The type of an expanded step, which may have the name of a compiled type: `include`. A step that
/// has no known type is a prompt.
const StepType& expanded_type(const SyntaxNode& step);

/// Keys that every step may have.
std::span<const Key> common_step_keys();

/// Keys of a condition object, besides the operators of the closed set.
std::span<const Key> condition_keys();

const Key* find_key(std::span<const Key> keys, std::string_view name);

/// What a check goes by, and where it reports.
struct CheckContext {
  Dialect dialect = Dialect::native;
  Diagnostics& diagnostics;
  std::set<std::string> declared = {};  // names of the state, where a check asks for them
};

}  // namespace baton::workflow
