// Runs whose steps fail, decided from their start on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "run/decide/decide.h"
#include "run/testing/sample_run.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using testing::decide_with;
using testing::draw_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A run that is played from step to step; every state is what its events fold to.
class Played {
 public:
  explicit Played(std::string_view yaml)
      : pinned_(testing::yaml_workflow(yaml)), schemas_(MUST(Schemas::of(pinned_.workflow))) {
    keep(decide_with(Decider::start({.workflow = &pinned_,
                                     .schemas = schemas_.get(),
                                     .goal = "",
                                     .context = {},
                                     .preferences = {},
                                     .minting = {}}),
                     draw_of(1)));
  }

  void passes(Value result = "done") {
    StepInput input;
    input.artifacts = {Object{{"kind", "baton.result"}, {"value", std::move(result)}}};
    hand_in(input);
  }
  void fails(std::string message = "no luck") {
    StepInput input;
    input.failure = {"agent", std::move(message)};
    hand_in(input);
  }
  void hand_in(const StepInput& input) {
    AdvanceCommand command;
    command.workflow = &pinned_.workflow;
    command.schemas = schemas_.get();
    command.token_node = last_.state.node;
    command.attempt = {AttemptKind::advance, 0, 0};
    command.step = open();
    command.parent = last_.state;
    command.input = input;
    keep(decide_with(Decider::advance(command), draw_of(++node_)));
  }

  std::string open() const {
    return last_.state.open_steps.empty() ? "" : last_.state.open_steps.front();
  }
  const Decided& last() const { return last_; }
  std::string_view status() const { return name_of(last_.state.status()); }
  Value value(std::string_view path) const {
    const auto found = scope_at(pinned_.workflow, last_.state).get(path);
    return found.value_or(Value());
  }

 private:
  void keep(Result<Decided> decided) {
    ASSERT_TRUE(decided) << decided.error().message;
    const auto events = MUST(decode_events(MUST(encode_events(decided->commit.events))));
    NodeState before = last_.state;
    before.session = decided->state.session;
    EXPECT_EQ(MUST(fold(before, events)), decided->state);
    EXPECT_EQ(MUST(read_snapshot(MUST(write_snapshot(decided->state)))), decided->state);
    last_ = *std::move(decided);
  }

  workflow::Pinned pinned_;
  std::shared_ptr<const Schemas> schemas_;
  Decided last_;
  std::size_t node_ = 1;
};

constexpr std::string_view five_fields = R"(
state_schema:
  raw: {steps_completed: array, steps_failed: array, retry_counts: object, last_error: object,
        workflow_errors: array, x: any, why: any}
)";

TEST(failing_run, without_a_word_on_errors_the_run_fails) {
  Played run("{id: w, steps: [{id: a, prompt: p}, {id: b, prompt: p}]}");
  run.fails("disk full");
  EXPECT_EQ(run.status(), "failed");
  EXPECT_EQ(run.open(), "");
  EXPECT_THAT(run.last().reply.warnings, ElementsAre(HasSubstr("\"a\" failed (disk full)")));
}

TEST(failing_run, a_retried_step_stays_open_until_its_tries_are_used_up) {
  Played run(cat("id: w", five_fields, R"(
steps:
  - {id: a, type: mcp_call, tool: t, on_error: retry,
     error_handling: {strategy: retry, max_retries: 1}, store_result: raw.x}
  - {id: b, prompt: p}
)"));
  run.fails();
  EXPECT_EQ(run.status(), "blocked");
  EXPECT_EQ(run.open(), "a");
  EXPECT_TRUE(run.last().reply.retryable);
  EXPECT_EQ(run.value("retry_counts.a"), Value(1));
  EXPECT_EQ(run.value("last_error.message"), Value("no luck"));
  run.fails();
  EXPECT_EQ(run.status(), "failed");
  EXPECT_EQ(run.value("steps_failed"), Value(json::Array{"a"}));
}

TEST(failing_run, a_retried_step_that_passes_advances_as_usual) {
  Played run(cat("id: w", five_fields, R"(
steps:
  - {id: a, type: mcp_call, tool: t, on_error: retry, store_result: raw.x}
  - {id: b, prompt: p}
)"));
  run.fails();
  run.passes(7);
  EXPECT_EQ(run.open(), "b");
  EXPECT_EQ(run.value("x"), Value(7));
  EXPECT_EQ(run.value("steps_completed"), Value(json::Array{"a"}));
}

TEST(failing_run, a_step_may_be_passed_over_with_its_error_written_down) {
  Played run(cat("id: w", five_fields, R"(
steps:
  - {id: a, type: mcp_call, tool: t, on_error: continue, store_result: raw.x,
     error_state_update: {path: raw.why, value: "{{ error.message }}"}}
  - {id: b, prompt: p}
)"));
  run.fails();
  EXPECT_EQ(run.open(), "b");
  EXPECT_EQ(run.value("x"), Value());
  EXPECT_EQ(run.value("why"), Value("no luck"));
  EXPECT_EQ(run.value("workflow_errors.0.step"), Value("a"));
}

TEST(failing_run, a_fallback_replaces_the_result) {
  Played run(cat("id: w", five_fields, R"(
steps:
  - {id: a, type: shell_command, command: x, fallback_value: {ok: false}, store_result: raw.x}
  - {id: b, prompt: p}
)"));
  run.fails();
  EXPECT_EQ(run.open(), "b");
  EXPECT_EQ(run.value("x.ok"), Value(false));
}

TEST(failing_run, steps_of_on_failure_are_done_before_it_fails) {
  Played run(cat("id: w", five_fields, R"(
error_handling:
  on_failure:
    - {id: note, type: state_update, path: raw.why, value: "{{ error.step }}"}
    - {id: tell, type: user_message, message: "It failed: {{ error.message }}"}
steps: [{id: a, prompt: p}, {id: b, prompt: p}]
)"));
  run.fails("disk full");
  EXPECT_EQ(run.open(), "tell");
  EXPECT_EQ(run.status(), "in_progress");
  EXPECT_THAT(run.last().reply.pending->prompt, HasSubstr("It failed: disk full"));
  EXPECT_EQ(run.value("why"), Value("a"));
  run.passes();
  EXPECT_EQ(run.status(), "failed");
}

TEST(failing_run, a_failure_step_that_fails_fails_the_run_at_once) {
  Played run(R"({id: w, error_handling: {on_error: continue, on_failure: [{id: f, prompt: p}]},
                 steps: [{id: a, prompt: p, error_handling: {strategy: fail}}]})");
  run.fails();
  // The workflow continues after its own steps.
  EXPECT_EQ(run.status(), "complete");
  Played other(R"({id: w, error_handling: {on_failure: [{id: f, prompt: p}, {id: g, prompt: p}]},
                   steps: [{id: a, prompt: p}]})");
  other.fails("first");
  EXPECT_EQ(other.open(), "f");
  other.fails("second");
  EXPECT_EQ(other.status(), "failed");
}

TEST(failing_run, a_workflow_can_be_begun_again_so_often) {
  Played run(R"({id: w, config: {max_retries: 1}, error_handling: {on_error: retry_workflow},
                 steps: [{id: a, prompt: p}, {id: b, type: foreach, items: [1, 2],
                          body: [{id: c, prompt: "{{ item }}"}]}]})");
  run.passes();
  run.passes();
  EXPECT_EQ(run.open(), "b@1::c");
  run.fails();
  EXPECT_EQ(run.open(), "a");
  EXPECT_EQ(run.status(), "in_progress");
  run.passes();
  EXPECT_EQ(run.open(), "b@0::c");
  run.fails();
  EXPECT_EQ(run.status(), "failed");
}

TEST(failing_run, a_restart_leaves_the_frames_that_it_was_in) {
  Played run(cat("id: w", five_fields, R"(
error_handling: {on_error: retry_workflow, error_collection: {enabled: true, state_path: raw.x,
                 include_stack_traces: true}}
default_state: {raw: {x: []}}
steps: [{id: a, prompt: p}, {id: l, type: foreach, items: [1], body: [{id: b, prompt: p}]}]
)"));
  run.passes();
  run.fails();
  EXPECT_EQ(run.open(), "a");
  EXPECT_EQ(run.value("x.0.stack_trace"), Value(json::Array{"l@0", "l@0::b"}));
  EXPECT_EQ(run.value("workflow_errors.length"), Value(1));
}

TEST(failing_run, errors_collected_where_the_engine_keeps_them_are_there_once) {
  Played run(cat("id: w", five_fields, R"(
error_handling: {on_error: continue, error_collection: {enabled: true}}
steps: [{id: a, prompt: p}, {id: b, prompt: p}]
)"));
  run.fails();
  EXPECT_EQ(run.value("workflow_errors.length"), Value(1));
}

TEST(failing_run, an_answer_that_is_wrong_too_often_is_a_failure) {
  Played run(R"({id: w, steps: [{id: q, type: user_input, prompt: "How many?", input_type: number,
                 max_retries: 1}, {id: b, prompt: p}]})");
  EXPECT_EQ(run.last().reply.next_intent, NextIntent::await_user_confirmation);
  run.passes("many");
  EXPECT_EQ(run.status(), "blocked");
  EXPECT_EQ(run.last().reply.blockers.at(0).code, BlockerCode::INVALID_REQUIRED_OUTPUT);
  run.passes("lots");
  EXPECT_EQ(run.status(), "failed");
}

TEST(failing_run, an_agent_says_with_an_artifact_that_a_step_failed) {
  Played run("{id: w, steps: [{id: a, prompt: p}]}");
  StepInput input;
  input.artifacts = {Object{{"kind", "baton.step_failure"}, {"message", "no network"}}};
  run.hand_in(input);
  EXPECT_EQ(run.status(), "failed");
}

TEST(messages, that_follow_one_another_are_one_delivery) {
  Played run(cat("id: w", five_fields, R"(
default_state: {raw: {x: 3}}
steps:
  - {id: one, type: user_message, message: "First {{ x }}."}
  - {id: two, type: user_message, message: Second., message_type: warning}
  - {id: three, type: user_message, message: Third., runCondition: "x"}
  - {id: b, prompt: p}
)"));
  EXPECT_EQ(run.open(), "one");
  const Object& definition = run.last().reply.pending->definition;
  // Each text once: several are in a list, one is the message itself.
  EXPECT_EQ(*definition.find("messages"),
            Value(json::Array{
                Object{{"message", "First 3."}, {"format", "text"}},
                Object{{"message", "Second."}, {"format", "text"}, {"message_type", "warning"}}}));
  EXPECT_EQ(definition.find("message"), nullptr);
  EXPECT_EQ(run.last().reply.pending->kind, workflow::StepKind::user_message);
  run.hand_in({});
  EXPECT_EQ(run.open(), "three");
  const Object& alone = run.last().reply.pending->definition;
  EXPECT_EQ(*alone.find("message"), Value("Third."));
  EXPECT_EQ(alone.find("messages"), nullptr);
}

TEST(messages, that_are_delivered_together_are_passed_together) {
  Played run(cat("id: w", five_fields, R"(
steps:
  - {id: one, type: user_message, message: First.}
  - {id: two, type: user_message, message: Second.}
  - {id: b, prompt: p}
)"));
  run.hand_in({});
  EXPECT_EQ(run.open(), "b");
  EXPECT_EQ(run.value("steps_completed"), Value(json::Array{"one", "two"}));
}

}  // namespace
}  // namespace baton::run
