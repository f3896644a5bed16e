// The planner's tools as a client meets them, on a plan in memory that others change too.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "plan/parse.h"
#include "protocol/arguments.h"
#include "protocol/features/tool.h"
#include "surface/planner/tools.h"

namespace baton::testing {
namespace {

using json::Object;
using protocol::ToolResult;
using ::testing::HasSubstr;

/// A description in memory. `meanwhile` runs before each replacement, as another writer would.
class MemoryPlan final : public ports::VersionControl {
 public:
  Result<ports::Description> read() override {
    if (broken) return fail(Code::COMMAND_FAILED, "'git' is not on the PATH");
    return ports::Description{"the memory", "memory", text};
  }
  Result<ports::Replaced> replace(const ports::Description& expected,
                                  std::string_view next) override {
    if (meanwhile) meanwhile();
    if (expected.text != text) return ports::Replaced::changed_meanwhile;
    text = next;
    ++writes;
    return ports::Replaced::yes;
  }
  Result<ports::ChangedFiles> changed_files() override { return changed; }

  std::string text;
  std::function<void()> meanwhile;
  ports::ChangedFiles changed;
  int writes = 0;
  bool broken = false;
};

class planner : public ::testing::Test {
 protected:
  ToolResult call(std::string_view name, std::string_view arguments = "{}") {
    const protocol::CheckedTool* tool = table_.find(name);
    auto accepted = protocol::accept_arguments(*tool, *json::parse(arguments)->if_object());
    if (!accepted) return protocol::tool_error(accepted.error());
    auto result = std::get<ToolResult>(tool->tool.handler({.arguments = *std::move(accepted)}));
    if (!result.is_error) {
      const auto fits = tool->output->check(result.structured);
      EXPECT_TRUE(fits) << fits.error().message;
      EXPECT_FALSE(result.text.empty());
    }
    return result;
  }
  static std::string code(const ToolResult& result) {
    return result.is_error ? *result.structured.find("code")->if_string() : "";
  }
  static std::int64_t stage(const ToolResult& result) {
    return result.is_error ? -1 : *result.structured.find("stage")->if_int();
  }

  MemoryPlan plan_;
  protocol::ToolTable table_ = *protocol::ToolTable::make(
      surface::planner::tools([this] { return verbs::Planner{plan_, plan::default_config()}; }));
};

constexpr std::string_view sample =
    "feat(plan): Keep it\n\nWhy.\n\n- Never: lose text\n\n- [ ]: Read\n- [ ]: Write\n";

TEST_F(planner, offers_six_tools_and_says_what_each_does_to_the_plan) {
  ASSERT_EQ(table_.all().size(), 6u);
  for (const protocol::CheckedTool& each : table_.all()) {
    const bool reads = each.tool.name == "gather_requirements";
    EXPECT_EQ(each.tool.annotations.read_only, reads) << each.tool.name;
    EXPECT_EQ(each.tool.annotations.destructive, !reads);
    EXPECT_TRUE(each.tool.annotations.idempotent);
    EXPECT_FALSE(each.tool.annotations.open_world);
  }
}

TEST_F(planner, goes_through_all_stages) {
  EXPECT_EQ(stage(call("gather_requirements")), 0);
  EXPECT_EQ(stage(call("set_overarching_goal", R"({"goal":{"type":"feat","title":"Keep It"}})")),
            1);
  EXPECT_EQ(stage(call("set_detailed_goal", R"({"description":"Why.\n\nHow."})")), 3);
  EXPECT_EQ(stage(call("set_detailed_goal",
                       R"({"description":"Why.","constraints":["Never: lose text"]})")),
            4);
  EXPECT_EQ(stage(call("set_plan", R"({"plan":[[false,"A",[{"text":"B"}]]]})")), 5);
  EXPECT_EQ(stage(call("mark_task", R"({"task_id":"B"})")), 5);
  EXPECT_EQ(stage(call("finish_job")), 6);
  EXPECT_EQ(plan_.text,
            "feat: Keep It\n\nWhy.\n\n- Never: lose text\n\n- [x]: A\n  - [x]: B\n\n"
            "~~~ COMPLETE ~~~\n");
}

TEST_F(planner, keeps_a_change_that_someone_made_between_reading_and_writing) {
  plan_.text = sample;
  plan_.meanwhile = [this] {
    plan_.meanwhile = nullptr;
    plan_.text.replace(plan_.text.find("Why."), 4, "Because.");
  };
  const ToolResult marked = call("mark_task", R"({"task_id":"Read"})");
  EXPECT_FALSE(marked.is_error);
  EXPECT_THAT(plan_.text, HasSubstr("Because."));
  EXPECT_THAT(plan_.text, HasSubstr("- [x]: Read"));
}

TEST_F(planner, gives_up_after_as_many_tries_as_its_limit_and_changes_nothing) {
  plan_.text = sample;
  int tries = 0;
  plan_.meanwhile = [&] { plan_.text = cat(sample, "\nEdit number ", ++tries, ".\n"); };
  const ToolResult busy = call("mark_task", R"({"task_id":"Read"})");
  EXPECT_EQ(code(busy), "PLAN_BUSY");
  EXPECT_EQ(tries, limits::plan_write_tries_max);
  EXPECT_EQ(plan_.writes, 0);
  plan_.text = sample;
  tries = 0;
  plan_.meanwhile = [&] {
    if (++tries < limits::plan_write_tries_max) plan_.text += '\n';
  };
  EXPECT_EQ(code(call("mark_task", R"({"task_id":"Read"})")), "");
}

TEST_F(planner, writes_nothing_when_nothing_changes) {
  plan_.text = sample;
  EXPECT_EQ(stage(call("mark_task", R"({"task_id":"Read","completed":false})")), 5);
  EXPECT_EQ(plan_.writes, 0);
}

TEST_F(planner, leaves_the_plan_as_it_was_when_it_refuses) {
  for (const std::string_view text : {std::string_view(""), sample, std::string_view("prose"),
                                      std::string_view("feat: x\nhalted")}) {
    plan_.text = text;
    for (const auto& [tool, arguments] : std::vector<std::pair<const char*, const char*>>{
             {"set_overarching_goal", R"({"goal":{"type":"feat","scope":"A B","title":"x"}})"},
             {"set_overarching_goal", R"({"goal":{"type":"wish","title":"x"}})"},
             {"set_overarching_goal", R"({"goal":{"type":"feat","title":"two\nlines"}})"},
             {"set_detailed_goal", R"({"description":""})"},
             {"set_detailed_goal", R"({"description":"a\n\n- [ ]: b"})"},
             {"set_detailed_goal", R"({"description":"a","constraints":["Prefer: b"]})"},
             {"set_plan", R"({"plan":[]})"},
             {"set_plan", R"({"plan":[[false,""]]})"},
             {"set_plan", R"({"plan":[[false,"0",[[false,"1",[[false,"2",[[false,"3",
                             [[false,"4",[[false,"5"]]]]]]]]]]]]})"},
             {"mark_task", R"({"task_id":"none such"})"},
             {"mark_task", R"({"task_id":"e"})"},
             {"finish_job", "{}"}}) {
      const ToolResult refused = call(tool, arguments);
      EXPECT_TRUE(refused.is_error) << tool << arguments << text;
      EXPECT_EQ(plan_.text, text) << tool;
    }
  }
  EXPECT_EQ(plan_.writes, 0);
}

TEST_F(planner, names_the_code_of_every_refusal) {
  plan_.text = sample;
  EXPECT_EQ(code(call("mark_task", R"({"task_id":"Paint"})")), "TASK_NOT_FOUND");
  EXPECT_EQ(code(call("mark_task", R"({"task_id":"e"})")), "TASK_AMBIGUOUS");
  EXPECT_EQ(code(call("finish_job")), "NOT_ALL_TASKS_COMPLETE");
  EXPECT_EQ(code(call("set_plan", R"({"plan":[[false," "]]})")), "COMMIT_VALIDATION_FAILED");
  plan_.text = "feat: x\n";
  EXPECT_EQ(code(call("finish_job")), "NO_TASKS_FOUND");
  EXPECT_EQ(code(call("mark_task", R"({"task_id":"a"})")), "NO_TASKS_FOUND");
  plan_.broken = true;
  EXPECT_EQ(code(call("gather_requirements")), "COMMAND_FAILED");
}

TEST_F(planner, keeps_text_that_is_not_a_plan_below_a_new_goal) {
  plan_.text = "half a thought\n";
  EXPECT_EQ(stage(call("gather_requirements")), 0);
  EXPECT_EQ(stage(call("set_overarching_goal", R"({"goal":{"type":"fix","title":"T"}})")), 3);
  EXPECT_EQ(plan_.text, "fix: T\n\nhalf a thought\n");
}

TEST_F(planner, shows_where_a_plan_cannot_be_read) {
  plan_.text = "feat: x\n\n- [ ]:\n";
  const ToolResult shown = call("gather_requirements");
  EXPECT_FALSE(shown.is_error);
  EXPECT_EQ(*shown.structured.find("state"), "halted");
  EXPECT_THAT(shown.text, HasSubstr("line 3, column 1"));
}

TEST_F(planner, lists_changed_files) {
  plan_.changed = {{{'M', "src/a.cc"}, {'?', "new file"}}, true};
  const ToolResult shown = call("gather_requirements");
  EXPECT_THAT(shown.text, HasSubstr("  M src/a.cc\n  ? new file\n  and more\n"));
  EXPECT_EQ(shown.structured.find("changed_files")->if_array()->size(), 2u);
}

TEST_F(planner, stays_within_the_size_of_a_result_for_the_longest_plan) {
  plan::Plan document{.header = plan::Header{"feat", {}, false, std::string(120, '"')}};
  document.description = std::string(30'000, '"');
  for (int i = 0; i < 200; ++i) {
    document.constraints.push_back({"Never", "a" + std::string(60, '"')});
  }
  for (int i = 0; i < 900; ++i) document.tasks.push_back({false, std::string(40, '"')});
  document.direction = std::string(5'000, '"');
  plan_.text = plan::format(document);
  ASSERT_LE(plan_.text.size(), limits::plan_bytes_max);
  for (int i = 0; i < 100; ++i) plan_.changed.files.push_back({'M', std::string(4'000, '"')});
  const ToolResult shown = call("gather_requirements");
  EXPECT_LE(json::print(shown.structured).size(), limits::result_bytes_max);
  EXPECT_LE(shown.text.size(), limits::result_bytes_max);
  EXPECT_EQ(*shown.structured.find("shortened"), true);
}

}  // namespace
}  // namespace baton::testing
