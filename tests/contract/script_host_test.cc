// The suite of the ScriptHost port, run against the sandbox and against the scripted fake.

#include <gtest/gtest.h>

#include <thread>

#include "adapters/script/quickjs_host.h"
#include "adapters/script/testing/scripted_host.h"
#include "base/text/text.h"

namespace baton::contract {
namespace {

using state::Evaluation;
using state::Script;
using state::ScriptFault;
using state::ScriptForm;
using state::ScriptProblem;
using state::ScriptResult;
using state::ScriptSeed;

Script script(std::string source) { return {std::move(source), ScriptForm::transform, {"input"}}; }

Evaluation evaluation(std::string source, std::string_view input, ScriptSeed draw = {}) {
  return {script(std::move(source)), cat(R"({"input":)", input, '}'), draw};
}

ScriptResult doubled(const json::Value& scope, const ScriptSeed&) {
  const json::Value* input = scope.find("input");
  const std::int64_t* number = input == nullptr ? nullptr : input->if_int();
  if (number == nullptr) {
    return std::unexpected(ScriptProblem{ScriptFault::not_json, "the result is NaN", {}, 0, 0});
  }
  return *number * 2;
}

std::unique_ptr<ports::ScriptHost> scripted() {
  auto host = std::make_unique<adapters::ScriptedHost>();
  host->write("input * 2", doubled);
  host->write("input.missing.length", [](const json::Value&, const ScriptSeed&) -> ScriptResult {
    return std::unexpected(ScriptProblem{ScriptFault::thrown, "there is no such thing", {}, 1, 1});
  });
  host->write("Date.now()", [](const json::Value&, const ScriptSeed& draw) -> ScriptResult {
    return draw.now.value;
  });
  host->write("Math.random()", [](const json::Value&, const ScriptSeed& draw) -> ScriptResult {
    return static_cast<double>(draw.seed % 1000) / 1000.0;
  });
  host->refuse("input +\n  * 2", {ScriptFault::syntax, "there is a star too many", {}, 2, 3});
  return host;
}

struct Kind {
  std::string_view name;
  std::unique_ptr<ports::ScriptHost> (*open)();
};

class ScriptHost : public ::testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<ports::ScriptHost> host_ = GetParam().open();
};

TEST_P(ScriptHost, nothing_is_asked_and_nothing_answered) {
  EXPECT_TRUE(host_->evaluate({}, {}).empty());
  EXPECT_TRUE(host_->check({}).empty());
}

TEST_P(ScriptHost, results_come_in_the_order_of_the_evaluations) {
  std::vector<Evaluation> batch;
  for (int i = 0; i < 50; ++i) batch.push_back(evaluation("input * 2", cat(i)));
  const auto results = host_->evaluate(batch, {});
  ASSERT_EQ(results.size(), batch.size());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(results[static_cast<std::size_t>(i)]) << i;
    EXPECT_EQ(*results[static_cast<std::size_t>(i)], json::Value(2 * i));
  }
}

TEST_P(ScriptHost, one_failure_does_not_touch_the_others) {
  const Evaluation batch[] = {evaluation("input * 2", "1"),
                              evaluation("input.missing.length", "{}"),
                              evaluation("input +\n  * 2", "1"), evaluation("input * 2", "2")};
  const auto results = host_->evaluate(batch, {});
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0], ScriptResult(2));
  ASSERT_FALSE(results[1]);
  EXPECT_EQ(results[1].error().fault, ScriptFault::thrown);
  ASSERT_FALSE(results[2]);
  EXPECT_EQ(results[2].error().fault, ScriptFault::syntax);
  EXPECT_EQ(results[3], ScriptResult(4));
}

TEST_P(ScriptHost, a_result_that_is_not_json_is_refused) {
  const Evaluation batch[] = {evaluation("input * 2", "\"word\"")};
  const auto results = host_->evaluate(batch, {});
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().fault, ScriptFault::not_json);
}

TEST_P(ScriptHost, a_script_is_checked_without_being_run) {
  const Script scripts[] = {script("input * 2"), script("input +\n  * 2"),
                            script("input.missing.length")};
  const auto problems = host_->check(scripts);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_FALSE(problems[0]);
  ASSERT_TRUE(problems[1]);
  EXPECT_EQ(problems[1]->fault, ScriptFault::syntax);
  EXPECT_EQ(problems[1]->line, 2u);
  EXPECT_EQ(problems[1]->column, 3u);
  EXPECT_FALSE(problems[2]);
}

TEST_P(ScriptHost, time_and_chance_are_those_of_the_draw) {
  const ScriptSeed draw{WallMs{1'700'000'000'123}, 77};
  const Evaluation batch[] = {
      evaluation("Date.now()", "0", draw), evaluation("Math.random()", "0", draw),
      evaluation("Math.random()", "0", draw), evaluation("Math.random()", "0", {draw.now, 78})};
  const auto results = host_->evaluate(batch, {});
  EXPECT_EQ(results[0], ScriptResult(1'700'000'000'123));
  ASSERT_TRUE(results[1]);
  EXPECT_EQ(results[1], results[2]);
  EXPECT_NE(results[1], results[3]);
}

TEST_P(ScriptHost, many_threads_get_their_own_answers) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int who = 0; who < 8; ++who) {
    threads.emplace_back([&, who] {
      for (int i = 0; i < 50; ++i) {
        const Evaluation batch[] = {evaluation("input * 2", cat(who * 1000 + i))};
        if (host_->evaluate(batch, {})[0] == ScriptResult(2 * (who * 1000 + i))) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 400);
}

INSTANTIATE_TEST_SUITE_P(All, ScriptHost,
                         ::testing::Values(Kind{"sandbox",
                                                []() -> std::unique_ptr<ports::ScriptHost> {
                                                  return std::make_unique<adapters::QuickJsHost>();
                                                }},
                                           Kind{"scripted", scripted}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace baton::contract
