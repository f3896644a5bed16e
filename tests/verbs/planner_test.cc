// The planner's tools as a client meets them, on a plan in memory that others change too.
// Origin: 003-30, 003-40, 003-41, 003-42, 003-43, 003-44, 003-47, 003-52, 003-55, 003-57, 003-60
// Origin: 003-63, 003-68, 003-69

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

TEST_F(planner, works_on_with_text_that_it_does_not_understand) {
  plan_.text =
      "feat(plan): T\n\nWhy.\n- [ ] one\n\n- Prefer: this\n\n# Group\n- [ ]: A\n  a note\n";
  const ToolResult shown = call("gather_requirements");
  EXPECT_EQ(*shown.structured.find("state"), "halted");
  EXPECT_EQ(shown.structured.find("warnings")->if_array()->size(), 3u);
  EXPECT_EQ(code(call("mark_task", R"({"task_id":"A"})")), "");
  EXPECT_EQ(code(call("set_plan", R"({"plan":[[true,"A"],[true,"B"]]})")), "");
  EXPECT_EQ(code(call("set_detailed_goal", R"({"description":"New."})")), "");
  EXPECT_EQ(code(call("finish_job")), "");
  EXPECT_EQ(plan_.text,
            "feat(plan): T\n\nNew.\n\n- [ ] one\n\n- [x]: A\n  a note\n- [x]: B\n\n"
            "~~~ COMPLETE ~~~\n");
}

TEST_F(planner, refuses_tasks_that_were_made_from_another_version) {
  plan_.text = sample;
  const std::string version = *call("gather_requirements").structured.find("version")->if_string();
  EXPECT_EQ(code(call("mark_task", R"({"task_id":"Read"})")), "");
  const std::string tasks = R"("plan":[[false,"Read"],[false,"Write"],[false,"Check"]])";
  const ToolResult old = call("set_plan", cat(R"({"version":")", version, R"(",)", tasks, "}"));
  EXPECT_EQ(code(old), "INVALID_INPUT");
  EXPECT_THAT(old.text, HasSubstr("the plan was changed since version"));
  EXPECT_THAT(plan_.text, HasSubstr("- [x]: Read"));
  const std::string now = *call("gather_requirements").structured.find("version")->if_string();
  EXPECT_EQ(code(call("set_plan", cat(R"({"version":")", now, R"(",)", tasks, "}"))), "");
}

TEST_F(planner, removes_no_task_of_a_plan_that_no_answer_shows_whole) {
  plan_.text = "feat: T\n\n";
  for (int i = 0; i < 1'000; ++i) plan_.text += cat("- [ ]: task number ", i, "\n");
  EXPECT_EQ(*call("gather_requirements").structured.find("shortened"), true);
  const std::string before = plan_.text;
  const ToolResult refused = call("set_plan", R"({"plan":[[false,"task number 0"]]})");
  EXPECT_EQ(code(refused), "INVALID_INPUT");
  EXPECT_THAT(refused.text, HasSubstr("this would remove 999"));
  EXPECT_EQ(plan_.text, before);
  EXPECT_EQ(code(call("set_plan", R"({"plan":[[false,"task number 0"]],"replace_all":true})")), "");
}

TEST_F(planner, takes_numbers_and_words_for_what_they_mean) {
  plan_.text = sample;
  EXPECT_EQ(code(call("mark_task", R"({"task_id":2,"completed":"true"})")), "");
  EXPECT_THAT(plan_.text, HasSubstr("- [x]: Write"));
  EXPECT_EQ(code(call("mark_task", R"({"task_id":"2","completed":"false"})")), "");
  EXPECT_THAT(plan_.text, HasSubstr("- [ ]: Write"));
  EXPECT_EQ(code(call("mark_task", R"({"task_id":2.1})")), "INVALID_INPUT");
  EXPECT_EQ(code(call("mark_task", R"({"task_id":"2","completed":"perhaps"})")), "INVALID_INPUT");
}

TEST_F(planner, is_told_how_a_plan_is_written_by_each_call) {
  plan_.text = "# feat: T\n\n* [X] A\n* [ ] B  \n";
  EXPECT_EQ(code(call("mark_task", R"({"task_id":"B","config":"MARKDOWN_TASKS"})")), "");
  EXPECT_EQ(plan_.text, "# feat: T\n\n* [X] A\n* [x] B  \n");
  EXPECT_EQ(code(call("mark_task", R"({"task_id":"B","config":"MARKDOWN"})")), "INVALID_INPUT");
  EXPECT_EQ(code(call("gather_requirements", R"({"config":{"maxTitleLength":0}})")),
            "INVALID_INPUT");
}

TEST_F(planner, reads_a_text_that_is_sent_and_changes_nothing) {
  plan_.text = sample;
  const ToolResult read =
      call("gather_requirements", R"({"text":"# feat: U\n\n* [X] A\n","config":"MARKDOWN_TASKS"})");
  EXPECT_EQ(*read.structured.find("state"), "parsed");
  EXPECT_EQ(json::print(*read.structured.find("tasks")), R"([[true,"A",[]]])");
  EXPECT_EQ(plan_.writes, 0);
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
