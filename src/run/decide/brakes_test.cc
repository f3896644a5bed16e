// Budgets and breakers: runs that stop by themselves, and what lets them go on.
#include "run/decide/brakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/budget_limits.h"
#include "base/text/text.h"
#include "run/decide/append_events.h"
#include "run/decide/decide.h"
#include "run/testing/sample_run.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Object;
using testing::decide_with;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A run that is played from step to step, a minute for each act; every state is what its events
/// fold to.
class Braked {
 public:
  explicit Braked(std::string_view yaml, Budget asked = {}, Autonomy autonomy = Autonomy::guided)
      : pinned_(testing::yaml_workflow(yaml)), schemas_(MUST(Schemas::of(pinned_.workflow))) {
    keep(decide_with(Decider::start({.workflow = &pinned_,
                                     .schemas = schemas_.get(),
                                     .goal = "",
                                     .context = {},
                                     .preferences = {.autonomy = autonomy, .risk_policy = {}},
                                     .minting = {},
                                     .budget = asked}),
                     draw()));
  }

  void send(std::string notes = "did it", json::Array artifacts = {}, std::int64_t tokens = 0) {
    StepInput input;
    input.notes = std::move(notes);
    input.artifacts = std::move(artifacts);
    input.tokens_used = tokens;
    hand_in(std::move(input));
  }
  void save() { hand_in({}, AttemptKind::checkpoint); }
  /// A person decides, and the agent calls again.
  void decide(GateDecision decision) {
    ASSERT_NE(last_.state.gate, nullptr);
    words_ = {{.gate = last_.state.gate->node,
               .decision = decision,
               .assurance = Assurance::present,
               .reason = "because",
               .source = {.how = ChangedHow::terminal}}};
    send("again");
    words_.clear();
  }
  void wait_minutes(std::int64_t minutes) { minute_ += minutes; }

  std::string waits_at() const {
    return last_.state.gate == nullptr ? "" : std::string(name_of(last_.state.gate->kind));
  }
  std::string question() const {
    return last_.state.gate == nullptr ? "" : last_.state.gate->question;
  }
  std::string open() const {
    return last_.state.open_steps.empty() ? "" : last_.state.open_steps.front();
  }
  const Usage& used() const { return last_.state.known().usage; }
  const Decided& last() const { return last_; }

 private:
  FreshValues draw() {
    FreshValues out = testing::draw_of(++node_);
    out.drawn.now = {60'000 * ++minute_};
    return out;
  }
  void hand_in(StepInput input, AttemptKind kind = AttemptKind::advance) {
    AdvanceCommand command;
    command.workflow = &pinned_.workflow;
    command.schemas = schemas_.get();
    command.token_node = last_.state.node;
    command.attempt = {kind, 0, 0};
    if (kind == AttemptKind::advance) command.step = open();
    command.parent = last_.state;
    command.input = std::move(input);
    command.words = words_;
    keep(decide_with(Decider::advance(command), draw()));
  }
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
  std::vector<GateWord> words_;
  std::size_t node_ = 0;
  std::int64_t minute_ = 0;
};

std::string steps_with(std::string_view budget) {
  return cat("id: w\n", budget, R"(
steps:
  - {id: a, prompt: p}
  - {id: b, prompt: p}
  - {id: c, prompt: p}
  - {id: d, prompt: p}
)");
}

// Enforces: G32
TEST(budget, a_run_pauses_once_its_steps_are_used_up_and_not_before) {
  for (const Autonomy mode :
       {Autonomy::guided, Autonomy::full_auto_stop_on_user_deps, Autonomy::full_auto_never_stop}) {
    Braked run(steps_with("budget: {steps: 2}"), {}, mode);
    run.send();
    EXPECT_EQ(run.waits_at(), "");
    run.send();
    EXPECT_EQ(run.waits_at(), "budget");
    EXPECT_EQ(run.question(),
              "The budget of the run is used up: 2 of 2 steps. May it go on, with up to 4 steps?");
    EXPECT_THAT(run.last().reply.warnings, ElementsAre(HasSubstr("2 of 2 steps")));
    // Whatever the agent sends, the step is not settled.
    run.send("I did it anyway");
    run.send("did it", {Object{{"kind", "baton.assumption"}, {"summary", "More is fine."}}});
    EXPECT_EQ(run.open(), "c");
    EXPECT_EQ(run.waits_at(), "budget");
  }
}

// Enforces: G32
TEST(budget, a_person_raises_it_and_the_next_one_is_asked_about_again) {
  Braked run(steps_with("budget: {steps: 1}"));
  run.send();
  run.decide(GateDecision::approved);
  EXPECT_EQ(run.waits_at(), "");
  EXPECT_EQ(run.open(), "b");
  EXPECT_EQ(run.last().state.known().budget.steps, 2);
  run.send();
  EXPECT_EQ(run.waits_at(), "budget");
  EXPECT_EQ(run.open(), "c");
}

TEST(budget, a_refusal_ends_the_run_with_its_reason) {
  Braked run(steps_with("budget: {steps: 1}"));
  run.send();
  run.decide(GateDecision::refused);
  EXPECT_EQ(run.last().state.status(), RunStatus::failed);
  EXPECT_EQ(run.open(), "");
}

// Enforces: G32
TEST(budget, the_lower_of_the_authors_and_the_callers_limit_counts) {
  Braked tighter(steps_with("budget: {steps: 3, tokens: 10}"), {.steps = 1});
  EXPECT_EQ(tighter.last().state.known().budget, (Budget{.steps = 1, .tokens = 10}));
  Braked looser(steps_with("budget: {steps: 1}"), {.steps = 3, .bytes = 5});
  EXPECT_EQ(looser.last().state.known().budget, (Budget{.steps = 1, .bytes = 5}));
  Braked none(steps_with(""));
  EXPECT_TRUE(none.last().state.known().budget.empty());
  EXPECT_TRUE(none.last().state.known().usage.empty());
}

// Enforces: G32
TEST(budget, attempts_that_do_not_pass_count_too) {
  Braked run(R"(
id: w
budget: {attempts: 2}
steps:
  - {id: a, prompt: p, validationCriteria: {type: contains, value: yes, message: Say yes.}}
  - {id: b, prompt: p}
)");
  run.send("no");
  EXPECT_EQ(run.waits_at(), "");
  run.send("no, again");
  EXPECT_EQ(run.waits_at(), "budget");
  EXPECT_EQ(run.used().attempts, 2);
  EXPECT_EQ(run.used().steps, 0);
  // Who waits makes no attempt.
  run.send("yes");
  EXPECT_EQ(run.used().attempts, 2);
  EXPECT_EQ(run.open(), "a");
}

TEST(budget, bytes_of_outputs_are_counted) {
  Braked run(steps_with("budget: {bytes: 10}"));
  run.send("123456789");
  EXPECT_EQ(run.waits_at(), "");
  run.send("1");
  EXPECT_EQ(run.waits_at(), "budget");
}

// Enforces: G32
TEST(budget, tokens_are_added_up_where_the_client_reports_them) {
  Braked run(steps_with("budget: {tokens: 1000}"));
  run.send("did it", {}, 999);
  EXPECT_EQ(run.waits_at(), "");
  run.send("did it", {}, 1);
  EXPECT_EQ(run.waits_at(), "budget");
  EXPECT_EQ(run.used().tokens, 1000);
  Braked free(steps_with(""));
  free.send("did it", {}, 5);
  free.send("did it", {}, 6);
  EXPECT_EQ(free.used().tokens, 11);
}

TEST(budget, tokens_are_no_part_of_what_an_attempt_is_known_by) {
  StepInput one;
  one.notes = "did it";
  StepInput two = one;
  two.tokens_used = 100;
  EXPECT_EQ(MUST(input_hash(one)), MUST(input_hash(two)));
}

// Enforces: G32
TEST(budget, minutes_are_those_of_the_recorded_instants_without_the_time_a_person_takes) {
  Braked run(R"(
id: w
budget: {minutes: 10}
steps:
  - {id: a, prompt: p, gate: true}
  - {id: b, prompt: p}
  - {id: c, prompt: p}
)");
  run.send();
  EXPECT_EQ(run.waits_at(), "step");
  run.wait_minutes(1'000);
  run.decide(GateDecision::refused);
  run.send("again");
  run.decide(GateDecision::approved);
  EXPECT_EQ(run.open(), "b");
  EXPECT_EQ(run.waits_at(), "");
  EXPECT_LT(minutes_of(run.used()), 10);
  run.wait_minutes(9);
  run.send();
  EXPECT_EQ(run.waits_at(), "budget");
}

TEST(budget, limits_are_checked_on_both_sides) {
  EXPECT_TRUE(check_budget({.steps = limits::budget_steps_max,
                            .minutes = limits::budget_minutes_max,
                            .attempts = limits::budget_attempts_max,
                            .bytes = limits::budget_bytes_max,
                            .tokens = limits::budget_tokens_max}));
  for (const Budget& each :
       {Budget{.steps = limits::budget_steps_max + 1},
        Budget{.minutes = limits::budget_minutes_max + 1},
        Budget{.attempts = limits::budget_attempts_max + 1},
        Budget{.bytes = limits::budget_bytes_max + 1},
        Budget{.tokens = limits::budget_tokens_max + 1}, Budget{.steps = -1}}) {
    EXPECT_EQ(check_budget(each).error().code, Code::LIMIT_EXCEEDED);
  }
  StepInput input;
  input.tokens_used = limits::reported_tokens_max;
  EXPECT_TRUE(check_sizes(input));
  ++input.tokens_used;
  EXPECT_EQ(check_sizes(input).error().code, Code::LIMIT_EXCEEDED);
}

constexpr std::string_view strict_step = R"(
id: w
steps:
  - {id: a, prompt: p, validationCriteria: {type: contains, value: yes, message: Say yes.}}
  - {id: b, prompt: p}
)";

// Enforces: G32
TEST(breaker, trips_when_a_step_does_not_pass_too_often_in_a_row) {
  Braked run(strict_step);
  for (std::int64_t i = 1; i < limits::failed_tries_max; ++i) run.send(cat("no ", i));
  EXPECT_EQ(run.waits_at(), "");
  run.send("no, once more");
  EXPECT_EQ(run.waits_at(), "breaker");
  EXPECT_THAT(run.question(), HasSubstr(cat("did not pass ", limits::failed_tries_max, " times")));
  run.send("yes");
  EXPECT_EQ(run.open(), "a");
  EXPECT_EQ(run.waits_at(), "breaker");
  run.decide(GateDecision::approved);
  EXPECT_EQ(run.waits_at(), "");
  run.send("yes");
  EXPECT_EQ(run.open(), "b");
}

// Enforces: G32
TEST(breaker, counts_begin_again_once_a_person_let_the_run_go_on) {
  Braked run(strict_step);
  for (std::int64_t i = 0; i < limits::failed_tries_max; ++i) run.send(cat("no ", i));
  run.decide(GateDecision::approved);
  for (std::int64_t i = 1; i < limits::failed_tries_max; ++i) run.send(cat("never ", i));
  EXPECT_EQ(run.waits_at(), "");
  run.send("never");
  EXPECT_EQ(run.waits_at(), "breaker");
  // The word of the first time does not count for this one, and another one does.
  run.send("yes");
  EXPECT_EQ(run.waits_at(), "breaker");
  EXPECT_EQ(run.open(), "a");
  run.decide(GateDecision::approved);
  EXPECT_EQ(run.waits_at(), "");
  run.send("yes");
  EXPECT_EQ(run.open(), "b");
}

constexpr std::string_view deciding_loop = R"(
id: w
steps:
  - id: again
    type: loop
    loop: {type: while, maxIterations: 1000,
           conditionSource: {kind: artifact_contract, contractRef: loop_control}}
    body:
      - {id: look, prompt: p}
      - {id: judge, prompt: p, outputContract: {contractRef: loop_control}}
  - {id: after, prompt: p}
)";

json::Array more() { return {Object{{"kind", "baton.loop_control"}, {"decision", "continue"}}}; }

// Enforces: G32
TEST(breaker, trips_when_a_loop_repeats_itself) {
  Braked run(deciding_loop);
  for (std::int64_t i = 1; i < limits::repeated_rounds_max; ++i) {
    run.send("the same");
    run.send(cat("round ", i), more());
  }
  EXPECT_EQ(run.waits_at(), "");
  run.send("the same");
  EXPECT_EQ(run.waits_at(), "breaker");
  EXPECT_THAT(run.question(), HasSubstr("\"look\" had the same output"));
  run.decide(GateDecision::approved);
  EXPECT_EQ(run.waits_at(), "");
  EXPECT_THAT(run.last().state.known().repeated, IsEmpty());
}

TEST(breaker, another_output_begins_the_count_again) {
  Braked run(deciding_loop);
  for (std::int64_t i = 0; i < 2 * limits::repeated_rounds_max; ++i) {
    run.send(i % limits::repeated_rounds_max == 7 ? "news" : "the same");
    run.send(cat("round ", i), more());
    ASSERT_EQ(run.waits_at(), "") << i;
  }
}

TEST(breaker, a_loop_over_a_count_may_have_the_same_output_in_each_round) {
  Braked run(
      cat("id: w\nsteps:\n  - {id: all, type: loop, loop: {type: for, count: ",
          limits::repeated_rounds_max + 5,
          ", maxIterations: 1000}, body: [{id: one, prompt: p}]}\n  - {id: z, prompt: p}\n"));
  for (std::int64_t i = 0; i < limits::repeated_rounds_max + 5; ++i) run.send("done");
  EXPECT_EQ(run.waits_at(), "");
  EXPECT_EQ(run.open(), "z");
}

}  // namespace
}  // namespace baton::run
