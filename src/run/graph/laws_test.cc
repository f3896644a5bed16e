// Laws of whole runs: random workflows with loops, conditionals and blocked attempts, walked by
// random commands from random nodes.
// Origin: 004-23

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "run/decide/decide.h"
#include "run/testing/any_input.h"
#include "run/testing/any_workflow.h"
#include "run/testing/sample_run.h"
#include "run/walk/scope.h"

namespace baton::run {
namespace {

using testing::decide_with;
using testing::draw_of;
using testing::id_of;

/// Everything decided so far: per node its state and the log's text of its commit.
struct Grown {
  std::vector<NodeState> states;  // by the number of the node, from 0
  std::vector<std::size_t> parents;
  std::vector<std::string> bodies;
};

void add(Grown& grown, std::size_t parent, const Decided& decided) {
  grown.states.push_back(decided.state);
  grown.parents.push_back(parent);
  grown.bodies.push_back(MUST(encode_events(decided.commit.events)));
}

template <class Choose>
AdvanceCommand any_command(Choose& choose, const workflow::Pinned& pinned, const Schemas* schemas,
                           const NodeState& parent, std::size_t serial) {
  AdvanceCommand command;
  command.workflow = &pinned.workflow;
  command.schemas = schemas;
  command.token_node = parent.node;
  const bool is_checkpoint = choose(5) == 0;
  command.attempt = {is_checkpoint ? AttemptKind::checkpoint : AttemptKind::advance, 0,
                     static_cast<std::uint16_t>(serial)};
  if (!is_checkpoint) command.step = parent.open_steps.at(0);
  command.parent = parent;
  command.path_events = static_cast<std::int64_t>(choose(100));
  command.path_bytes = 1'000'000;
  command.input = testing::any_walk_input(choose);
  return command;
}

/// A workspace in which something else is seen every time, but twice the same in one decision.
testing::Watch watch_at(std::size_t node) {
  return [node](const Probe& look) {
    ProbeResult seen;
    const Sha256 hash = sha256(cat(look.what, node / 2));
    seen.kind = hash.bytes[0] % 4 == 0 ? ProbeResult::Kind::nothing : ProbeResult::Kind::file;
    if (seen.kind == ProbeResult::Kind::file) {
      seen.bytes = 1;
      seen.digest = hash;
    }
    return seen;
  };
}

/// A run grown by up to `commands` commands from any node that is not complete. Refused commands
/// leave nothing.
template <class Choose>
Grown any_run(Choose& choose, const workflow::Pinned& pinned, std::size_t commands) {
  Grown grown;
  const auto schemas = MUST(Schemas::of(pinned.workflow));
  const testing::Play play = testing::play_any_script;
  const auto started =
      decide_with(Decider::start({.workflow = &pinned,
                                  .schemas = schemas.get(),
                                  .goal = "",
                                  .workspace_path = "/work",
                                  .context = testing::any_walk_context(choose, true),
                                  .preferences = {},
                                  .minting = {}}),
                  draw_of(1), play, watch_at(1));
  if (!started) return grown;
  add(grown, 0, *started);
  for (std::size_t i = 0; i < commands; ++i) {
    // Mostly on from the newest, sometimes a fork.
    const std::size_t at = choose(4) == 0 ? choose(grown.states.size()) : grown.states.size() - 1;
    const NodeState& parent = grown.states[at];
    if (parent.open_steps.empty()) continue;
    const AdvanceCommand command = any_command(choose, pinned, schemas.get(), parent, i);
    const FreshValues draw = draw_of(grown.states.size() + 1);
    const auto watch = watch_at(grown.states.size() + 1);
    const auto decided = decide_with(Decider::advance(command), draw, play, watch);
    const auto again = decide_with(Decider::advance(command), draw, play, watch);
    RC_ASSERT(decided.has_value() == again.has_value());
    if (!decided) {
      RC_ASSERT(decided.error() == again.error());
      RC_ASSERT(decided.error().code != Code::INTERNAL);
      continue;
    }
    RC_ASSERT(decided->commit.events == again->commit.events);
    RC_ASSERT(decided->state == again->state);
    RC_ASSERT(decided->reply == again->reply);
    if (decided->commit.snapshot)
      RC_ASSERT(MUST(read_snapshot(*decided->commit.snapshot)) == decided->state);
    add(grown, at, *decided);
  }
  return grown;
}

// Enforces: G6
RC_GTEST_PROP(laws, state_of_every_node_is_the_fold_of_its_path, ()) {
  json::testing::ShrinkingChoices choose;
  const workflow::Pinned pinned = testing::any_workflow(choose);
  const Grown grown = any_run(choose, pinned, 30);
  for (std::size_t node = 0; node < grown.states.size(); ++node) {
    std::vector<std::size_t> path;
    for (std::size_t at = node; at != 0; at = grown.parents[at]) path.push_back(at);
    path.push_back(0);
    NodeState state;
    state.session = id_of<SessionId>(1);
    // Through the text, and from a snapshot taken anywhere on the way.
    const std::size_t snapshot_at = choose(path.size());
    for (std::size_t i = path.size(); i-- > 0;) {
      state = MUST(fold(std::move(state), MUST(decode_events(grown.bodies[path[i]]))));
      if (i == snapshot_at) state = MUST(read_snapshot(MUST(write_snapshot(state))));
    }
    RC_ASSERT(state == grown.states[node]);
  }
}

// Enforces: G6
RC_GTEST_PROP(laws, open_step_is_the_one_that_the_cursor_stands_at, ()) {
  json::testing::ShrinkingChoices choose;
  const workflow::Pinned pinned = testing::any_workflow(choose);
  for (const NodeState& state : any_run(choose, pinned, 20).states) {
    const workflow::Step* step = step_at(pinned.workflow, state.cursor);
    RC_ASSERT((step == nullptr) == state.open_steps.empty());
    if (step == nullptr) continue;
    RC_ASSERT(step->kind() == workflow::StepKind::prompt);
    RC_ASSERT(state.open_steps == std::vector{key_at(pinned.workflow, state.cursor)});
  }
}

/// Whether what a commit says of proof was found missing.
bool is_unproven(std::span<const Event> events) {
  return std::ranges::any_of(events, [](const Event& event) {
    const auto* judged = std::get_if<EvidenceRecorded>(&event);
    return judged != nullptr &&
           std::ranges::any_of(judged->entries, [](const auto& each) { return !each.is_met; });
  });
}

bool has_failed(std::span<const Event> events) {
  return std::ranges::any_of(events, [](const Event& event) {
    const auto* failed = std::get_if<StepFailed>(&event);
    return failed != nullptr && failed->error.type == "unproven";
  });
}

// Enforces: G15
RC_GTEST_PROP(laws, whatever_the_mode_no_step_closes_without_proof_unless_it_fails, ()) {
  json::testing::ShrinkingChoices choose;
  const workflow::Pinned pinned = testing::any_workflow(choose);
  const Grown grown = any_run(choose, pinned, 30);
  for (std::size_t node = 0; node < grown.states.size(); ++node) {
    const auto events = MUST(decode_events(grown.bodies[node]));
    if (!is_unproven(events)) continue;
    const NodeState& state = grown.states[node];
    RC_ASSERT(state.kind == NodeKind::blocked_attempt || has_failed(events));
    for (const Gap& gap : state.known().open_gaps)
      RC_ASSERT(gap.reason != Reason::evidence_missing);
    if (!has_failed(events)) continue;
    // On the same path, and nowhere else, were the refusals before it.
    std::int64_t refused = 0;
    for (std::size_t at = grown.parents[node];; at = grown.parents[at]) {
      const NodeState& above = grown.states[at];
      if (above.kind == NodeKind::step) break;
      if (above.kind == NodeKind::blocked_attempt &&
          is_unproven(MUST(decode_events(grown.bodies[at])))) {
        ++refused;
      }
    }
    RC_ASSERT(refused >= limits::unproven_refusals_max);
  }
}

// Enforces: G15
RC_GTEST_PROP(laws, a_raise_is_known_at_every_node_below_it, ()) {
  json::testing::ShrinkingChoices choose;
  const workflow::Pinned pinned = testing::any_workflow(choose);
  const Grown grown = any_run(choose, pinned, 30);
  for (std::size_t node = 1; node < grown.states.size(); ++node) {
    const NodeState& above = grown.states[grown.parents[node]];
    const std::vector<PreferenceRaise>& known = grown.states[node].known().raises;
    const auto knows = [&](const Preferences& to) {
      return std::ranges::find(known, to, &PreferenceRaise::to) != known.end();
    };
    for (const PreferenceRaise& each : above.known().raises) RC_ASSERT(knows(each.to));
    const Preferences& now = grown.states[node].preferences;
    if (is_raise(above.preferences, now)) RC_ASSERT(knows(now));
    // Eight can be raised to, in one way here.
    RC_ASSERT(known.size() <= 8u);
  }
}

TEST(laws, generator_reaches_what_it_is_for) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    json::testing::SeededChoices choose(seed);
    const workflow::Pinned pinned = testing::any_workflow(choose);
    for (const std::string& body : any_run(choose, pinned, 30).bodies) {
      for (const Event& event : MUST(decode_events(body))) {
        seen.insert(std::string(kind_name(event)));
        if (const auto* failed = std::get_if<StepFailed>(&event)) seen.insert(failed->error.type);
        if (const auto* node = std::get_if<NodeCreated>(&event)) {
          seen.insert(std::string(name_of(node->kind)));
          if (node->frames.size() > 1) seen.insert("nested");
          if (node->open_steps.empty()) seen.insert("complete");
          for (const CursorFrame& frame : node->frames) {
            if (frame.pinned != nullptr) seen.insert("pinned");
            if (frame.iteration > 1) seen.insert("third round");
            if (frame.decision) seen.insert("decision");
          }
        }
      }
    }
  }
  for (const std::string what :
       {"state_updated", "evidence_recorded", "decision_trace_appended", "gap_recorded",
        "blocked_attempt", "checkpoint", "nested", "pinned", "third round", "decision", "complete",
        "preferences_changed", "unproven"}) {
    EXPECT_TRUE(seen.contains(what)) << what;
  }
}

}  // namespace
}  // namespace baton::run
