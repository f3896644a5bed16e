// What holds for every plan and every text, in every configuration.
// Origin: 003-5, 003-11, 003-53, 003-58, 003-67

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "base/text/utf8.h"
#include "plan/edit.h"
#include "plan/outline.h"
#include "plan/parse.h"
#include "plan/stage.h"
#include "plan/testing/document_generator.h"
#include "plan/validate.h"

namespace baton::plan {
namespace {

PlanConfig any_config() {
  const auto names = config_names();
  return *named_config(names[*rc::gen::inRange<std::size_t>(0, names.size())]);
}

RC_GTEST_PROP(plan_laws, a_valid_document_reads_back_as_it_was, ()) {
  const PlanConfig config = any_config();
  const Plan document = *testing::document();
  const bool valid = validate(document, config).is_valid();
  RC_TAG(valid);
  if (!valid) return;
  const Parsed back = parse(format(document, config), config);
  RC_ASSERT(back.state == State::parsed);
  RC_ASSERT(back.document == document);
}

RC_GTEST_PROP(plan_laws, text_that_was_read_is_written_the_same_ever_after, ()) {
  const PlanConfig config = any_config();
  const Parsed first = parse(*testing::text(), config);
  if (first.state != State::parsed) return;
  const std::string written = format(first.document, config);
  const Parsed second = parse(written, config);
  RC_ASSERT(second.state == State::parsed);
  RC_ASSERT(second.document == first.document);
  RC_ASSERT(format(second.document, config) == written);
}

RC_GTEST_PROP(plan_laws, every_text_has_a_state_and_a_reason, ()) {
  const PlanConfig config = any_config();
  const std::string text = *rc::gen::oneOf(testing::text(), rc::gen::arbitrary<std::string>());
  const Parsed parsed = parse(text, config);
  const bool stopped = parsed.state == State::halted || parsed.state == State::unknown;
  RC_ASSERT(parsed.halt.has_value() == stopped);
  if (parsed.state == State::empty) RC_ASSERT(parsed.document == Plan{});
  const int stage = stage_of(parsed.document);
  RC_ASSERT(stage >= 0 && stage <= 6);
  if (stopped) {
    RC_ASSERT(parsed.halt->line >= 1);
    RC_ASSERT(parsed.halt->column >= 1);
    RC_ASSERT(!parsed.halt->expected.empty());
  }
}

RC_GTEST_PROP(plan_laws, nothing_but_layout_is_lost_between_text_and_text, ()) {
  const Parsed parsed = parse(*testing::text());
  if (parsed.state != State::parsed || parsed.document.style.crlf) return;
  const Plan& document = parsed.document;
  const std::string written = format(document);
  if (document.description) RC_ASSERT(written.contains(*document.description));
  if (document.direction) RC_ASSERT(written.contains(*document.direction));
}

RC_GTEST_PROP(plan_laws, a_document_survives_as_json, ()) {
  Plan document = *testing::document();
  document.style = {};
  const auto back = document_from_json(to_json(document));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == document);
}

/// A line may end in a return of its own; a newline behind the last line makes that its end.
std::string bare(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  return std::string(line);
}

/// The lines of the parts that `goes` does not name, and that are not blank.
std::multiset<std::string> lines_but(const Outline& outline, const std::set<Part>& goes) {
  std::multiset<std::string> out;
  for (std::size_t i = 0; i < outline.lines.size(); ++i) {
    if (goes.contains(outline.lines[i].part) || outline.lines[i].part == Part::blank) continue;
    out.insert(bare(outline.line(i)));
  }
  return out;
}

std::multiset<std::string> all_lines(const std::string& text) {
  std::multiset<std::string> out;
  const Outline outline = outline_of(text);
  for (std::size_t i = 0; i < outline.lines.size(); ++i) out.insert(bare(outline.line(i)));
  return out;
}

void expect_kept(const std::multiset<std::string>& kept, const std::string& text) {
  const std::multiset<std::string> now = all_lines(text);
  for (const std::string& line : kept) {
    if (now.count(line) < kept.count(line)) RC_FAIL("lost: " + line + "\n--- of\n" + text);
  }
}

Outline any_outline(const PlanConfig& config) {
  return outline_of(*rc::gen::oneOf(testing::description(), testing::text()), config);
}

const Header some_goal{"feat", "plan", false, "Another goal"};

RC_GTEST_PROP(plan_laws, the_lines_of_a_text_are_the_text, ()) {
  const std::string text =
      *rc::gen::oneOf(testing::description(), testing::text(), rc::gen::arbitrary<std::string>());
  const Outline outline = outline_of(text, any_config());
  std::string joined = outline.document.style.byte_order_mark ? text.substr(0, 3) : "";
  for (std::size_t i = 0; i < outline.lines.size(); ++i) joined += outline.full_line(i);
  RC_ASSERT(joined == text);
  RC_ASSERT(utf8::is_valid(json::print(to_json(outline.document))));
}

RC_GTEST_PROP(plan_laws, the_tools_read_a_valid_plan_as_the_grammar_does, ()) {
  const PlanConfig config = any_config();
  const std::string text = *rc::gen::oneOf(
      testing::description(), testing::text(),
      rc::gen::map(testing::document(), [&](const Plan& plan) { return format(plan, config); }));
  const Parsed parsed = parse(text, config);
  const bool valid = validate(parsed, config).is_valid();
  RC_TAG(valid);
  if (valid) RC_ASSERT(outline_of(text, config).document == parsed.document);
}

RC_GTEST_PROP(plan_laws, every_text_can_be_taken_over_whole, ()) {
  const PlanConfig config = any_config();
  const std::string text =
      *rc::gen::oneOf(testing::description(), testing::text(), rc::gen::arbitrary<std::string>());
  const Outline before = outline_of(text, config);
  const auto taken = set_goal(before, some_goal, config);
  if (!taken) RC_FAIL(taken.error().message);
  RC_ASSERT(outline_of(taken->text, config).document.header == some_goal);
  if (before.document.header) {
    return expect_kept(lines_but(before, {Part::header}), taken->text);
  }
  const std::string whole = before.document.style.byte_order_mark ? text.substr(3) : text;
  RC_ASSERT(taken->text.ends_with(whole) || taken->text.ends_with(whole + "\n") ||
            taken->text.ends_with(whole + "\r\n"));
}

RC_GTEST_PROP(plan_laws, a_mark_changes_marks_only, ()) {
  const PlanConfig config = any_config();
  const Outline before = any_outline(config);
  const auto all = all_tasks(before.document.tasks);
  if (all.empty() || !before.document.header) return;
  const PlacedTask& task = all[*rc::gen::inRange<std::size_t>(0, all.size())];
  const bool done = *rc::gen::arbitrary<bool>();
  const auto edited = mark_task(before, task.path, done, config);
  if (!edited) {
    // Only a task with open tasks below it cannot be done.
    RC_ASSERT(edited.error().code == Code::NOT_ALL_TASKS_COMPLETE);
    return;
  }
  const Outline after = outline_of(edited->text, config);
  RC_ASSERT(task_at(after.document.tasks, task.path).done == done);
  for (TaskPath above = task.path; above.size() > 1;) {
    above.pop_back();
    if (!done) RC_ASSERT(!task_at(after.document.tasks, above).done);
  }
  if (directive_of(before.document) != directive_of(after.document)) return;
  RC_ASSERT(after.text.size() == before.text.size());
  std::set<std::size_t> marks;
  for (const OutlineLine& line : before.lines) {
    if (line.part == Part::task) marks.insert(line.begin + line.mark_at);
  }
  for (std::size_t i = 0; i < after.text.size(); ++i) {
    if (after.text[i] != before.text[i]) RC_ASSERT(marks.contains(i));
  }
}

RC_GTEST_PROP(plan_laws, new_tasks_leave_every_other_line, ()) {
  const PlanConfig config = any_config();
  const Outline before = any_outline(config);
  if (!before.document.header) return;
  std::vector<PlanTask> tasks = before.document.tasks;
  if (!tasks.empty() && *rc::gen::arbitrary<bool>()) tasks.erase(tasks.begin());
  if (tasks.size() > 1 && *rc::gen::arbitrary<bool>()) std::swap(tasks[0], tasks[1]);
  const auto at = *rc::gen::inRange<std::size_t>(0, tasks.size() + 1);
  tasks.insert(tasks.begin() + static_cast<std::ptrdiff_t>(at), {false, "New", {{true, "A"}}});
  if (!validate(Plan{.header = some_goal, .tasks = tasks}, config).is_valid()) return;
  const auto edited = set_tasks(before, tasks, config);
  if (!edited) RC_FAIL(edited.error().message + "\n" + before.text);
  RC_ASSERT(outline_of(edited->text, config).document.tasks == tasks);
  std::multiset<std::string> kept = lines_but(before, {Part::task});
  kept.erase("~~~ COMPLETE ~~~");
  expect_kept(kept, edited->text);
}

RC_GTEST_PROP(plan_laws, new_details_leave_every_other_line, ()) {
  const PlanConfig config = any_config();
  const Outline before = any_outline(config);
  if (!before.document.header) return;
  const auto edited = set_details(before, "New.\n\nAnd more.", std::nullopt, config);
  if (!edited) RC_FAIL(edited.error().message + "\n" + before.text);
  const Plan read = outline_of(edited->text, config).document;
  RC_ASSERT(read.tasks == before.document.tasks);
  RC_ASSERT(read.constraints == before.document.constraints);
  expect_kept(lines_but(before, {Part::description}), edited->text);
  const auto again =
      set_details(outline_of(edited->text, config), "New.\n\nAnd more.", std::nullopt, config);
  RC_ASSERT(again.has_value());
  RC_ASSERT(outline_of(again->text, config).document == read);
}

RC_GTEST_PROP(plan_laws, an_end_leaves_every_other_line, ()) {
  const PlanConfig config = any_config();
  const Outline before = any_outline(config);
  const auto edited = finish(before, config);
  if (!edited) {
    RC_ASSERT(edited.error().message.find("otherwise") == std::string::npos);
    return;
  }
  RC_ASSERT(directive_of(outline_of(edited->text, config).document) == complete_directive);
  std::multiset<std::string> kept = lines_but(before, {});
  for (const OutlineLine& line : before.lines) {
    const std::string text = bare(std::string_view(before.text).substr(line.begin, line.size));
    if (line.part == Part::direction && directive_in(text)) kept.erase(text);
  }
  expect_kept(kept, edited->text);
}

}  // namespace
}  // namespace baton::plan
