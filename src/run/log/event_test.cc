// Origin: 004-4, 004-23

#include "run/log/event.h"

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

std::string code_of(const Value& event) {
  const auto read = event_from_json(event);
  return read ? "ok" : std::string(name_of(read.error().code));
}

std::string body_code(std::string_view body) {
  const auto read = decode_events(body);
  return read ? "ok" : std::string(name_of(read.error().code));
}

/// One event of each kind and payload, with every optional field.
std::vector<Event> one_of_each() {
  const auto run = id_of<RunId>(1);
  const auto node = id_of<NodeId>(2);
  const auto other = id_of<NodeId>(3);
  return {SessionCreated{},
          RunStarted{run, "demo", sha256("w"), "goal"},
          NodeCreated{run,
                      node,
                      other,
                      NodeKind::checkpoint,
                      2,
                      {"a", "b"},
                      "z",
                      {{1, 2, 3, LoopDecision::stop, std::make_shared<const Value>(4)}}},
          EdgeCreated{run, other, node, EdgeKind::checkpoint, EdgeCause::checkpoint_created},
          AdvanceRecorded{run,
                          node,
                          {AttemptKind::checkpoint, 63, 1022},
                          "a",
                          other,
                          {{1'700'000'000'000}, 18'446'744'073'709'551'615u},
                          sha256("i"),
                          Object{{"kind", "ok"}}},
          NodeOutputAppended{run, node, Notes{"done"}},
          NodeOutputAppended{run, node, Artifact{sha256("3"), 3}},
          ContextSet{run, node, ContextSource::agent_delta, {{"k", nullptr}}},
          PreferencesChanged{run,
                             node,
                             {Autonomy::full_auto_never_stop, RiskPolicy::balanced},
                             PreferenceChange{{}, {"local", ChangedHow::call, "tool"}}},
          TokensRevoked{run},
          ObservationRecorded{run, ObservationKey::workspace_path, "/work"},
          McpTaskChanged{id_of<TaskId>(4),
                         McpTaskCall{"local", "long_job", {{"n", 1}}, {{"roots", 1}}, 60'000, 500},
                         McpTaskStatus::input_required,
                         "boot:1",
                         "asking",
                         3,
                         {{"k", Object{{"method", "roots/list"}}}},
                         {{"j", true}},
                         {{"content", 1}},
                         {{"code", -32603}}},
          DecisionTraceAppended{
              run, node, {{TraceKind::entered_loop, "begins", {{TraceRefKind::loop_id, "l"}}}}},
          ValidationPerformed{run, node, "loop_control", false, {"missing"}, {"add it"}},
          GapRecorded{
              run,
              node,
              {"gap-1", GapSeverity::critical, Reason::missing_required_output, "none came", "a"}},
          GapResolved{run, node, "gap-1", "it came"},
          CapabilityObserved{run, node, Capability::web_browsing, CapabilityStatus::unavailable,
                             Provenance::attempted_use, "NO_NETWORK", "tried"},
          DivergenceRecorded{run, node, DivergenceReason::safety_stop, "would harm", "b"},
          AssessmentRecorded{
              run, node, {"risk", {{"impact", "high", "because"}}, "bad", {"look again"}}},
          RunStateChanged{run, node, RunState::abandoned, "enough", true},
          StepFailed{run, node, {"a", "agent", "no luck"}, Consequence::retry},
          RunHeld{run, 2, Hold::cancelled, "enough", {"local", ChangedHow::terminal, {}}},
          GuidanceGiven{run, {3, "be brief", {"local", ChangedHow::terminal, {}}}},
          GuidanceDelivered{run, node, 3},
          DecisionsImported{2, 40}};
}

RC_GTEST_PROP(event, every_list_of_events_comes_back_from_its_text, ()) {
  json::testing::ShrinkingChoices choose;
  std::vector<Event> events;
  for (std::size_t left = choose(5); left > 0; --left) events.push_back(testing::any_event(choose));
  const std::string body = MUST(encode_events(events));
  const std::vector<Event> back = MUST(decode_events(body));
  RC_ASSERT(back == events);
  RC_ASSERT(MUST(encode_events(back)) == body);
  RC_ASSERT(MUST(json::canonical(MUST(json::parse(body, {limits::commit_bytes_max, 80})))) == body);
}

TEST(event, generator_draws_every_kind) {
  std::set<std::string> drawn;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    json::testing::SeededChoices choose(seed);
    drawn.insert(std::string(kind_name(testing::any_event(choose))));
  }
  EXPECT_EQ(drawn.size(), std::variant_size_v<AnyEvent>);
}

TEST(event, a_kind_that_0_1_0_does_not_know_needs_a_higher_format) {
  const std::set<std::string_view> known = {"advance_recorded",
                                            "assessment_recorded",
                                            "capability_observed",
                                            "context_set",
                                            "decision_trace_appended",
                                            "divergence_recorded",
                                            "edge_created",
                                            "evidence_recorded",
                                            "gap_recorded",
                                            "gap_resolved",
                                            "mcp_task_changed",
                                            "node_created",
                                            "node_output_appended",
                                            "observation_recorded",
                                            "preferences_changed",
                                            "process_finished",
                                            "process_intended",
                                            "run_started",
                                            "run_state_changed",
                                            "session_created",
                                            "state_updated",
                                            "step_failed",
                                            "task_leased",
                                            "task_settled",
                                            "tokens_revoked",
                                            "validation_performed"};
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    json::testing::SeededChoices choose(seed);
    const Event event = testing::any_event(choose);
    EXPECT_TRUE(known.contains(kind_name(event)) || format_of(event) > 1) << kind_name(event);
  }
}

TEST(event, a_name_or_field_that_0_1_0_does_not_know_needs_a_higher_format) {
  const auto run = id_of<RunId>(1);
  const auto node = id_of<NodeId>(2);
  const auto gap_for = [&](Reason reason) {
    return GapRecorded{run, node, {"gap-1", GapSeverity::warning, reason, "s", "a"}};
  };
  const auto is_newer = [](std::string_view name) {
    return name.starts_with("gate_") || name == "loop_bound_reached";
  };
  for (const std::string_view name : names<Reason>()) {
    EXPECT_EQ(format_of(gap_for(*from_name<Reason>(name))), is_newer(name) ? 2 : 1) << name;
  }
  const auto told = [&](Object reply) {
    AdvanceRecorded advance;
    advance.reply = std::move(reply);
    return format_of(advance);
  };
  EXPECT_EQ(told({{"kind", "ok"}}), 1);
  for (const char* member : {"left", "gate", "assumptions", "guidance"}) {
    EXPECT_EQ(told({{member, json::Array{}}}), 2) << member;
  }
  const auto entry = [](const char* key, std::string_view name) {
    return json::Array{Object{{"code", "EVIDENCE_MISSING"}, {"reason", "evidence_missing"}},
                       Object{{key, name}}};
  };
  for (const std::string_view name : names<BlockerCode>()) {
    EXPECT_EQ(told({{"blockers", entry("code", name)}}), name.starts_with("GATE_") ? 2 : 1);
  }
  for (const std::string_view name : names<Reason>()) {
    EXPECT_EQ(told({{"gaps", entry("reason", name)}}), is_newer(name) ? 2 : 1) << name;
  }
}

TEST(event, body_is_written_as_the_format_says) {
  const std::vector<Event> events = {SessionCreated{},
                                     AdvanceRecorded{id_of<RunId>(1),
                                                     id_of<NodeId>(2),
                                                     {AttemptKind::advance, 0, 1},
                                                     "a",
                                                     id_of<NodeId>(3),
                                                     {{5}, 18'446'744'073'709'551'615u},
                                                     sha256("i"),
                                                     Object{{"kind", "ok"}}}};
  const std::string run = id_of<RunId>(1).text();
  EXPECT_EQ(run, "run_01000000000000000000000001");
  EXPECT_EQ(encode_events(events).value(),
            R"({"events":[{"kind":"session_created"},{"attempt":1,"drawn":{"now_ms":5,)"
            R"("seed":"18446744073709551615"},"input":")" +
                sha256("i").hex() +
                R"(","intent":"advance","kind":"advance_recorded",)"
                R"("node":"node_01000000000000000000000002","ordinal":0,)"
                R"("reply":{"kind":"ok"},"run":"run_01000000000000000000000001","step":"a",)"
                R"("to":"node_01000000000000000000000003"}],"v":1})");
}

TEST(event, only_a_change_of_preferences_that_says_who_and_how_needs_the_second_format) {
  PreferencesChanged changed{id_of<RunId>(1), id_of<NodeId>(2), {}};
  EXPECT_EQ(encode_events({{changed}}).value(),
            R"({"events":[{"autonomy":"guided","kind":"preferences_changed",)"
            R"("node":"node_01000000000000000000000002","riskPolicy":"conservative",)"
            R"("run":"run_01000000000000000000000001"}],"v":1})");
  changed.effective.autonomy = Autonomy::full_auto_never_stop;
  changed.change = {{}, {"local", ChangedHow::call, "continue_workflow"}};
  EXPECT_EQ(encode_events({{changed}}).value(),
            R"({"events":[{"autonomy":"full_auto_never_stop","change":{"by":"local",)"
            R"("from":{"autonomy":"guided","riskPolicy":"conservative"},"how":"call",)"
            R"("tool":"continue_workflow"},"kind":"preferences_changed",)"
            R"("node":"node_01000000000000000000000002","riskPolicy":"conservative",)"
            R"("run":"run_01000000000000000000000001"}],"v":2})");
}

TEST(event, only_a_run_of_a_workflow_that_0_1_0_does_not_read_needs_the_second_format) {
  RunStarted started{id_of<RunId>(1), "demo", sha256("w"), "g"};
  EXPECT_EQ(encode_events({{started}}).value(),
            cat(R"({"events":[{"goal":"g","kind":"run_started",)",
                R"("run":"run_01000000000000000000000001","workflow":"demo","workflowHash":")",
                sha256("w").hex(), R"("}],"v":1})"));
  started.workflow_form = 2;
  EXPECT_EQ(encode_events({{started}}).value(),
            cat(R"({"events":[{"goal":"g","kind":"run_started",)",
                R"("run":"run_01000000000000000000000001","workflow":"demo","workflowForm":2,)",
                R"("workflowHash":")", sha256("w").hex(), R"("}],"v":2})"));
}

TEST(event, kinds_of_the_closed_set_that_are_not_written_yet_need_a_newer_release) {
  for (const std::string_view kind :
       {"step_settled", "artifacts_finalized", "stall_noted", "project_observed"}) {
    EXPECT_EQ(code_of(Object{{"kind", kind}, {"anything", 1}}), "STORE_NEWER") << kind;
  }
}

// Enforces: G9
TEST(event, a_body_is_read_down_to_its_depth) {
  // Four levels are the body, the list, the event and its context.
  const auto body = [](std::size_t depth) {
    const std::size_t inner = depth - 4;
    return cat(R"({"events":[{"context":{"k":)", std::string(inner, '['), std::string(inner, ']'),
               R"(},"kind":"context_set","node":")", id_of<NodeId>(1).text(), R"(","run":")",
               id_of<RunId>(1).text(), R"(","source":"initial"}],"v":1})");
  };
  EXPECT_EQ(body_code(body(limits::commit_depth_max)), "ok");
  EXPECT_EQ(body_code(body(limits::commit_depth_max + 1)), "STORE_CORRUPT");
}

TEST(event, what_is_in_no_release_is_corrupt) {
  EXPECT_EQ(code_of(Object{{"kind", "tea_made"}}), "STORE_CORRUPT");
  EXPECT_EQ(code_of(Object{{"kind", ""}}), "STORE_CORRUPT");
  EXPECT_EQ(code_of(Object{{"kind", 3}}), "STORE_CORRUPT");
  EXPECT_EQ(code_of(Object{}), "STORE_CORRUPT");
  EXPECT_EQ(code_of(json::Array{}), "STORE_CORRUPT");
  EXPECT_EQ(code_of(nullptr), "STORE_CORRUPT");
}

TEST(event, each_field_must_be_there_with_its_type_and_no_other) {
  const std::set<std::string> optional = {
      "change", "parent",       "settled",     "frames", "call",        "message",
      "state",  "requests",     "responses",   "result", "error",       "contract",
      "issues", "suggestions",  "failureCode", "detail", "relatedStep", "guidance",
      "why",    "resetsCounts", "worker"};
  const std::set<std::string> untyped = {"reply", "content", "state"};
  const std::set<std::string> texts = {
      "workflow", "goal", "settled", "step",        "notes",  "value",       "message",
      "contract", "gap",  "summary", "failureCode", "detail", "relatedStep", "assessment",
      "why",      "type", "worker",  "reason",      "text"};
  const std::set<std::string> objects = {"context", "requests", "responses", "result", "error"};
  for (const Event& event : one_of_each()) {
    const Object right = *to_json(event).if_object();
    ASSERT_EQ(code_of(right), "ok");
    for (const json::Member& member : right) {
      Object without = right;
      without.erase(member.key);
      // Only of an assessment may the summary be left out.
      const bool may_lack = optional.contains(member.key) ||
                            (member.key == "summary" && right.contains("assessment"));
      EXPECT_EQ(code_of(without), may_lack ? "ok" : "STORE_CORRUPT")
          << kind_name(event) << ' ' << member.key;
      for (const Value& wrong : {Value(nullptr), Value(true), Value(-1), Value(0.5),
                                 Value("no such name"), Value(json::Array{1}), Value(Object{})}) {
        if (untyped.contains(member.key)) continue;
        // Some fields are free texts, one is any integer, and some are any objects.
        if (wrong.is_string() && texts.contains(member.key)) continue;
        if (member.key == "position" && wrong == Value(-1)) continue;
        const bool is_flag = member.key == "valid" || member.key == "resetsCounts";
        if (is_flag && wrong == Value(true)) continue;
        if (wrong.is_object() && objects.contains(member.key)) continue;
        Object changed = right;
        changed.set(member.key, wrong);
        EXPECT_EQ(code_of(changed), "STORE_CORRUPT")
            << kind_name(event) << ' ' << member.key << ' ' << json::print(wrong);
      }
    }
    Object more = right;
    more.set("more", 1);
    EXPECT_EQ(code_of(more), "STORE_CORRUPT") << kind_name(event);
  }
}

TEST(event, inner_parts_of_facts_are_of_one_shape_too) {
  const auto with = [](std::size_t which, std::string_view key, const Value& value) {
    Object event = *to_json(one_of_each().at(which)).if_object();
    event.set(key, value);
    return code_of(event);
  };
  const Object frame{{"block", 0}, {"iteration", 0}, {"index", 0}};
  EXPECT_EQ(with(2, "frames", json::Array{frame}), "ok");
  for (const auto& [key, wrong] : {std::pair<std::string_view, Value>{"block", -1},
                                   {"iteration", "0"},
                                   {"index", -1},
                                   {"decision", "perhaps"},
                                   {"more", 1}}) {
    Object changed = frame;
    changed.set(key, wrong);
    EXPECT_EQ(with(2, "frames", json::Array{changed}), "STORE_CORRUPT") << key;
  }
  const Object entry{{"kind", "exited_loop"}, {"summary", "s"}, {"refs", json::Array{}}};
  EXPECT_EQ(with(12, "entries", json::Array{entry}), "ok");
  for (const auto& [key, wrong] : {std::pair<std::string_view, Value>{"kind", "slept"},
                                   {"summary", 1},
                                   {"refs", json::Array{Object{{"kind", "step_id"}}}},
                                   {"refs", json::Array{Object{{"kind", "x"}, {"value", "y"}}}},
                                   {"more", 1}}) {
    Object changed = entry;
    changed.set(key, wrong);
    EXPECT_EQ(with(12, "entries", json::Array{changed}), "STORE_CORRUPT") << key;
  }
  const Object dimension{{"id", "d"}, {"level", "high"}};
  EXPECT_EQ(with(18, "dimensions", json::Array{dimension}), "ok");
  EXPECT_EQ(with(18, "dimensions", json::Array{Object{{"id", "d"}}}), "STORE_CORRUPT");
  // The category follows from the reason.
  EXPECT_EQ(with(14, "category", "unexpected"), "STORE_CORRUPT");
  EXPECT_EQ(with(14, "category", "contract_violation"), "ok");
}

TEST(event, requirements_of_evidence_are_left_out_or_a_list) {
  const Event judged = EvidenceRecorded{id_of<RunId>(1), id_of<NodeId>(2), "a", {}, {}, {}};
  Object event = *to_json(judged).if_object();
  EXPECT_EQ(code_of(event), "ok");
  event.set("requirements", nullptr);
  EXPECT_EQ(code_of(event), "STORE_CORRUPT");
}

// Enforces: G9
TEST(event, attempts_stay_within_what_a_token_can_name) {
  const auto with = [](std::int64_t ordinal, std::int64_t attempt) {
    Object event = *to_json(one_of_each()[4]).if_object();
    event.set("ordinal", ordinal);
    event.set("attempt", attempt);
    return code_of(event);
  };
  EXPECT_EQ(with(0, 0), "ok");
  EXPECT_EQ(with(63, 1022), "ok");
  EXPECT_EQ(with(64, 0), "STORE_CORRUPT");
  EXPECT_EQ(with(0, 1023), "STORE_CORRUPT");
  EXPECT_EQ(with(-1, 0), "STORE_CORRUPT");
  EXPECT_EQ(with(0, -1), "STORE_CORRUPT");
}

TEST(event, seed_is_a_64_bit_number_written_in_one_way) {
  const auto with = [](std::string_view seed) {
    Object event = *to_json(one_of_each()[4]).if_object();
    event.set("drawn", Object{{"now_ms", 1}, {"seed", seed}});
    return code_of(event);
  };
  EXPECT_EQ(with("0"), "ok");
  EXPECT_EQ(with("18446744073709551615"), "ok");
  for (const std::string_view seed :
       {"", "18446744073709551616", "-1", "+1", " 1", "1 ", "0x1", "01", "1e3"}) {
    EXPECT_EQ(with(seed), "STORE_CORRUPT") << seed;
  }
}

TEST(commit_body, version_says_who_can_read_it) {
  EXPECT_EQ(body_code(R"({"events":[],"v":1})"), "ok");
  EXPECT_EQ(body_code(R"({"events":[],"v":3})"), "STORE_NEWER");
  for (const std::string_view body :
       {R"({"events":[],"v":0})", R"({"events":[],"v":-1})", R"({"events":[],"v":"1"})",
        R"({"events":[]})", R"({"v":1})", R"({"events":{},"v":1})", R"({"events":[],"v":1,"w":1})",
        "[]", "", "{", "\xFF"}) {
    EXPECT_EQ(body_code(body), "STORE_CORRUPT") << body;
  }
}

TEST(commit_body, one_bad_event_refuses_the_whole) {
  EXPECT_EQ(body_code(R"({"events":[{"kind":"session_created"},{"kind":"x"}],"v":1})"),
            "STORE_CORRUPT");
  EXPECT_EQ(body_code(R"({"events":[{"kind":"session_created"},{"kind":"stall_noted"}],"v":1})"),
            "STORE_NEWER");
}

TEST(commit_body, integer_without_an_exact_double_is_not_written) {
  Event event = ContextSet{id_of<RunId>(1),
                           id_of<NodeId>(1),
                           ContextSource::initial,
                           {{"n", (std::int64_t{1} << 53) + 1}}};
  EXPECT_EQ(encode_events(std::span(&event, 1)).error().code, Code::NUMBER_INEXACT);
}

TEST(commit_index, holds_what_the_store_must_find_again) {
  const auto events = one_of_each();
  const CommitIndex index = index_of(events);
  ASSERT_TRUE(index.started);
  EXPECT_EQ(index.started->run, id_of<RunId>(1));
  EXPECT_EQ(index.started->workflow_id, "demo");
  EXPECT_EQ(index.started->workflow_hash, sha256("w"));
  EXPECT_EQ(index.started->goal, "goal");
  ASSERT_EQ(index.nodes.size(), 1u);
  EXPECT_EQ(index.nodes[0], (NodeOutline{id_of<NodeId>(2),
                                         id_of<RunId>(1),
                                         id_of<NodeId>(3),
                                         NodeKind::checkpoint,
                                         {"a", "b"},
                                         "z"}));
  EXPECT_EQ(index.events, std::ssize(events));
  ASSERT_EQ(index.attempts.size(), 1u);
  EXPECT_EQ(index.attempts[0].node, id_of<NodeId>(2));
  EXPECT_EQ(index.attempts[0].key, (AttemptKey{AttemptKind::checkpoint, 63, 1022}));
  EXPECT_EQ(index.revoked, std::vector{id_of<RunId>(1)});
}

TEST(commit_index, of_nothing_is_empty) {
  const CommitIndex index = index_of({});
  EXPECT_FALSE(index.started);
  EXPECT_TRUE(index.nodes.empty() && index.attempts.empty() && index.revoked.empty());
}

}  // namespace
}  // namespace baton::run
