#include "plan/outline.h"

#include <algorithm>
#include <optional>

#include "base/core/limits.h"
#include "base/core/sha256.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "plan/line.h"
#include "plan/text_block.h"
#include "plan/validate.h"

namespace baton::plan {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::size_t version_chars = 12;

/// The text as it can be shown: what is not UTF-8, and NUL, as a sign for it.
std::string shown(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bad =
        std::min({text.find('\0'), utf8::first_invalid(text).value_or(text.size()), text.size()});
    out += text.substr(0, bad);
    if (bad == text.size()) break;
    out += replacement;
    text.remove_prefix(bad + 1);
  }
  return out;
}

/// What a line is, and why it is not what it looks like.
struct Kind {
  LineKind kind = LineKind::text;
  std::string_view why = {};
  Line line = {};
};

class Reader {
 public:
  Reader(std::string_view text, const PlanConfig& config) : config_(config) { out_.text = text; }

  Outline run() {
    split();
    classify();
    std::size_t body = read_first_line();
    find_bounds(body);
    if (out_.document.header && !is_known_type(out_.document.header->type) && !has_structure_) {
      // "note: remember it", "https://host": what a word before a colon says is prose.
      out_.document.header.reset();
      body = 0;
    }
    if (!out_.document.header) find_bounds(body = 0);
    if (body > 0) out_.lines[body - 1].part = Part::header;
    place(body);
    if (!description_.empty()) out_.document.description = description_.take();
    if (!direction_.empty()) out_.document.direction = direction_.take();
    remark_on_header(body);
    remark_on_tasks();
    return std::move(out_);
  }

 private:
  std::string_view bare(std::size_t i) const {
    std::string_view line = out_.line(i);
    while (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void split() {
    std::size_t at = 0;
    if (out_.text.starts_with(byte_order_mark)) {
      out_.document.style.byte_order_mark = true;
      at = byte_order_mark.size();
    }
    std::size_t breaks = 0;
    std::size_t crlf_breaks = 0;
    while (at < out_.text.size()) {
      const std::size_t end = out_.text.find('\n', at);
      OutlineLine line{.begin = at};
      if (end == std::string::npos) {
        line.size = line.full = out_.text.size() - at;
      } else {
        const bool crlf = end > at && out_.text[end - 1] == '\r';
        ++breaks;
        if (crlf) ++crlf_breaks;
        line.size = end - at - (crlf ? 1 : 0);
        line.full = end + 1 - at;
      }
      at += line.full;
      out_.lines.push_back(line);
    }
    out_.document.style.crlf = breaks > 0 && crlf_breaks == breaks;
  }

  void classify() {
    const std::size_t start = out_.document.style.byte_order_mark ? byte_order_mark.size() : 0;
    const std::vector<bool> fenced = fenced_lines(std::string_view(out_.text).substr(start));
    for (std::size_t i = 0; i < out_.lines.size(); ++i) {
      Kind found;
      out_.lines[i].is_code = fenced[i];
      if (trimmed(bare(i)).empty()) {
        found.kind = LineKind::blank;
      } else if (!fenced[i]) {
        found.line = read_line(bare(i), config_);
        found.kind = found.line.kind;
      }
      if (found.kind == LineKind::task) place_task(found);
      if (found.kind == LineKind::constraint && !is_known_key(found.line.key)) {
        found.kind = LineKind::constraint_like;
        found.why = "read as text, since no constraint begins with this word";
      }
      kinds_.push_back(found);
    }
  }

  /// How deep a task is, and whether a plan can be that deep or long.
  void place_task(Kind& found) {
    while (!open_.empty() && open_.back() >= found.line.indent_columns) open_.pop_back();
    if (open_.size() > limits::plan_depth_ceiling) {
      found.why = "a task that is nested too deep";
    } else if (tasks_ == limits::plan_tasks_ceiling) {
      found.why = "a task past the number of tasks that a plan can have";
    } else {
      ++tasks_;
      open_.push_back(found.line.indent_columns);
      return;
    }
    found.kind = LineKind::task_like;
  }

  /// The line behind the header; 0 when there is none.
  std::size_t read_first_line() {
    std::size_t first = 0;
    while (first < kinds_.size() && kinds_[first].kind == LineKind::blank) ++first;
    if (first == kinds_.size()) return 0;
    HeaderLine read = read_header(bare(first), config_);
    if (!read.header) return 0;
    header_problem_ = std::move(read.expected);
    out_.document.header =
        Header{shown(read.header->type), read.header->scope, read.header->breaking};
    if (read.header->scope) out_.document.header->scope = shown(*read.header->scope);
    if (read.header->title) out_.document.header->title = shown(*read.header->title);
    return first + 1;
  }

  void find_bounds(std::size_t body) {
    const std::size_t end = kinds_.size();
    first_task_ = last_task_ = end;
    has_structure_ = false;
    for (std::size_t i = body; i < end; ++i) {
      const LineKind kind = kinds_[i].kind;
      if (kind == LineKind::task) {
        if (first_task_ == end) first_task_ = i;
        last_task_ = i;
      }
      has_structure_ = has_structure_ || kind == LineKind::task || kind == LineKind::constraint ||
                       kind == LineKind::directive;
    }
  }

  bool has_tasks() const { return first_task_ < kinds_.size(); }

  void place(std::size_t body) {
    for (std::size_t i = body; i < kinds_.size(); ++i) {
      // A block of code is of one part, even if it has empty lines.
      const bool in_block = i > body && out_.lines[i].is_code && out_.lines[i - 1].is_code;
      const bool after_blank = !in_block && (i == body || kinds_[i - 1].kind == LineKind::blank);
      if (in_direction_) {
        add_direction(i);
      } else if (!has_tasks() || i < first_task_) {
        before_tasks(i, after_blank);
      } else if (i <= last_task_) {
        among_tasks(i);
      } else {
        after_tasks(i, after_blank);
      }
    }
  }

  void before_tasks(std::size_t i, bool after_blank) {
    const bool may_direct = !has_tasks();
    switch (kinds_[i].kind) {
      case LineKind::blank:
        if (!in_constraints_) description_.add(shown(bare(i)), true);
        return;
      case LineKind::constraint:
        in_constraints_ = true;
        out_.lines[i].part = Part::constraint;
        out_.document.constraints.push_back(
            {std::string(kinds_[i].line.key), shown(kinds_[i].line.value)});
        return;
      case LineKind::constraint_like:
        describe(i);
        if (in_constraints_ || config_.strict) {
          return keep(i, "looks like a constraint and is not one");
        }
        if (!kinds_[i].why.empty()) remark(i, kinds_[i].why);
        return;
      case LineKind::directive:
        if (may_direct) return add_direction(i);
        break;
      case LineKind::text:
        if (!in_constraints_) return describe(i);
        if (may_direct && after_blank) return add_direction(i);
        return keep(i, "text among the constraints");
      case LineKind::task:
      case LineKind::task_like: break;
    }
    if (!in_constraints_) describe(i);
    keep(i, kinds_[i].kind == LineKind::directive ? "a directive before the tasks" : not_a_task(i));
  }

  void among_tasks(std::size_t i) {
    const Kind& found = kinds_[i];
    if (found.kind == LineKind::blank) return;
    if (found.kind != LineKind::task) {
      return keep(i, found.kind == LineKind::task_like ? not_a_task(i) : "text among the tasks");
    }
    OutlineLine& line = out_.lines[i];
    line.part = Part::task;
    line.mark_at = found.line.mark_at;
    line.indent = found.line.indent_bytes;
    add_task(found.line);
  }

  void after_tasks(std::size_t i, bool after_blank) {
    const LineKind kind = kinds_[i].kind;
    if (kind == LineKind::blank) return;
    if (kind == LineKind::directive) return add_direction(i);
    if (kind == LineKind::task_like) return keep(i, not_a_task(i));
    if (after_blank) return add_direction(i);
    keep(i, "text below a task");
  }

  std::string_view not_a_task(std::size_t i) const {
    return kinds_[i].why.empty() ? "looks like a task and is not one" : kinds_[i].why;
  }

  void add_task(const Line& line) {
    while (!parents_.empty() && parents_.back().indent >= line.indent_columns) parents_.pop_back();
    std::vector<PlanTask>& level =
        parents_.empty() ? out_.document.tasks : parents_.back().task->children;
    // Only tasks that are no longer open are moved when the level grows.
    level.push_back({line.done, shown(line.text)});
    parents_.push_back({line.indent_columns, &level.back()});
  }

  void add_direction(std::size_t i) {
    if (!in_direction_) {
      in_direction_ = true;
      const std::string first = shown(trimmed(bare(i)));
      if (utf8::length(first) <= config_.direction_halt_chars) {
        out_.is_whole = false;
        remark(i, "a direction that is too short to be one");
      }
    }
    const bool blank = kinds_[i].kind == LineKind::blank;
    if (!blank) out_.lines[i].part = Part::direction;
    direction_.add(shown(bare(i)), blank);
  }

  void describe(std::size_t i) {
    out_.lines[i].part = Part::description;
    description_.add(shown(bare(i)), false);
  }

  void keep(std::size_t i, std::string_view why) {
    out_.lines[i].is_shown = out_.lines[i].part == Part::description;
    out_.lines[i].part = Part::kept;
    out_.is_whole = false;
    remark(i, why);
  }

  void remark(std::size_t i, std::string_view why) {
    if (!out_.remarks.empty()) {
      Remark& last = out_.remarks.back();
      if (last.why == why && last.last == i) {
        last.last = i + 1;
        return;
      }
    }
    out_.remarks.push_back({i + 1, i + 1, std::string(why)});
  }

  void remark_on_header(std::size_t body) {
    if (!out_.document.header) return;
    std::vector<Remark> about;
    const auto add = [&](std::size_t line, std::string message) {
      about.push_back({line, line, std::move(message)});
    };
    if (!header_problem_.empty()) {
      out_.is_whole = false;
      add(body, cat("the goal has to be ", header_problem_));
    } else {
      const Plan alone{.header = out_.document.header};
      for (const PlanProblem& problem : validate(alone, config_).errors) {
        add(body, cat(problem.field, ' ', problem.message));
      }
    }
    const bool is_first = body == 1;
    const bool has_gap = body == kinds_.size() || kinds_[body].kind == LineKind::blank;
    out_.is_whole = out_.is_whole && is_first && has_gap;
    if (!is_first) add(1, "empty lines above the goal");
    if (!has_gap) {
      add(body + 1, "an empty line is missing below the goal");
    }
    out_.remarks.insert(out_.remarks.begin(), about.begin(), about.end());
  }

  void remark_on_tasks() {
    std::size_t deepest = 0;
    std::size_t count = 0;
    for (const PlacedTask& each : all_tasks(out_.document.tasks)) {
      deepest = std::max(deepest, each.path.size() - 1);
      ++count;
    }
    const auto add = [&](std::string message) {
      out_.is_whole = false;
      out_.remarks.push_back({first_task_ + 1, last_task_ + 1, std::move(message)});
    };
    if (deepest > config_.depth_max) {
      add(cat("tasks are nested deeper than ", config_.depth_max));
    }
    if (count > config_.tasks_max) {
      add(cat("there are ", count, " tasks; at most ", config_.tasks_max, " are allowed"));
    }
    if (out_.text.size() > config_.bytes_max) {
      out_.is_whole = false;
      out_.remarks.push_back({1, std::max<std::size_t>(out_.lines.size(), 1),
                              cat("the plan is longer than ", config_.bytes_max, " bytes")});
    }
  }

  struct OpenTask {
    std::size_t indent;
    PlanTask* task;
  };

  const PlanConfig& config_;
  Outline out_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> open_;  // indents of a task and its parents, while lines are classified
  std::size_t tasks_ = 0;
  std::string header_problem_;
  std::size_t first_task_ = 0;
  std::size_t last_task_ = 0;
  bool has_structure_ = false;  // a task, a constraint or a directive
  bool in_constraints_ = false;
  bool in_direction_ = false;
  std::vector<OpenTask> parents_;
  TextBlock description_;
  TextBlock direction_;
};

}  // namespace

std::string Remark::text() const {
  return first == last ? cat("line ", first, ": ", why)
                       : cat("lines ", first, " to ", last, ": ", why);
}

Outline outline_of(std::string_view text, const PlanConfig& config) {
  return Reader(text, config).run();
}

std::string version_of(std::string_view text) {
  return sha256(text).hex().substr(0, version_chars);
}

}  // namespace baton::plan
