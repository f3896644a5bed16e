// Every surface and the terminal say everything that the engine can ask for, and name no tool that
// they do not have.

#include "cli/words.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "plan/parse.h"
#include "run/steps/parallel_foreach.h"
#include "surface/planner/words.h"
#include "surface/rail/words.h"
#include "surface/surfaces.h"

namespace baton::cli {
namespace {

using surface::Surface;
using surface::surfaces;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Surfaces whose engine cannot be opened, and whose plan is empty.
struct NoPlan final : ports::VersionControl {
  Result<ports::Description> read() override { return ports::Description{}; }
  Result<ports::Replaced> replace(const ports::Description&, std::string_view) override {
    return ports::Replaced::yes;
  }
  Result<ports::ChangedFiles> changed_files() override { return ports::ChangedFiles{}; }
};

surface::SurfaceSources sources() {
  static NoPlan plan;
  return {[]() -> Result<engine::Engine*> { return fail(Code::INTERNAL, "no engine"); },
          [] { return verbs::Planner{plan, plan::default_config()}; }};
}

std::set<std::string> names_of(const Surface& surface) {
  std::set<std::string> out;
  for (const protocol::Tool& tool : surface.tools(sources())) out.insert(tool.name);
  return out;
}

/// The tools of other surfaces that a text names.
std::vector<std::string> foreign_names(std::string_view text, const std::set<std::string>& own) {
  const auto is_word = [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); };
  std::vector<std::string> out;
  for (const Surface& other : surfaces()) {
    for (const std::string& name : names_of(other)) {
      if (own.contains(name)) continue;
      for (std::size_t at = 0; (at = text.find(name, at)) != text.npos; at += name.size()) {
        const bool begins = at == 0 || !is_word(text[at - 1]);
        const bool ends = at + name.size() == text.size() || !is_word(text[at + name.size()]);
        if (begins && ends) out.push_back(name);
      }
    }
  }
  return out;
}

std::vector<NextMove> every_move() {
  std::vector<NextMove> out;
  for (const Move kind : {
#define MOVE(name, words) Move::name,
#include "base/core/next_moves.inc"
#undef MOVE
       }) {
    out.emplace_back(kind);
    if (kind != Move::none) out.emplace_back(kind, "a value");
  }
  return out;
}

TEST(words, every_surface_says_every_move_in_its_own_words) {
  for (const Surface& each : surfaces()) {
    const auto own = names_of(each);
    for (const NextMove& next : every_move()) {
      const std::string said = each.say(next);
      EXPECT_THAT(foreign_names(said, own), IsEmpty()) << each.name << ": " << said;
      EXPECT_EQ(said.empty(), next.text().empty()) << each.name << ": " << next.text();
    }
  }
}

TEST(words, the_terminal_says_every_move_and_names_no_tool) {
  for (const NextMove& next : every_move()) {
    if (next.kind == Move::start_again && next.value.empty()) continue;  // it always has one
    EXPECT_THAT(foreign_names(say(next), {}), IsEmpty()) << say(next);
    EXPECT_EQ(say(next).empty(), next.text().empty()) << next.text();
  }
}

TEST(words, plain_words_and_the_meanings_of_codes_name_no_tool) {
  for (const NextMove& next : every_move()) {
    EXPECT_THAT(foreign_names(next.text(), {}), IsEmpty()) << next.text();
  }
  for (const CodeInfo& each : all_codes()) {
    EXPECT_THAT(foreign_names(each.meaning, {}), IsEmpty()) << each.meaning;
  }
}

TEST(words, tools_and_instructions_name_only_tools_of_their_surface) {
  for (const Surface& each : surfaces()) {
    const auto own = names_of(each);
    EXPECT_THAT(foreign_names(each.instructions(), own), IsEmpty()) << each.name;
    EXPECT_LE(each.instructions().size(), limits::instructions_bytes_max) << each.name;
    for (const protocol::Tool& tool : each.tools(sources())) {
      const std::string shown =
          cat(tool.title, '\n', tool.description, '\n', json::print(tool.input_schema),
              json::print(tool.output_schema));
      EXPECT_THAT(foreign_names(shown, own), IsEmpty()) << tool.name;
    }
    for (const protocol::Prompt& prompt : each.prompts(sources())) {
      EXPECT_THAT(foreign_names(prompt.description, own), IsEmpty()) << prompt.name;
    }
  }
}

TEST(words, a_name_of_another_surface_is_found) {
  const auto own = names_of(surfaces()[0]);
  EXPECT_THAT(foreign_names("call workflow_start first", own),
              ::testing::ElementsAre("workflow_start"));
  EXPECT_THAT(foreign_names("call start_workflow, the restart_workflow", own), IsEmpty());
}

TEST(words, the_planner_says_at_every_stage_what_to_do_and_with_which_tool) {
  const auto own = names_of(surfaces()[2]);
  int stage = 0;
  for (const std::string_view text :
       {"", "feat(a): T", "feat:\n\nDetails", "feat: T\n\nDetails", "feat: T\n\n- Never: stop",
        "feat: T\n\n- [ ]: a", "feat: T\n\n- [x]: a\n\n~~~ COMPLETE ~~~"}) {
    const auto& guide = surface::planner::guide_to(plan::parse(text).document);
    EXPECT_EQ(guide.stage, stage++);
    EXPECT_FALSE(guide.name.empty());
    EXPECT_GT(guide.guidance.size(), 80u);
    EXPECT_FALSE(guide.tools.empty());
    for (const std::string_view tool : guide.tools) EXPECT_TRUE(own.contains(std::string(tool)));
    EXPECT_THAT(foreign_names(guide.guidance, own), IsEmpty());
  }
}

TEST(words, a_plan_without_open_tasks_is_to_be_finished) {
  const auto first_tool = [](std::string_view text) {
    return surface::planner::guide_to(plan::parse(text).document).tools.front();
  };
  EXPECT_EQ(first_tool("feat: T\n\n- [x]: a\n  - [x]: b"), "finish_job");
  EXPECT_EQ(first_tool("feat: T\n\n- [x]: a\n- [ ]: b"), "mark_task");
}

TEST(words, a_text_that_is_no_plan_is_told_and_a_plan_with_an_unknown_line_is_used) {
  const auto told = [](std::string_view text) {
    return surface::planner::guidance(verbs::view_of("a commit", text, plan::PlanConfig()));
  };
  EXPECT_THAT(told("prose"), HasSubstr("set_overarching_goal"));
  EXPECT_THAT(told("feat: T\n\nDetails\n\n- [ ]: a\noops\n"), Not(HasSubstr("not a plan")));
}

TEST(words, the_rail_tells_sub_agents_of_its_own_tools) {
  run::Reply reply;
  reply.pending = run::Pending{.step_id = "s", .title = "S", .prompt = "", .agent_role = {}};
  reply.pending->kind = workflow::StepKind::parallel_foreach;
  const json::Value task =
      json::Object{{"task_id", "s/item0"}, {"context", json::Object{{"item", 1}}}};
  reply.pending->definition = {
      {"total", 1}, {"max_parallel", 1}, {"wait_for_all", true}, {"tasks", json::Array{task}}};
  const std::string text = surface::rail::prompt_text(reply);
  EXPECT_THAT(foreign_names(text, names_of(surfaces()[0])), IsEmpty()) << text;
  EXPECT_THAT(text, HasSubstr("continue_workflow"));
  reply.pending->definition.set("sub_agent_prompt", "Do as you like.");
  EXPECT_THAT(surface::rail::prompt_text(reply), HasSubstr("Do as you like."));
}

}  // namespace
}  // namespace baton::cli
