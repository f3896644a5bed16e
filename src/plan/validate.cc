#include "plan/validate.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "plan/line.h"
#include "plan/parse.h"

namespace baton::plan {
namespace {

constexpr std::string_view types[] = {"feat", "fix",  "refactor", "build", "chore",
                                      "docs", "lint", "infra",    "spec"};
constexpr std::string_view keys[] = {"Do not",   "Never",  "Avoid",    "Decide against",
                                     "Must not", "Cannot", "Forbidden"};

constexpr std::string_view scope_pattern = "[a-z][a-z0-9/.-]*";

std::string listed(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) out += cat(out.empty() ? "" : ", ", word);
  return out;
}

class Validator {
 public:
  Validator(const Plan& document, const PlanConfig& config)
      : document_(document), config_(config) {}

  Validation run() {
    if (!document_.header) {
      error("header", "a plan begins with a header: type(scope): title", "INVALID_TYPE");
    } else {
      check_header(*document_.header);
    }
    check_description();
    for (std::size_t i = 0; i < document_.constraints.size(); ++i) {
      check_constraint(document_.constraints[i], cat("constraints.", i));
    }
    check_tasks();
    check_direction();
    check_whole();
    return std::move(out_);
  }

 private:
  void error(std::string field, std::string message, std::string_view code) {
    out_.errors.push_back({std::move(field), std::move(message), code});
  }
  void warn(std::string field, std::string message, std::string_view code) {
    out_.warnings.push_back({std::move(field), std::move(message), code});
  }

  /// False, with an error, for what no plan can hold.
  bool check_text(const std::string& field, std::string_view text, bool one_line) {
    const std::string_view banned =
        one_line ? std::string_view("\0\r\n", 3) : std::string_view("\0\r", 2);
    if (text.find_first_of(banned) == std::string_view::npos && utf8::is_valid(text)) return true;
    error(field, one_line ? "must be one line of UTF-8 text" : "must be UTF-8 text without CR",
          "INVALID_FORMAT");
    return false;
  }

  void check_header(const Header& header) {
    const std::size_t before = out_.errors.size();
    if (std::ranges::count(types, header.type) == 0) {
      error("header.type", cat("must be one of ", listed(types)), "INVALID_VALUE");
    }
    if (header.scope && !is_scope(*header.scope)) {
      error("header.scope", cat("must match ", scope_pattern), "INVALID_FORMAT");
      if (is_scope(ascii_lower(*header.scope))) {
        warn("header.scope", cat("write '", ascii_lower(*header.scope), "'"), "SCOPE_CASE");
      }
    }
    if (header.title) {
      check_title(*header.title);
    } else {
      warn("header.title", "the header has no title", "MISSING_TITLE");
    }
    if (out_.errors.size() == before &&
        read_header(write_header(header, config_), config_).header != header) {
      error("header", "cannot be read back as written", "CUSTOM");
    }
  }

  void check_title(const std::string& title) {
    if (!check_text("header.title", title, true)) return;
    if (title.empty()) {
      error("header.title", "must not be empty", "TOO_SMALL");
    } else if (trimmed(title).size() != title.size()) {
      error("header.title", "must not begin or end with a space", "CUSTOM");
    }
    if (const std::size_t chars = utf8::length(title); chars > config_.title_chars_max) {
      error("header.title",
            cat("has ", chars, " characters; at most ", config_.title_chars_max, " are allowed"),
            "TOO_BIG");
    }
  }

  /// What free text must be to keep its ends and its first line.
  bool check_block(const std::string& field, std::string_view text) {
    if (!check_text(field, text, false)) return false;
    if (trimmed(text).empty()) {
      error(field, "must not be empty", "TOO_SMALL");
      return false;
    }
    const std::string_view first = text.substr(0, text.find('\n'));
    const std::string_view last = text.substr(text.rfind('\n') + 1);
    if (!trimmed(first).empty() && !trimmed(last).empty()) return true;
    error(field, "must not begin or end with an empty line", "CUSTOM");
    return false;
  }

  void check_description() {
    if (!document_.description || !check_block("description", *document_.description)) return;
    const std::vector<bool> fenced = fenced_lines(*document_.description);
    std::size_t number = 0;
    each_line(*document_.description, [&](std::string_view text) {
      if (fenced[number++]) return;
      const std::string_view what = not_description(read_line(text, config_).kind);
      if (what.empty()) return;
      error("description", cat("line ", number, " reads as ", what), "CUSTOM");
    });
  }

  std::string_view not_description(LineKind kind) const {
    switch (kind) {
      case LineKind::task: return "a task";
      case LineKind::task_like: return "a task that is not finished";
      case LineKind::constraint: return "a constraint";
      case LineKind::directive: return "a directive";
      case LineKind::constraint_like:
        return config_.strict ? "a constraint that is not finished" : "";
      case LineKind::blank:
      case LineKind::text: break;
    }
    return {};
  }

  void check_constraint(const Constraint& constraint, const std::string& field) {
    if (std::ranges::count(keys, constraint.key) == 0) {
      error(cat(field, ".0"), cat("must be one of ", listed(keys)), "INVALID_VALUE");
    }
    if (!check_text(cat(field, ".1"), constraint.value, true)) return;
    if (constraint.value.empty()) {
      error(cat(field, ".1"), "must not be empty", "TOO_SMALL");
    } else if (constraint.value[0] < 'a' || constraint.value[0] > 'z') {
      error(cat(field, ".1"), "must begin with a small letter", "CUSTOM");
    } else if (trimmed(constraint.value).size() != constraint.value.size()) {
      error(cat(field, ".1"), "must not end with a space", "CUSTOM");
    } else if (std::ranges::count(keys, constraint.key) > 0) {
      check_constraint_line(constraint, field);
    }
  }

  void check_constraint_line(const Constraint& constraint, const std::string& field) {
    const std::string text = write_constraint(constraint, config_);
    const Line line = read_line(text, config_);
    if (line.kind != LineKind::constraint || line.key != constraint.key ||
        line.value != constraint.value) {
      error(field, "cannot be read back as written", "CUSTOM");
    }
  }

  void check_tasks() {
    const std::vector<PlacedTask> placed = all_tasks(document_.tasks);
    if (placed.size() > config_.tasks_max) {
      error("tasks",
            cat("has ", placed.size(), " tasks; at most ", config_.tasks_max, " are allowed"),
            "TOO_BIG");
    }
    std::set<std::string_view> seen;
    for (const PlacedTask& each : placed) {
      std::string field = "tasks";
      for (std::size_t i = 0; i < each.path.size(); ++i) {
        field += cat(i == 0 ? "." : ".2.", each.path[i]);
      }
      check_task(*each.task, field, each.path.size() - 1);
      if (!seen.insert(each.task->text).second) {
        warn(cat(field, ".1"), "another task has the same text", "SAME_TEXT");
      }
    }
  }

  void check_task(const PlanTask& task, const std::string& field, std::size_t depth) {
    if (depth > config_.depth_max) {
      error(field, cat("is nested deeper than ", config_.depth_max), "TOO_BIG");
    }
    const PlanProgress below = progress_of(task.children);
    if (task.done && below.done < below.total) {
      warn(cat(field, ".0"), "is done, but tasks below it are open", "OPEN_CHILDREN");
    }
    if (!check_text(cat(field, ".1"), task.text, true)) return;
    if (task.text.empty()) {
      error(cat(field, ".1"), "must not be empty", "TOO_SMALL");
    } else if (trimmed(task.text).size() != task.text.size()) {
      error(cat(field, ".1"), "must not begin or end with a space", "CUSTOM");
    } else {
      const std::string text = write_task(task, 0, config_);
      const Line line = read_line(text, config_);
      if (line.kind == LineKind::task && line.text == task.text && line.done == task.done) return;
      error(cat(field, ".1"), "cannot be read back as written", "CUSTOM");
    }
  }

  void check_direction() {
    if (!document_.direction || !check_block("direction", *document_.direction)) return;
    const std::string_view text = *document_.direction;
    const std::string_view first = text.substr(0, text.find('\n'));
    if (utf8::length(trimmed(first)) <= config_.direction_halt_chars) {
      error("direction",
            cat("its first line must be longer than ", config_.direction_halt_chars, " characters"),
            "TOO_SMALL");
    }
    if (!may_begin_direction(read_line(first, config_).kind)) {
      error("direction", "its first line reads as another part of the plan", "CUSTOM");
    }
    const std::vector<bool> fenced = fenced_lines(text);
    std::size_t number = 0;
    each_line(text, [&](std::string_view line) {
      if (fenced[number++]) return;
      if (read_line(line, config_).kind == LineKind::task) {
        error("direction", cat("line ", number, " reads as a task"), "CUSTOM");
      } else if (line.starts_with("~~~") && !directive_in(line)) {
        warn("direction", cat("line ", number, " is not a directive: ~~~ WORD ~~~"),
             "UNREAD_DIRECTIVE");
      }
    });
    if (directive_of(document_) == complete_directive) {
      const PlanProgress progress = progress_of(document_.tasks);
      if (progress.done < progress.total) {
        warn("direction", "says COMPLETE while tasks are open", "OPEN_TASKS");
      }
    }
  }

  /// What no part shows by itself: its length, and a code block from one part into another.
  void check_whole() {
    if (!out_.errors.empty()) return;
    const std::string text = format(document_, config_);
    if (text.size() > config_.bytes_max) {
      error("", cat("the plan is longer than ", config_.bytes_max, " bytes"), "TOO_BIG");
    } else if (parse(text, config_).document != document_) {
      error("", "cannot be read back as written", "CUSTOM");
    }
  }

  bool may_begin_direction(LineKind kind) const {
    if (kind == LineKind::directive) return true;
    if (kind == LineKind::task || kind == LineKind::task_like) return false;
    if (!document_.tasks.empty()) return true;
    return !document_.constraints.empty() && kind == LineKind::text;
  }

  const Plan& document_;
  const PlanConfig& config_;
  Validation out_;
};

json::Array problems_json(const std::vector<PlanProblem>& problems) {
  json::Array out;
  for (const PlanProblem& problem : problems) {
    out.push_back(json::Object{
        {"field", problem.field}, {"message", problem.message}, {"code", problem.code}});
  }
  return out;
}

}  // namespace

Validation validate(const Plan& document, const PlanConfig& config) {
  return Validator(document, config).run();
}

Validation validate(const Parsed& parsed, const PlanConfig& config) {
  if (parsed.state == State::parsed) return validate(parsed.document, config);
  Validation out;
  out.errors.push_back({"state",
                        cat("the text is ", name_of(parsed.state),
                            parsed.halt ? cat("; ", parsed.halt->text()) : std::string()),
                        "INVALID_VALUE"});
  return out;
}

json::Object to_json(const Validation& validation) {
  return {{"isValid", validation.is_valid()},
          {"errors", problems_json(validation.errors)},
          {"warnings", problems_json(validation.warnings)}};
}

bool is_known_type(std::string_view type) { return std::ranges::count(types, type) > 0; }

bool is_known_key(std::string_view key) { return std::ranges::count(keys, key) > 0; }

bool is_scope(std::string_view scope) {
  return !scope.empty() && scope[0] >= 'a' && scope[0] <= 'z' &&
         std::ranges::all_of(scope, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
                  c == '-';
         });
}

namespace {

constexpr std::string_view scissors = "# ------------------------ >8 ------------------------";
constexpr std::string_view written_by_git[] = {"Merge ", "Revert \"", "fixup! ", "squash! ",
                                               "amend! "};

}  // namespace

std::string cleaned_message(std::string_view text) {
  std::string out;
  std::string blanks;
  bool cut = false;
  each_line(text, [&](std::string_view line) {
    while (line.ends_with('\r')) line.remove_suffix(1);
    cut = cut || line == scissors;
    if (cut || line.starts_with('#')) return;
    if (trimmed(line).empty()) {
      if (!out.empty()) blanks += '\n';
      return;
    }
    out += cat(std::exchange(blanks, {}), line, '\n');
  });
  return out;
}

Validation lint_commit(std::string_view text, const PlanConfig& config) {
  const std::string kept = cleaned_message(text);
  const bool foreign = std::ranges::any_of(
      written_by_git, [&](std::string_view start) { return kept.starts_with(start); });
  if (foreign) return {};
  // The body of an ordinary commit is prose: its header and the line below it are what is checked.
  const std::size_t first = kept.find('\n');
  const std::size_t second = first == std::string::npos ? first : kept.find('\n', first + 1);
  return validate(parse(std::string_view(kept).substr(0, second), config), config);
}

}  // namespace baton::plan
