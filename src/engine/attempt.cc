#include "engine/attempt.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/commands/command_permit.h"
#include "engine/effects/undo_effect.h"
#include "engine/fork.h"
#include "engine/load/find_passage.h"
#include "engine/load/gate_words.h"
#include "engine/load/load.h"
#include "engine/load/newest_leaf.h"
#include "engine/load/owner_words.h"
#include "engine/load/read_node.h"
#include "engine/load/recorded_attempt.h"
#include "engine/record.h"
#include "engine/revocation.h"
#include "run/decide/step_failure.h"
#include "run/graph/placement.h"
#include "run/walk/scope.h"

namespace baton::engine {
namespace {

using run::AttemptKind;

/// Whether the attempt of a commit failed its step for missing proof.
bool is_unproven(std::span<const run::Event> events) {
  return std::ranges::any_of(events, [](const run::Event& event) {
    const auto* failed = std::get_if<run::StepFailed>(&event);
    return failed != nullptr && failed->error.type == run::unproven_type;
  });
}

bool is_refused_at_gate(const run::AdvanceRecorded& record) {
  const json::Value* blockers = record.reply.find("blockers");
  if (blockers == nullptr || !blockers->is_array()) return false;
  return std::ranges::any_of(*blockers->if_array(), [](const json::Value& each) {
    const json::Value* code = each.find("code");
    return code != nullptr && *code == json::Value(name_of(run::BlockerCode::GATE_REFUSED));
  });
}

std::unexpected<Error> exhausted(const run::NodeRow& node) {
  return fail(
      Code::ATTEMPTS_EXHAUSTED,
      cat("this step was attempted ", limits::attempts_per_step_max, " times at ", node.id.text()),
      "continue from a later node of the run, or start a new run");
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
    if (run::blocks_join(step, chain.back())) break;
    at = next.no;
  }
  return chain;
}

run::OtherInput other_input(const Place& place, const Submission& submission) {
  return place.attempt.kind == AttemptKind::advance ? submission.other : run::OtherInput::notice;
}

/// The recorded attempt that answers a call; nothing when the call makes one. `hash` is of its
/// input, `settled` the number of attempts that were made at the step.
Result<std::optional<RecordedAttempt>> answer_in_record(const ReadContext& reading,
                                                        const Place& place, run::OtherInput other,
                                                        const std::optional<Sha256>& hash,
                                                        std::uint16_t settled) {
  // The place's own attempt first: older releases recorded the same input more than once.
  auto own = TRY(load_attempt(reading, place.node, place.attempt));
  if (own && run::is_answer_to(own->record->input, hash, other)) return own;
  if (other == run::OtherInput::notice || !hash) return std::nullopt;
  return find_attempt(reading, place.node, place.attempt, settled, *hash);
}

/// What was recorded, again; with a notice when it was recorded with another input.
Result<Outcome> replay(const ReadContext& reading, const Place& place,
                       const RecordedAttempt& recorded, const std::optional<Sha256>& input) {
  const auto& [made, events, record] = recorded;
  StoreBlobs blobs(reading, place.node.session);
  Outcome out{.kind = Outcome::Kind::replayed};
  out.answer.reply =
      TRY(of_session(reading, place.node.session, run::restore_reply(record->reply, blobs)));
  out.answer.node = TRY(load_node(reading, made));
  out.answer.is_unproven = is_unproven(events);
  // An attempt of the server itself is not repeated by a caller.
  const bool is_callers = record->input != Sha256{};
  if (!is_callers || record->input == input) return out;
  // When no attempts are left the place is named all the same: an attempt there says what is wrong.
  const auto settled =
      TRY(reading.store.settled(place.node.no, place.attempt.kind, place.attempt.ordinal));
  out.answer.fork = place;
  out.answer.fork->attempt.count = settled.count;
  return out;
}

/// What was recorded when the step was passed, for the same output by another token of the step or
/// with other words to its gate. What else the call asked for is not done, and that is said.
Result<Outcome> replay_passage(const ReadContext& reading, const Place& place,
                               const RecordedAttempt& passed, const Submission& submission,
                               const std::optional<Sha256>& hash) {
  Outcome out = TRY(replay(reading, place, passed, passed.record->input));
  const run::PreferencesDelta& asked = submission.input.preferences;
  if (passed.record->input != hash && asked != run::PreferencesDelta{}) {
    out.answer.reply.warnings.push_back(
        cat("the step \"", place.step,
            "\" was passed with this output before, and the preferences "
            "of this call were not set; send them with the output of the next step"));
  }
  return out;
}

/// The place that a call means whose recorded answer waits at a gate, once a person has decided
/// there: the same output is then an attempt at the node where it waits. Nothing while it waits.
Result<std::optional<Place>> place_behind_gate(const ReadContext& reading,
                                               const RecordedAttempt& recorded,
                                               const std::optional<Sha256>& hash) {
  const auto gate = TRY(gate_in(*recorded.record));
  if (!gate || recorded.record->input != hash) return std::nullopt;
  run::NodeRow node = TRY(load_node(reading, recorded.made));
  const auto state = TRY(load_state(reading, node));
  if (state->open_steps.empty()) return std::nullopt;
  const GateWords words = TRY(gate_words(reading, *state, *gate));
  if (words.verdict(*gate).kind == run::GateVerdict::Kind::waiting) return std::nullopt;
  std::string step = node.open_steps.front();
  return Place{.node = std::move(node), .attempt = {}, .step = std::move(step)};
}

/// The attempt that made the node of `place`, when this one sends the same and nothing has changed:
/// no person has decided at the gate where it waits, or it was refused. Then nothing is recorded.
Result<std::optional<RecordedAttempt>> attempt_behind(const ReadContext& reading,
                                                      const Place& place,
                                                      const Submission& submission,
                                                      const std::optional<Sha256>& hash) {
  const bool is_blocked = place.node.kind == run::NodeKind::blocked_attempt;
  if (!is_blocked || !hash || submission.asked) return std::nullopt;
  CommitEvents events = TRY(load_events(reading, place.node.no.commit()));
  RecordedAttempt out{place.node.no, std::move(events)};
  for (const run::Event& event : out.events) {
    const auto* record = std::get_if<run::AdvanceRecorded>(&event);
    if (record != nullptr && record->to == place.node.id) out.record = record;
  }
  if (out.record == nullptr || out.record->input != *hash) return std::nullopt;
  const auto gate = TRY(gate_in(*out.record));
  if (!gate) return is_refused_at_gate(*out.record) ? std::optional(std::move(out)) : std::nullopt;
  const auto state = TRY(load_state(reading, place.node));
  const GateWords words = TRY(gate_words(reading, *state, *gate));
  const bool waits = words.verdict(*gate).kind == run::GateVerdict::Kind::waiting &&
                     !run::is_expired(*gate, reading.clock.wall());
  return waits ? std::optional(std::move(out)) : std::nullopt;
}

/// Where an attempt goes: the node it is made below, what holds there, why there, and what a fork
/// leaves behind.
struct Below {
  const run::NodeRow& parent;
  const run::NodeState& state;
  run::EdgeCause cause = run::EdgeCause::advance;
  std::optional<run::LeftBranch> left = {};
};

/// The caller may have meant another step, so the error names the one that its place is of.
Error rejected_fork(const Place& place, Error error) {
  if (!place.step.empty()) {
    error.message = cat("this call is for the step \"", place.step,
                        "\", which is already settled, and its output cannot begin a new branch "
                        "there: ",
                        error.message);
  }
  return error;
}

/// What the state was given since the step is open, where the output leaves out its result.
Result<std::vector<run::EarlierWrite>> earlier_writes(const ReadContext& reading,
                                                      const Place& place, const Below& below,
                                                      const Submission& submission) {
  std::vector<run::EarlierWrite> out;
  const bool is_advance = place.attempt.kind == AttemptKind::advance;
  if (!is_advance || below.state.kind == run::NodeKind::step || below.state.states == nullptr ||
      !run::leaves_out_result(submission.input)) {
    return out;
  }
  run::NodeRow node = below.parent;
  for (std::size_t looked = 0; looked < limits::recap_walk_nodes_max; ++looked) {
    if (node.kind == run::NodeKind::step || !node.parent) break;
    const CommitEvents events = TRY(load_events(reading, node.no.commit()));
    if (!run::add_earlier_writes({events.begin(), events.end()}, out)) break;
    node = TRY(load_parent(reading, node));
  }
  return out;
}

/// What to append for an attempt; nothing when sub-agents settle the step.
Result<std::optional<run::Decided>> decide_below(Engine& engine, const Place& place,
                                                 const Below& below, const Submission& submission,
                                                 ProbeMode looking,
                                                 std::vector<run::Guidance> guidance = {}) {
  const ReadContext reading = engine.reading();
  const run::NodeState& state = below.state;
  const auto pinned = TRY(load_workflow(reading, state.workflow_hash));
  if (place.attempt.kind == AttemptKind::advance &&
      run::needs_tasks(pinned->workflow, state, submission.input)) {
    return std::nullopt;
  }
  const run::TokenSettings minting = TRY(current_token_settings(reading));
  const auto schemas = TRY(load_schemas(reading, state.workflow_hash));
  const Permit permit(engine, *pinned, state.workspace);
  std::vector<run::GateWord> words = TRY(words_at(reading, state));
  std::vector<run::EarlierWrite> earlier = TRY(earlier_writes(reading, place, below, submission));
  const NodeId& waits_at = state.gate != nullptr ? state.gate->node : state.node;
  std::vector<run::HeardGate> heard = TRY(heard_gates(reading, state, below.parent, waits_at));
  run::AdvanceCommand command{.workflow = &pinned->workflow,
                              .schemas = schemas.get(),
                              .token_node = place.node.id,
                              .attempt = place.attempt,
                              .step = place.step,
                              .parent = state,
                              .cause = below.cause,
                              .path_events = below.parent.path_events,
                              .path_bytes = below.parent.path_bytes,
                              .input = submission.input,
                              .minting = minting,
                              .may_run = permit.may_run(),
                              .runner = permit.runner(),
                              .source = submission.source,
                              .guidance = std::move(guidance),
                              .left = below.left,
                              .policy = engine.policy.of(submission.client_asks),
                              .words = std::move(words),
                              .heard = std::move(heard),
                              .asked = submission.asked,
                              .earlier = std::move(earlier),
                              .is_simulated = engine.is_simulated};
  if (submission.input.process) looking = ProbeMode::allowed;
  run::Decider decider = run::Decider::advance(std::move(command));
  auto decided = TRY(decide_or_reject(engine, decider, permit,
                                      {state.workflow_hash, state.run, &below.parent}, looking));
  if (decided) return *std::move(decided);
  if (!below.left) return std::unexpected(std::move(decided).error());
  return std::unexpected(rejected_fork(place, std::move(decided).error()));
}

/// Where an attempt that is still open goes.
struct Target {
  std::vector<run::Descendant> chain;  // below its place
  bool is_late = false;                // the run has a newer leaf than that of the chain, or may
  run::Placement placement = {};

  bool forks() const { return placement.cause == run::EdgeCause::non_tip_advance; }
};

Result<Target> target_of(const ReadContext& reading, const Place& place) {
  Target out{.chain = TRY(chain_below(reading.store, place.node, place.step))};
  // After earlier attempts the run may have continued on another branch than the chain.
  out.is_late =
      place.attempt.kind == AttemptKind::advance && place.attempt.count > 0 && !out.chain.empty();
  std::optional<run::NodeNo> newest;
  if (out.is_late) newest = TRY(newest_leaf(reading, place.node)).tip.no;
  out.placement = run::place_advance(place.node.no, place.step, out.chain, newest);
  return out;
}

/// What to append for an attempt that is still open; nothing when sub-agents settle the step.
Result<std::optional<run::Decided>> decide_attempt(Engine& engine, const Place& place,
                                                   const Target& target,
                                                   const Submission& submission) {
  const ReadContext reading = engine.reading();
  const run::Placement& placement = target.placement;
  if (submission.input.is_servers_own() && target.forks()) {
    return fail(Code::INVALID_INPUT,
                cat("the run was ended while the command of the step \"", place.step,
                    "\" was running; its result is not recorded"),
                Move::look_again);
  }
  const run::NodeRow parent =
      placement.parent == place.node.no ? place.node : TRY(load_node(reading, placement.parent));
  const auto state = TRY(load_state(reading, parent));
  Below below{parent, *state, placement.cause};
  if (target.forks()) {
    below.left = TRY(left_branch(reading, place));
  } else if (target.is_late) {
    // The next attempt on a fork that began here: the caller may not have heard of the fork.
    below.left = TRY(left_by(reading, target.chain.front().node));
  }
  return decide_below(engine, place, below, submission, ProbeMode::allowed,
                      TRY(open_guidance(reading, *state)));
}

/// What the owner of a run said keeps its agents from changing it. The result of a command that
/// runs is recorded all the same, and the owner may still change settings.
Result<void> check_may_change(const ReadContext& reading, const Place& place,
                              const Submission& submission) {
  if (submission.input.process || submission.is_owners) return {};
  return check_not_held(reading, *TRY(load_state(reading, place.node)));
}

Outcome recorded_as(Recorded recorded, bool is_unproven) {
  return {.kind = Outcome::Kind::recorded,
          .answer = {.reply = std::move(recorded.reply),
                     .node = std::move(recorded.node),
                     .is_unproven = is_unproven}};
}

/// The usual case: this process made the node a moment ago and nothing was appended to the session
/// since. Then nothing needs to be read: that the head is still the expected one proves all of it.
/// Nothing, and nothing done, when it is not so; then the store must be asked. Counts its append
/// in `tries`.
Result<std::optional<Outcome>> attempt_at_tip(Engine& engine, const Place& place,
                                              const Submission& submission, int& tries) {
  // To load the state from the store would cost as much as to ask the store in the first place.
  const auto state = engine.caches.states.find(place.node.no.value);
  const bool is_whole = state != nullptr && !run::is_servers_turn(*state) && state->gate == nullptr;
  // Whether an output was refused at a blocked attempt is in the log.
  if (!is_whole || state->kind == run::NodeKind::blocked_attempt) return std::nullopt;
  // So is what a caller wrote into the state in place of sending it.
  if (state->kind == run::NodeKind::checkpoint && run::leaves_out_result(submission.input)) {
    return std::nullopt;
  }
  // A hold on the run that it carries out a task of is in another session, whose head is not seen.
  if (state->task) return std::nullopt;
  // The node may have been passed since; then the recorded answer goes before what is wrong with
  // this input, and before any look at a workspace.
  auto decided = decide_below(engine, place, {place.node, *state}, submission, ProbeMode::refused);
  if (!decided || !*decided) return std::nullopt;
  ++tries;
  const bool has_failed = is_unproven((*decided)->commit.events);
  auto recorded = record(engine, **std::move(decided), place.tip->seq);
  if (!recorded || !*recorded) return std::nullopt;
  return recorded_as(**std::move(recorded), has_failed);
}

/// Whether the place is still one: run_is_missing() when the store has its node no more,
/// TOKEN_REVOKED when the tokens of its run were revoked.
Result<void> check_place(const ReadContext& reading, const Place& place) {
  const auto row = TRY(reading.store.node(place.node.no));
  if (!row) return run_is_missing(reading, place.node.session);
  if (TRY(is_revoked(reading, *row))) return tokens_are_revoked();
  return {};
}

/// The answer at a step that the server settles by itself, which no caller settles; nothing when
/// it is not one.
Result<std::optional<Outcome>> command_at(const ReadContext& reading, const Place& place) {
  const auto state = TRY(load_state(reading, place.node));
  if (!run::is_servers_turn(*state)) return std::nullopt;
  NodeAnswer answer = TRY(look_at(reading, place.node));
  return Outcome{.kind = Outcome::Kind::commanded, .answer = std::move(answer)};
}

std::unexpected<Error> too_busy() {
  Error busy = Error::make(Code::TOKEN_SESSION_LOCKED,
                           "other calls changed this run first, each time; nothing was recorded",
                           "send the same call again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

/// Records what was decided; nothing when another call changed the run first, and to look again.
Result<std::optional<Outcome>> record_decided(Engine& engine, const Place& place,
                                              run::Decided decided, run::Seq head) {
  const std::string dedupe_key = decided.commit.dedupe_key;
  const bool has_failed = is_unproven(decided.commit.events);
  auto recorded = record(engine, std::move(decided), head);
  if (recorded && *recorded) return recorded_as(**std::move(recorded), has_failed);
  if (!recorded) {
    // The outcome may be unknown. Recorded means done, even if the store reported an error.
    const auto found = engine.store.commit_by_key(place.node.session, dedupe_key);
    if (!found || !*found) return std::unexpected(std::move(recorded).error());
  }
  return std::nullopt;
}

}  // namespace

Result<Outcome> attempt(Engine& engine, Place place, const Submission& submission) {
  const ReadContext reading = engine.reading();
  int tries = 0;
  if (place.tip != nullptr) {
    if (auto outcome = TRY(attempt_at_tip(engine, place, submission, tries))) {
      return *std::move(outcome);
    }
    auto whole = TRY(reading.store.node(place.node.no));
    if (!whole) return run_is_missing(reading, place.node.session);
    place.node = *std::move(whole);
  }
  const run::AttemptKey& key = place.attempt;
  // An input that cannot be hashed was never recorded; deciding says what is wrong with it.
  const auto hashed = run::input_hash(submission.input);
  const std::optional<Sha256> hash = hashed ? std::optional(*hashed) : std::nullopt;
  const run::OtherInput other = other_input(place, submission);
  for (; tries < limits::append_tries_max; ++tries) {
    // The head first: a commit recorded after this moment makes the append miss it.
    const run::SessionHead head = TRY(reading.store.head(place.node.session));
    // The place was found before that, so whether it still is one is asked again.
    TRY(check_place(reading, place));
    const auto settled = TRY(reading.store.settled(place.node.no, key.kind, key.ordinal));
    if (const auto found = TRY(answer_in_record(reading, place, other, hash, settled.count))) {
      auto behind = TRY(place_behind_gate(reading, *found, hash));
      const bool is_same = has_passed(*found, place.step, submission.input);
      if (!behind) return replay(reading, place, *found, is_same ? found->record->input : hash);
      place = *std::move(behind);
      --tries;
      continue;
    }
    if (const auto found = TRY(attempt_behind(reading, place, submission, hash))) {
      return replay(reading, place, *found, hash);
    }
    if (other == run::OtherInput::fork) {
      place.attempt.count = std::max(place.attempt.count, settled.count);
    }
    if (key.count >= limits::attempts_per_step_max) return exhausted(place.node);
    if (key.count > settled.count) {
      return fail(Code::TOKEN_UNKNOWN_NODE,
                  "this attempt belongs to a later state of this store than it has now: the store "
                  "was restored from a copy",
                  Move::look_again);
    }
    const bool is_callers = !submission.input.is_servers_own() && key.kind == AttemptKind::advance;
    if (is_callers) {
      if (auto outcome = TRY(command_at(reading, place))) return *std::move(outcome);
    }
    const Target target = TRY(target_of(reading, place));
    if (is_callers) {
      if (auto begun = TRY(servers_node_below(reading, place, target.chain))) {
        place = Place{.node = *std::move(begun), .attempt = {}, .step = place.step};
        --tries;
        continue;
      }
      const bool may_fork = target.forks() && other == run::OtherInput::fork;
      const auto passed =
          may_fork ? TRY(find_passage(reading, place, target.chain, submission.input, hash))
                   : std::nullopt;
      if (passed) return replay_passage(reading, place, *passed, submission, hash);
    }
    TRY(check_may_change(reading, place, submission));
    const auto here = TRY(load_state(reading, place.node));
    if (TRY(undo_as_chosen(engine, *here, submission.asked))) continue;
    auto decided = TRY(decide_attempt(engine, place, target, submission));
    if (!decided) return Outcome{.kind = Outcome::Kind::needs_tasks};
    auto outcome = TRY(record_decided(engine, place, *std::move(decided), head.seq));
    if (outcome) return *std::move(outcome);
  }
  return too_busy();
}

}  // namespace baton::engine
