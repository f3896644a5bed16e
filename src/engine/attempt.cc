#include "engine/attempt.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/commands/command_permit.h"
#include "engine/load/load.h"
#include "engine/load/owner_words.h"
#include "engine/load/read_node.h"
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

/// The recorded answer of an attempt that was settled by `made`.
Result<Outcome> replay(const ReadContext& reading, const Place& place, run::NodeNo made,
                       const std::optional<Sha256>& input) {
  const auto events = TRY(load_events(reading, made.commit()));
  const run::AdvanceRecorded* record = nullptr;
  for (const run::Event& event : events) {
    const auto* candidate = std::get_if<run::AdvanceRecorded>(&event);
    if (candidate != nullptr && candidate->node == place.node.id &&
        candidate->attempt == place.attempt) {
      record = candidate;
    }
  }
  if (record == nullptr) {
    return fail(Code::STORAGE_CORRUPTION_DETECTED, "an attempt is listed but not in the log");
  }
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

/// Where an attempt goes: the node it is made below, what holds there, and why there.
struct Below {
  const run::NodeRow& parent;
  const run::NodeState& state;
  run::EdgeCause cause = run::EdgeCause::advance;
};

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
                              .is_simulated = engine.is_simulated};
  if (submission.input.process) looking = ProbeMode::allowed;
  run::Decider decider = run::Decider::advance(std::move(command));
  return TRY(decide(engine, decider, permit, {state.workflow_hash, state.run}, looking));
}

/// What to append for an attempt that is still open, where it belongs; nothing when sub-agents
/// settle the step.
Result<std::optional<run::Decided>> decide_attempt(Engine& engine, const Place& place,
                                                   const Submission& submission) {
  const ReadContext reading = engine.reading();
  const auto chain = TRY(chain_below(reading.store, place.node, place.step));
  const run::Placement placement = run::place_advance(place.node.no, place.step, chain);
  if (submission.input.process && placement.cause != run::EdgeCause::advance) {
    return fail(Code::INVALID_INPUT,
                cat("the run was ended while the command of the step \"", place.step,
                    "\" was running; its result is not recorded"),
                Move::look_again);
  }
  const run::NodeRow parent =
      placement.parent == place.node.no ? place.node : TRY(load_node(reading, placement.parent));
  const auto state = TRY(load_state(reading, parent));
  return decide_below(engine, place, {parent, *state, placement.cause}, submission,
                      ProbeMode::allowed, TRY(open_guidance(reading, *state)));
}

/// What the owner of a run said keeps its agents from changing it. The result of a command that
/// runs is recorded all the same, and the owner may still change settings.
Result<void> check_may_change(const ReadContext& reading, const Place& place,
                              const Submission& submission) {
  const bool is_owners = submission.source.how == run::ChangedHow::terminal;
  if (submission.input.process || is_owners) return {};
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
  if (state == nullptr || state->process != nullptr) return std::nullopt;
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

/// Whether the place is still one: TOKEN_UNKNOWN_NODE when its session was removed since,
/// TOKEN_REVOKED when the tokens of its run were revoked.
Result<void> check_place(const ReadContext& reading, const Place& place) {
  const auto row = TRY(reading.store.node(place.node.no));
  if (!row) return run_is_removed();
  if (TRY(is_revoked(reading, *row))) return tokens_are_revoked();
  return {};
}

/// The answer at a step that the server runs the command of, which no caller settles; nothing when
/// it is not one.
Result<std::optional<Outcome>> command_at(const ReadContext& reading, const Place& place) {
  const auto state = TRY(load_state(reading, place.node));
  if (state->process == nullptr) return std::nullopt;
  NodeAnswer answer = TRY(look_at(reading, place.node));
  return Outcome{.kind = Outcome::Kind::commanded, .answer = std::move(answer)};
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
    if (!whole) return run_is_removed();
    place.node = *std::move(whole);
  }
  const run::AttemptKey& key = place.attempt;
  // An input that cannot be hashed was never recorded; deciding says what is wrong with it.
  const auto hashed = run::input_hash(submission.input);
  const std::optional<Sha256> hash = hashed ? std::optional(*hashed) : std::nullopt;
  for (; tries < limits::append_tries_max; ++tries) {
    // The head first: a commit recorded after this moment makes the append miss it.
    const run::SessionHead head = TRY(reading.store.head(place.node.session));
    // The place was found before that, so whether it still is one is asked again.
    TRY(check_place(reading, place));
    if (const auto made = TRY(reading.store.attempt(place.node.no, key))) {
      return replay(reading, place, *made, hash);
    }
    const auto settled = TRY(reading.store.settled(place.node.no, key.kind, key.ordinal));
    if (key.count >= limits::attempts_per_step_max) return exhausted(place.node);
    if (key.count > settled.count) {
      return fail(Code::TOKEN_UNKNOWN_NODE,
                  "this attempt belongs to a later state of this store than it has now: the store "
                  "was restored from a copy",
                  Move::look_again);
    }
    if (!submission.input.process && key.kind == AttemptKind::advance) {
      if (auto outcome = TRY(command_at(reading, place))) return *std::move(outcome);
    }
    TRY(check_may_change(reading, place, submission));
    auto decided = TRY(decide_attempt(engine, place, submission));
    if (!decided) return Outcome{.kind = Outcome::Kind::needs_tasks};
    const std::string dedupe_key = decided->commit.dedupe_key;
    const bool has_failed = is_unproven(decided->commit.events);
    auto recorded = record(engine, *std::move(decided), head.seq);
    if (recorded && *recorded) return recorded_as(**std::move(recorded), has_failed);
    if (!recorded) {
      // The outcome may be unknown. Recorded means done, even if the store reported an error.
      const auto found = reading.store.commit_by_key(place.node.session, dedupe_key);
      if (!found || !*found) return std::unexpected(std::move(recorded).error());
    }
  }
  Error busy = Error::make(Code::TOKEN_SESSION_LOCKED,
                           "other calls changed this run first, each time; nothing was recorded",
                           "send the same call again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

}  // namespace baton::engine
