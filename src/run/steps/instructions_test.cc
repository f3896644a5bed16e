#include "run/steps/instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "run/steps/user_message.h"
#include "run/testing/play.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using json::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A step as it is told, with the context that it is told in.
class Told {
 public:
  Told(std::string_view steps, Object context)
      : pinned_(testing::yaml_workflow(cat("{id: w, steps: [", steps, "]}"))) {
    state_.context = std::make_shared<const Object>(std::move(context));
    state_.open_steps = {"a"};
  }

  Result<AgentStep> step() {
    return testing::ask_until_known(testing::no_script, [&](state::ScriptAnswers& answers) {
      Scripts scripts(answers, {});
      auto out = describe_agent_step(pinned_.workflow, pinned_.workflow.steps[0], state_, scripts);
      used_ = scripts.used();
      return out;
    });
  }

  /// The same from what was recorded.
  Result<AgentStep> again() {
    Scripts scripts(used_);
    return state::settled(
        describe_agent_step(pinned_.workflow, pinned_.workflow.steps[0], state_, scripts));
  }

  const workflow::CompiledWorkflow& workflow() const { return pinned_.workflow; }

 private:
  workflow::Pinned pinned_;
  NodeState state_;
  Object used_;
};

TEST(agent_steps, arguments_of_a_call_keep_their_types) {
  Told told("{id: a, type: mcp_call, tool: t, parameters: {n: '{{ n }}', text: 'at {{ n }}'}}",
            {{"n", 3}});
  const AgentStep step = told.step().value();
  EXPECT_EQ(*step.definition.find("params"), Value(Object{{"n", 3}, {"text", "at 3"}}));
  EXPECT_EQ(*step.definition.find("variable_replacements"), Value(Object{{"{{ n }}", "3"}}));
  EXPECT_EQ(*step.definition.find("original_expression"), Value("n"));
}

TEST(agent_steps, what_was_told_once_is_told_again_from_the_record) {
  for (const std::string_view step :
       {"{id: a, type: mcp_call, tool: t, parameters: {n: '{{ n }}'}}",
        "{id: a, type: agent_shell_command, command: 'echo {{ n }}'}",
        "{id: a, type: user_input, prompt: 'How {{ n }}?', default: '{{ n }}'}",
        "{id: a, type: apply_hints, file: 'f{{ n }}', hints: '{{ n }}'}"}) {
    Told told(step, {{"n", 3}});
    const AgentStep first = told.step().value();
    const AgentStep second = told.again().value();
    EXPECT_EQ(first.words, second.words);
    EXPECT_EQ(Value(first.definition), Value(second.definition)) << step;
  }
}

TEST(agent_steps, values_in_a_command_are_quoted_and_never_part_of_its_text) {
  Told told("{id: a, type: agent_shell_command, command: 'git log {{ b }}'}",
            {{"b", "it's; rm -rf $HOME"}});
  const std::string text = *told.step().value().definition.find("command")->if_string();
  EXPECT_THAT(text, HasSubstr("export BATON_V1='it'\\''s; rm -rf $HOME'\n"));
  EXPECT_THAT(text.substr(text.find('\n')), ::testing::Not(HasSubstr("rm -rf")));
}

TEST(agent_steps, arguments_of_a_program_are_quoted_one_by_one) {
  Told told("{id: a, type: agent_shell_command, argv: [ls, -l, '{{ b }}', '']}", {{"b", "a b"}});
  EXPECT_EQ(*told.step().value().definition.find("command"), Value("ls -l 'a b' ''"));
}

TEST(agent_steps, a_value_that_no_command_can_be_given_is_refused) {
  Told told("{id: a, type: agent_shell_command, command: 'x {{ b }}'}",
            {{"b", std::string("a\0b", 3)}});
  EXPECT_EQ(told.step().error().code, Code::INVALID_INPUT);
}

TEST(agent_steps, what_is_undefined_is_refused_where_it_is_used_and_shown_where_it_is_read) {
  Told call("{id: a, type: mcp_call, tool: t, parameters: {n: '{{ nothing }}'}}", {});
  EXPECT_THAT(call.step().error().message, HasSubstr("\"parameters\" of the step \"a\""));
  Told message("{id: a, type: user_message, message: 'It is {{ nothing }}.'}", {});
  EXPECT_THAT(message.step().value().words, HasSubstr("[unset: nothing]"));
}

TEST(agent_steps, messages_are_one_delivery_up_to_another_step_or_a_condition) {
  Told told(
      "{id: a, type: user_message, message: A}, {id: b, type: user_message, message: B}, "
      "{id: c, type: user_message, message: C, runCondition: {var: x}}, "
      "{id: d, type: user_message, message: D}",
      {});
  EXPECT_THAT(keys_passed_with(told.workflow(), {}), ElementsAre("b"));
  EXPECT_THAT(keys_passed_with(told.workflow(), {.position = 2}), ElementsAre("d"));
  EXPECT_THAT(keys_passed_with(told.workflow(), {.position = 3}), IsEmpty());
  Cursor cursor;
  pass_messages(told.workflow(), cursor);
  EXPECT_EQ(cursor.position, 1);
}

TEST(agent_steps, a_fence_is_longer_than_any_in_the_text) {
  Told told("{id: a, type: apply_hints, file: f, hints: ['```']}", {});
  EXPECT_THAT(told.step().value().words, HasSubstr("````json"));
}

TEST(agent_steps, a_wait_says_when_to_continue) {
  Told told("{id: a, type: wait_step, timeout_seconds: 2}", {});
  const AgentStep step = told.step().value();
  EXPECT_EQ(*step.definition.find("retry_after_ms"), Value(2'000));
  EXPECT_THAT(step.words, HasSubstr("Wait 2 seconds"));
}

}  // namespace
}  // namespace baton::run
