#include "verbs/advance.h"

#include <algorithm>

#include "base/text.h"
#include "run/failing.h"
#include "run/place.h"
#include "verbs/carry_on.h"
#include "verbs/join_tasks.h"
#include "verbs/load.h"
#include "verbs/may_run.h"
#include "verbs/record.h"
#include "verbs/rehydrate.h"

namespace baton::verbs {
namespace {

using run::AttemptKind;

/// What was handed in, and by whom.
struct Handed {
  const run::Input& input;
  run::ChangeSource source = {};
};

Handed handed_of(const Principal& principal, const AttemptRequest& request) {
  return {request.input, {principal.name, request.how, request.tool}};
}

/// Whether the attempt of a commit failed its step for missing proof.
bool is_unproven(std::span<const run::Event> events) {
  return std::ranges::any_of(events, [](const run::Event& event) {
    const auto* failed = std::get_if<run::StepFailed>(&event);
    return failed != nullptr && failed->error.type == run::unproven_type;
  });
}

std::unexpected<Error> exhausted(const run::NodeRow& node) {
  return fail(
      Code::ATTEMPTS_EXHAUSTED,
      cat("this step was attempted ", limits::attempts_per_step_max, " times at ", node.id.text()),
      "go on from a later node of the run, or start a new run");
}

/// The chain from `node` to the newest leaf below it, or to the first node in the way of joining,
/// or to the first past the limit of the walk.
Result<std::vector<run::Descendant>> chain_below(ports::EventReader& store,
                                                 const run::NodeRow& node, std::string_view step) {
  std::vector<run::Descendant> chain;
  run::NodeNo at = node.no;
  while (chain.size() <= limits::rebase_walk_nodes_max) {
    const auto newest = TRY(store.children(at, 1));
    if (newest.empty()) break;
    const run::NodeRow& next = newest.front();
    chain.push_back({next.no, next.settled_step, next.open_steps.empty()});
    if (run::stands_in_the_way(step, chain.back())) break;
    at = next.no;
  }
  return chain;
}

run::AttemptKey key_of(const run::UnverifiedToken& token) {
  return {token.kind == run::TokenKind::checkpoint ? AttemptKind::checkpoint : AttemptKind::advance,
          token.ordinal, token.count};
}

/// Names the step, so that whoever took a wrong token sees it.
std::string notice_text(const OpenToken& open) {
  if (open.token.kind == run::TokenKind::checkpoint) {
    return "This checkpointToken already saved another output; the recorded answer is above and "
           "nothing was changed. To save the new output too, send it again with the token of this "
           "notice.";
  }
  return cat("This ackToken is that of the step \"", open.step,
             "\", which was already recorded with another output; the recorded answer is above and "
             "nothing was changed. If the new output is for another step, send it again with the "
             "ackToken of that step. To record it for this step as a fork, send it again with the "
             "ackToken of this notice.");
}

/// One fresh ack with which the caller can fork from the token's node. When no attempts are left
/// it is minted all the same: the recorded answer counts, and using it says what is wrong.
Result<Notice> fork_notice(const Reading& reading, const Principal& principal,
                           const OpenToken& open) {
  const auto key = key_of(open.token);
  const auto settled = TRY(reading.store.settled(open.node.no, key.kind, key.ordinal));
  const std::uint8_t slot = TRY(reading.signer.current_slot());
  const run::TokenClaim claim{.kind = open.token.kind,
                              .node = open.node.id,
                              .ordinal = key.ordinal,
                              .count = settled.count,
                              .life_minutes = open.token.life_minutes,
                              .key_slot = slot};
  std::string token = TRY(sign_claim(reading, principal, claim, open.node));
  return Notice{notice_text(open), std::move(token)};
}

/// The recorded answer of an attempt that was settled by `outcome`.
Result<SignedReply> replay(const Reading& reading, const Principal& principal,
                           const OpenToken& open, run::NodeNo outcome,
                           const std::optional<Sha256>& input) {
  const auto events = TRY(load_events(reading, outcome.commit()));
  const run::AdvanceRecorded* record = nullptr;
  for (const run::Event& event : events) {
    const auto* candidate = std::get_if<run::AdvanceRecorded>(&event);
    if (candidate != nullptr && candidate->node == open.node.id &&
        candidate->attempt == key_of(open.token)) {
      record = candidate;
    }
  }
  if (record == nullptr) {
    return fail(Code::STORAGE_CORRUPTION_DETECTED, "an attempt is listed but not in the log");
  }
  StoreBlobs blobs(reading, open.node.session);
  run::Reply reply =
      TRY(of_session(reading, open.node.session, run::restore_reply(record->reply, blobs)));
  const run::NodeRow node = TRY(load_node(reading, outcome));
  SignedReply signed_reply = TRY(sign_reply(reading, principal, std::move(reply), node));
  signed_reply.is_unproven = is_unproven(events);
  // An attempt of the server itself is nobody's to repeat.
  const bool is_callers = record->input != Sha256{};
  if (is_callers && record->input != input)
    signed_reply.notice = TRY(fork_notice(reading, principal, open));
  return signed_reply;
}

/// What to append for a command that has ended. It cannot be run again to please the run: where its
/// result is in the way the step fails, and where even that is, the step becomes the agent's.
Result<run::Decided> decide_command(Engine& engine, run::AdvanceCommand command,
                                    const Permit& permit, const ScriptsOf& whose) {
  run::Decider decider = run::Decider::advance(command);
  auto decided = decide(engine, decider, permit, whose);
  for (const bool is_handed_over : {false, true}) {
    if (decided || decided.error().code == Code::SCRIPT_BUSY) break;
    command.input.process->problem = decided.error().message;
    command.input.process->is_handed_over = is_handed_over;
    decider = run::Decider::advance(command);
    decided = decide(engine, decider, permit, whose);
  }
  return decided;
}

/// What to append for an attempt that goes below `parent`, whose state is `state`.
Result<run::Decided> decide_below(Engine& engine, const OpenToken& open, const run::NodeRow& parent,
                                  const run::NodeState& state, run::EdgeCause cause,
                                  const Handed& handed, Looking looking) {
  const Reading reading = engine.reading();
  const auto pinned = TRY(load_workflow(reading, state.workflow_hash));
  const run::Minting minting = TRY(rail_minting(reading));
  const auto schemas = TRY(load_schemas(reading, state.workflow_hash));
  const Permit permit(engine, *pinned, state.workspace);
  run::AdvanceCommand command{.workflow = &pinned->workflow,
                              .schemas = schemas.get(),
                              .token_node = open.node.id,
                              .attempt = key_of(open.token),
                              .step = open.step,
                              .parent = state,
                              .cause = cause,
                              .path_events = parent.path_events,
                              .path_bytes = parent.path_bytes,
                              .input = handed.input,
                              .minting = minting,
                              .may_run = permit.may_run(),
                              .runner = permit.runner(),
                              .source = handed.source,
                              .is_simulated = engine.is_simulated};
  const ScriptsOf whose{state.workflow_hash, state.run};
  if (handed.input.process) return decide_command(engine, std::move(command), permit, whose);
  run::Decider decider = run::Decider::advance(std::move(command));
  return decide(engine, decider, permit, whose, looking);
}

/// What to append for an attempt that is still open, where it belongs.
Result<run::Decided> decide_attempt(Engine& engine, const OpenToken& open, const Handed& handed) {
  const Reading reading = engine.reading();
  const auto below = TRY(chain_below(reading.store, open.node, open.step));
  const run::Placement placement = run::place_advance(open.node.no, open.step, below);
  if (handed.input.process && placement.cause != run::EdgeCause::advance) {
    return fail(Code::INVALID_INPUT,
                cat("the run was ended while the command of the step \"", open.step,
                    "\" ran; what came of it is not recorded"),
                "send the stateToken alone to see how the run stands");
  }
  const run::NodeRow parent =
      placement.parent == open.node.no ? open.node : TRY(load_node(reading, placement.parent));
  const auto state = TRY(load_state(reading, parent));
  return decide_below(engine, open, parent, *state, placement.cause, handed, Looking::allowed);
}

/// The usual case: this process made the node a moment ago and nobody has come to the session
/// since. Then nothing needs to be read: that the head is still the expected one proves all of it.
/// Nothing, and nothing done, when it is not so; then the store must be asked. Counts its append
/// in `tries`.
Result<std::optional<SignedReply>> attempt_at_tip(Engine& engine, const Principal& principal,
                                                  const AttemptRequest& request,
                                                  run::TokenKind kind, int& tries) {
  const Reading reading = engine.reading();
  const run::UnverifiedToken token = TRY(read_token(request.token, kind));
  const auto tip = engine.caches.tips.find(token.node.value);
  if (tip == nullptr || token.kind != kind || token.count != 0 || request.state_token) {
    return std::nullopt;
  }
  // The row kept with a tip names neither parent nor snapshot, so its state cannot be loaded from
  // it: it is at hand or the store must be asked.
  const auto state = engine.caches.states.find(token.node.value);
  if (state == nullptr || state->process != nullptr) return std::nullopt;
  const auto open = TRY(open_known(reading, principal, token, tip->node));
  if (!open) return std::nullopt;
  // The node may have been passed since; then the recorded answer goes before what is wrong with
  // this input, and before any look at a workspace.
  auto decided = decide_below(engine, *open, tip->node, *state, run::EdgeCause::advance,
                              handed_of(principal, request), Looking::refused);
  if (!decided) return std::nullopt;
  ++tries;
  const bool has_failed = is_unproven(decided->events);
  auto recorded = record(engine, *std::move(decided), tip->seq, std::nullopt);
  if (!recorded || !*recorded) return std::nullopt;
  auto reply =
      TRY(sign_reply(reading, principal, std::move((*recorded)->reply), (*recorded)->node));
  reply.is_unproven = has_failed;
  return reply;
}

/// The answer at a step that the server runs the command of, which is no caller's to settle;
/// nothing when it is none.
Result<std::optional<SignedReply>> reply_of_command(Engine& engine, const Principal& principal,
                                                    const OpenToken& open) {
  const Reading reading = engine.reading();
  const auto state = TRY(load_state(reading, open.node));
  if (state->process == nullptr) return std::nullopt;
  return look_at(reading, principal, open.node);
}

Result<SignedReply> attempt(Engine& engine, const Principal& principal, const OpenToken& open,
                            const Handed& handed, int tries) {
  const Reading reading = engine.reading();
  const run::Input& input = handed.input;
  const auto key = key_of(open.token);
  // An input that cannot be hashed was never recorded; deciding says what is wrong with it.
  const auto hashed = run::input_hash(input);
  const std::optional<Sha256> hash = hashed ? std::optional(*hashed) : std::nullopt;
  for (; tries < limits::append_tries_max; ++tries) {
    // The head first: whatever is recorded after this moment makes the append miss it.
    const run::SessionHead head = TRY(reading.store.head(open.node.session));
    // The token was looked at before that, so whether it is void by now is asked again.
    TRY(check_still_good(reading, open));
    if (const auto outcome = TRY(reading.store.attempt(open.node.no, key))) {
      return replay(reading, principal, open, *outcome, hash);
    }
    const auto settled = TRY(reading.store.settled(open.node.no, key.kind, key.ordinal));
    if (key.count >= limits::attempts_per_step_max) return exhausted(open.node);
    if (key.count > settled.count) {
      return fail(Code::TOKEN_UNKNOWN_NODE,
                  "this token was issued by a later state of this store than it has now",
                  "the store was restored from a copy: send the stateToken alone to go on");
    }
    if (!input.process && key.kind == AttemptKind::advance) {
      if (auto reply = TRY(reply_of_command(engine, principal, open))) return *std::move(reply);
    }
    run::Decided decided = TRY(decide_attempt(engine, open, handed));
    const std::string dedupe_key = decided.dedupe_key;
    const bool has_failed = is_unproven(decided.events);
    auto recorded = record(engine, std::move(decided), head.seq, std::nullopt);
    if (recorded && *recorded) {
      auto reply =
          TRY(sign_reply(reading, principal, std::move((*recorded)->reply), (*recorded)->node));
      reply.is_unproven = has_failed;
      return reply;
    }
    if (!recorded) {
      // The outcome may be unknown. Recorded means done, whatever the store said of it.
      const auto found = reading.store.commit_by_key(open.node.session, dedupe_key);
      if (!found || !*found) return std::unexpected(std::move(recorded).error());
    }
  }
  Error busy = Error::make(Code::TOKEN_SESSION_LOCKED,
                           "other calls for this run kept winning; nothing was recorded",
                           "send the same call again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

Result<SignedReply> open_and_attempt(Engine& engine, const Principal& principal,
                                     const AttemptRequest& request, run::TokenKind kind) {
  int tries = 0;
  if (auto reply = TRY(attempt_at_tip(engine, principal, request, kind, tries))) {
    return *std::move(reply);
  }
  const Reading reading = engine.reading();
  const OpenToken open = TRY(open_token(reading, principal, request.token, kind));
  if (request.state_token) {
    const OpenToken state =
        TRY(open_token(reading, principal, *request.state_token, run::TokenKind::state));
    if (state.node.run != open.node.run) {
      return fail(Code::TOKEN_SCOPE_MISMATCH, "the two tokens belong to different runs",
                  "send both from the reply that gave you the step");
    }
  }
  return attempt(engine, principal, open, handed_of(principal, request), tries);
}

}  // namespace

Result<SignedReply> advance(Engine& engine, const Principal& principal,
                            const AttemptRequest& request) {
  const auto keys = TRY(engine.signer.held());
  Engine held = engine.with(*keys);
  auto reply = open_and_attempt(held, principal, request, run::TokenKind::ack);
  if (!reply && reply.error().code == Code::TASKS_OPEN) {
    const OpenToken open =
        TRY(open_token(held.reading(), principal, request.token, run::TokenKind::ack));
    reply = answer_for_tasks(held, principal, open);
  }
  if (reply) reply = carry_on(held, principal, *std::move(reply), request.patience);
  // The answer is settled; what is left undone here is done at the next contact with the task.
  if (reply && reply->reply.task) static_cast<void>(follow_task(held, principal, reply->reply));
  if (reply && engine.watcher != nullptr) {
    engine.watcher->advanced(engine.reading(), reply->reply.run);
  }
  return reply;
}

Result<SignedReply> settle_command(Engine& engine, const Principal& principal,
                                   const run::NodeRow& node, run::ProcessReport report) {
  run::Input input;
  input.process = std::move(report);
  OpenToken open{.token = {}, .node = node, .step = node.open_steps.front()};
  open.token.kind = run::TokenKind::ack;
  return attempt(engine, principal, open, {.input = input}, 0);
}

Result<SignedReply> checkpoint(Engine& engine, const Principal& principal,
                               const AttemptRequest& request) {
  const auto keys = TRY(engine.signer.held());
  Engine held = engine.with(*keys);
  return open_and_attempt(held, principal, request, run::TokenKind::checkpoint);
}

}  // namespace baton::verbs
