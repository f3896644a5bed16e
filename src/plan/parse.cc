#include "plan/parse.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "plan/line.h"
#include "plan/stage.h"
#include "plan/text_block.h"

namespace baton::plan {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

enum class Section { description, constraints, tasks, direction };

class Parser {
 public:
  Parser(std::string_view text, const PlanConfig& config) : text_(text), config_(config) {}

  Parsed run() {
    read();
    if (!description_.empty()) parsed_.document.description = description_.take();
    if (!direction_.empty()) parsed_.document.direction = direction_.take();
    return std::move(parsed_);
  }

 private:
  void read() {
    if (!check_text()) return;
    std::string_view line;
    fenced_ = fenced_lines(text_);
    if (!next_line(line)) return;
    if (!read_header(line)) return;
    parsed_.state = State::parsed;
    if (next_line(line) && !trimmed(line).empty()) {
      return halt(1, "an empty line after the header");
    }
    while (next_line(line)) {
      if (!read_body(line)) return;
    }
    end_direction();
    parsed_.document.style.crlf = breaks_ > 0 && crlf_breaks_ == breaks_;
  }

  bool check_text() {
    if (text_.size() > config_.bytes_max) {
      halt(1, cat("at most ", config_.bytes_max, " bytes, not ", text_.size()));
      return false;
    }
    const std::size_t bad =
        std::min(text_.find('\0'), utf8::first_invalid(text_).value_or(std::string_view::npos));
    if (bad != std::string_view::npos) {
      const json::Position at = json::position_at(text_, bad);
      line_ = at.line;
      halt(at.column, "UTF-8 text without NUL");
      return false;
    }
    if (text_.find_first_not_of(" \t\r\n",
                                text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0) ==
        std::string_view::npos) {
      return false;  // empty
    }
    if (text_.starts_with(byte_order_mark)) {
      parsed_.document.style.byte_order_mark = true;
      text_.remove_prefix(byte_order_mark.size());
    }
    return true;
  }

  /// The next line without its end; false after the last one. What ends in a newline has no
  /// further, empty line.
  bool next_line(std::string_view& line) {
    if (text_.empty()) return false;
    ++line_;
    // A call for every line is what a text of empty lines consists of.
    const std::size_t end = text_.front() == '\n' ? 0 : text_.find('\n');
    line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (end != std::string_view::npos) {
      ++breaks_;
      if (line.ends_with('\r')) ++crlf_breaks_;
    }
    while (line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }

  bool read_header(std::string_view line) {
    if (trimmed(line).empty()) {
      halt(1, "the header on the first line: type(scope): title");
      return false;
    }
    HeaderLine read = plan::read_header(line, config_);
    if (read.header) parsed_.document.header = std::move(*read.header);
    if (read.expected.empty()) return true;
    halt(read.column, std::move(read.expected));
    if (read.foreign) parsed_.state = State::unknown;
    return false;
  }

  /// False when reading halts.
  bool read_body(std::string_view text) {
    if (text.empty() && section_ != Section::direction) {
      after_blank_ = true;
      if (section_ == Section::description) description_.add(text, true);
      return true;
    }
    const bool is_code = fenced_[line_ - 1] && !trimmed(text).empty();
    const Line line = is_code ? Line{} : read_line(text, config_);
    if (section_ == Section::direction) return add_direction(text, line);
    const bool after_blank = std::exchange(after_blank_, line.kind == LineKind::blank);
    switch (line.kind) {
      case LineKind::blank:
        if (section_ == Section::description) description_.add(text, true);
        return true;
      case LineKind::task: return add_task(line);
      case LineKind::task_like:
        halt(line.indent_bytes + 1,
             cat("a task: ", config_.task_shapes.front().write(" ", "text")));
        return false;
      case LineKind::directive: return add_direction(text, line);
      case LineKind::constraint:
        if (section_ == Section::tasks) break;
        section_ = Section::constraints;
        parsed_.document.constraints.push_back({std::string(line.key), std::string(line.value)});
        return true;
      case LineKind::constraint_like:
        if (section_ == Section::tasks) break;
        return add_constraint_like(text);
      case LineKind::text: break;
    }
    if (section_ == Section::description) {
      description_.add(text, false);
      return true;
    }
    if (after_blank) return add_direction(text, line);
    halt(1, section_ == Section::tasks ? "a task or an empty line"
                                       : "a constraint, a task or an empty line");
    return false;
  }

  bool add_constraint_like(std::string_view text) {
    if (config_.strict) {
      halt(1, cat("a constraint: ", config_.constraint_shapes.front().write("Key", "value"),
                  ", the value beginning with a small letter"));
      return false;
    }
    description_.add(text, false);
    return true;
  }

  bool add_task(const Line& line) {
    section_ = Section::tasks;
    while (!open_.empty() && open_.back().indent >= line.indent_columns) open_.pop_back();
    const std::size_t depth = open_.size();
    if (depth > config_.depth_max) {
      halt(line.indent_bytes + 1, cat("tasks nested at most ", config_.depth_max, " deep"));
      return false;
    }
    if (++tasks_ > config_.tasks_max) {
      halt(line.indent_bytes + 1, cat("at most ", config_.tasks_max, " tasks"));
      return false;
    }
    if (config_.strict && (line.has_tab || line.indent_columns != depth * config_.indent_chars)) {
      halt(line.indent_bytes + 1,
           cat("an indent of ", config_.indent_chars, " spaces for each level"));
      return false;
    }
    std::vector<PlanTask>& level =
        open_.empty() ? parsed_.document.tasks : open_.back().task->children;
    // Only tasks that are no longer open are moved when the level grows.
    level.push_back({line.done, std::string(line.text)});
    open_.push_back({line.indent_columns, &level.back()});
    return true;
  }

  bool add_direction(std::string_view text, const Line& line) {
    if (section_ != Section::direction) {
      section_ = Section::direction;
      direction_line_ = line_;
      direction_chars_ = utf8::length(trimmed(text));
    }
    if (line.kind == LineKind::task) {
      halt(line.indent_bytes + 1, "no task after the direction has begun");
      return false;
    }
    direction_.add(text, line.kind == LineKind::blank);
    return true;
  }

  void end_direction() {
    if (direction_line_ == 0 || direction_chars_ > config_.direction_halt_chars) return;
    line_ = direction_line_;
    halt(1, cat("a direction of more than ", config_.direction_halt_chars, " characters"));
  }

  void halt(std::size_t column, std::string expected) {
    parsed_.state = State::halted;
    parsed_.halt = Halt{std::max<std::size_t>(line_, 1), column, std::move(expected)};
  }

  struct OpenTask {
    std::size_t indent;
    PlanTask* task;
  };

  std::string_view text_;     // what is left to read
  std::vector<bool> fenced_;  // of every line
  const PlanConfig& config_;
  Parsed parsed_;
  Section section_ = Section::description;
  bool after_blank_ = true;
  std::size_t line_ = 0;  // from 1
  std::size_t breaks_ = 0;
  std::size_t crlf_breaks_ = 0;
  TextBlock description_;
  TextBlock direction_;
  std::size_t direction_line_ = 0;
  std::size_t direction_chars_ = 0;  // of its first line
  std::size_t tasks_ = 0;
  std::vector<OpenTask> open_;  // the last task and its parents
};

}  // namespace

std::string_view name_of(State state) {
  switch (state) {
    case State::empty: return "empty";
    case State::unknown: return "unknown";
    case State::parsed: return "parsed";
    case State::halted: break;
  }
  return "halted";
}

std::string Halt::text() const {
  return cat("line ", line, ", column ", column, ": expected ", expected);
}

Parsed parse(std::string_view text, const PlanConfig& config) { return Parser(text, config).run(); }

json::Object to_json(const Parsed& parsed) {
  json::Object out{{"state", name_of(parsed.state)}, {"stage", stage_of(parsed.document)}};
  if (parsed.halt) {
    out.set("halt", json::Object{{"line", static_cast<std::int64_t>(parsed.halt->line)},
                                 {"column", static_cast<std::int64_t>(parsed.halt->column)},
                                 {"expected", parsed.halt->expected}});
  }
  for (json::Member& member : to_json(parsed.document)) {
    out.append_new(std::move(member.key), std::move(member.value));
  }
  return out;
}

namespace {

void write_tasks(const std::vector<PlanTask>& tasks, std::size_t depth, const PlanConfig& config,
                 std::string& out) {
  for (const PlanTask& task : tasks) {
    out += cat(write_task(task, depth, config), '\n');
    write_tasks(task.children, depth + 1, config, out);
  }
}

std::string with_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

}  // namespace

std::string format(const Plan& document, const PlanConfig& config) {
  if (!document.header) return {};
  std::string out = cat(write_header(*document.header, config), '\n');
  if (document.description) out += cat('\n', *document.description, '\n');
  if (!document.constraints.empty()) out += '\n';
  for (const Constraint& constraint : document.constraints) {
    out += cat(write_constraint(constraint, config), '\n');
  }
  if (!document.tasks.empty()) out += '\n';
  write_tasks(document.tasks, 0, config, out);
  if (document.direction) out += cat('\n', *document.direction, '\n');
  if (document.style.crlf) out = with_crlf(out);
  if (document.style.byte_order_mark) out.insert(0, "\xEF\xBB\xBF");
  return out;
}

}  // namespace baton::plan
