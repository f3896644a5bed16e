#pragma once
// One line of a plan: what it is by its shape alone, and how it is written. Views point into the
// line given. Values only; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/config.h"
#include "plan/document.h"

namespace baton::plan {

enum class LineKind : std::uint8_t {
  blank,
  task,
  task_like,  // nearly a task: no text, or no dash
  constraint,
  constraint_like,  // begins as one and is not one
  directive,
  text,
};

struct Line {
  LineKind kind = LineKind::text;
  std::size_t indent_columns = 0;  // a tab goes to the next multiple of the indent
  std::size_t indent_bytes = 0;
  bool has_tab = false;     // in its indent
  bool done = false;        // of a task
  std::size_t mark_at = 0;  // of a task: the byte of its mark
  std::string_view text;    // of a task, trimmed
  std::string_view key;     // of a constraint
  std::string_view value;   // of a constraint, trimmed
};

Line read_line(std::string_view line, const PlanConfig& config);

/// For each line whether it is of a code block: between a line of three or more backticks and the
/// next line of at least as many, these two included. What is in one is text, whatever it looks
/// like. A fence that is not closed opens nothing.
std::vector<bool> fenced_lines(std::string_view text);

/// REQUIRES: a depth from 0.
std::string write_task(const PlanTask& task, std::size_t depth, const PlanConfig& config);
std::string write_constraint(const Constraint& constraint, const PlanConfig& config);

/// Without spaces, tabs and returns at its ends.
std::string_view trimmed(std::string_view text);

/// Calls `each(line)` for every line between newlines.
template <class Each>
void each_line(std::string_view text, const Each& each) {
  while (true) {
    const std::size_t end = text.find('\n');
    each(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

// The first line of a plan: `type(scope)!: title`. Values only; any thread.

struct HeaderLine {
  std::optional<Header> header = {};  // with the title, also when that is too long
  std::string expected = {};          // what is wrong, or empty
  std::size_t column = 1;             // where
  bool foreign = false;               // it does not even begin as a header does
};

HeaderLine read_header(std::string_view line, const PlanConfig& config);

std::string write_header(const Header& header, const PlanConfig& config);

}  // namespace baton::plan
