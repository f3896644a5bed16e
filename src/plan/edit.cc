#include "plan/edit.h"

#include <algorithm>
#include <ranges>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "plan/line.h"
#include "plan/parse.h"
#include "plan/validate.h"

namespace baton::plan {
namespace {

std::unexpected<Error> refuse(std::string message, NextMove next) {
  return fail(Code::COMMIT_VALIDATION_FAILED, std::move(message), std::move(next));
}

std::string named(const TaskPath& path, const PlanTask& task) {
  return cat(path_text(path), " '", task.text, '\'');
}

/// As many as a message can bear.
std::string named(std::span<const PlacedTask> tasks) {
  std::string out;
  const std::size_t shown = std::min(tasks.size(), limits::plan_named_tasks_max);
  for (std::size_t i = 0; i < shown; ++i) {
    out += cat(i == 0 ? "" : ", ", named(tasks[i].path, *tasks[i].task));
  }
  if (shown < tasks.size()) out += cat(" and ", tasks.size() - shown, " more");
  return out;
}

/// Those that are not done. `tasks` are below the task at `above`, if that is not empty.
std::vector<PlacedTask> open_tasks(const std::vector<PlanTask>& tasks, const TaskPath& above = {}) {
  std::vector<PlacedTask> open = all_tasks(tasks);
  std::erase_if(open, [](const PlacedTask& each) { return each.task->done; });
  for (PlacedTask& each : open) each.path.insert(each.path.begin(), above.begin(), above.end());
  return open;
}

/// The direction without its last directive line, or with another word in it.
void set_directive(Plan& document, std::optional<std::string_view> word) {
  std::vector<std::string> lines;
  if (document.direction) {
    each_line(*document.direction, [&](std::string_view line) { lines.emplace_back(line); });
  }
  const auto last = std::find_if(lines.rbegin(), lines.rend(), [](const std::string& line) {
    return directive_in(line).has_value();
  });
  if (word && last != lines.rend()) {
    *last = cat("~~~ ", *word, " ~~~");
  } else if (word) {
    if (!lines.empty()) lines.emplace_back();
    lines.push_back(cat("~~~ ", *word, " ~~~"));
  } else if (last != lines.rend()) {
    lines.erase(std::next(last).base());
  }
  while (!lines.empty() && trimmed(lines.back()).empty()) lines.pop_back();
  const auto first =
      std::ranges::find_if(lines, [](const std::string& line) { return !trimmed(line).empty(); });
  document.direction.reset();
  for (auto line = first; line != lines.end(); ++line) {
    if (line == first) {
      document.direction = *line;
    } else {
      document.direction->append("\n").append(*line);
    }
  }
}

/// A plan with open tasks is not complete.
void reopen(Edited& edited) {
  const PlanProgress progress = progress_of(edited.document.tasks);
  if (progress.done == progress.total) return;
  if (directive_of(edited.document) != complete_directive) return;
  set_directive(edited.document, std::nullopt);
  edited.notes.emplace_back("the plan is no longer marked COMPLETE");
}

std::optional<TaskPath> path_in(const std::vector<PlanTask>& tasks, std::string_view text) {
  TaskPath path;
  const std::vector<PlanTask>* level = &tasks;
  while (true) {
    const std::size_t end = std::min(text.find('.'), text.size());
    const auto number = parse_int(text.substr(0, end));
    if (!number || *number < 1 || *number > static_cast<std::int64_t>(level->size())) {
      return std::nullopt;
    }
    path.push_back(static_cast<std::size_t>(*number - 1));
    if (end == text.size()) return path;
    level = &(*level)[path.back()].children;
    text.remove_prefix(end + 1);
  }
}

Result<TaskPath> only(std::span<const PlacedTask> matches, std::string_view task_id) {
  if (matches.size() == 1) return matches[0].path;
  return fail(Code::TASK_AMBIGUOUS,
              cat("'", task_id, "' matches ", matches.size(), " tasks: ", named(matches)),
              "send the number of the one you mean, or its whole text");
}

/// The tasks on the way to `path`, outermost first, and the task itself last.
std::vector<PlanTask*> way_to(std::vector<PlanTask>& tasks, const TaskPath& path) {
  std::vector<PlanTask*> way;
  std::vector<PlanTask>* level = &tasks;
  for (const std::size_t index : path) {
    way.push_back(&level->at(index));
    level = &way.back()->children;
  }
  return way;
}

Result<Parsed> details(std::string_view description, const PlanConfig& config) {
  PlanConfig roomy = config;
  roomy.bytes_max = limits::plan_bytes_ceiling;
  const Parsed parsed =
      parse(cat(config.header_prefixes.front(), "feat: x\n\n", description), roomy);
  if (parsed.state != State::parsed) {
    Halt halt = *parsed.halt;
    halt.line = halt.line > 2 ? halt.line - 2 : 1;
    return refuse(cat("the description cannot be stored: ", halt.text()),
                  {Move::tasks_apart, "change that line"});
  }
  const Plan& read = parsed.document;
  if (!read.tasks.empty() || read.direction) {
    return refuse("the description holds tasks or a direction",
                  {Move::tasks_apart, "put constraints at its end, with nothing after them"});
  }
  if (!read.description) {
    return fail(Code::INVALID_INPUT, "the description is empty",
                "say why, what changes and how, in a few sentences");
  }
  return parsed;
}

}  // namespace

Result<Plan> editable(std::string_view text, const PlanConfig& config) {
  Parsed parsed = parse(text, config);
  if (parsed.state == State::parsed || parsed.state == State::empty) {
    return std::move(parsed.document);
  }
  if (parsed.state == State::unknown) {
    return refuse(cat("the text is not a plan: ", parsed.halt->text()), Move::goal_above);
  }
  return refuse(cat("the plan cannot be read to its end: ", parsed.halt->text()),
                "fix that line where the plan is kept; nothing was changed");
}

Result<Edited> set_goal(std::string_view text, const Header& header, const PlanConfig& config) {
  Parsed parsed = parse(text, config);
  if (parsed.state == State::unknown) {
    const Parsed kept = parse(cat(config.header_prefixes.front(), "feat: x\n\n", text), config);
    if (kept.state != State::parsed) return refuse(kept.halt->text(), "fix the text by hand");
    Edited edited{kept.document, {"the previous text is now the description"}};
    edited.document.header = header;
    return edited;
  }
  Edited edited{TRY(editable(text, config))};
  edited.document.header = header;
  return edited;
}

Result<Edited> set_details(const Plan& document, std::string_view description,
                           const std::optional<std::vector<Constraint>>& constraints,
                           const PlanConfig& config) {
  Plan read = TRY(details(description, config)).document;
  if (constraints && !read.constraints.empty()) {
    return refuse("constraints were sent both in the description and as a list",
                  "send them in one place");
  }
  Edited edited{document};
  edited.document.description = std::move(read.description);
  if (constraints) {
    edited.document.constraints = *constraints;
  } else if (!read.constraints.empty()) {
    edited.notes.push_back(cat("constraints read from its end: ", read.constraints.size()));
    edited.document.constraints = std::move(read.constraints);
  }
  return edited;
}

Result<Edited> set_tasks(const Plan& document, std::vector<PlanTask> tasks) {
  if (tasks.empty()) {
    return fail(Code::NO_TASKS_FOUND, "the plan has no tasks", "send at least one task");
  }
  Edited edited{document};
  edited.document.tasks = std::move(tasks);
  reopen(edited);
  return edited;
}

Result<TaskPath> find_task(const std::vector<PlanTask>& tasks, std::string_view task_id) {
  const std::string_view id = trimmed(task_id);
  if (id.empty())
    return fail(Code::INVALID_INPUT, "the task has no name", "send a task's text or number");
  std::vector<PlacedTask> all = all_tasks(tasks);
  if (all.empty()) {
    return fail(Code::NO_TASKS_FOUND, "the plan has no tasks", Move::set_tasks);
  }
  std::vector<PlacedTask> exact = all;
  std::erase_if(exact, [&](const PlacedTask& each) { return each.task->text != id; });
  if (!exact.empty()) return only(exact, id);
  if (auto path = path_in(tasks, id)) return std::move(*path);
  std::vector<PlacedTask> partial = all;
  std::erase_if(partial, [&](const PlacedTask& each) { return !each.task->text.contains(id); });
  if (!partial.empty()) return only(partial, id);
  return fail(Code::TASK_NOT_FOUND, cat("no task matches '", id, '\''),
              cat("the tasks are ", named(all)));
}

Result<Edited> mark_task(const Plan& document, std::string_view task_id, bool done) {
  return mark_task(document, TRY(find_task(document.tasks, task_id)), done);
}

Result<Edited> mark_task(const Plan& document, const TaskPath& path, bool done) {
  Edited edited{document};
  const std::vector<PlanTask*> way = way_to(edited.document.tasks, path);
  const std::vector<PlacedTask> open = open_tasks(way.back()->children, path);
  if (done && !open.empty()) {
    return fail(Code::NOT_ALL_TASKS_COMPLETE,
                cat(named(path, *way.back()), " has open tasks: ", named(open)),
                "mark those first; the task is done when the last of them is");
  }
  if (way.back()->done == done) {
    edited.notes.push_back(cat("it was ", done ? "done" : "open", " already"));
  }
  way.back()->done = done;
  for (std::size_t i = way.size() - 1; i-- > 0;) {
    PlanTask& parent = *way[i];
    const bool all_done = std::ranges::all_of(parent.children, &PlanTask::done);
    if (done && !all_done) break;
    if (parent.done == all_done) continue;
    parent.done = all_done;
    const TaskPath above(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    edited.notes.push_back(cat(named(above, parent),
                               all_done ? " is done too: all of its tasks are" : " is open again"));
  }
  reopen(edited);
  return edited;
}

Result<Edited> finish(const Plan& document) {
  if (document.tasks.empty()) {
    return fail(Code::NO_TASKS_FOUND, "the plan has no tasks", Move::set_tasks);
  }
  const std::vector<PlacedTask> open = open_tasks(document.tasks);
  if (!open.empty()) {
    return fail(
        Code::NOT_ALL_TASKS_COMPLETE,
        cat(open.size(), open.size() == 1 ? " task is open: " : " tasks are open: ", named(open)),
        Move::mark_tasks);
  }
  Edited edited{document};
  if (directive_of(document) == complete_directive) {
    edited.notes.emplace_back("the plan was already complete");
  }
  set_directive(edited.document, complete_directive);
  return edited;
}

Result<std::string> checked_text(const Plan& document, const PlanConfig& config) {
  const Validation validation = validate(document, config);
  if (!validation.is_valid()) {
    std::string message;
    for (const PlanProblem& problem :
         validation.errors | std::views::take(limits::problems_reported_max)) {
      message += cat(message.empty() ? "" : "; ", problem.field, ": ", problem.message);
    }
    return refuse(std::move(message),
                  document.header ? NextMove("nothing was changed") : Move::set_goal);
  }
  std::string text = format(document, config);
  const Parsed back = parse(text, config);
  if (back.state != State::parsed || back.document != document) {
    return refuse("the plan could not be read back as written", "nothing was changed");
  }
  return text;
}

}  // namespace baton::plan
