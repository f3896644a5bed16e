#include "run/decide/decide.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"
#include "run/testing/sample_run.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Object;
using testing::decide_with;
using testing::draw_of;
using testing::id_of;
using testing::SampleRun;

bool same(const Decided& one, const Decided& other) {
  return one.commit.events == other.commit.events &&
         one.commit.dedupe_key == other.commit.dedupe_key && one.commit.at == other.commit.at &&
         one.reply == other.reply && one.state == other.state &&
         one.commit.blobs == other.commit.blobs && one.commit.snapshot == other.commit.snapshot;
}

std::string code_of(const Result<Decided>& decided) {
  return decided ? "ok" : std::string(name_of(decided.error().code));
}

template <class E>
std::vector<E> of_kind(const std::vector<Event>& events) {
  std::vector<E> out;
  for (const Event& event : events) {
    if (const auto* found = std::get_if<E>(&event)) out.push_back(*found);
  }
  return out;
}

StepInput any_input() {
  json::testing::ShrinkingChoices choose;
  StepInput input;
  if (choose(2) == 1) input.notes = json::testing::any_string(choose);
  for (std::size_t left = choose(3); left > 0; --left) {
    input.artifacts.push_back(testing::any_exact_value(choose, 2));
  }
  input.context = testing::any_exact_object(choose);
  for (const std::string_view reserved : {"__proto__", "constructor", "prototype", "_baton"}) {
    input.context.erase(reserved);
  }
  if (choose(2) == 1) input.preferences.autonomy = static_cast<Autonomy>(choose(3));
  if (choose(2) == 1) input.preferences.risk_policy = static_cast<RiskPolicy>(choose(3));
  return input;
}

TEST(decider, asks_for_a_draw_first_and_decides_nothing_before) {
  const SampleRun run;
  Decider decider = Decider::advance(run.command(1, AttemptKind::advance, 0));
  EXPECT_TRUE(std::holds_alternative<NeedDraw>(decider.next().value()));
  EXPECT_TRUE(std::holds_alternative<NeedDraw>(decider.next().value()));
  decider.supply(draw_of(2));
  EXPECT_TRUE(std::holds_alternative<Decided>(decider.next().value()));
}

// Enforces: G6
RC_GTEST_PROP(decider, same_command_and_draw_decide_the_same, ()) {
  const SampleRun run;
  AdvanceCommand command =
      run.command(1, *rc::gen::element(AttemptKind::advance, AttemptKind::checkpoint),
                  static_cast<std::uint16_t>(*rc::gen::inRange(0, 1'023)));
  command.input = any_input();
  command.path_events = *rc::gen::inRange(0, 100);
  command.path_bytes = *rc::gen::inRange(0, 10'000);
  const Decided once = MUST(decide_with(Decider::advance(command), draw_of(2)));
  const Decided twice = MUST(decide_with(Decider::advance(command), draw_of(2)));
  RC_ASSERT(same(once, twice));
}

// Enforces: G6
RC_GTEST_PROP(decider, decided_state_is_what_its_events_fold_to, ()) {
  const SampleRun run;
  AdvanceCommand command =
      run.command(1, *rc::gen::element(AttemptKind::advance, AttemptKind::checkpoint), 0);
  command.input = any_input();
  command.path_events = 1'000;
  command.path_bytes = 1'000'000;
  const Decided decided = MUST(decide_with(Decider::advance(command), draw_of(2)));
  // Through the text, as a later process reads it.
  const auto events = MUST(decode_events(MUST(encode_events(decided.commit.events))));
  RC_ASSERT(MUST(fold(command.parent, events)) == decided.state);
  RC_ASSERT(decided.commit.snapshot.has_value());
  RC_ASSERT(MUST(read_snapshot(*decided.commit.snapshot)) == decided.state);
}

TEST(decide_start, makes_session_run_and_root) {
  const auto pinned = testing::sample_workflow();
  const StartCommand command{
      .workflow = &pinned,
      .goal = "try it",
      .context = {{"k", 1}},
      .preferences = {.autonomy = Autonomy::full_auto_never_stop, .risk_policy = std::nullopt},
      .minting = {.key_slot = 3, .life_minutes = 0}};
  const Decided decided = decide_with(Decider::start(command), draw_of(1)).value();
  const auto run = id_of<RunId>(1);
  const auto root = id_of<NodeId>(1);
  EXPECT_EQ(decided.commit.events,
            (std::vector<Event>{
                SessionCreated{}, RunStarted{run, "demo", pinned.hash, "try it"},
                NodeCreated{run, root, std::nullopt, NodeKind::step, 0, {"a"}, ""},
                ContextSet{run, root, ContextSource::initial, {{"k", 1}}},
                PreferencesChanged{run,
                                   root,
                                   {Autonomy::full_auto_never_stop, RiskPolicy::conservative},
                                   PreferenceChange{{}, {"local", ChangedHow::start, ""}}}}));
  EXPECT_EQ(decided.reply.state, (TokenClaim{TokenKind::state, root, 0, 0, 0, 3}));
  EXPECT_EQ(decided.reply.ack, (TokenClaim{TokenKind::ack, root, 0, 0, 0, 3}));
  EXPECT_EQ(decided.reply.checkpoint, (TokenClaim{TokenKind::checkpoint, root, 0, 0, 0, 3}));
  EXPECT_EQ(decided.reply.next_intent, NextIntent::perform_pending_then_continue);
  EXPECT_EQ(decided.commit.dedupe_key, "start");
  NodeState empty;
  empty.session = id_of<SessionId>(1);
  EXPECT_EQ(fold(empty, decided.commit.events).value(), decided.state);
}

TEST(decide_start, records_the_folder_the_work_is_about) {
  const auto pinned = testing::sample_workflow();
  const auto events_with = [&](std::string path) -> Result<std::vector<Event>> {
    const StartCommand command{.workflow = &pinned,
                               .goal = "",
                               .workspace_path = std::move(path),
                               .context = {},
                               .preferences = {},
                               .minting = {}};
    return TRY(decide_with(Decider::start(command), draw_of(1))).commit.events;
  };
  const auto code_with = [&](std::string path) {
    const auto events = events_with(std::move(path));
    return events ? "ok" : std::string(name_of(events.error().code));
  };
  EXPECT_EQ(events_with("/home/u/project").value().back(),
            Event(ObservationRecorded{id_of<RunId>(1), ObservationKey::workspace_path,
                                      "/home/u/project"}));
  EXPECT_EQ(code_with("/"), "ok");
  EXPECT_EQ(code_with("/" + std::string(limits::workspace_path_bytes_max - 1, 'p')), "ok");
  EXPECT_EQ(code_with("/" + std::string(limits::workspace_path_bytes_max, 'p')), "LIMIT_EXCEEDED");
  for (const std::string bad : {"", "project", "./x", "~/x", "C:\\x"}) {
    EXPECT_EQ(code_with(bad), "INVALID_INPUT") << bad;
  }
  EXPECT_EQ(code_with(std::string("/a\0b", 4)), "INVALID_INPUT");
  EXPECT_EQ(code_with("/\xFF"), "INVALID_UTF8");
}

TEST(decide_start, unchanged_settings_leave_no_events) {
  const auto pinned = testing::sample_workflow();
  const StartCommand command{
      .workflow = &pinned,
      .goal = "",
      .context = {},
      .preferences = {.autonomy = Autonomy::guided, .risk_policy = RiskPolicy::conservative},
      .minting = {}};
  EXPECT_EQ(decide_with(Decider::start(command), draw_of(1)).value().commit.events.size(), 3u);
}

TEST(decide_advance, settles_the_step_and_opens_the_next) {
  const SampleRun run;
  AdvanceCommand command = run.command(1, AttemptKind::advance, 7);
  command.input.artifacts = {Object{{"kind", "x"}}};
  const Decided decided = decide_with(Decider::advance(command), draw_of(2)).value();
  const auto record = std::get<AdvanceRecorded>(decided.commit.events.at(0));
  EXPECT_EQ(record.node, id_of<NodeId>(1));
  EXPECT_EQ(record.to, id_of<NodeId>(2));
  EXPECT_EQ(record.attempt, (AttemptKey{AttemptKind::advance, 0, 7}));
  EXPECT_EQ(record.step, "a");
  EXPECT_EQ(record.drawn, draw_of(2).drawn);
  EXPECT_EQ(record.input, input_hash(command.input).value());
  const auto node = of_kind<NodeCreated>(decided.commit.events).at(0);
  EXPECT_EQ(
      node,
      (NodeCreated{
          id_of<RunId>(1), id_of<NodeId>(2), id_of<NodeId>(1), NodeKind::step, 1, {"b"}, "a"}));
  EXPECT_EQ(of_kind<EdgeCreated>(decided.commit.events).at(0),
            (EdgeCreated{id_of<RunId>(1), id_of<NodeId>(1), id_of<NodeId>(2), EdgeKind::acked_step,
                         EdgeCause::non_tip_advance}));
  const auto outputs = of_kind<NodeOutputAppended>(decided.commit.events);
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].payload, (std::variant<Notes, Artifact>(Notes{"did it"})));
  EXPECT_EQ(std::get<Artifact>(outputs[1].payload).hash, sha256(R"({"kind":"x"})"));
  // The second step of the sample asks for confirmation.
  EXPECT_EQ(decided.reply.next_intent, NextIntent::await_user_confirmation);
  EXPECT_EQ(decided.reply.pending->step_id, "b");
}

TEST(decide_advance, recorded_reply_is_the_reply) {
  const SampleRun run(testing::sample_workflow(3, 300));
  const Decided decided =
      decide_with(Decider::advance(run.command(1, AttemptKind::advance, 0)), draw_of(2)).value();
  ASSERT_EQ(decided.commit.blobs.size(), 1u);
  EXPECT_TRUE(decided.commit.blobs[0].data.starts_with(std::string(300, 'p') + "b"));
  std::vector<Content> blobs;
  EXPECT_EQ(std::get<AdvanceRecorded>(decided.commit.events[0]).reply,
            record_reply(decided.reply, blobs));
}

TEST(decide_advance, last_step_completes_the_run) {
  SampleRun run;
  for (std::size_t node = 1; node <= 2; ++node) {
    run.attempt(run.command(node, AttemptKind::advance, 0));
  }
  const Decided decided =
      decide_with(Decider::advance(run.command(3, AttemptKind::advance, 0)), draw_of(4)).value();
  EXPECT_TRUE(decided.reply.is_complete());
  EXPECT_EQ(decided.reply.next_intent, NextIntent::complete);
  EXPECT_FALSE(decided.reply.ack);
  EXPECT_FALSE(decided.reply.checkpoint);
  EXPECT_TRUE(decided.state.open_steps.empty());
}

constexpr std::string_view looping = R"(
id: x
steps:
  - id: l
    type: loop
    loop:
      type: while
      conditionSource: {kind: artifact_contract, contractRef: loop_control}
      maxIterations: 3
    body: [{id: a, prompt: p}]
  - {id: z, prompt: p}
)";

json::Array loop_control(std::string_view decision) {
  return {Object{{"kind", "baton.loop_control"}, {"decision", decision}}};
}

TEST(decide_advance, attempt_that_does_not_pass_makes_a_node_at_the_same_step) {
  SampleRun run(testing::yaml_workflow(looping));
  AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
  command.input.context = {{"learned", 1}};
  const Decided decided = decide_with(Decider::advance(command), draw_of(2)).value();
  EXPECT_EQ(decided.state.kind, NodeKind::blocked_attempt);
  EXPECT_EQ(decided.state.open_steps, std::vector<std::string>{"l@0::a"});
  EXPECT_EQ(decided.state.cursor, command.parent.cursor);
  EXPECT_EQ(decided.state.status(), RunStatus::blocked);
  EXPECT_EQ(*decided.state.context->find("learned"), json::Value(1));
  const auto node = of_kind<NodeCreated>(decided.commit.events).at(0);
  EXPECT_EQ(node.kind, NodeKind::blocked_attempt);
  EXPECT_EQ(node.settled_step, "");
  EXPECT_EQ(of_kind<EdgeCreated>(decided.commit.events).at(0).kind, EdgeKind::blocked_attempt);
  EXPECT_EQ(of_kind<AdvanceRecorded>(decided.commit.events).at(0).step, "l@0::a");
  EXPECT_EQ(of_kind<NodeOutputAppended>(decided.commit.events).size(), 1u);

  const Reply& reply = decided.reply;
  EXPECT_EQ(reply.kind, ReplyKind::blocked);
  EXPECT_EQ(reply.status, RunStatus::blocked);
  ASSERT_EQ(reply.blockers.size(), 1u);
  EXPECT_EQ(reply.blockers[0].code, BlockerCode::MISSING_REQUIRED_OUTPUT);
  EXPECT_EQ(reply.blockers[0].pointer, (Pointer{PointerKind::output_contract, "loop_control"}));
  EXPECT_TRUE(reply.retryable);
  EXPECT_EQ(reply.ack, (TokenClaim{TokenKind::ack, id_of<NodeId>(2), 0, 0, 0, 0}));
  EXPECT_EQ(reply.pending->step_id, "l@0::a");
  EXPECT_TRUE(reply.example.contains("artifacts"));
}

TEST(decide_advance, blocked_attempts_chain_and_a_valid_one_advances) {
  SampleRun run(testing::yaml_workflow(looping));
  run.attempt(run.command(1, AttemptKind::advance, 0));
  run.attempt(run.command(2, AttemptKind::advance, 0));
  EXPECT_EQ(run.states().at(id_of<NodeId>(3)).status(), RunStatus::blocked);
  AdvanceCommand command = run.command(3, AttemptKind::advance, 0);
  command.input.artifacts =
      json::Array{Object{{"kind", "baton.loop_control"}, {"decision", "continue"}}};
  run.attempt(command);
  const NodeState& next = run.states().at(id_of<NodeId>(4));
  EXPECT_EQ(next.open_steps, std::vector<std::string>{"l@1::a"});
  EXPECT_EQ(next.status(), RunStatus::in_progress);
}

TEST(decide_advance, never_stop_records_a_gap_and_abandons_the_loop) {
  SampleRun run(testing::yaml_workflow(looping));
  AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
  command.input.preferences.autonomy = Autonomy::full_auto_never_stop;
  run.attempt(command);
  const NodeState& state = run.states().at(id_of<NodeId>(2));
  EXPECT_EQ(state.open_steps, std::vector<std::string>{"z"});
  ASSERT_EQ(state.known().open_gaps.size(), 1u);
  EXPECT_EQ(state.known().open_gaps[0].id, "gap-1");
  EXPECT_EQ(state.known().open_gaps[0].step, "l@0::a");
  EXPECT_EQ(state.known().open_gaps[0].severity, GapSeverity::critical);
  const Decided last =
      decide_with(Decider::advance(run.command(2, AttemptKind::advance, 0)), draw_of(3)).value();
  EXPECT_EQ(last.reply.status, RunStatus::complete_with_gaps);
  EXPECT_EQ(last.reply.open_gaps, 1);
  EXPECT_TRUE(last.reply.is_complete());
}

// Enforces: G9
TEST(decide_advance, open_gaps_are_bounded) {
  SampleRun run(testing::yaml_workflow(looping));
  AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
  command.input.preferences.autonomy = Autonomy::full_auto_never_stop;
  const auto code_with = [&](std::size_t gaps) {
    auto ledger = std::make_shared<KnownFacts>();
    ledger->open_gaps.resize(gaps);
    command.parent.ledger = std::move(ledger);
    return code_of(decide_with(Decider::advance(command), draw_of(2)));
  };
  EXPECT_EQ(code_with(limits::open_gaps_max - 1), "ok");
  EXPECT_EQ(code_with(limits::open_gaps_max), "LIMIT_EXCEEDED");
}

// Enforces: G29
TEST(decide_advance, bound_of_a_loop_ends_it_with_a_warning_and_a_gap_in_every_mode) {
  for (const std::string_view mode : names<Autonomy>()) {
    SampleRun run(
        testing::yaml_workflow("{id: x, steps: [{id: l, type: loop, loop: {type: until, condition: "
                               "{var: done}, maxIterations: 1}, body: [{id: a, prompt: p}]}]}"));
    AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
    command.parent.preferences.autonomy = *from_name<Autonomy>(mode);
    const Decided decided = decide_with(Decider::advance(command), draw_of(2)).value();
    EXPECT_EQ(decided.reply.status, RunStatus::complete_with_gaps) << mode;
    ASSERT_EQ(decided.reply.warnings.size(), 1u) << mode;
    ASSERT_EQ(decided.reply.gaps.size(), 1u) << mode;
    EXPECT_EQ(decided.reply.gaps[0].reason, Reason::loop_bound_reached) << mode;
    EXPECT_EQ(decided.reply.gaps[0].summary, decided.reply.warnings[0]) << mode;
  }
}

// Enforces: G29
TEST(decide_start, loop_over_more_than_its_bound_ends_there_at_the_start_too) {
  const auto pinned = testing::yaml_workflow(
      "{id: x, steps: [{id: l, type: loop, loop: {type: for, count: n, maxIterations: 2}, "
      "body: [{id: a, prompt: p, runCondition: {var: never}}]}, {id: z, prompt: p}]}");
  const Decided decided = decide_with(Decider::start({.workflow = &pinned,
                                                      .goal = {},
                                                      .context = {{"n", 3}},
                                                      .preferences = {},
                                                      .minting = {}}),
                                      draw_of(1))
                              .value();
  EXPECT_EQ(decided.reply.pending->step_id, "z");
  ASSERT_EQ(decided.reply.gaps.size(), 1u);
  EXPECT_EQ(decided.reply.gaps[0].id, "gap-1");
  ASSERT_EQ(decided.reply.warnings.size(), 1u);
}

TEST(decide_advance, loop_control_for_no_loop_is_refused) {
  const SampleRun run;
  AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
  command.input.artifacts = loop_control("stop");
  EXPECT_EQ(code_of(decide_with(Decider::advance(command), draw_of(2))), "INVALID_INPUT");
}

TEST(decide_advance, trace_is_recorded_at_the_new_node) {
  SampleRun run(testing::yaml_workflow(looping));
  AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
  command.input.artifacts = loop_control("stop");
  const Decided decided = decide_with(Decider::advance(command), draw_of(2)).value();
  const auto traces = of_kind<DecisionTraceAppended>(decided.commit.events);
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces[0].node, id_of<NodeId>(2));
  ASSERT_EQ(traces[0].entries.size(), 3u);
  EXPECT_EQ(traces[0].entries[1].kind, TraceKind::exited_loop);
  EXPECT_EQ(traces[0].entries[2].refs, (std::vector<TraceRef>{{TraceRefKind::step_id, "z"}}));
}

TEST(decide_start, run_without_a_step_to_do_is_complete_at_once) {
  const auto pinned =
      testing::yaml_workflow("{id: x, steps: [{id: a, prompt: p, runCondition: {var: never}}]}");
  const Decided decided =
      decide_with(
          Decider::start(
              {.workflow = &pinned, .goal = "", .context = {}, .preferences = {}, .minting = {}}),
          draw_of(1))
          .value();
  EXPECT_TRUE(decided.reply.is_complete());
  EXPECT_EQ(decided.reply.status, RunStatus::complete);
}

TEST(decide_start, defaults_of_inputs_enter_the_context) {
  const auto pinned = testing::yaml_workflow(
      "{id: x, inputs: {n: {type: integer, default: 2}}, steps: [{id: l, type: loop, loop: {type: "
      "for, count: n, maxIterations: 5}, body: [{id: a, prompt: p}]}]}");
  const Decided decided =
      decide_with(
          Decider::start(
              {.workflow = &pinned, .goal = "", .context = {}, .preferences = {}, .minting = {}}),
          draw_of(1))
          .value();
  EXPECT_EQ(of_kind<ContextSet>(decided.commit.events).at(0).delta, (Object{{"n", 2}}));
  EXPECT_EQ(
      of_kind<NodeCreated>(decided.commit.events).at(0).frames,
      (std::vector<CursorFrame>{{0, 0, 0, std::nullopt, std::make_shared<const json::Value>(2)}}));
}

TEST(decide_checkpoint, keeps_the_step_open) {
  const SampleRun run;
  const Decided decided =
      decide_with(Decider::advance(run.command(1, AttemptKind::checkpoint, 0)), draw_of(2)).value();
  EXPECT_EQ(decided.state.open_steps, std::vector<std::string>{"a"});
  EXPECT_EQ(decided.state.cursor.position, 0);
  EXPECT_EQ(decided.reply.checkpoint_node, id_of<NodeId>(2));
  EXPECT_EQ(decided.reply.pending->step_id, "a");
  const auto node = of_kind<NodeCreated>(decided.commit.events).at(0);
  EXPECT_EQ(node.kind, NodeKind::checkpoint);
  EXPECT_EQ(node.settled_step, "");
  EXPECT_EQ(of_kind<EdgeCreated>(decided.commit.events).at(0).cause, EdgeCause::checkpoint_created);
  EXPECT_EQ(decided.commit.dedupe_key, cat("checkpoint:", id_of<NodeId>(1).text(), ":0:0"));
}

TEST(decide_advance, step_that_fails_ends_the_run) {
  const SampleRun run;
  AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
  command.input.end = {RunState::failed, "no way"};
  const Decided decided = decide_with(Decider::advance(command), draw_of(2)).value();
  EXPECT_EQ(decided.state.status(), RunStatus::failed);
  EXPECT_TRUE(decided.state.open_steps.empty());
  EXPECT_TRUE(decided.reply.is_complete());
  EXPECT_EQ(decided.reply.status, RunStatus::failed);
  EXPECT_EQ(of_kind<NodeCreated>(decided.commit.events).at(0).settled_step, command.step);
  const auto changed = of_kind<RunStateChanged>(decided.commit.events);
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].reason, "no way");
  EXPECT_EQ(fold(command.parent, decided.commit.events).value(), decided.state);
}

TEST(decide_checkpoint, may_end_the_run_without_settling_a_step) {
  const SampleRun run;
  AdvanceCommand command = run.command(1, AttemptKind::checkpoint, 0);
  command.input.end = {RunState::abandoned, std::string(limits::end_reason_bytes_max, 'r')};
  const Decided decided = decide_with(Decider::advance(command), draw_of(2)).value();
  EXPECT_EQ(decided.state.status(), RunStatus::abandoned);
  EXPECT_EQ(of_kind<NodeCreated>(decided.commit.events).at(0).settled_step, "");
  EXPECT_EQ(read_snapshot(write_snapshot(decided.state).value()).value(), decided.state);
  command.input.end->reason += 'r';
  EXPECT_EQ(code_of(decide_with(Decider::advance(command), draw_of(2))), "LIMIT_EXCEEDED");
}

TEST(decide_advance, step_that_is_not_open_there_is_our_own_defect) {
  const SampleRun run;
  AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
  command.step = "b";
  EXPECT_EQ(code_of(decide_with(Decider::advance(command), draw_of(2))), "INTERNAL");
}

std::string advance_code(const StepInput& input) {
  const SampleRun run;
  AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
  command.input = input;
  return code_of(decide_with(Decider::advance(command), draw_of(2)));
}

std::string start_code(std::string goal, Object context) {
  const auto pinned = testing::sample_workflow();
  return code_of(decide_with(Decider::start({.workflow = &pinned,
                                             .goal = std::move(goal),
                                             .context = std::move(context),
                                             .preferences = {},
                                             .minting = {}}),
                             draw_of(1)));
}

// Enforces: G9
TEST(decider, input_is_bounded) {
  EXPECT_EQ(advance_code({.notes = std::string(limits::blob_bytes_max, 'n'),
                          .artifacts = {},
                          .context = {},
                          .preferences = {}}),
            "ok");
  EXPECT_EQ(advance_code({.notes = std::string(limits::blob_bytes_max + 1, 'n'),
                          .artifacts = {},
                          .context = {},
                          .preferences = {}}),
            "LIMIT_EXCEEDED");
  // Two bytes are the quotes of the artifact's canonical text.
  StepInput input;
  input.artifacts = {std::string(limits::blob_bytes_max - 2, 'a')};
  EXPECT_EQ(advance_code(input), "ok");
  input.artifacts = {std::string(limits::blob_bytes_max - 1, 'a')};
  EXPECT_EQ(advance_code(input), "LIMIT_EXCEEDED");
  input.artifacts = json::Array(limits::artifacts_per_output_max, Object{});
  EXPECT_EQ(advance_code(input), "ok");
  input.artifacts.emplace_back(Object{});
  EXPECT_EQ(advance_code(input), "LIMIT_EXCEEDED");
  EXPECT_EQ(start_code(std::string(limits::goal_bytes_max, 'g'), {}), "ok");
  EXPECT_EQ(start_code(std::string(limits::goal_bytes_max + 1, 'g'), {}), "LIMIT_EXCEEDED");
}

TEST(decider, bad_input_decides_nothing) {
  StepInput input;
  input.notes = "\xFF";
  EXPECT_EQ(advance_code(input), "INVALID_UTF8");
  input = {};
  input.artifacts = {(std::int64_t{1} << 53) + 1};
  EXPECT_EQ(advance_code(input), "NUMBER_INEXACT");
  input.artifacts = {std::int64_t{1} << 60};
  EXPECT_EQ(advance_code(input), "NUMBER_INEXACT");
  input = {};
  input.context = {{"_baton", 1}};
  EXPECT_EQ(advance_code(input), "INVALID_INPUT");
  EXPECT_EQ(start_code("", {{"constructor", 1}}), "INVALID_INPUT");
  EXPECT_EQ(start_code("\xC0", {}), "INVALID_UTF8");
}

TEST(input_hash, differs_when_any_part_of_the_input_does) {
  const auto hash = [](auto change) {
    StepInput input;
    input.notes = "n";
    input.artifacts = {1, 2};
    input.context = {{"a", 1}, {"b", 2}};
    change(input);
    return input_hash(input).value();
  };
  const Sha256 plain = hash([](StepInput&) {});
  EXPECT_NE(hash([](StepInput& i) { i.notes = "m"; }), plain);
  EXPECT_NE(hash([](StepInput& i) { i.notes = std::nullopt; }), plain);
  EXPECT_NE(hash([](StepInput& i) { i.notes = ""; }),
            hash([](StepInput& i) { i.notes = std::nullopt; }));
  EXPECT_NE(hash([](StepInput& i) { i.artifacts = {2, 1}; }), plain);
  EXPECT_NE(hash([](StepInput& i) { i.artifacts = {1}; }), plain);
  EXPECT_NE(hash([](StepInput& i) { i.context.set("a", nullptr); }), plain);
  EXPECT_NE(hash([](StepInput& i) { i.context.erase("a"); }), plain);
  EXPECT_NE(hash([](StepInput& i) { i.preferences.autonomy = Autonomy::guided; }), plain);
  EXPECT_NE(hash([](StepInput& i) { i.preferences.risk_policy = RiskPolicy::balanced; }), plain);
  EXPECT_NE(hash([](StepInput& i) { i.end = {RunState::failed, ""}; }), plain);
  EXPECT_NE(hash([](StepInput& i) { i.failure = {"agent", "no way"}; }), plain);
  EXPECT_NE(hash([](StepInput& i) { i.end = {RunState::failed, ""}; }),
            hash([](StepInput& i) { i.end = {RunState::abandoned, ""}; }));
  // Neither the order of keys nor the way a number is written makes another input.
  EXPECT_EQ(hash([](StepInput& i) { i.context = {{"b", 2.0}, {"a", 1}}; }), plain);
}

/// The answer that a returning caller gets.
Reply reply_to(const SampleRun& run, const NodeState& state, const Settled& settled = {},
               const TokenSettings& minting = {}) {
  Scripts shown(state.shown_values());
  return MUST(state::settled(reply_at(run.pinned().workflow, state, settled, minting, shown)));
}

TEST(reply_at, counts_attempts_and_checkpoints_apart) {
  const SampleRun run;
  const Reply reply = reply_to(run, run.states().at(id_of<NodeId>(1)), {5, 9}, {2, 30});
  EXPECT_EQ(reply.state, (TokenClaim{TokenKind::state, id_of<NodeId>(1), 0, 0, 30, 2}));
  EXPECT_EQ(reply.ack, (TokenClaim{TokenKind::ack, id_of<NodeId>(1), 0, 5, 30, 2}));
  EXPECT_EQ(reply.checkpoint, (TokenClaim{TokenKind::checkpoint, id_of<NodeId>(1), 0, 9, 30, 2}));
}

// Enforces: G9
TEST(reply_at, shows_the_newest_gaps_and_how_many_there_are) {
  const SampleRun run;
  NodeState state = run.states().at(id_of<NodeId>(1));
  for (std::size_t i = 0; i <= limits::shown_gaps_max; ++i) {
    if (i == limits::shown_gaps_max) {
      EXPECT_EQ(reply_to(run, state).gaps.size(), i);
    }
    apply(state, GapRecorded{state.run, state.node, {next_gap_id(state), {}, {}, "s", "a"}});
  }
  const Reply reply = reply_to(run, state);
  EXPECT_EQ(reply.gaps.size(), limits::shown_gaps_max);
  EXPECT_EQ(reply.gaps.front().id, "gap-11");
  EXPECT_EQ(reply.open_gaps, 11);
}

TEST(attempt_dedupe_key, differs_for_each_attempt) {
  std::vector<std::string> keys;
  for (const std::size_t node : {1u, 2u}) {
    for (const AttemptKind kind : {AttemptKind::advance, AttemptKind::checkpoint}) {
      for (const std::uint8_t ordinal : {std::uint8_t{0}, std::uint8_t{1}}) {
        for (const std::uint16_t count : std::vector<std::uint16_t>{0, 1, 10}) {
          keys.push_back(attempt_dedupe_key(id_of<NodeId>(node), {kind, ordinal, count}));
        }
      }
    }
  }
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

}  // namespace
}  // namespace baton::run
