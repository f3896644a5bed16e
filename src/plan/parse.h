#pragma once
// A plan's text to a Document, in one pass. Reading never fails: it halts where the grammar is
// broken, with what came before it and the reason. Values only; any thread.
//
//   Document    = Header [blank Description] [Constraints] [Tasks] [Direction]
//   Header      = type ["(" scope ")"] ["!"] ":" [title]
//   Constraints = lines of "- Key: value"
//   Tasks       = lines of "- [x]: text", indented under their parents
//   Direction   = free text, or a line "~~~ WORD ~~~" and free text

#include <optional>
#include <string>
#include <string_view>

#include "plan/config.h"
#include "plan/document.h"

namespace baton::plan {

enum class State : std::uint8_t {
  empty,    // nothing but space
  unknown,  // text that does not begin as a plan does
  parsed,
  halted,
};

std::string_view name_of(State state);

/// Where reading stopped. Lines and columns count from 1; a column counts bytes.
struct Halt {
  std::size_t line = 1;
  std::size_t column = 1;
  std::string expected;
  bool operator==(const Halt&) const = default;

  /// "line 3, column 1: expected ..."
  std::string text() const;
};

struct Parsed {
  State state = State::empty;
  Plan document = {};
  std::optional<Halt> halt = {};  // when unknown or halted
  bool operator==(const Parsed&) const = default;
};

Parsed parse(std::string_view text, const PlanConfig& config = default_config());

/// {state, stage, halt{line, column, expected}?} and the fields of the document.
json::Object to_json(const Parsed& parsed);

// A Document as text: header, description, constraints, tasks and direction, an empty line between
// them, a newline at the end. Values only; any thread.
//
// For every document that validate() accepts, parse(format(x)).document == x.

/// Without a header there is no text: every plan needs one.
std::string format(const Plan& document, const PlanConfig& config = default_config());

}  // namespace baton::plan
