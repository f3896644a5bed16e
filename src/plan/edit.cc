#include "plan/edit.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "plan/line.h"
#include "plan/parse.h"
#include "plan/splice.h"
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

std::string problems_text(std::span<const PlanProblem> problems) {
  std::string message;
  for (const PlanProblem& problem : problems | std::views::take(limits::problems_reported_max)) {
    message += cat(message.empty() ? "" : "; ", problem.field, ": ", problem.message);
  }
  return message;
}

/// Refuses what the rules refuse of the part that a call sends.
Result<void> check_sent(const Plan& sent, std::string_view field, const PlanConfig& config) {
  Validation validation = validate(sent, config);
  std::erase_if(validation.errors,
                [&](const PlanProblem& each) { return !each.field.starts_with(field); });
  if (validation.is_valid()) return {};
  return refuse(problems_text(validation.errors), "nothing was changed");
}

/// What the new text must say; of the other parts nothing is known.
struct Wanted {
  Plan plan;
  bool description = true;
  bool directive = true;
};

/// The new text, once it is seen that the parts of the plan read as they shall.
Result<Edited> checked(const Outline& before, Edited edited, const PlanConfig& config,
                       const Wanted& wanted) {
  // Only what grows is refused: a plan that is too long already can still be worked on.
  if (edited.text.size() > config.bytes_max && edited.text.size() > before.text.size()) {
    return refuse(cat("the plan would be longer than ", config.bytes_max, " bytes"),
                  "nothing was changed; shorten the description or the tasks");
  }
  const Plan read = outline_of(edited.text, config).document;
  const Plan& plan = wanted.plan;
  std::string_view lost;
  if (wanted.directive && directive_of(read) != directive_of(plan)) lost = "directive";
  if (wanted.description && read.description != plan.description) lost = "description";
  if (read.tasks != plan.tasks) lost = "tasks";
  if (read.constraints != plan.constraints) lost = "constraints";
  if (read.header != plan.header) lost = "goal";
  if (lost.empty()) return edited;
  return refuse(cat("after this change the ", lost, " would read otherwise"),
                "nothing was changed; a block of code that is opened and not closed may be why");
}

/// The first line of a part, or the number of lines.
std::size_t first_of(const Outline& outline, Part part) {
  const auto found = std::ranges::find(outline.lines, part, &OutlineLine::part);
  return static_cast<std::size_t>(found - outline.lines.begin());
}

/// The word of a directive that a line of the direction is.
std::optional<std::string_view> directive_at(const Outline& outline, std::size_t i) {
  if (outline.lines[i].part != Part::direction) return std::nullopt;
  std::string_view line = outline.line(i);
  while (line.ends_with('\r')) line.remove_suffix(1);
  return directive_in(line);
}

bool is_blank_text(std::string_view text) {
  bool blank = true;
  each_line(text, [&](std::string_view line) { blank = blank && trimmed(line).empty(); });
  return blank;
}

Result<void> need_goal(const Outline& outline) {
  if (outline.document.header) return {};
  if (is_blank_text(outline.text)) {
    return refuse("header: a plan begins with a header: type(scope): title", Move::set_goal);
  }
  return refuse("the text is not a plan: it does not begin with a goal", Move::goal_above);
}

/// A plan with open tasks is not complete.
void reopen(const Outline& outline, const std::vector<PlanTask>& tasks, Splice& splice,
            std::vector<std::string>& notes) {
  const PlanProgress progress = progress_of(tasks);
  if (progress.done == progress.total) return;
  if (directive_of(outline.document) != complete_directive) return;
  for (std::size_t i = 0; i < splice.size(); ++i) {
    if (directive_at(outline, i) != complete_directive) continue;
    splice.erase(i);
    const bool last = i + 1 == splice.size();
    if (last && i > 0 && splice.is_blank(i - 1)) splice.erase(i - 1);
  }
  notes.emplace_back("the plan is no longer marked COMPLETE");
}

// --- the goal -----------------------------------------------------------------------------------

/// Puts a header above text that has none.
Edited take_over(const Outline& outline, const std::string& line) {
  Splice splice(outline);
  if (outline.lines.empty() || is_blank_text(outline.text)) {
    splice.insert(0, line, {});
    return {splice.text()};
  }
  splice.insert(0, line, {.after = true});
  Edited edited{splice.text(), {"the previous text is now the description"}};
  if (!edited.text.ends_with('\n')) edited.text += outline.newline();
  return edited;
}

/// Puts a header in the place of another one.
Edited replace_header(const Outline& outline, const std::string& line, const PlanConfig& config) {
  const std::size_t at = first_of(outline, Part::header);
  const std::string old(trimmed(outline.line(at)));
  const std::string& title = outline.document.header->title.value_or("");
  Splice splice(outline);
  const Plan alone{.header = outline.document.header};
  Edited edited;
  if (validate(alone, config).is_valid()) {
    edited.notes.push_back(cat("the goal was: ", utf8::is_valid(old) ? old : title));
    splice.erase(at);
    splice.insert(0, line, {.after = true});
  } else {
    edited.notes.push_back(
        "the first line broke the rules of a goal; it is kept below the new one");
    splice.insert(0, cat(line, "\n"), {});
  }
  edited.text = splice.text();
  return edited;
}

}  // namespace

Result<Edited> set_goal(const Outline& outline, const Header& header, const PlanConfig& config) {
  TRY(check_sent(Plan{.header = header}, "", config));
  if (outline.document.header == header) return Edited{outline.text};
  const std::string line = write_header(header, config);
  Edited edited =
      outline.document.header ? replace_header(outline, line, config) : take_over(outline, line);
  if (outline.document.header && outline.document.header->scope && !header.scope) {
    edited.notes.push_back(cat("the scope '", *outline.document.header->scope,
                               "' was left out and is no longer there"));
  }
  Wanted wanted{outline.document, false};
  wanted.plan.header = header;
  PlanConfig roomy = config;
  roomy.bytes_max = limits::plan_bytes_ceiling;  // a header is short, and must fit above any text
  return checked(outline, std::move(edited), roomy, wanted);
}

// --- the details --------------------------------------------------------------------------------

namespace {

struct Details {
  std::string description;
  std::vector<Constraint> constraints;
};

std::unexpected<Error> cannot_hold(std::size_t line, std::string_view what, std::string remedy) {
  return refuse(cat("the description cannot be stored: line ", line, ' ', what),
                {Move::tasks_apart, std::move(remedy)});
}

std::set<std::string_view> kept_lines(const Outline& outline) {
  std::set<std::string_view> out;
  for (std::size_t i = 0; i < outline.lines.size(); ++i) {
    if (outline.lines[i].part == Part::kept) out.insert(trimmed(outline.line(i)));
  }
  return out;
}

/// What a line of a description that is sent would be instead.
Result<void> check_line(const Outline& sent, std::size_t i, std::size_t number,
                        const std::set<std::string_view>& kept, const PlanConfig& config) {
  constexpr std::string_view as_text = "put it between lines of ``` to keep it as text";
  const std::size_t constraint = first_of(sent, Part::constraint);
  switch (sent.lines[i].part) {
    case Part::task: return cannot_hold(number, "reads as a task", std::string(as_text));
    case Part::direction:
      if (directive_in(sent.line(i)) || constraint > i) {
        return cannot_hold(number, "reads as a directive", std::string(as_text));
      }
      break;
    case Part::kept: {
      const LineKind kind = read_line(sent.line(i), config).kind;
      if (kept.contains(trimmed(sent.line(i)))) return {};
      if (kind == LineKind::task_like) {
        return cannot_hold(number,
                           cat("is nearly a task: ", config.task_shapes.front().write(" ", "text")),
                           std::string(as_text));
      }
      const bool like = kind == LineKind::constraint || kind == LineKind::constraint_like;
      if (like && !config.strict) return {};
      if (like) return cannot_hold(number, "is nearly a constraint", std::string(as_text));
      break;
    }
    default: return {};
  }
  return cannot_hold(number, cat("is text below the constraint of line ", constraint - 1),
                     "put constraints last, or begin that line with '*'");
}

Result<Details> read_details(const Outline& outline, std::string_view description,
                             const PlanConfig& config) {
  if (description.contains('\0')) {
    return fail(Code::INVALID_INPUT, "the description holds a NUL", "send text");
  }
  std::string text = cat(config.header_prefixes.front(), "feat: x\n\n");
  each_line(description, [&](std::string_view line) {
    while (line.ends_with('\r')) line.remove_suffix(1);
    text += cat(line, '\n');
  });
  const Outline sent = outline_of(text, config);
  const std::set<std::string_view> kept = kept_lines(outline);
  for (std::size_t i = 2; i < sent.lines.size(); ++i) {
    TRY(check_line(sent, i, i - 1, kept, config));
  }
  if (!sent.document.description) {
    return fail(Code::INVALID_INPUT, "the description is empty",
                "say why, what changes and how, in a few sentences");
  }
  return Details{*sent.document.description, sent.document.constraints};
}

/// Puts the description in the place of the one that is there. What is kept stays below it, unless
/// the new one has it too.
void put_description(const Outline& outline, const std::string& description, Splice& splice) {
  std::set<std::string_view> has;
  each_line(description, [&](std::string_view line) { has.insert(trimmed(line)); });
  const std::size_t body = first_of(outline, Part::header) + 1;
  std::size_t first = outline.lines.size();
  std::size_t last = 0;
  std::string stays;
  bool in_description = true;
  for (std::size_t i = body; i < outline.lines.size(); ++i) {
    const OutlineLine& line = outline.lines[i];
    if (line.part == Part::constraint || line.part == Part::task) in_description = false;
    if (line.part != Part::description && !(line.part == Part::kept && line.is_shown)) continue;
    const bool repeated = has.contains(trimmed(outline.line(i)));
    if (!in_description) {
      if (repeated) splice.erase(i);
      continue;
    }
    first = std::min(first, i);
    last = i;
    if (line.part == Part::kept && !repeated) stays += cat('\n', outline.line(i));
  }
  std::string block = description;
  if (!stays.empty()) block += cat('\n', stays);
  if (first < outline.lines.size()) {
    for (std::size_t i = first; i <= last; ++i) splice.erase(i);
    return splice.insert(first, block, {.before = true, .after = true});
  }
  std::size_t at = body;
  if (at < outline.lines.size() && splice.is_blank(at)) ++at;
  splice.insert(at, block, {.before = true, .after = true});
}

std::string key_of(const Constraint& constraint) {
  return cat(constraint.key, '\0', constraint.value);
}

/// The items of one part, with the lines directly below each.
std::vector<ListedItem> listed(const Outline& outline, Part part) {
  std::vector<ListedItem> out;
  for (std::size_t i = 0; i < outline.lines.size(); ++i) {
    const OutlineLine& line = outline.lines[i];
    if (line.part == part) {
      out.push_back({.line = i, .end = i + 1});
    } else if (!out.empty() && out.back().end == i &&
               ((line.part == Part::kept && !line.is_shown) ||
                (line.is_code && outline.lines[i - 1].is_code))) {
      // A block of code is never taken apart, also where it has empty lines.
      out.back().end = i + 1;
    }
  }
  return out;
}

void put_constraints(const Outline& outline, const std::vector<Constraint>& constraints,
                     const PlanConfig& config, Splice& splice) {
  if (constraints == outline.document.constraints) return;
  std::vector<ListedItem> old = listed(outline, Part::constraint);
  for (std::size_t i = 0; i < old.size(); ++i) old[i].key = key_of(outline.document.constraints[i]);
  std::vector<WantedItem> wanted;
  for (const Constraint& each : constraints) {
    wanted.push_back({.key = key_of(each), .fresh = write_constraint(each, config)});
  }
  if (!old.empty()) {
    return splice.replace(old.front().line, old.back().end,
                          merged(outline, old, wanted, LinesBelow::stay));
  }
  std::string block;
  for (const WantedItem& each : wanted) block += cat(block.empty() ? "" : "\n", each.fresh);
  const std::size_t at =
      std::min(first_of(outline, Part::task), first_of(outline, Part::direction));
  splice.insert(at, block, {.before = true, .after = true});
}

}  // namespace

Result<Edited> set_details(const Outline& outline, std::string_view description,
                           const std::optional<std::vector<Constraint>>& constraints,
                           const PlanConfig& config) {
  TRY(need_goal(outline));
  const Details read = TRY(read_details(outline, description, config));
  if (constraints && !read.constraints.empty()) {
    return refuse(cat("constraints were sent as a list, and the description has '",
                      write_constraint(read.constraints.front(), config), "' too"),
                  "send them in one place; a line that begins with '*' is text");
  }
  Edited edited;
  Wanted wanted{outline.document, false};
  if (constraints) {
    wanted.plan.constraints = *constraints;
  } else if (!read.constraints.empty()) {
    edited.notes.push_back(cat("constraints read from its end: ", read.constraints.size()));
    wanted.plan.constraints = read.constraints;
  }
  if (constraints || !read.constraints.empty()) {
    TRY(check_sent(Plan{.constraints = wanted.plan.constraints}, "constraints", config));
  }
  Splice splice(outline);
  if (outline.document.description != read.description) {
    put_description(outline, read.description, splice);
  }
  put_constraints(outline, wanted.plan.constraints, config, splice);
  edited.text = splice.text();
  edited = TRY(checked(outline, std::move(edited), config, wanted));
  const auto stored = outline_of(edited.text, config).document.description;
  if (stored && stored->starts_with(read.description)) return edited;
  return refuse("the description would not read back as it was sent",
                "nothing was changed; a block of code that is opened and not closed may be why");
}

// --- the tasks ----------------------------------------------------------------------------------

namespace {

std::vector<WantedItem> wanted_items(const std::vector<PlanTask>& tasks, const PlanConfig& config,
                                     bool regular) {
  std::vector<WantedItem> out;
  for (const PlacedTask& each : all_tasks(tasks)) {
    const std::size_t depth = each.path.size() - 1;
    WantedItem item{.key = each.task->text, .fresh = write_task(*each.task, depth, config)};
    item.mark = each.task->done ? config.done_marks[0] : ' ';
    if (regular) item.indent = std::string(depth * config.indent_chars, ' ');
    out.push_back(std::move(item));
  }
  return out;
}

/// What the new tasks change beside what was asked for.
void note_changes(const std::vector<PlanTask>& before, const std::vector<PlanTask>& after,
                  std::vector<std::string>& notes) {
  const std::vector<PlacedTask> removed = removed_tasks(before, after);
  if (!removed.empty()) notes.push_back(cat("removed: ", named(removed)));
  std::set<std::string_view> was_done;
  for (const PlacedTask& each : all_tasks(before)) {
    if (each.task->done) was_done.insert(each.task->text);
  }
  std::vector<PlacedTask> reopened = open_tasks(after);
  std::erase_if(reopened,
                [&](const PlacedTask& each) { return !was_done.contains(each.task->text); });
  if (!reopened.empty()) notes.push_back(cat("done before and open now: ", named(reopened)));
}

/// One byte for another in the line of the task.
void put_mark(const Outline& outline, std::size_t line, bool done, const PlanConfig& config,
              Splice& splice) {
  splice.set_byte(line, outline.lines[line].mark_at, done ? config.done_marks[0] : ' ');
}

}  // namespace

std::vector<PlacedTask> removed_tasks(const std::vector<PlanTask>& before,
                                      const std::vector<PlanTask>& after) {
  std::multiset<std::string_view> texts;
  for (const PlacedTask& each : all_tasks(after)) texts.insert(each.task->text);
  std::vector<PlacedTask> out;
  for (const PlacedTask& each : all_tasks(before)) {
    const auto found = texts.find(each.task->text);
    if (found == texts.end()) {
      out.push_back(each);
    } else {
      texts.erase(found);
    }
  }
  return out;
}

Result<Edited> set_tasks(const Outline& outline, const std::vector<PlanTask>& tasks,
                         const PlanConfig& config) {
  if (tasks.empty()) {
    return fail(Code::NO_TASKS_FOUND, "the plan has no tasks", "send at least one task");
  }
  TRY(need_goal(outline));
  TRY(check_sent(Plan{.tasks = tasks}, "tasks", config));
  std::vector<ListedItem> old = listed(outline, Part::task);
  const std::vector<PlacedTask> placed = all_tasks(outline.document.tasks);
  for (std::size_t i = 0; i < old.size(); ++i) old[i].key = placed[i].task->text;
  Wanted wanted{outline.document, true, false};
  wanted.plan.tasks = tasks;
  Result<Edited> made = fail(Code::INTERNAL, "no try was made");
  struct Way {
    bool regular;
    LinesBelow below;
  };
  // The lines that stay keep their own indents, and the lines below a task go with it, unless the
  // plan would then read otherwise.
  constexpr Way ways[] = {
      {false, LinesBelow::move}, {true, LinesBelow::move}, {true, LinesBelow::stay}};
  for (const Way& way : ways) {
    Edited edited;
    Splice splice(outline);
    std::vector<WantedItem> items = wanted_items(tasks, config, way.regular);
    if (old.empty()) {
      std::string block;
      for (const WantedItem& each : items) block += cat(block.empty() ? "" : "\n", each.fresh);
      splice.insert(first_of(outline, Part::direction), block, {.before = true, .after = true});
    } else {
      splice.replace(old.front().line, old.back().end, merged(outline, old, items, way.below));
    }
    reopen(outline, tasks, splice, edited.notes);
    note_changes(outline.document.tasks, tasks, edited.notes);
    edited.text = splice.text();
    made = checked(outline, std::move(edited), config, wanted);
    if (made) break;
  }
  return made;
}

Result<Edited> mark_task(const Outline& outline, std::string_view task_id, bool done,
                         const PlanConfig& config) {
  return mark_task(outline, TRY(find_task(outline.document.tasks, task_id)), done, config);
}

Result<Edited> mark_task(const Outline& outline, const TaskPath& path, bool done,
                         const PlanConfig& config) {
  TRY(need_goal(outline));
  Edited edited;
  std::vector<PlanTask> tasks = outline.document.tasks;
  const std::vector<PlanTask*> way = way_to(tasks, path);
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
  Splice splice(outline);
  const std::vector<ListedItem> lines = listed(outline, Part::task);
  const std::vector<PlacedTask> before = all_tasks(outline.document.tasks);
  const std::vector<PlacedTask> after = all_tasks(tasks);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (before[i].task->done == after[i].task->done) continue;
    put_mark(outline, lines[i].line, after[i].task->done, config, splice);
  }
  reopen(outline, tasks, splice, edited.notes);
  edited.text = splice.text();
  Wanted wanted{outline.document, true, false};
  wanted.plan.tasks = std::move(tasks);
  return checked(outline, std::move(edited), config, wanted);
}

Result<Edited> finish(const Outline& outline, const PlanConfig& config) {
  const Plan& document = outline.document;
  if (document.tasks.empty()) {
    return fail(Code::NO_TASKS_FOUND, "the plan has no tasks", Move::set_tasks);
  }
  TRY(need_goal(outline));
  const std::vector<PlacedTask> open = open_tasks(document.tasks);
  if (!open.empty()) {
    return fail(
        Code::NOT_ALL_TASKS_COMPLETE,
        cat(open.size(), open.size() == 1 ? " task is open: " : " tasks are open: ", named(open)),
        Move::mark_tasks);
  }
  if (directive_of(document) == complete_directive) {
    return Edited{outline.text, {"the plan was already complete"}};
  }
  const std::string complete = cat("~~~ ", complete_directive, " ~~~");
  Splice splice(outline);
  std::size_t last = splice.size();
  for (std::size_t i = 0; i < splice.size(); ++i) {
    if (directive_at(outline, i)) last = i;
  }
  if (last < splice.size()) {
    const std::string_view line = outline.line(last);
    splice.set(last, cat(complete, line.substr(trimmed(line).size())));
  } else {
    splice.insert(splice.size(), complete, {.before = true});
  }
  Wanted wanted{document};
  wanted.plan.direction = complete;
  return checked(outline, Edited{splice.text()}, config, wanted);
}

// --- whole documents ----------------------------------------------------------------------------

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

Result<std::string> checked_text(const Plan& document, const PlanConfig& config) {
  const Validation validation = validate(document, config);
  if (!validation.is_valid()) {
    return refuse(problems_text(validation.errors),
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
