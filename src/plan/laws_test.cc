// What holds for every plan and every text, in every configuration.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan/edit.h"
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

RC_GTEST_PROP(plan_laws, a_task_that_is_marked_is_marked_and_parents_follow, ()) {
  Plan document = *testing::document();
  if (document.tasks.empty()) return;
  const auto all = all_tasks(document.tasks);
  const TaskPath path = all[*rc::gen::inRange<std::size_t>(0, all.size())].path;
  const bool done = *rc::gen::arbitrary<bool>();
  const auto edited = mark_task(document, path_text(path), done);
  if (!edited) {
    // Only a task with open tasks below it cannot be done, and a number that is also some text.
    RC_ASSERT(edited.error().code == Code::NOT_ALL_TASKS_COMPLETE ||
              edited.error().code == Code::TASK_AMBIGUOUS);
    return;
  }
  RC_ASSERT(task_at(edited->document.tasks, path).done == done);
  for (TaskPath above = path; above.size() > 1;) {
    above.pop_back();
    if (!done) RC_ASSERT(!task_at(edited->document.tasks, above).done);
  }
  RC_ASSERT(edited->document.description == document.description);
}

}  // namespace
}  // namespace baton::plan
