#include "run/decide.h"

#include "base/text.h"
#include "base/utf8.h"
#include "run/supported.h"

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

std::vector<std::string> open_at(const workflow::CompiledWorkflow& workflow,
                                 std::int64_t position) {
  const auto index = static_cast<std::size_t>(position);
  if (index >= workflow.steps.size()) return {};
  return {workflow.steps[index].id};
}

Result<Decided> decide_start(const StartCommand& command, const Draw& draw) {
  TRY(check_supported(command.workflow->workflow));
  TRY(check_text("goal", command.goal, limits::goal_bytes_max));
  if (command.workspace_path) TRY(check_path("workspacePath", *command.workspace_path));
  const workflow::CompiledWorkflow& workflow = command.workflow->workflow;
  NodeState state;
  state.session = draw.session;
  state.run = draw.run;
  state.node = draw.node;
  state.workflow_id = workflow.id;
  state.workflow_hash = command.workflow->hash;
  state.open_steps = open_at(workflow, 0);

  Decided decided;
  decided.events = {SessionCreated{},
                    RunStarted{state.run, workflow.id, command.workflow->hash, command.goal},
                    NodeCreated{.run = state.run,
                                .node = state.node,
                                .parent = std::nullopt,
                                .kind = NodeKind::step,
                                .position = 0,
                                .open_steps = state.open_steps,
                                .settled_step = {}}};
  if (command.workspace_path) {
    decided.events.push_back(
        ObservationRecorded{state.run, ObservationKey::workspace_path, *command.workspace_path});
  }
  for (const auto& [key, value] : command.observed) {
    decided.events.push_back(ObservationRecorded{state.run, key, value});
  }
  TRY(append_settings(decided.events, state, command.context, ContextSource::initial,
                      command.preferences));
  decided.dedupe_key = "start";
  decided.drawn = draw.drawn;
  decided.reply = reply_at(workflow, state, {}, command.minting);
  decided.state = std::move(state);
  return decided;
}

/// The state of the node that the command makes, before context and preferences.
Result<NodeState> state_after(const AdvanceCommand& command, const NodeId& node) {
  NodeState state = command.parent;
  state.node = node;
  state.kind =
      command.attempt.kind == AttemptKind::checkpoint ? NodeKind::checkpoint : NodeKind::step;
  if (state.kind == NodeKind::checkpoint) return state;
  const auto index = static_cast<std::size_t>(state.cursor.position);
  if (index >= command.workflow->steps.size() ||
      command.workflow->steps[index].id != command.step) {
    return fail(Code::INTERNAL, cat("step \"", command.step, "\" is not open where it was placed"));
  }
  ++state.cursor.position;
  state.open_steps = open_at(*command.workflow, state.cursor.position);
  return state;
}

Result<Decided> decide_advance(const AdvanceCommand& command, const Draw& draw) {
  const bool is_checkpoint = command.attempt.kind == AttemptKind::checkpoint;
  NodeState state = TRY(state_after(command, draw.node));

  Decided decided;
  AdvanceRecorded record{.run = state.run,
                         .node = command.token_node,
                         .attempt = command.attempt,
                         .step = command.step,
                         .to = state.node,
                         .drawn = draw.drawn,
                         .input = TRY(input_hash(command.input)),
                         .reply = {}};
  std::vector<Event>& events = decided.events;
  TRY(append_output(events, state.run, command.token_node, command.input));
  events.push_back(NodeCreated{.run = state.run,
                               .node = state.node,
                               .parent = command.parent.node,
                               .kind = state.kind,
                               .position = state.cursor.position,
                               .open_steps = state.open_steps,
                               .settled_step = command.step});
  events.push_back(EdgeCreated{state.run, command.parent.node, state.node,
                               is_checkpoint ? EdgeKind::checkpoint : EdgeKind::acked_step,
                               is_checkpoint && command.cause == EdgeCause::advance
                                   ? EdgeCause::checkpoint_created
                                   : command.cause});
  TRY(append_settings(events, state, command.input.context, ContextSource::agent_delta,
                      command.input.preferences));

  decided.reply = reply_at(*command.workflow, state, {}, command.minting);
  if (is_checkpoint) decided.reply.checkpoint_node = state.node;
  record.reply = record_reply(decided.reply, decided.blobs);
  events.insert(events.begin(), std::move(record));

  decided.dedupe_key = attempt_dedupe_key(command.token_node, command.attempt);
  decided.drawn = draw.drawn;
  decided.path_events = command.path_events;
  decided.path_bytes = command.path_bytes;
  const std::int64_t path_events = command.path_events + static_cast<std::int64_t>(events.size());
  if (path_events > limits::snapshot_path_events_min) {
    std::string snapshot = TRY(write_snapshot(state));
    if (snapshot_due(path_events, command.path_bytes, snapshot.size())) {
      decided.snapshot = std::move(snapshot);
    }
  }
  decided.state = std::move(state);
  return decided;
}

}  // namespace

Result<Sha256> input_hash(const Input& input) {
  Object out;
  if (input.notes) out.set("notes", *input.notes);
  out.set("artifacts", input.artifacts);
  out.set("context", input.context);
  if (input.preferences.autonomy) out.set("autonomy", name_of(*input.preferences.autonomy));
  if (input.preferences.risk_policy) out.set("riskPolicy", name_of(*input.preferences.risk_policy));
  return sha256(TRY(json::canonical(out)));
}

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

std::optional<Pending> pending_at(const workflow::CompiledWorkflow& workflow,
                                  const NodeState& state) {
  const auto index = static_cast<std::size_t>(state.cursor.position);
  if (state.open_steps.empty() || index >= workflow.steps.size()) return std::nullopt;
  const workflow::Step& step = workflow.steps[index];
  return Pending{step.id, step.title, step.prompt, step.require_confirmation, step.agent_role};
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
  reply.pending = pending_at(workflow, state);
  if (!reply.pending) {
    reply.next_intent = NextIntent::complete;
    return reply;
  }
  reply.ack = claim(TokenKind::ack, settled.advances);
  reply.checkpoint = claim(TokenKind::checkpoint, settled.checkpoints);
  reply.next_intent = reply.pending->require_confirmation
                          ? NextIntent::await_user_confirmation
                          : NextIntent::perform_pending_then_continue;
  return reply;
}

}  // namespace baton::run
