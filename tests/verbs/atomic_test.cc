// The atomic tools as a client meets them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/script/quickjs_host.h"
#include "base/text/text.h"
#include "protocol/arguments.h"
#include "protocol/features/tool.h"
#include "support/tool_results.h"
#include "support/world.h"
#include "surface/atomic/tools.h"
#include "verbs/run/complete_step.h"
#include "verbs/run/revoke.h"
#include "verbs/run/step_history.h"

namespace baton::testing {
namespace {

using json::Object;
using json::Value;
using protocol::ToolResult;
using ::testing::HasSubstr;

class atomic : public ::testing::Test {
 protected:
  ToolResult call(std::string_view name, Object arguments, std::string principal = "local") {
    const protocol::CheckedTool* tool = table_.find(name);
    auto accepted = protocol::accept_arguments(*tool, std::move(arguments));
    if (!accepted) return protocol::tool_error(accepted.error());
    auto result = std::get<ToolResult>(
        tool->tool.handler({.arguments = *std::move(accepted), .principal = std::move(principal)}));
    if (!result.is_error) {
      const auto fits = tool->output->check(result.structured);
      EXPECT_TRUE(fits) << name << ": " << fits.error().message;
      EXPECT_FALSE(result.text.empty()) << name;
    }
    return result;
  }

  std::string started(std::string principal = "local") {
    return at(call("workflow_start", {{"workflow", "demo"}}, std::move(principal)), "workflow_id");
  }
  ToolResult complete(const std::string& run, const std::string& step) {
    return call("workflow_step_complete", {{"workflow_id", run}, {"step_id", step}});
  }
  /// The id of the open step; empty when there is none.
  std::string open_step(const std::string& run) {
    const ToolResult result = call("workflow_get_next_step", {{"workflow_id", run}});
    const Value* id = result.structured.find("step")->find("id");
    return id == nullptr ? std::string() : *id->if_string();
  }
  std::int64_t nodes(const std::string& run) {
    return MUST(engine_.store.run(*RunId::parse(run)))->nodes;
  }

  World world_;
  engine::Engine engine_ = world_.engine();
  protocol::ToolTable table_ =
      protocol::ToolTable::make(surface::atomic::tools([this]() -> Result<engine::Engine*> {
        return &engine_;
      })).value();
};

TEST_F(atomic, steps_come_one_by_one_until_none_is_left) {
  const std::string run = started();
  for (const std::string step : {"a", "b", "c"}) {
    EXPECT_EQ(open_step(run), step);
    EXPECT_EQ(code(complete(run, step)), "ok");
  }
  EXPECT_EQ(open_step(run), "");
  const ToolResult ended = call("workflow_complete", {{"workflow_id", run}, {"status", "success"}});
  EXPECT_EQ(at(ended, "status"), "complete");
}

TEST_F(atomic, reading_tools_write_nothing) {
  const std::string run = started();
  const auto last = MUST(engine_.store.last_commit());
  for (const protocol::CheckedTool& each : table_.all()) {
    if (!each.tool.annotations.read_only) continue;
    call(each.tool.name, {{"workflow_id", run}});
    call(each.tool.name, {{"workflow", "demo"}});
  }
  EXPECT_EQ(MUST(engine_.store.last_commit()), last);
}

TEST_F(atomic, completing_a_step_again_gets_the_recorded_answer) {
  const std::string run = started();
  const ToolResult first = complete(run, "a");
  complete(run, "b");
  const std::int64_t before = nodes(run);
  const ToolResult again = complete(run, "a");
  EXPECT_EQ(again.structured, first.structured);
  EXPECT_EQ(nodes(run), before);
  const ToolResult other =
      call("workflow_step_complete", {{"workflow_id", run}, {"step_id", "a"}, {"result", "other"}});
  EXPECT_EQ(code(other), "ok");
  EXPECT_NE(other.structured.find("notice"), nullptr);
  EXPECT_EQ(nodes(run), before);
  EXPECT_EQ(open_step(run), "c");
}

TEST_F(atomic, run_of_another_caller_is_not_there) {
  const std::string run = started("ada@issuer");
  EXPECT_EQ(code(call("workflow_get_next_step", {{"workflow_id", run}})), "NOT_FOUND");
  EXPECT_EQ(code(complete(run, "a")), "NOT_FOUND");
  EXPECT_EQ(code(call("workflow_get_next_step", {{"workflow_id", run}}, "ada@issuer")), "ok");
  EXPECT_EQ(code(call("workflow_get_next_step", {{"workflow_id", started()}}, "ada@issuer")),
            "NOT_FOUND");
}

TEST_F(atomic, ended_run_has_no_step_and_stays_as_it_ended) {
  const std::string run = started();
  const auto end = [&](const std::string& status) {
    return at(call("workflow_complete", {{"workflow_id", run}, {"status", status}}), "status");
  };
  EXPECT_EQ(code(call("workflow_complete", {{"workflow_id", run}, {"status", "success"}})),
            "INVALID_INPUT");
  EXPECT_EQ(end("cancelled"), "abandoned");
  EXPECT_EQ(end("failed"), "abandoned");
  EXPECT_EQ(end("success"), "abandoned");
  EXPECT_EQ(open_step(run), "");
  EXPECT_EQ(code(complete(run, "a")), "NOT_FOUND");
}

TEST_F(atomic, token_from_before_the_end_begins_a_new_branch) {
  const surface::SignedReply first = MUST(world_.start());
  const std::string run = first.reply.run.text();
  call("workflow_complete", {{"workflow_id", run}, {"status", "failed"}});
  const surface::SignedReply next = MUST(world_.advance(*first.ack_token));
  EXPECT_EQ(next.reply.status, run::RunStatus::in_progress);
  EXPECT_EQ(open_step(run), "b");
}

TEST_F(atomic, failed_step_ends_the_run_once) {
  const std::string run = started();
  const auto fail_it = [&] {
    return call(
        "workflow_step_complete",
        {{"workflow_id", run}, {"step_id", "a"}, {"status", "failed"}, {"error", "it broke"}});
  };
  const ToolResult first = fail_it();
  EXPECT_EQ(at(first, "status"), "failed");
  EXPECT_EQ(fail_it().structured, first.structured);
  EXPECT_EQ(nodes(run), 2);
  const ToolResult info = call("workflow_debug_info", {{"workflow_id", run}});
  EXPECT_THAT(json::print(info.structured), HasSubstr(R"("step_id":"a")"));
  EXPECT_THAT(json::print(info.structured), HasSubstr(R"("status":"failed")"));
}

TEST_F(atomic, revoked_run_is_refused) {
  const std::string run = started();
  MUST(verbs::revoke(engine_, *MUST(engine_.store.run(*RunId::parse(run)))));
  EXPECT_EQ(code(call("workflow_get_next_step", {{"workflow_id", run}})), "TOKEN_REVOKED");
}

TEST_F(atomic, long_history_shows_the_newest_steps) {
  World world(1, limits::step_history_max + 1, 2);
  engine::Engine engine = world.engine();
  surface::SignedReply reply = MUST(world.start());
  const auto history = [&] {
    const engine::ReadContext reading = engine.reading();
    return MUST(verbs::step_history(
        reading, MUST(engine::find_open_step(reading, {}, reply.reply.run.text()))));
  };
  for (std::size_t i = 0; i < limits::step_history_max; ++i) {
    reply = MUST(world.advance(*reply.ack_token));
  }
  EXPECT_EQ(history().steps.size(), limits::step_history_max);
  EXPECT_TRUE(history().is_whole);
  reply = MUST(world.advance(*reply.ack_token));
  EXPECT_EQ(history().steps.size(), limits::step_history_max);
  EXPECT_FALSE(history().is_whole);
}

// Enforces: G9
TEST_F(atomic, history_reads_nodes_up_to_a_bound) {
  surface::SignedReply reply = MUST(world_.start());
  const auto is_whole = [&] {
    const engine::ReadContext reading = engine_.reading();
    return MUST(verbs::step_history(
                    reading, MUST(engine::find_open_step(reading, {}, reply.reply.run.text()))))
        .is_whole;
  };
  for (std::size_t nodes = 1; nodes < limits::step_history_nodes_max; ++nodes) {
    reply = MUST(world_.checkpoint(*reply.checkpoint_token));
  }
  EXPECT_TRUE(is_whole());
  reply = MUST(world_.checkpoint(*reply.checkpoint_token));
  EXPECT_FALSE(is_whole());
}

TEST_F(atomic, history_counts_a_step_from_when_it_became_open) {
  const surface::SignedReply first = MUST(world_.start());
  world_.manual_clock.advance_ms(5'000);
  MUST(world_.checkpoint(*first.checkpoint_token));
  world_.manual_clock.advance_ms(5'000);
  MUST(world_.advance(*first.ack_token));
  const engine::ReadContext reading = engine_.reading();
  const verbs::StepHistory history = MUST(verbs::step_history(
      reading, MUST(engine::find_open_step(reading, {}, first.reply.run.text()))));
  ASSERT_EQ(history.steps.size(), 1u);
  EXPECT_EQ(history.steps[0].completed.value - history.steps[0].started.value, 10'000);
}

constexpr std::string_view count_yaml = R"yaml(
id: count
name: Count
inputs: {limit: {type: integer, default: 2}}
default_state: {raw: {files: [], attempts: 0}}
state_schema:
  raw: {files: array, attempts: integer}
  computed:
    sources: {from: raw.files, transform: "input.filter(f => f.endsWith('.c'))"}
    total: {from: computed.sources, transform: input.length}
    enough: {from: [computed.total, inputs.limit], transform: "input[0] >= input[1]"}
steps:
  - {id: look, prompt: Look.}
  - id: more
    type: conditional
    condition: "{{ enough }}"
    then: [{id: done, prompt: "Enough: {{ total }}."}]
    else: [{id: again, prompt: Look again.}]
)yaml";

class atomic_state : public atomic {
 protected:
  atomic_state() {
    world_.workflows.files.push_back(
        {.source = "extra", .path = "count.yaml", .text = std::string(count_yaml), .problem = {}});
    engine_.scripts = &scripts_;
    run_ = at(call("workflow_start", {{"workflow", "count"}}), "workflow_id");
  }

  ToolResult update(json::Array updates) {
    return call("workflow_state_update", {{"workflow_id", run_}, {"updates", std::move(updates)}});
  }
  Object state() {
    return *call("workflow_state_read", {{"workflow_id", run_}})
                .structured.find("state")
                ->if_object();
  }

  adapters::QuickJsHost scripts_;
  std::string run_;
};

TEST_F(atomic_state, is_read_in_one_namespace) {
  EXPECT_EQ(state(), (Object{{"attempts", 0},
                             {"enough", false},
                             {"files", json::Array()},
                             {"limit", 2},
                             {"sources", json::Array()},
                             {"total", 0}}));
}

TEST_F(atomic_state, write_brings_what_is_computed_from_it_and_decides_the_next_step) {
  const ToolResult changed =
      update({Object{{"path", "raw.files"}, {"value", json::Array{"a.c", "b.h"}}},
              Object{{"path", "raw.files"}, {"operation", "append"}, {"value", "c.c"}},
              Object{{"path", "raw.attempts"}, {"operation", "increment"}, {"value", 1}}});
  EXPECT_EQ(code(changed), "ok");
  EXPECT_EQ(*state().find("total"), Value(2));
  EXPECT_EQ(*state().find("attempts"), Value(1));
  complete(run_, "look");
  EXPECT_EQ(open_step(run_), "done");
  const ToolResult end = call("workflow_complete", {{"workflow_id", run_}, {"status", "failed"}});
  EXPECT_EQ(*end.structured.find("final_state")->find("enough"), Value(true));
  EXPECT_EQ(code(update({Object{{"path", "raw.attempts"}, {"value", 2}}})), "INVALID_INPUT");
}

TEST_F(atomic_state, wrong_writes_change_nothing) {
  const Object before = state();
  for (const std::string path : {"computed.total", "inputs.limit", "raw.fils", "attempts"}) {
    EXPECT_NE(code(update({Object{{"path", "raw.attempts"}, {"value", 5}},
                           Object{{"path", path}, {"value", 5}}})),
              "ok")
        << path;
  }
  EXPECT_NE(code(update({Object{{"path", "raw.attempts"}, {"value", "many"}}})), "ok");
  EXPECT_EQ(state(), before);
}

TEST_F(atomic_state, paths_are_read_alone_and_wrong_names_get_the_nearest) {
  const ToolResult some = call(
      "workflow_state_read", {{"workflow_id", run_}, {"paths", json::Array{"total", "raw.files"}}});
  EXPECT_EQ(*some.structured.find("state"),
            Value(Object{{"raw.files", json::Array()}, {"total", 0}}));
  const ToolResult wrong =
      call("workflow_state_read", {{"workflow_id", run_}, {"paths", json::Array{"totl"}}});
  EXPECT_EQ(code(wrong), "STATE_UNKNOWN_NAME");
  EXPECT_THAT(at(wrong, "hint"), HasSubstr("total"));
}

TEST_F(atomic_state, dependencies_go_both_ways) {
  const auto deps = [&](const std::string& field) {
    return call("workflow_state_dependencies", {{"workflow_id", run_}, {"field", field}});
  };
  EXPECT_EQ(deps("enough").structured,
            (Object{{"direct_deps", json::Array{"computed.total", "inputs.limit"}},
                    {"all_deps", json::Array{"computed.total", "inputs.limit", "computed.sources",
                                             "raw.files"}},
                    {"dependents", json::Array()}}));
  EXPECT_EQ(*deps("raw.files").structured.find("dependents"),
            Value(json::Array{"sources", "total", "enough"}));
  EXPECT_EQ(code(deps("totl")), "STATE_UNKNOWN_NAME");
}

TEST_F(atomic_state, transformations_are_traced_with_what_triggered_them) {
  update({Object{{"path", "raw.files"}, {"value", json::Array{"a.c"}}}});
  const ToolResult traced =
      call("workflow_trace_transformations", {{"workflow_id", run_}, {"field", "total"}});
  const json::Array& traces = *traced.structured.find("traces")->if_array();
  ASSERT_EQ(traces.size(), 2u) << json::print(traced.structured);
  EXPECT_EQ(*traces[1].find("input"), Value(json::Array{"a.c"}));
  EXPECT_EQ(*traces[1].find("output"), Value(1));
  EXPECT_NE(traces[1].find("duration_ms"), nullptr);
  const ToolResult info = call("workflow_debug_info", {{"workflow_id", run_}});
  EXPECT_EQ(*info.structured.find("state_size")->find("total_transformations"), Value(6));
}

TEST_F(atomic, transform_is_tried_in_the_sandbox) {
  EXPECT_EQ(code(call("workflow_test_transformation", {{"transform", "1"}})), "INTERNAL");
  adapters::QuickJsHost scripts;
  engine_.scripts = &scripts;
  const ToolResult good =
      call("workflow_test_transformation", {{"transform", "input + 1"}, {"input", 1}});
  EXPECT_EQ(*good.structured.find("output"), Value(2));
  const ToolResult bad = call("workflow_test_transformation", {{"transform", "input +"}});
  EXPECT_FALSE(*bad.structured.find("success")->if_bool());
  EXPECT_THAT(at(bad, "error"), HasSubstr("input +"));
}

}  // namespace
}  // namespace baton::testing
