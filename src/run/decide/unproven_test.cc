// Runs that never stop, whose steps are not proved: what is refused, how often, and what the
// workflow makes of a step that failed for it.

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
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A run in a workspace where one file, out.txt, is there or not. Every state is what its events
/// fold to, also through a snapshot.
class TriedRun {
 public:
  explicit TriedRun(std::string_view yaml, Autonomy autonomy = Autonomy::full_auto_never_stop)
      : pinned_(testing::yaml_workflow(yaml)), schemas_(MUST(Schemas::of(pinned_.workflow))) {
    keep({}, decide_with(Decider::start({.workflow = &pinned_,
                                         .schemas = schemas_.get(),
                                         .goal = "",
                                         .workspace_path = "/work",
                                         .context = {},
                                         .preferences = {autonomy, {}},
                                         .minting = {}}),
                         draw_of(1), testing::no_script, watch()));
  }

  void attempt(const StepInput& input = {}, AttemptKind kind = AttemptKind::advance) {
    attempt_at(last_.state, input, kind);
  }
  void attempt_at(const NodeState& parent, const StepInput& input,
                  AttemptKind kind = AttemptKind::advance) {
    AdvanceCommand command;
    command.workflow = &pinned_.workflow;
    command.schemas = schemas_.get();
    command.parent = parent;
    command.token_node = parent.node;
    command.attempt = {kind, 0, 0};
    if (kind == AttemptKind::advance) command.step = parent.open_steps.at(0);
    command.input = input;
    command.source.tool = "a_tool";
    command.policy = policy;
    keep(parent,
         decide_with(Decider::advance(command), draw_of(++nodes_), testing::no_script, watch()));
  }
  void prefer(Autonomy autonomy) {
    StepInput input = agreed();
    input.preferences.autonomy = autonomy;
    attempt(input, AttemptKind::checkpoint);
  }
  /// An input with the user's word, which a raise in the middle of a run needs.
  static StepInput agreed() {
    StepInput input;
    input.artifacts = {Object{{"kind", "baton.confirmation"}, {"words", "go on without me"}}};
    return input;
  }
  /// Attempts until just before the step fails.
  void use_up_refusals(const StepInput& input = {}) {
    for (std::int64_t i = 0; i < limits::unproven_refusals_max; ++i) {
      attempt(input);
      ASSERT_EQ(reply().kind, ReplyKind::blocked) << i;
    }
  }

  const Reply& reply() const { return last_.reply; }
  const NodeState& state() const { return last_.state; }
  std::string open() const { return state().open_steps.empty() ? "" : state().open_steps.front(); }
  Value value(std::string_view path) const {
    return scope_at(pinned_.workflow, state()).get(path).value_or(Value());
  }
  std::vector<StepFailed> failures() const {
    std::vector<StepFailed> out;
    for (const Event& event : last_.commit.events) {
      if (const auto* each = std::get_if<StepFailed>(&event)) out.push_back(*each);
    }
    return out;
  }

  bool has_file = false;
  Policy policy = {};

 private:
  testing::Watch watch() {
    return [this](const Probe& look) {
      ProbeResult seen;
      if (!has_file || look.kind == Probe::Kind::workspace) return seen;
      seen.kind = ProbeResult::Kind::file;
      seen.bytes = 1;
      seen.digest = sha256("x");
      return seen;
    };
  }
  void keep(NodeState parent, Result<Decided> decided) {
    ASSERT_TRUE(decided) << decided.error().message;
    parent.session = decided->state.session;
    const auto events = MUST(decode_events(MUST(encode_events(decided->commit.events))));
    EXPECT_EQ(MUST(fold(std::move(parent), events)), decided->state);
    EXPECT_EQ(MUST(read_snapshot(MUST(write_snapshot(decided->state)))), decided->state);
    last_ = *std::move(decided);
  }

  workflow::Pinned pinned_;
  std::shared_ptr<const Schemas> schemas_;
  Decided last_;
  std::size_t nodes_ = 1;
};

constexpr std::string_view waivable_write = R"(
id: w
steps:
  - {id: write, prompt: p, evidence: [{file_exists: out.txt}], waivable: true}
  - {id: rest, prompt: p}
)";

// Enforces: G29
TEST(waivable, a_step_passes_without_its_evidence_in_every_mode_and_the_gap_says_what_is_missing) {
  for (const std::string_view mode : names<Autonomy>()) {
    TriedRun run(waivable_write, *from_name<Autonomy>(mode));
    run.attempt();
    EXPECT_EQ(run.open(), "rest") << mode;
    ASSERT_THAT(run.reply().gaps, SizeIs(1)) << mode;
    EXPECT_EQ(run.reply().gaps[0].severity, GapSeverity::critical) << mode;
    EXPECT_EQ(run.reply().gaps[0].reason, Reason::evidence_missing) << mode;
    EXPECT_THAT(run.reply().gaps[0].summary, HasSubstr("out.txt")) << mode;
    ASSERT_THAT(run.reply().warnings, SizeIs(1)) << mode;
  }
}

// Enforces: G29
TEST(waivable, an_owner_who_says_never_is_obeyed_in_every_mode) {
  for (const std::string_view mode : names<Autonomy>()) {
    TriedRun run(waivable_write, *from_name<Autonomy>(mode));
    run.policy.waivable = {Waivable::never, {PolicySource::user_policy}};
    run.attempt();
    EXPECT_EQ(run.reply().kind, ReplyKind::blocked) << mode;
    EXPECT_EQ(run.open(), "write") << mode;
    EXPECT_THAT(run.reply().gaps, IsEmpty()) << mode;
  }
}

TEST(waivable, a_step_that_has_its_evidence_leaves_no_gap) {
  TriedRun run(waivable_write);
  run.has_file = true;
  run.attempt();
  EXPECT_EQ(run.open(), "rest");
  EXPECT_THAT(run.reply().gaps, IsEmpty());
  EXPECT_THAT(run.reply().warnings, IsEmpty());
}

constexpr std::string_view write_then_rest = R"(
id: w
steps:
  - {id: write, prompt: p, evidence: [{file_exists: out.txt}]}
  - {id: rest, prompt: p}
)";

std::string with_on_error(std::string_view on_error, std::string_view workflow = "") {
  return cat(R"(
id: w
state_schema:
  raw: {steps_completed: array, steps_failed: array, retry_counts: object, last_error: object,
        x: any}
)",
             workflow, R"(
steps:
  - {id: write, prompt: p, evidence: [{file_exists: out.txt}], store_response: raw.x)",
             on_error.empty() ? "" : ", ", on_error, R"(}
  - {id: rest, prompt: p}
)");
}

StepInput with_result(Value value) {
  StepInput input;
  input.artifacts = {Object{{"kind", "baton.result"}, {"value", std::move(value)}}};
  return input;
}

// Enforces: G15
TEST(unproven, in_the_modes_that_stop_missing_proof_is_refused_for_ever) {
  for (const Autonomy autonomy : {Autonomy::guided, Autonomy::full_auto_stop_on_user_deps}) {
    TriedRun run(write_then_rest, autonomy);
    for (std::int64_t i = 0; i < 3 * limits::unproven_refusals_max; ++i) {
      run.attempt();
      ASSERT_EQ(run.reply().kind, ReplyKind::blocked);
      ASSERT_EQ(run.reply().blockers.at(0).code, BlockerCode::EVIDENCE_MISSING);
      EXPECT_TRUE(run.reply().retryable);
      EXPECT_THAT(run.reply().warnings, IsEmpty());
      EXPECT_THAT(run.reply().gaps, IsEmpty());
    }
    run.has_file = true;
    run.attempt();
    EXPECT_EQ(run.open(), "rest");
  }
}

// Enforces: G15
TEST(unproven, a_run_that_never_stops_is_refused_three_times_and_then_the_step_fails) {
  TriedRun run(write_then_rest);
  for (std::int64_t i = 1; i <= limits::unproven_refusals_max; ++i) {
    run.attempt();
    ASSERT_EQ(run.reply().kind, ReplyKind::blocked);
    ASSERT_EQ(run.reply().blockers.at(0).code, BlockerCode::EVIDENCE_MISSING);
    EXPECT_TRUE(run.reply().retryable);
    EXPECT_THAT(run.reply().warnings, ElementsAre(HasSubstr(cat("refusal ", i, " of 3"))));
    EXPECT_EQ(run.state().known().setbacks.unproven, i);
  }
  run.attempt();
  EXPECT_EQ(run.reply().status, RunStatus::failed);
  EXPECT_EQ(run.open(), "");
  ASSERT_THAT(run.failures(), SizeIs(1));
  EXPECT_EQ(run.failures()[0].error.type, "unproven");
  EXPECT_THAT(run.failures()[0].error.message, HasSubstr("a file out.txt"));
  EXPECT_EQ(run.failures()[0].consequence, Consequence::fail);
  EXPECT_THAT(run.state().known().open_gaps, IsEmpty());
}

// Enforces: G15
TEST(unproven, proof_that_comes_after_refusals_closes_the_step) {
  TriedRun run(write_then_rest);
  run.use_up_refusals();
  run.has_file = true;
  run.attempt();
  EXPECT_EQ(run.reply().kind, ReplyKind::ok);
  EXPECT_EQ(run.open(), "rest");
  EXPECT_THAT(run.failures(), IsEmpty());
}

// Enforces: G15
TEST(unproven, what_else_is_missing_neither_hides_the_proof_nor_becomes_a_gap_before_it) {
  TriedRun run(R"(
id: w
steps:
  - {id: write, prompt: p, evidence: [{file_exists: out.txt}],
     validationCriteria: {type: contains, value: DONE}}
  - {id: rest, prompt: p}
)");
  run.attempt();
  ASSERT_THAT(run.reply().blockers, SizeIs(1));
  EXPECT_EQ(run.reply().blockers[0].code, BlockerCode::EVIDENCE_MISSING);
  EXPECT_THAT(run.state().known().open_gaps, IsEmpty());
  run.has_file = true;
  run.attempt();
  EXPECT_EQ(run.open(), "rest");
  ASSERT_THAT(run.state().known().open_gaps, SizeIs(1));
  EXPECT_NE(run.state().known().open_gaps[0].reason, Reason::evidence_missing);
}

// Enforces: G15
TEST(unproven, refusals_count_along_the_path_through_checkpoints_and_changes_of_the_mode) {
  TriedRun run(write_then_rest);
  run.attempt();
  run.attempt({}, AttemptKind::checkpoint);
  run.prefer(Autonomy::guided);
  // A refusal of a run that stops is not one of those after which the step fails.
  for (int i = 0; i < 5; ++i) run.attempt();
  EXPECT_EQ(run.state().known().setbacks.unproven, 1);
  run.prefer(Autonomy::full_auto_never_stop);
  run.attempt();
  run.attempt();
  EXPECT_EQ(run.reply().kind, ReplyKind::blocked);
  EXPECT_EQ(run.state().known().setbacks.unproven, 3);
  run.attempt();
  EXPECT_EQ(run.reply().status, RunStatus::failed);
}

// Enforces: G15
TEST(unproven, a_branch_from_before_the_refusals_has_its_own_and_still_needs_the_proof) {
  TriedRun run(write_then_rest);
  const NodeState root = run.state();
  run.use_up_refusals();
  run.attempt_at(root, {});
  EXPECT_EQ(run.reply().kind, ReplyKind::blocked);
  EXPECT_EQ(run.state().known().setbacks.unproven, 1);
}

// Enforces: G15
TEST(unproven, raising_the_mode_with_the_attempt_does_not_pass_it) {
  TriedRun run(write_then_rest, Autonomy::guided);
  run.attempt();
  StepInput raise = TriedRun::agreed();
  raise.preferences.autonomy = Autonomy::full_auto_never_stop;
  run.attempt(raise);
  EXPECT_EQ(run.reply().kind, ReplyKind::blocked);
  EXPECT_EQ(run.state().known().setbacks.unproven, 1);
  EXPECT_THAT(run.reply().warnings,
              ElementsAre(HasSubstr("refusal 1 of 3"),
                          HasSubstr("autonomy raised from guided to full_auto_never_stop by local "
                                    "with a_tool; the run keeps a record of this")));
}

TEST(unproven, on_error_fail_and_no_on_error_fail_the_run) {
  for (const std::string_view on_error : {"error_handling: {strategy: fail}", ""}) {
    TriedRun run(with_on_error(on_error));
    run.use_up_refusals(with_result(7));
    run.attempt(with_result(7));
    EXPECT_EQ(run.reply().status, RunStatus::failed) << on_error;
    EXPECT_EQ(run.value("x"), Value());
    EXPECT_EQ(run.value("steps_failed"), Value(json::Array{"write"}));
    EXPECT_EQ(run.value("last_error.type"), Value("unproven"));
  }
}

TEST(unproven, on_error_continue_continues_without_the_result) {
  TriedRun run(with_on_error("error_handling: {strategy: continue}"));
  run.use_up_refusals(with_result(7));
  run.attempt(with_result(7));
  EXPECT_EQ(run.reply().kind, ReplyKind::ok);
  EXPECT_EQ(run.open(), "rest");
  EXPECT_EQ(run.failures().at(0).consequence, Consequence::go_on);
  EXPECT_EQ(run.value("x"), Value());
  EXPECT_EQ(run.value("steps_completed"), Value());
  EXPECT_THAT(run.reply().warnings, ElementsAre(HasSubstr("the run continues without its result")));
}

TEST(unproven, on_error_fallback_uses_the_fallback_and_not_the_claim) {
  TriedRun run(with_on_error("error_handling: {strategy: fallback, fallback_value: 3}"));
  run.use_up_refusals(with_result(7));
  run.attempt(with_result(7));
  EXPECT_EQ(run.open(), "rest");
  EXPECT_EQ(run.value("x"), Value(3));
}

TEST(unproven, on_error_retry_allows_its_tries_and_then_the_run_fails) {
  TriedRun run(with_on_error("error_handling: {strategy: retry, max_retries: 2}"));
  run.use_up_refusals(with_result(7));
  for (std::int64_t left = 2; left > 0; --left) {
    run.attempt(with_result(7));
    ASSERT_EQ(run.reply().kind, ReplyKind::blocked);
    EXPECT_THAT(run.reply().blockers.at(0).message, HasSubstr("the step failed: expected a file"));
    EXPECT_EQ(run.failures().at(0).consequence, Consequence::retry);
  }
  run.attempt(with_result(7));
  EXPECT_EQ(run.reply().status, RunStatus::failed);
  TriedRun other(with_on_error("error_handling: {strategy: retry, max_retries: 2}"));
  other.use_up_refusals(with_result(7));
  other.attempt(with_result(7));
  other.has_file = true;
  other.attempt(with_result(7));
  EXPECT_EQ(other.open(), "rest");
  EXPECT_EQ(other.value("x"), Value(7));
}

TEST(unproven, the_workflow_decides_where_the_step_says_nothing) {
  TriedRun go_on(with_on_error("", "error_handling: {on_error: continue}"));
  go_on.use_up_refusals(with_result(7));
  go_on.attempt(with_result(7));
  EXPECT_EQ(go_on.open(), "rest");

  TriedRun again(
      with_on_error("", "config: {max_retries: 1}\nerror_handling: {on_error: retry_workflow}"));
  again.use_up_refusals(with_result(7));
  again.attempt(with_result(7));
  EXPECT_EQ(again.open(), "write");
  EXPECT_EQ(again.state().known().setbacks.restarts, 1);
  // It starts again, and so does its evidence.
  again.use_up_refusals(with_result(7));
  again.attempt(with_result(7));
  EXPECT_EQ(again.reply().status, RunStatus::failed);
}

TEST(unproven, a_failed_step_decides_nothing_about_its_loop) {
  TriedRun run(R"(
id: w
steps:
  - id: each
    type: loop
    loop: {type: until, maxIterations: 5,
           conditionSource: {kind: artifact_contract, contractRef: loop_control}}
    body:
      - {id: write, prompt: p, evidence: [{file_exists: out.txt}],
         error_handling: {strategy: continue}, outputContract: {contractRef: loop_control}}
  - {id: rest, prompt: p}
)");
  run.use_up_refusals();
  StepInput again;
  again.artifacts = {Object{{"kind", "baton.loop_control"}, {"decision", "continue"}}};
  run.attempt(again);
  EXPECT_EQ(run.open(), "rest");
  ASSERT_THAT(run.state().known().open_gaps, SizeIs(1));
  EXPECT_NE(run.state().known().open_gaps[0].reason, Reason::evidence_missing);
}

// Enforces: G15
TEST(raises, are_kept_with_who_and_how_and_no_lowering_removes_them) {
  TriedRun run(write_then_rest, Autonomy::guided);
  EXPECT_THAT(run.state().known().raises, IsEmpty());
  for (int i = 0; i < 2; ++i) {
    run.prefer(Autonomy::full_auto_never_stop);
    run.prefer(Autonomy::guided);
  }
  run.prefer(Autonomy::full_auto_stop_on_user_deps);
  ASSERT_THAT(run.state().known().raises, SizeIs(2));
  const PreferenceRaise& first = run.state().known().raises[0];
  EXPECT_EQ(first.to.autonomy, Autonomy::full_auto_never_stop);
  EXPECT_EQ(first.times, 2);
  EXPECT_EQ(first.last.source, (ChangeSource{"local", ChangedHow::call, "a_tool"}));
  EXPECT_EQ(run.state().known().raises[1].to.autonomy, Autonomy::full_auto_stop_on_user_deps);
}

TEST(raises, a_start_above_the_preferences_of_the_server_is_one_and_any_other_start_is_not) {
  const workflow::Pinned pinned = testing::yaml_workflow("{id: w, steps: [{id: a, prompt: p}]}");
  for (const std::string_view server : names<Autonomy>()) {
    for (const std::string_view asked : names<Autonomy>()) {
      StartCommand command;
      command.workflow = &pinned;
      command.defaults.autonomy = *from_name<Autonomy>(server);
      command.preferences.autonomy = *from_name<Autonomy>(asked);
      const Decided decided = MUST(decide_with(Decider::start(command), draw_of(1)));
      const bool is_above = *command.preferences.autonomy > command.defaults.autonomy;
      EXPECT_EQ(decided.state.known().raises.size(), is_above ? 1u : 0u) << server << ' ' << asked;
      EXPECT_TRUE(MUST(encode_events(decided.commit.events))
                      .ends_with(is_above ? R"("v":2})" : R"("v":1})"));
      if (!is_above) continue;
      EXPECT_EQ(decided.state.known().raises[0].last.from, command.defaults);
      EXPECT_EQ(decided.state.known().raises[0].last.source.how, ChangedHow::start);
    }
  }
}

TEST(raises, every_change_in_the_middle_of_a_run_says_who_and_how) {
  TriedRun run(write_then_rest);
  StepInput lower = TriedRun::agreed();
  lower.preferences.autonomy = Autonomy::guided;
  lower.preferences.risk_policy = RiskPolicy::balanced;
  run.attempt(lower, AttemptKind::checkpoint);
  ASSERT_THAT(run.state().known().raises, SizeIs(2));  // with the one of the start
  EXPECT_EQ(run.state().known().raises[1].to.risk_policy, RiskPolicy::balanced);
}

}  // namespace
}  // namespace baton::run
