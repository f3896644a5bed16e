#include "run/decide.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "base/utf8.h"
#include "run/inputs.h"
#include "run/judge.h"
#include "run/preferences.h"
#include "run/prompt.h"
#include "run/scope.h"
#include "run/supported.h"
#include "run/walk.h"

namespace baton::run {
namespace {

using json::Object;

Preferences effective(Preferences base, const PreferencesDelta& delta) {
  if (delta.autonomy) base.autonomy = *delta.autonomy;
  if (delta.risk_policy) base.risk_policy = *delta.risk_policy;
  return base;
}

Result<void> check_text(std::string_view what, std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat(what, ": ", text.size(), " bytes; at most ", bytes_max, " are kept"),
                "send less, or name a file that holds it");
  }
  if (!utf8::is_valid(text)) return fail(Code::INVALID_UTF8, cat(what, " is not UTF-8"));
  return {};
}

/// A path as a caller names it: it is kept as it is and nothing is looked up.
Result<void> check_path(std::string_view what, std::string_view path) {
  TRY(check_text(what, path, limits::workspace_path_bytes_max));
  if (path.empty() || path.front() != '/' || path.contains('\0')) {
    return fail(Code::INVALID_INPUT, cat(what, " is not an absolute path"),
                "begin it with /, or leave it out");
  }
  return {};
}

/// The events of an output, the notes first and the artifacts in the order they were sent.
Result<void> append_output(std::vector<Event>& events, const RunId& run, const NodeId& node,
                           const Input& input) {
  if (input.notes) {
    TRY(check_text("output.notesMarkdown", *input.notes, limits::blob_bytes_max));
    events.push_back(NodeOutputAppended{run, node, Notes{*input.notes}});
  }
  if (input.artifacts.size() > limits::artifacts_per_output_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("output.artifacts: ", input.artifacts.size(), " of them; at most ",
                    limits::artifacts_per_output_max, " are taken at once"));
  }
  for (const json::Value& content : input.artifacts) {
    TRY(check_numbers("output.artifacts", content));
    const std::string text = TRY(json::canonical(content));
    TRY(check_text("output.artifacts", text, limits::blob_bytes_max));
    events.push_back(NodeOutputAppended{run, node, Artifact{sha256(text), content}});
  }
  return {};
}

/// Context and preferences that begin to hold at `state.node`.
Result<void> append_settings(std::vector<Event>& events, NodeState& state, const Object& context,
                             ContextSource source, const PreferencesDelta& preferences) {
  if (!context.empty()) {
    auto merged = std::make_shared<Object>(*state.context);
    TRY(merge_context(*merged, context));
    state.context = std::move(merged);
    events.push_back(ContextSet{state.run, state.node, source, context});
  }
  const Preferences changed = effective(state.preferences, preferences);
  if (changed != state.preferences) {
    state.preferences = changed;
    events.push_back(PreferencesChanged{state.run, state.node, changed});
  }
  return {};
}

/// Adds what is recorded at `state.node`, and to the state what it changes there.
void append_fact(std::vector<Event>& events, NodeState& state, Event fact) {
  std::visit(
      [&](const auto& e) {
        if constexpr (requires { apply(state, e); }) apply(state, e);
      },
      fact);
  events.push_back(std::move(fact));
}

/// Lets the state stand where a walk has come to.
void move_to(NodeState& state, const workflow::CompiledWorkflow& workflow, Cursor cursor) {
  state.cursor = std::move(cursor);
  state.open_steps.clear();
  if (step_at(workflow, state.cursor) != nullptr) {
    state.open_steps.push_back(key_at(workflow, state.cursor));
  }
}

Result<Decided> decide_start(const StartCommand& command, const Draw& draw) {
  const workflow::CompiledWorkflow& workflow = command.workflow->workflow;
  TRY(check_supported(workflow));
  TRY(check_text("goal", command.goal, limits::goal_bytes_max));
  if (command.workspace_path) TRY(check_path("workspacePath", *command.workspace_path));
  NodeState state;
  state.session = draw.session;
  state.run = draw.run;
  state.node = draw.node;
  state.workflow_id = workflow.id;
  state.workflow_hash = command.workflow->hash;
  std::vector<Event> settings;
  const PreferencesDelta preferences{
      .autonomy = command.preferences.autonomy.value_or(command.defaults.autonomy),
      .risk_policy = command.preferences.risk_policy.value_or(command.defaults.risk_policy)};
  TRY(append_settings(settings, state, TRY(with_inputs(workflow, command.context)),
                      ContextSource::initial, preferences));
  Walked walked = TRY(first_step(workflow, *state.context));
  move_to(state, workflow, std::move(walked.cursor));

  Decided decided;
  decided.events = {SessionCreated{},
                    RunStarted{state.run, workflow.id, command.workflow->hash, command.goal},
                    NodeCreated{.run = state.run,
                                .node = state.node,
                                .parent = std::nullopt,
                                .kind = NodeKind::step,
                                .position = state.cursor.position,
                                .open_steps = state.open_steps,
                                .settled_step = {},
                                .frames = state.cursor.frames}};
  if (command.workspace_path) {
    decided.events.push_back(
        ObservationRecorded{state.run, ObservationKey::workspace_path, *command.workspace_path});
  }
  for (const auto& [key, value] : command.observed) {
    decided.events.push_back(ObservationRecorded{state.run, key, value});
  }
  std::ranges::move(settings, std::back_inserter(decided.events));
  append_trace(decided.events, state.run, state.node, std::move(walked.trace));
  decided.dedupe_key = "start";
  decided.drawn = draw.drawn;
  decided.reply = reply_at(workflow, state, {}, command.minting);
  decided.reply.warnings = preference_warnings(workflow, state.preferences);
  decided.state = std::move(state);
  return decided;
}

/// What an attempt makes of the state it was made at.
struct Outcome {
  NodeState state;
  std::vector<Event> facts;  // that begin to hold at the new node, settings first
  Judgement judgement;
  Verdict verdict;
};

/// Gives the gaps of a verdict their names. What is open already is not recorded again.
Result<void> append_gaps(Outcome& outcome, const std::string& step) {
  for (Gap gap : outcome.verdict.gaps) {
    const bool is_open = std::ranges::any_of(outcome.state.known().open_gaps, [&](const Gap& open) {
      return open.reason == gap.reason && open.summary == gap.summary && open.step == step;
    });
    if (is_open) continue;
    if (outcome.state.known().open_gaps.size() >= limits::open_gaps_max) {
      return fail(
          Code::LIMIT_EXCEEDED,
          cat("the run has ", limits::open_gaps_max, " open gaps; it cannot go on with more"),
          "resolve some with baton.gap_resolution artifacts, or hand in what is asked for");
    }
    gap.id = next_gap_id(outcome.state);
    gap.step = step;
    append_fact(outcome.facts, outcome.state,
                GapRecorded{outcome.state.run, outcome.state.node, std::move(gap)});
  }
  return {};
}

/// Moves on from the step. A loop that lacks what it runs by is one more finding; if the run goes
/// on all the same, the loop is given up.
Result<void> walk_on(const AdvanceCommand& command, Outcome& outcome) {
  NodeState& state = outcome.state;
  Cursor from = state.cursor;
  TRY(note_decisions(*command.workflow, from, outcome.judgement.loop_controls));
  std::vector<std::string> given_up;
  Walked walked = TRY(next_step(*command.workflow, from, *state.context));
  while (walked.obstacle) {
    outcome.judgement.findings.push_back(std::move(walked.obstacle->finding));
    outcome.verdict = weigh(outcome.judgement.findings, state.preferences);
    if (outcome.verdict.is_blocked()) {
      outcome.judgement.example = std::move(walked.obstacle->example);
      return {};
    }
    given_up.push_back(std::move(walked.obstacle->loop));
    walked = TRY(next_step(*command.workflow, from, *state.context, given_up));
  }
  move_to(state, *command.workflow, std::move(walked.cursor));
  append_trace(outcome.facts, state.run, state.node, std::move(walked.trace));
  return {};
}

/// The settings of an attempt. A context that has grown past its budget is no mistake of this call
/// alone: it is found wrong with the rest, and nothing of it is kept.
Result<std::optional<Finding>> settings_of(const AdvanceCommand& command, Outcome& outcome) {
  const Input& input = command.input;
  const auto set = [&](const Object& context) {
    return append_settings(outcome.facts, outcome.state, context, ContextSource::agent_delta,
                           input.preferences);
  };
  const auto done = set(input.context);
  if (done) return std::nullopt;
  Object alone;
  const bool is_grown = done.error().code == Code::LIMIT_EXCEEDED &&
                        command.attempt.kind == AttemptKind::advance &&
                        merge_context(alone, input.context).has_value();
  if (!is_grown) return std::unexpected(done.error());
  TRY(set({}));
  return Finding{Reason::invalid_required_output,
                 {PointerKind::context_budget, ""},
                 done.error().message,
                 cat("Send the whole output again and change the context: ", done.error().hint)};
}

/// What a checkpoint reports holds from its node on.
Result<Outcome> settle_checkpoint(const AdvanceCommand& command, Outcome outcome) {
  NodeState& state = outcome.state;
  state.kind = NodeKind::checkpoint;
  if (command.input.artifacts.empty()) return outcome;
  const workflow::Step* step = step_at(*command.workflow, state.cursor);
  if (step == nullptr) return fail(Code::INTERNAL, "a checkpoint stands at no step");
  Judgement noted =
      TRY(note_checkpoint({*command.workflow, *step, command.step, state, command.input, false}));
  for (std::vector<Event>* facts : {&noted.facts, &noted.facts_when_passed}) {
    for (Event& fact : *facts) append_fact(outcome.facts, state, std::move(fact));
  }
  return outcome;
}

Result<Outcome> settle(const AdvanceCommand& command, const NodeId& node) {
  Outcome outcome;
  NodeState& state = outcome.state;
  state = command.parent;
  state.node = node;
  std::optional<Finding> over_budget = TRY(settings_of(command, outcome));
  if (command.attempt.kind == AttemptKind::checkpoint) {
    return settle_checkpoint(command, std::move(outcome));
  }
  const workflow::Step* step = step_at(*command.workflow, state.cursor);
  if (step == nullptr || key_at(*command.workflow, state.cursor) != command.step) {
    return fail(Code::INTERNAL, cat("step \"", command.step, "\" is not open where it was placed"));
  }
  state.kind = NodeKind::step;
  const bool after_block = command.parent.kind == NodeKind::blocked_attempt;
  Judgement& judgement = outcome.judgement;
  judgement =
      TRY(judge({*command.workflow, *step, command.step, state, command.input, after_block}));
  if (over_budget) judgement.findings.push_back(*std::move(over_budget));
  outcome.verdict = weigh(judgement.findings, state.preferences);
  for (Event& fact : judgement.facts) append_fact(outcome.facts, state, std::move(fact));
  if (!outcome.verdict.is_blocked()) TRY(walk_on(command, outcome));
  if (outcome.verdict.is_blocked()) {
    state.kind = NodeKind::blocked_attempt;
    return outcome;
  }
  for (Event& fact : judgement.facts_when_passed) {
    append_fact(outcome.facts, state, std::move(fact));
  }
  std::ranges::move(judgement.gaps, std::back_inserter(outcome.verdict.gaps));
  TRY(append_gaps(outcome, command.step));
  return outcome;
}

/// The events of an attempt, but for its record.
Result<std::vector<Event>> events_of(const AdvanceCommand& command, Outcome& outcome) {
  const NodeState& state = outcome.state;
  const bool is_checkpoint = state.kind == NodeKind::checkpoint;
  const bool is_blocked = state.kind == NodeKind::blocked_attempt;
  Cursor cursor = to_record(command.parent.cursor, state.cursor);
  std::vector<Event> events;
  TRY(append_output(events, state.run, command.token_node, command.input));
  events.push_back(NodeCreated{.run = state.run,
                               .node = state.node,
                               .parent = command.parent.node,
                               .kind = state.kind,
                               .position = cursor.position,
                               .open_steps = state.open_steps,
                               .settled_step = is_blocked ? std::string() : command.step,
                               .frames = std::move(cursor.frames)});
  events.push_back(EdgeCreated{state.run, command.parent.node, state.node,
                               is_checkpoint ? EdgeKind::checkpoint
                               : is_blocked  ? EdgeKind::blocked_attempt
                                             : EdgeKind::acked_step,
                               is_checkpoint && command.cause == EdgeCause::advance
                                   ? EdgeCause::checkpoint_created
                                   : command.cause});
  std::ranges::move(outcome.facts, std::back_inserter(events));
  return events;
}

Reply reply_to(const AdvanceCommand& command, Outcome& outcome) {
  Reply reply = reply_at(*command.workflow, outcome.state, {}, command.minting);
  if (outcome.state.kind == NodeKind::checkpoint) reply.checkpoint_node = outcome.state.node;
  reply.warnings = std::move(outcome.judgement.warnings);
  reply.step_context = std::move(outcome.judgement.step_context);
  if (!outcome.verdict.is_blocked()) return reply;
  reply.kind = ReplyKind::blocked;
  reply.retryable = outcome.verdict.is_retryable();
  reply.blockers = std::move(outcome.verdict.blockers);
  reply.example = std::move(outcome.judgement.example);
  if (!reply.retryable) reply.next_intent = NextIntent::await_user_confirmation;
  return reply;
}

Result<Decided> decide_advance(const AdvanceCommand& command, const Draw& draw) {
  Outcome outcome = TRY(settle(command, draw.node));
  Decided decided;
  decided.reply = reply_to(command, outcome);
  decided.events = TRY(events_of(command, outcome));
  const Sha256 input = TRY(input_hash(command.input));
  AdvanceRecorded record{.run = outcome.state.run,
                         .node = command.token_node,
                         .attempt = command.attempt,
                         .step = command.step,
                         .to = outcome.state.node,
                         .drawn = draw.drawn,
                         .input = input,
                         .reply = record_reply(decided.reply, decided.blobs)};
  decided.events.insert(decided.events.begin(), std::move(record));

  decided.dedupe_key = attempt_dedupe_key(command.token_node, command.attempt);
  decided.drawn = draw.drawn;
  decided.path_events = command.path_events;
  decided.path_bytes = command.path_bytes;
  const std::int64_t path_events =
      command.path_events + static_cast<std::int64_t>(decided.events.size());
  if (path_events > limits::snapshot_path_events_min) {
    std::string snapshot = TRY(write_snapshot(outcome.state));
    if (snapshot_due(path_events, command.path_bytes, snapshot.size())) {
      decided.snapshot = std::move(snapshot);
    }
  }
  decided.state = std::move(outcome.state);
  return decided;
}

}  // namespace

Result<std::variant<NeedDraw, Decided>> Decider::next() const {
  if (!draw_) return NeedDraw{};
  if (const auto* start = std::get_if<StartCommand>(&command_)) {
    return TRY(decide_start(*start, *draw_));
  }
  return TRY(decide_advance(std::get<AdvanceCommand>(command_), *draw_));
}

std::string attempt_dedupe_key(const NodeId& node, const AttemptKey& attempt) {
  return cat(name_of(attempt.kind), ':', node.text(), ':', attempt.ordinal, ':', attempt.count);
}

Reply reply_at(const workflow::CompiledWorkflow& workflow, const NodeState& state,
               const Settled& settled, const Minting& minting) {
  const auto claim = [&](TokenKind kind, std::uint16_t count) {
    return TokenClaim{kind, state.node, 0, count, minting.life_minutes, minting.key_slot};
  };
  Reply reply;
  reply.session = state.session;
  reply.run = state.run;
  reply.state = claim(TokenKind::state, 0);
  reply.preferences = state.preferences;
  reply.status = state.status();
  const std::vector<Gap>& gaps = state.known().open_gaps;
  reply.open_gaps = static_cast<std::int64_t>(gaps.size());
  for (auto gap = gaps.rbegin(); gap != gaps.rend(); ++gap) {
    if (reply.gaps.size() == limits::shown_gaps_max) break;
    reply.gaps.push_back(*gap);
  }
  reply.capabilities = state.known().capabilities;
  const workflow::Step* step = step_at(workflow, state.cursor);
  if (state.open_steps.empty() || step == nullptr) {
    reply.next_intent = NextIntent::complete;
    return reply;
  }
  AssembledPrompt text = assemble_prompt(workflow, *step, state);
  reply.pending = Pending{state.open_steps.front(), std::move(text.title), std::move(text.prompt),
                          text.require_confirmation, step->agent_role};
  reply.example = std::move(text.example);
  reply.ack = claim(TokenKind::ack, settled.advances);
  reply.checkpoint = claim(TokenKind::checkpoint, settled.checkpoints);
  const bool may_wait = state.preferences.autonomy != Autonomy::full_auto_never_stop;
  reply.next_intent = reply.pending->require_confirmation && may_wait
                          ? NextIntent::await_user_confirmation
                          : NextIntent::perform_pending_then_continue;
  return reply;
}

}  // namespace baton::run
