#include "run/graph/state.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/text/text.h"
#include "run/testing/event_generator.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using testing::id_of;

const RunId the_run = id_of<RunId>(1);

std::vector<Event> root_commit(NodeId node = id_of<NodeId>(1)) {
  return {SessionCreated{}, RunStarted{the_run, "demo", sha256("w"), "goal"},
          NodeCreated{the_run, node, std::nullopt, NodeKind::step, 0, {"a"}, ""}};
}

std::vector<Event> child_commit(NodeId node, NodeId parent, std::int64_t position = 1) {
  return {NodeCreated{the_run, node, parent, NodeKind::step, position, {"b"}, "a"}};
}

NodeState root_state() {
  NodeState state;
  state.session = id_of<SessionId>(1);
  return fold(state, root_commit()).value();
}

std::string code_of(const Result<NodeState>& state) {
  return state ? "ok" : std::string(name_of(state.error().code));
}

TEST(fold, root_begins_the_state) {
  const NodeState state = root_state();
  EXPECT_EQ(state.session, id_of<SessionId>(1));
  EXPECT_EQ(state.run, the_run);
  EXPECT_EQ(state.node, id_of<NodeId>(1));
  EXPECT_EQ(state.workflow_id, "demo");
  EXPECT_EQ(state.workflow_hash, sha256("w"));
  EXPECT_EQ(state.cursor, Cursor{});
  EXPECT_EQ(state.ledger, nullptr);
  EXPECT_EQ(state.open_steps, std::vector<std::string>{"a"});
  EXPECT_TRUE(state.context->empty());
  EXPECT_EQ(state.preferences, Preferences{});
}

TEST(fold, context_and_preferences_begin_at_the_new_node_and_the_parent_keeps_its_own) {
  const NodeState parent = root_state();
  auto events = child_commit(id_of<NodeId>(2), id_of<NodeId>(1));
  events.push_back(
      ContextSet{the_run, id_of<NodeId>(2), ContextSource::agent_delta, {{"x", 1}, {"y", 2}}});
  events.push_back(PreferencesChanged{
      the_run, id_of<NodeId>(2), {Autonomy::full_auto_never_stop, RiskPolicy::aggressive}});
  const NodeState child = fold(parent, events).value();
  EXPECT_EQ(*child.context, (Object{{"x", 1}, {"y", 2}}));
  EXPECT_EQ(child.preferences.autonomy, Autonomy::full_auto_never_stop);
  EXPECT_EQ(child.cursor.position, 1);
  EXPECT_TRUE(parent.context->empty());
  EXPECT_EQ(parent.preferences, Preferences{});

  auto next = child_commit(id_of<NodeId>(3), id_of<NodeId>(2));
  next.push_back(ContextSet{the_run,
                            id_of<NodeId>(3),
                            ContextSource::agent_delta,
                            {{"x", nullptr}, {"z", Object{{"deep", nullptr}}}}});
  EXPECT_EQ(*fold(child, next).value().context,
            (Object{{"y", 2}, {"z", Object{{"deep", nullptr}}}}));
}

TEST(fold, what_does_not_continue_the_path_is_corrupt) {
  const NodeState root = root_state();
  const auto two = id_of<NodeId>(2);
  EXPECT_EQ(code_of(fold(root, child_commit(two, id_of<NodeId>(1)))), "ok");
  EXPECT_EQ(code_of(fold(root, {})), "STORE_CORRUPT");
  EXPECT_EQ(code_of(fold(root, std::vector<Event>{TokensRevoked{the_run}})), "STORE_CORRUPT");
  EXPECT_EQ(code_of(fold(root, child_commit(two, id_of<NodeId>(9)))), "STORE_CORRUPT");
  EXPECT_EQ(code_of(fold(root, root_commit(two))), "STORE_CORRUPT");
  EXPECT_EQ(code_of(fold(NodeState{}, child_commit(two, id_of<NodeId>(1)))), "STORE_CORRUPT");

  auto other_run = child_commit(two, id_of<NodeId>(1));
  std::get<NodeCreated>(other_run[0]).run = id_of<RunId>(2);
  EXPECT_EQ(code_of(fold(root, other_run)), "STORE_CORRUPT");

  for (const NodeId elsewhere : {id_of<NodeId>(1), id_of<NodeId>(9)}) {
    auto context = child_commit(two, id_of<NodeId>(1));
    context.push_back(ContextSet{the_run, elsewhere, ContextSource::agent_delta, {{"x", 1}}});
    EXPECT_EQ(code_of(fold(root, context)), "STORE_CORRUPT");
    auto preferences = child_commit(two, id_of<NodeId>(1));
    preferences.push_back(PreferencesChanged{the_run, elsewhere, {}});
    EXPECT_EQ(code_of(fold(root, preferences)), "STORE_CORRUPT");
  }
}

/// A run of forks: each commit makes one node below any earlier one.
struct History {
  std::vector<std::vector<Event>> commits;
  std::vector<std::size_t> parents;  // of the node of the same index; the root's is itself
};

template <class Choose>
History any_history(Choose& choose) {
  History history{{root_commit(id_of<NodeId>(0))}, {0}};
  const std::size_t nodes = 2 + choose(20);
  for (std::size_t i = 1; i < nodes; ++i) {
    const std::size_t parent = choose(i);
    const auto node = id_of<NodeId>(i);
    std::vector<Event> events;
    if (choose(2) == 1) {
      events.push_back(NodeOutputAppended{the_run, id_of<NodeId>(parent), Notes{"n"}});
    }
    events.push_back(NodeCreated{the_run, node, id_of<NodeId>(parent),
                                 static_cast<NodeKind>(choose(3)),
                                 static_cast<std::int64_t>(choose(2)), testing::any_strings(choose),
                                 "a", testing::any_frames(choose)});
    for (std::size_t left = choose(3); left > 0; --left) {
      // Few keys, so that branches overwrite and delete each other's.
      Object delta;
      const std::string key = cat("k", choose(3));
      delta.set(key, choose(3) == 0 ? Value() : testing::any_exact_value(choose, 1));
      events.push_back(ContextSet{the_run, node, ContextSource::agent_delta, delta});
    }
    if (choose(3) == 0) {
      events.push_back(PreferencesChanged{the_run, node, testing::any<Preferences>(choose)});
    }
    for (std::size_t left = choose(3); left > 0; --left) {
      events.push_back(testing::any_fact(choose, the_run, node));
    }
    history.commits.push_back(std::move(events));
    history.parents.push_back(parent);
  }
  return history;
}

NodeState fold_from(const History& history, std::size_t node, std::size_t top, NodeState state) {
  std::vector<std::size_t> path;
  for (std::size_t at = node; at != top; at = history.parents[at]) path.push_back(at);
  for (auto at = path.rbegin(); at != path.rend(); ++at) {
    state = MUST(fold(std::move(state), history.commits[*at]));
  }
  return state;
}

// Enforces: G6
RC_GTEST_PROP(fold, gives_the_same_state_from_any_snapshot_above, ()) {
  json::testing::ShrinkingChoices choose;
  const History history = any_history(choose);
  NodeState empty;
  empty.session = id_of<SessionId>(1);
  const NodeState root = MUST(fold(empty, history.commits[0]));
  for (std::size_t node = 0; node < history.commits.size(); ++node) {
    const NodeState whole = fold_from(history, node, 0, root);
    RC_ASSERT(whole.node == id_of<NodeId>(node));
    for (std::size_t above = node; above != 0; above = history.parents[above]) {
      const NodeState at_above = fold_from(history, above, 0, root);
      const NodeState restored = MUST(read_snapshot(MUST(write_snapshot(at_above))));
      RC_ASSERT(restored == at_above);
      const NodeState same = fold_from(history, node, above, restored);
      RC_ASSERT(same == whole);
      RC_ASSERT(MUST(write_snapshot(same)) == MUST(write_snapshot(whole)));
    }
  }
}

NodeState with_facts(NodeState state, std::vector<Event> facts) {
  const NodeId node = id_of<NodeId>(99);
  auto events = child_commit(node, state.node);
  for (Event& fact : facts) {
    std::visit(
        [&](auto& e) {
          if constexpr (requires { e.node; }) e.node = node;
        },
        fact);
    events.push_back(std::move(fact));
  }
  return fold(std::move(state), events).value();
}

Event gap_event(std::string id, GapSeverity severity) {
  return GapRecorded{
      the_run, {}, {std::move(id), severity, Reason::missing_required_output, "s", "a"}};
}

Event observed(CapabilityStatus status, Provenance provenance) {
  return CapabilityObserved{the_run, {}, Capability::delegation, status, provenance, "", ""};
}

TEST(fold, gaps_stay_open_until_they_are_resolved_and_are_never_named_twice) {
  const NodeState root = root_state();
  EXPECT_EQ(next_gap_id(root), "gap-1");
  const NodeState two = with_facts(
      root, {gap_event("gap-1", GapSeverity::critical), gap_event("gap-2", GapSeverity::warning)});
  EXPECT_EQ(two.known().open_gaps.size(), 2u);
  EXPECT_EQ(next_gap_id(two), "gap-3");
  EXPECT_EQ(root.ledger, nullptr);
  const NodeState one = with_facts(two, {GapResolved{the_run, {}, "gap-1", "done"}});
  ASSERT_EQ(one.known().open_gaps.size(), 1u);
  EXPECT_EQ(one.known().open_gaps[0].id, "gap-2");
  EXPECT_EQ(next_gap_id(one), "gap-3");
  EXPECT_EQ(two.known().open_gaps.size(), 2u);
}

TEST(fold, weak_observation_never_replaces_a_strong_one) {
  const auto known = [](const std::vector<Event>& facts) {
    return with_facts(root_state(), facts).known().capabilities.at(Capability::delegation);
  };
  const Event claim = observed(CapabilityStatus::available, Provenance::manual_claim);
  const Event probe = observed(CapabilityStatus::unavailable, Provenance::probe_step);
  const Event use = observed(CapabilityStatus::available, Provenance::attempted_use);
  EXPECT_EQ(known({claim}).status, CapabilityStatus::available);
  EXPECT_EQ(known({claim, probe}).status, CapabilityStatus::unavailable);
  EXPECT_EQ(known({probe, claim}).status, CapabilityStatus::unavailable);
  EXPECT_EQ(known({probe, use}).status, CapabilityStatus::available);
}

TEST(fold, latest_assessment_of_an_id_counts) {
  const auto judged = [](std::string id, std::string level) {
    return Event(
        AssessmentRecorded{the_run, {}, {std::move(id), {{"d", std::move(level), ""}}, "", {}}});
  };
  const NodeState state =
      with_facts(root_state(), {judged("x", "low"), judged("y", "low"), judged("x", "high")});
  ASSERT_EQ(state.known().assessments.size(), 2u);
  EXPECT_EQ(state.known().assessments[0].dimensions[0].level, "high");
}

TEST(fold, facts_of_another_node_are_corrupt) {
  auto events = child_commit(id_of<NodeId>(2), id_of<NodeId>(1));
  events.push_back(gap_event("gap-1", GapSeverity::info));
  EXPECT_EQ(code_of(fold(root_state(), events)), "STORE_CORRUPT");
}

TEST(node_state, status_follows_from_open_steps_kind_and_critical_gaps) {
  NodeState state = root_state();
  EXPECT_EQ(state.status(), RunStatus::in_progress);
  state.kind = NodeKind::blocked_attempt;
  EXPECT_EQ(state.status(), RunStatus::blocked);
  state.kind = NodeKind::step;
  state.open_steps.clear();
  EXPECT_EQ(state.status(), RunStatus::complete);
  const auto ended_with = [&](GapSeverity severity) {
    NodeState at = with_facts(state, {gap_event("gap-1", severity)});
    at.open_steps.clear();
    return at.status();
  };
  EXPECT_EQ(ended_with(GapSeverity::warning), RunStatus::complete);
  EXPECT_EQ(ended_with(GapSeverity::critical), RunStatus::complete_with_gaps);
}

TEST(node_state, differs_when_any_part_does) {
  const NodeState state = root_state();
  const auto differs = [&](auto change) {
    NodeState other = state;
    change(other);
    return !(other == state);
  };
  EXPECT_FALSE(differs([](auto&) {}));
  EXPECT_FALSE(differs([](auto& s) { s.context = std::make_shared<Object>(*s.context); }));
  EXPECT_TRUE(differs([](auto& s) { s.session = id_of<SessionId>(2); }));
  EXPECT_TRUE(differs([](auto& s) { s.run = id_of<RunId>(2); }));
  EXPECT_TRUE(differs([](auto& s) { s.node = id_of<NodeId>(2); }));
  EXPECT_TRUE(differs([](auto& s) { s.workflow_id = "x"; }));
  EXPECT_TRUE(differs([](auto& s) { s.workflow_hash = sha256("x"); }));
  EXPECT_TRUE(differs([](auto& s) { s.workflow_form = 2; }));
  EXPECT_TRUE(differs([](auto& s) { s.kind = NodeKind::checkpoint; }));
  EXPECT_TRUE(differs([](auto& s) { s.cursor.position = 1; }));
  EXPECT_TRUE(differs([](auto& s) { s.cursor.frames = {CursorFrame{}}; }));
  EXPECT_FALSE(differs([](auto& s) { s.ledger = std::make_shared<const KnownFacts>(); }));
  EXPECT_TRUE(differs([](auto& s) {
    s.ledger = std::make_shared<const KnownFacts>(
        KnownFacts{.gaps_recorded = 1, .open_gaps = {}, .capabilities = {}, .assessments = {}});
  }));
  EXPECT_TRUE(differs([](auto& s) { s.open_steps = {}; }));
  EXPECT_TRUE(differs([](auto& s) { s.context = std::make_shared<Object>(Object{{"x", 1}}); }));
  EXPECT_TRUE(differs([](auto& s) { s.preferences.risk_policy = RiskPolicy::balanced; }));
}

TEST(snapshot, other_shapes_are_corrupt_and_newer_ones_are_said_to_be_newer) {
  const Object right = *json::parse(write_snapshot(root_state()).value()).value().if_object();
  const auto code = [](const Value& value) { return code_of(read_snapshot(json::print(value))); };
  ASSERT_EQ(code(right), "ok");
  for (const json::Member& member : right) {
    Object without = right;
    without.erase(member.key);
    EXPECT_EQ(code(without), "STORE_CORRUPT") << member.key;
    Object wrong = right;
    wrong.set(member.key, true);
    EXPECT_EQ(code(wrong), "STORE_CORRUPT") << member.key;
  }
  const auto with = [&](std::string_view key, Value value) {
    Object changed = right;
    changed.set(key, std::move(value));
    return code(changed);
  };
  EXPECT_EQ(with("more", 1), "STORE_CORRUPT");
  EXPECT_EQ(with("v", 3), "STORE_NEWER");
  EXPECT_EQ(with("v", 0), "STORE_CORRUPT");
  EXPECT_EQ(with("autonomy", "bold"), "STORE_CORRUPT");
  EXPECT_EQ(with("riskPolicy", "bold"), "STORE_CORRUPT");
  for (const std::string_view text : {"", "{", "[]", "null"}) {
    EXPECT_EQ(code_of(read_snapshot(text)), "STORE_CORRUPT") << text;
  }
}

TEST(snapshot, has_the_second_format_when_it_holds_raises_or_refusals_for_missing_proof) {
  const auto version = [](const NodeState& state) {
    return *json::parse(write_snapshot(state).value()).value().find("v")->if_int();
  };
  const auto with = [](const KnownFacts& ledger) {
    NodeState state = root_state();
    state.ledger = std::make_shared<const KnownFacts>(ledger);
    EXPECT_EQ(read_snapshot(write_snapshot(state).value()).value(), state);
    return state;
  };
  KnownFacts old;
  old.setbacks = {.step = "a", .refused = 1, .failed = 2, .restarts = 3};
  EXPECT_EQ(version(root_state()), 1);
  NodeState newer = root_state();
  newer.workflow_form = 2;
  EXPECT_EQ(version(newer), 2);
  EXPECT_EQ(MUST(read_snapshot(MUST(write_snapshot(newer)))), newer);
  EXPECT_EQ(version(with(old)), 1);
  KnownFacts refused = old;
  refused.setbacks.unproven = 1;
  EXPECT_EQ(version(with(refused)), 2);
  KnownFacts raised = old;
  raised.raises = {
      {{Autonomy::full_auto_never_stop, {}}, {{}, {"ann", ChangedHow::terminal, ""}}, 2}};
  EXPECT_EQ(version(with(raised)), 2);
  KnownFacts waiting = old;
  waiting.open_gaps = {{"gap-1", GapSeverity::warning, Reason::evidence_missing, "s", "a"}};
  EXPECT_EQ(version(with(waiting)), 1);
  waiting.open_gaps.front().reason = Reason::gate_waiting;
  EXPECT_EQ(version(with(waiting)), 2);
}

TEST(fold, a_gap_for_missing_evidence_that_an_older_release_recorded_still_counts) {
  const NodeState state = with_facts(
      root_state(),
      {GapRecorded{
          the_run, {}, {"gap-1", GapSeverity::critical, Reason::evidence_missing, "s", "a"}}});
  EXPECT_EQ(state.known().open_gaps.size(), 1u);
}

TEST(snapshot, is_due_past_both_bounds) {
  EXPECT_FALSE(snapshot_due(64, 1'000, 10));
  EXPECT_TRUE(snapshot_due(65, 1'000, 10));
  EXPECT_FALSE(snapshot_due(65, 10, 10));
  EXPECT_TRUE(snapshot_due(65, 11, 10));
}

std::string merge_code(Object& context, const Object& delta) {
  const Object before = context;
  const auto merged = merge_context(context, delta);
  if (!merged) {
    EXPECT_EQ(context, before) << "a refused merge changed the context";
  }
  return merged ? "ok" : std::string(name_of(merged.error().code));
}

std::string merge_code(const Object& delta) {
  Object context{{"kept", true}};
  return merge_code(context, delta);
}

TEST(merge_context, is_shallow_and_null_deletes) {
  Object context{{"a", 1}, {"b", Object{{"x", 1}}}, {"c", 3}};
  EXPECT_EQ(
      merge_code(context, {{"b", Object{{"y", 2}}}, {"c", nullptr}, {"d", 4}, {"none", nullptr}}),
      "ok");
  EXPECT_EQ(context, (Object{{"a", 1}, {"b", Object{{"y", 2}}}, {"d", 4}}));
}

TEST(merge_context, reserved_keys_are_refused_at_the_top_only) {
  for (const std::string_view key : {"__proto__", "constructor", "prototype", "_baton"}) {
    EXPECT_EQ(merge_code({{"x", 1}, {std::string(key), 1}}), "INVALID_INPUT") << key;
    EXPECT_EQ(merge_code({{std::string(key), nullptr}}), "INVALID_INPUT") << key;
    EXPECT_EQ(merge_code({{"x", Object{{std::string(key), 1}}}}), "ok") << key;
  }
}

// Enforces: G9
TEST(merge_context, size_is_bounded) {
  const std::size_t around = json::canonical(Object{{"k", ""}}).value().size();
  Object context;
  EXPECT_EQ(merge_code(context, {{"k", std::string(limits::context_bytes_max - around, 'x')}}),
            "ok");
  EXPECT_EQ(json::canonical(context).value().size(), limits::context_bytes_max);
  EXPECT_EQ(merge_code(context, {{"k", std::string(limits::context_bytes_max - around + 1, 'x')}}),
            "LIMIT_EXCEEDED");
  // What counts is the whole, not the delta.
  EXPECT_EQ(merge_code(context, {{"j", 1}}), "LIMIT_EXCEEDED");
  EXPECT_EQ(merge_code(context, {{"k", nullptr}, {"j", 1}}), "ok");
}

Value nested(std::size_t containers, Value innermost) {
  for (; containers > 0; --containers) {
    innermost = containers % 2 == 0 ? Value(json::Array{std::move(innermost)})
                                    : Value(Object{{"n", std::move(innermost)}});
  }
  return innermost;
}

// Enforces: G9
TEST(merge_context, depth_is_bounded) {
  // The context itself is the first level.
  constexpr std::size_t inside = limits::context_depth_max - 1;
  EXPECT_EQ(merge_code({{"k", nested(inside, 1)}}), "ok");
  EXPECT_EQ(merge_code({{"k", nested(inside + 1, 1)}}), "LIMIT_EXCEEDED");
  EXPECT_EQ(merge_code({{"k", nested(inside - 1, Object{})}}), "ok");
  EXPECT_EQ(merge_code({{"k", nested(inside, Object{})}}), "LIMIT_EXCEEDED");
  EXPECT_EQ(merge_code({{"k", nested(inside, json::Array{})}}), "LIMIT_EXCEEDED");
}

TEST(merge_context, deepest_context_can_be_recorded_and_read_back) {
  Object context;
  ASSERT_EQ(merge_code(context, {{"k", nested(limits::context_depth_max - 1, 1)}}), "ok");
  const std::vector<Event> events{
      ContextSet{the_run, id_of<NodeId>(1), ContextSource::initial, context}};
  EXPECT_EQ(decode_events(encode_events(events).value()).value(), events);
  NodeState state = root_state();
  state.context = std::make_shared<Object>(context);
  EXPECT_EQ(read_snapshot(write_snapshot(state).value()).value(), state);
}

// Enforces: G6
TEST(merge_context, numbers_that_the_log_would_change_are_refused) {
  constexpr std::int64_t edge = std::int64_t{1} << 53;
  for (const Value& number : {Value(edge), Value(-edge), Value(1e300), Value(0.1),
                              Value(1'000'000'000'000'000'000), Value(-0.0)}) {
    EXPECT_EQ(merge_code({{"n", number}}), "ok") << json::print(number);
  }
  // 2^60 is a double, but its canonical text is another integer.
  for (const Value& number :
       {Value(std::int64_t{1} << 60), Value(edge + 1), Value(1152921504606846976.0),
        Value(std::numeric_limits<std::int64_t>::max())}) {
    EXPECT_EQ(merge_code({{"n", number}}), "NUMBER_INEXACT") << json::print(number);
    EXPECT_EQ(merge_code({{"n", json::Array{Object{{"m", number}}}}}), "NUMBER_INEXACT");
  }
}

// Enforces: G6
RC_GTEST_PROP(merge_context, what_was_merged_comes_back_from_the_log, ()) {
  json::testing::ShrinkingChoices choose;
  Object delta;
  for (std::size_t left = choose(4); left > 0; --left) {
    delta.set(json::testing::any_string(choose), json::testing::any_value(choose, 2));
  }
  Object context;
  RC_PRE(merge_context(context, delta).has_value());
  const Event event = ContextSet{the_run, id_of<NodeId>(1), ContextSource::initial, delta};
  const auto back = MUST(decode_events(MUST(encode_events(std::span(&event, 1)))));
  RC_ASSERT(std::get<ContextSet>(back[0]).delta == delta);
}

}  // namespace
}  // namespace baton::run
