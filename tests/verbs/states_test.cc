// The state of runs: what steps write, what follows from it, and that it is where its node is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "adapters/script/quickjs_host.h"
#include "base/text/text.h"
#include "support/world.h"
#include "verbs/run/history.h"
#include "verbs/run/traces.h"
#include "verbs/run/update_state.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/import_bundle.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using json::Array;
using json::Object;
using json::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view counting = R"json({"id":"counting",
 "inputs":{"limit":{"type":"integer","default":3}},
 "default_state":{"raw":{"count":0,"items":["{{ 'at ' + inputs.limit }}"],"steps_completed":[],
                         "retry_counts":{}}},
 "state_schema":{"raw":{"count":"integer","items":"array","last":"string",
                        "steps_completed":"array","retry_counts":"object"},
  "computed":{
   "doubled":{"from":"raw.count","transform":"input * 2"},
   "quadrupled":{"from":"computed.doubled","transform":"input * 2"},
   "strict":{"from":"raw.last","transform":"JSON.parse(input)","on_error":"propagate"},
   "safe":{"from":"raw.last","transform":"JSON.parse(input)","fallback":0},
   "quiet":{"from":"raw.last","transform":"JSON.parse(input)","on_error":"ignore"}}},
 "steps":[
  {"id":"a","prompt":"Count is {{ count }}, {{ doubled + 1 }}.",
   "state_update":{"path":"raw.last","value":"{{ result }}"}},
  {"id":"w","type":"while","condition":"count < inputs.limit","body":[
    {"id":"i","type":"state_update","path":"raw.count","operation":"increment"},
    {"id":"n","type":"state_update","path":"raw.items","operation":"append",
     "value":"round {{ loop.iteration }}"}]},
  {"id":"b","prompt":"{{ items | lines }} {{ quadrupled }}"}]})json";

/// Fails the test that runs a script.
class NoScripts final : public ports::ScriptHost {
 public:
  std::vector<std::optional<state::ScriptProblem>> check(
      std::span<const state::Script> scripts) override {
    return std::vector<std::optional<state::ScriptProblem>>(scripts.size());
  }
  std::vector<state::ScriptResult> evaluate(std::span<const state::Evaluation> batch,
                                            const ports::ScriptQueueKey&) override {
    ADD_FAILURE() << "a script was run: " << batch.front().script.source;
    return {batch.size(), std::unexpected(state::ScriptProblem{})};
  }
};

class states : public ::testing::Test {
 protected:
  states() { add("counting", counting); }

  void add(std::string_view name, std::string_view text) {
    world.workflows.files.push_back(
        {"project", cat("flows/", name, ".json"), std::string(text), {}});
  }

  static ports::ScriptHost& host() {
    static adapters::QuickJsHost host;
    return host;
  }

  engine::Engine engine(ports::ScriptHost* scripts = &host()) {
    engine::Engine out = world.engine();
    out.scripts = scripts;
    return out;
  }

  Result<surface::SignedReply> start(std::string_view name, Object context = {}) {
    engine::Engine with = engine();
    return surface::start(with, world.principal,
                          {std::string(name), "try it", std::move(context), {}});
  }

  Result<surface::SignedReply> advance(const std::optional<std::string>& ack, Value result,
                                       ports::ScriptHost* scripts = &host()) {
    engine::Engine with = engine(scripts);
    run::StepInput input;
    input.artifacts.push_back(Object{{"kind", "baton.result"}, {"value", std::move(result)}});
    return surface::advance(with, world.principal, {*ack, std::nullopt, std::move(input)});
  }

  run::RunRow row(const surface::SignedReply& reply) {
    return *MUST(world.store.run(reply.reply.run));
  }

  verbs::StateView view(const surface::SignedReply& reply, std::vector<std::string> paths = {}) {
    return MUST(verbs::read_state(
        engine().reading(), row(reply),
        {.node = reply.reply.state.node, .frame = {}, .paths = std::move(paths)}));
  }

  Value at(const surface::SignedReply& reply, const std::string& path) {
    const auto values = view(reply, {path}).values;
    const Value* found = values.find(path);
    return found == nullptr ? Value("(undefined)") : *found;
  }

  World world;
};

TEST_F(states, begin_with_their_defaults_and_what_follows_from_them) {
  const auto started = MUST(start("counting", {{"limit", 2}}));
  EXPECT_EQ(started.reply.pending->prompt.substr(0, 14), "Count is 0, 1.");
  EXPECT_EQ(at(started, "items"), (Array{"at 2"}));
  EXPECT_EQ(at(started, "computed.quadrupled"), Value(0));
  EXPECT_EQ(at(started, "safe"), Value(0));
  EXPECT_THAT(view(started, {"quiet", "raw.last"}).undefined, ElementsAre("quiet", "raw.last"));
}

TEST_F(states, change_as_steps_say_and_loops_go_by_them) {
  const auto started = MUST(start("counting"));
  const auto second = MUST(advance(started.ack_token, "[1,2]"));
  EXPECT_EQ(at(second, "count"), Value(3));
  EXPECT_EQ(at(second, "items"), (Array{"at 3", "round 1", "round 2", "round 3"}));
  EXPECT_EQ(at(second, "strict"), (Array{1, 2}));
  EXPECT_EQ(second.reply.pending->prompt, "at 3\nround 1\nround 2\nround 3 12");
  EXPECT_EQ(at(second, "steps_completed"),
            (Array{"a", "w@0::i", "w@0::n", "w@1::i", "w@1::n", "w@2::i", "w@2::n"}));
}

TEST_F(states, of_a_batch_that_fails_are_as_they_were) {
  const auto started = MUST(start("counting"));
  const run::CommitNo before = world.last_commit();
  const auto failed = advance(started.ack_token, "no JSON");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::SCRIPT_FAILED);
  EXPECT_THAT(failed.error().message, HasSubstr("the computed field \"strict\""));
  const auto mistyped = advance(started.ack_token, 7);
  ASSERT_FALSE(mistyped);
  EXPECT_EQ(mistyped.error().code, Code::STATE_WRONG_TYPE);
  EXPECT_THAT(mistyped.error().message,
              HasSubstr("\"raw.last\": expected string, got integer; nothing was recorded"));
  EXPECT_EQ(world.last_commit(), before);
}

// Enforces: G6
TEST_F(states, are_folded_replayed_and_verified_without_scripts) {
  NoScripts none;
  const auto started = MUST(start("counting"));
  const auto second = MUST(advance(started.ack_token, "[1]"));
  world.forget();
  EXPECT_TRUE(same(MUST(advance(started.ack_token, "[1]", &none)), second));
  for (const auto* each : {&started, &second}) {
    world.forget();
    const auto back =
        MUST(surface::rehydrate(engine(&none).reading(), world.principal, each->state_token));
    EXPECT_EQ(back.reply.pending, each->reply.pending);
  }
  for (const auto& [node, state] : world.folded_states()) {
    EXPECT_EQ(MUST(world.cold_state(node)), state);
    EXPECT_EQ(MUST(run::read_snapshot(MUST(run::write_snapshot(state)))), state);
  }
  EXPECT_THAT(MUST(verbs::verify(world.store)).problems, ::testing::IsEmpty());
}

TEST_F(states, are_those_of_their_own_node_after_a_rewind) {
  const auto started = MUST(start("counting"));
  const auto one = MUST(advance(started.ack_token, "1"));
  const auto other = MUST(advance(started.ack_token, "2"));
  ASSERT_TRUE(other.reply.left);
  EXPECT_EQ(at(one, "strict"), Value(1));
  EXPECT_EQ(at(other, "strict"), Value(2));
  EXPECT_EQ(at(other, "count"), Value(3));
  EXPECT_EQ(at(started, "count"), Value(0));
}

TEST_F(states, can_be_changed_from_outside_and_tokens_stay_good) {
  const auto started = MUST(start("counting"));
  engine::Engine with = engine();
  const auto changed = MUST(verbs::update_state(
      with, world.principal, row(started),
      {.node = {}, .updates = {{"raw.count", "set", 2}, {"raw.items", "append", "x"}}}));
  EXPECT_EQ(*changed.values.find("quadrupled"), Value(8));
  const auto second = MUST(advance(started.ack_token, "1"));
  EXPECT_EQ(at(second, "items"), (Array{"at 3", "x", "round 1"}));
  EXPECT_EQ(at(started, "count"), Value(0));
  for (const auto& [update, code] : std::vector<std::pair<verbs::RequestedUpdate, Code>>{
           {{"computed.doubled", "", 1}, Code::STATE_READ_ONLY},
           {{"inputs.limit", "", 1}, Code::STATE_READ_ONLY},
           {{"raw.cuont", "", 1}, Code::STATE_UNKNOWN_NAME},
           {{"raw.count", "", "x"}, Code::STATE_WRONG_TYPE},
           {{"raw.count", "divide", 1}, Code::INVALID_INPUT},
           {{"raw..x", "", 1}, Code::STATE_BAD_PATH}}) {
    const auto refused =
        verbs::update_state(with, world.principal, row(second), {.node = {}, .updates = {update}});
    ASSERT_FALSE(refused) << update.path;
    EXPECT_EQ(refused.error().code, code) << update.path << refused.error().message;
  }
  const auto done = MUST(advance(second.ack_token, "1"));
  EXPECT_FALSE(verbs::update_state(with, world.principal, row(done),
                                   {.node = {}, .updates = {{"raw.count", "", 1}}}));
}

TEST_F(states, tell_how_they_came_about) {
  const auto started = MUST(start("counting"));
  const auto second = MUST(advance(started.ack_token, "1"));
  const auto traced =
      MUST(verbs::traces(engine().reading(), row(second), {.node = {}, .field = "quadrupled"}))
          .traces;
  ASSERT_EQ(traced.size(), 4u);
  EXPECT_EQ(traced[0].trigger, "start");
  EXPECT_EQ(traced[3].trigger, "computed.doubled");
  EXPECT_EQ(traced[3].cause, "w@2::i");
  EXPECT_EQ(traced[3].input, Value(6));
  EXPECT_EQ(traced[3].output, Value(12));
  EXPECT_EQ(traced[3].node, second.reply.state.node);
  const auto failing =
      MUST(verbs::traces(engine().reading(), row(second), {.node = {}, .field = "safe"})).traces;
  EXPECT_EQ(failing[0].outcome, "fallback");
  EXPECT_THAT(failing[0].problem, HasSubstr("SyntaxError"));
  EXPECT_EQ(failing[1].outcome, "computed");
}

// Enforces: G9
TEST_F(states, tell_how_the_newest_of_them_came_about_when_there_are_many) {
  const auto second = MUST(advance(MUST(start("counting")).ack_token, "1"));
  verbs::TraceQuery query{.node = {}, .field = "quadrupled"};
  EXPECT_EQ(query.nodes_max, limits::traced_nodes_max);
  const auto traced = [&] { return MUST(verbs::traces(engine().reading(), row(second), query)); };
  query.nodes_max = 2;
  const verbs::Traced whole = traced();
  EXPECT_TRUE(whole.is_whole);
  query.nodes_max = 1;
  const verbs::Traced newest = traced();
  EXPECT_FALSE(newest.is_whole);
  ASSERT_EQ(newest.traces.size() + 1, whole.traces.size());
  // What they were computed from is the same, from every starting node.
  for (std::size_t i = 0; i < newest.traces.size(); ++i) {
    EXPECT_EQ(newest.traces[i].input, whole.traces[i + 1].input);
    EXPECT_EQ(newest.traces[i].output, whole.traces[i + 1].output);
  }
}

TEST_F(states, travel_with_a_bundle) {
  const auto started = MUST(start("counting"));
  const auto second = MUST(advance(started.ack_token, "1"));
  const std::string bundle = MUST(verbs::export_bundle(world.store, started.reply.session));
  World there(2);
  engine::Engine with = there.engine();
  MUST(verbs::import_bundle(with, bundle));
  const auto states_here = world.folded_states();
  const auto states_there = there.folded_states();
  ASSERT_EQ(states_here.size(), states_there.size());
  EXPECT_EQ(*states_there.rbegin()->second.states, *states_here.rbegin()->second.states);
}

constexpr std::string_view blocked_text = R"({"id":"blocked",
 "default_state":{"raw":{"seen":[],"retry_counts":{},"steps_completed":[]}},
 "state_schema":{"raw":{"seen":"array","retry_counts":"object","last_error":"object",
                        "steps_completed":"array"}},
 "steps":[{"id":"l","type":"loop","loop":{"type":"while","maxIterations":5,
            "conditionSource":{"kind":"artifact_contract","contractRef":"loop_control"}},
   "body":[{"id":"a","prompt":"P.",
     "state_update":{"path":"raw.seen","operation":"append","value":"{{ result }}"}}]}]})";

TEST_F(states, keep_nothing_of_an_attempt_that_does_not_pass_but_that_it_was_made) {
  add("blocked", blocked_text);
  const auto started = MUST(start("blocked"));
  const auto blocked = MUST(advance(started.ack_token, "lost"));
  EXPECT_EQ(blocked.reply.kind, run::ReplyKind::blocked);
  EXPECT_EQ(at(blocked, "seen"), Array());
  EXPECT_EQ(at(blocked, "steps_completed"), Array());
  EXPECT_EQ(at(blocked, "retry_counts"), (Object{{"l@0::a", 1}}));
  EXPECT_EQ(at(blocked, "last_error.step"), Value("l@0::a"));
}

constexpr std::string_view inner_text = R"json({"id":"inner","inputs":{"n":{"type":"integer"}},
 "default_state":{"raw":{"seen":"{{ inputs.n + 1 }}"}},
 "state_schema":{"raw":{"seen":"integer"},
  "computed":{"square":{"from":"raw.seen","transform":"input * input"}}},
 "steps":[{"id":"s","type":"state_update","path":"raw.seen","operation":"increment"},
          {"id":"p","prompt":"Seen {{ seen }}, square {{ square }}, all {{ global.total }}."},
          {"id":"g","type":"state_update","path":"global.total","operation":"increment"}]})json";
constexpr std::string_view outer_text = R"json({"id":"outer",
 "default_state":{"raw":{"total":10}},"state_schema":{"raw":{"total":"integer"},
  "computed":{"both":{"from":["raw.total","this.inc.square"],
                      "transform":"input[0] + (input[1] ?? 0)"}}},
 "steps":[{"id":"inc","type":"include_workflow","workflow":"inner","inputs":{"n":"{{ total }}"}},
          {"id":"q","prompt":"{{ inc.square }} {{ square }} {{ both }}"}]})json";

TEST_F(states, of_an_included_workflow_are_its_own_and_what_it_computed_stays) {
  add("inner", inner_text);
  add("outer", outer_text);
  const auto started = MUST(start("outer"));
  EXPECT_EQ(started.reply.pending->prompt, "Seen 12, square 144, all 10.");
  EXPECT_THAT(view(started).frames, ElementsAre("", "inc"));
  const auto second = MUST(advance(started.ack_token, "x"));
  EXPECT_EQ(second.reply.pending->prompt, "144 144 155");
  EXPECT_THAT(view(second).frames, ElementsAre(""));
  EXPECT_EQ(at(second, "total"), Value(11));
  for (const auto& [node, state] : world.folded_states()) {
    EXPECT_EQ(MUST(world.cold_state(node)), state);
  }
}

}  // namespace
}  // namespace baton::testing
