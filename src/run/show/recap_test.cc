// Origin: 004-104

#include "run/show/recap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/show/told_entry.h"

namespace baton::run {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

NodeId node_id(std::uint8_t n) {
  NodeId id;
  id.bytes[15] = n;
  return id;
}

RecapEntry entry(std::string step, std::string notes) {
  return {NodeKind::step, std::move(step), std::move(notes)};
}

std::string recap_of(const std::vector<RecapEntry>& entries, std::size_t bytes_max) {
  Recap recap("Before", bytes_max);
  for (const RecapEntry& each : entries) {
    if (!recap.add(each)) break;
  }
  return std::move(recap).finish(std::ssize(entries));
}

TEST(recap, has_the_newest_first_and_says_when_notes_are_missing) {
  EXPECT_EQ(recap_of({entry("b", "Second."), entry("a", "")}, limits::recap_bytes_max),
            "## Before\n\n### step `b`\nSecond.\n\n### step `a`\n(no notes)\n");
  EXPECT_EQ(recap_of({}, limits::recap_bytes_max), "");
}

TEST(recap, says_how_many_did_not_fit) {
  std::vector<RecapEntry> entries;
  for (int i = 100; i > 0; --i) entries.push_back(entry(cat("s", i), std::string(1'000, 'n')));
  const std::string text = recap_of(entries, limits::recap_bytes_max);
  EXPECT_LE(text.size(), limits::recap_bytes_max);
  EXPECT_GT(text.size(), limits::recap_bytes_max - 300);
  EXPECT_THAT(text, HasSubstr("step `s100`"));
  EXPECT_THAT(text, Not(HasSubstr("step `s1`\n")));
  EXPECT_TRUE(text.ends_with("[88 earlier entries are not shown]\n"))
      << text.substr(text.size() - 80);
}

TEST(recap, shows_so_much_of_one_steps_notes_and_not_more) {
  const std::string fits(limits::notes_shown_bytes_max, 'x');
  EXPECT_THAT(recap_of({entry("a", fits)}, limits::recap_bytes_max), HasSubstr(fits + "\n"));
  const std::string cut = recap_of({entry("a", fits + "x")}, limits::recap_bytes_max);
  EXPECT_THAT(cut, Not(HasSubstr(fits)));
  EXPECT_TRUE(cut.ends_with("\n\n[TRUNCATED]\n"));
}

TEST(recap, of_one_long_path_begins_at_its_newest_end) {
  Recap recap("Before", 1'000);
  EXPECT_TRUE(recap.add(entry("z", std::string(300, 'z'))));
  EXPECT_FALSE(recap.add(entry("y", std::string(4'000, 'y'))));
  EXPECT_FALSE(recap.add(entry("x", "short")));
  EXPECT_EQ(recap.shown(), 2);
  EXPECT_THAT(std::move(recap).finish(100'000), HasSubstr("[99998 earlier entries"));
}

RC_GTEST_PROP(recap, keeps_its_budget_and_cuts_no_character, ()) {
  const auto sizes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange(0, 6'000));
  const auto bytes_max = *rc::gen::inRange<std::size_t>(200, limits::recap_bytes_max + 1);
  std::vector<RecapEntry> entries;
  for (const std::size_t size : sizes) {
    std::string notes;
    while (notes.size() < size) notes += "é日a";
    entries.push_back(entry("step", std::move(notes)));
  }
  const std::string text = recap_of(entries, bytes_max);
  RC_ASSERT(text.size() <= bytes_max);
  RC_ASSERT(utf8::is_valid(text));
  RC_ASSERT(text == recap_of(entries, bytes_max));
}

TEST(recap, entries_are_read_from_the_commit_of_their_node) {
  const RunId run;
  std::vector<Event> events = {
      NodeOutputAppended{run, node_id(1), Notes{"What I did."}},
      NodeCreated{run, node_id(2), node_id(1), NodeKind::step, 1, {"next"}, "plan"}};
  EXPECT_EQ(recap_entry(events, node_id(2)), entry("plan", "What I did."));
  events[1] = NodeCreated{run, node_id(2), node_id(1), NodeKind::checkpoint, 0, {"plan"}, ""};
  EXPECT_EQ(label_of(recap_entry(events, node_id(2))), "checkpoint within `plan`");
  events[1] = NodeCreated{run, node_id(2), node_id(1), NodeKind::blocked_attempt, 0, {"plan"}, ""};
  EXPECT_EQ(label_of(recap_entry(events, node_id(2))), "blocked attempt at `plan`");
  events[1] = NodeCreated{run, node_id(2), std::nullopt, NodeKind::step, 0, {"plan"}, ""};
  EXPECT_EQ(label_of(recap_entry(events, node_id(2))), "start");
}

struct Failure {
  std::string step;
  std::string message;
};

std::string told_of(NodeKind kind, const std::optional<Failure>& failure,
                    const std::string& notes) {
  NodeCreated created;
  created.node = node_id(2);
  created.parent = node_id(1);
  created.kind = kind;
  created.settled_step = "cmd";
  std::vector<Event> events = {created};
  if (failure) {
    StepFailed failed;
    failed.node = created.node;
    failed.error = {failure->step, "command", failure->message};
    events.emplace_back(failed);
  }
  if (!notes.empty()) events.emplace_back(NodeOutputAppended{{}, created.node, Notes{notes}});
  const RecapEntry entry = told_entry(events, created.node);
  EXPECT_EQ(entry.step, "cmd");
  return entry.notes;
}

TEST(told_entry, a_failed_step_is_not_told_as_one_that_was_done) {
  const Failure failed{"cmd", "the command ended with exit code 3"};
  EXPECT_EQ(told_of(NodeKind::step, failed, ""), "Failed: the command ended with exit code 3");
  EXPECT_EQ(told_of(NodeKind::step, failed, "I tried."),
            "Failed: the command ended with exit code 3\n\nI tried.");
  EXPECT_EQ(told_of(NodeKind::step, Failure{"cmd", ""}, ""), "Failed: no reason was given");
}

TEST(told_entry, other_steps_are_told_by_their_notes) {
  EXPECT_EQ(told_of(NodeKind::step, std::nullopt, "Done."), "Done.");
  EXPECT_EQ(told_of(NodeKind::step, std::nullopt, ""), "");
  EXPECT_EQ(told_of(NodeKind::blocked_attempt, Failure{"cmd", "m"}, "Tried."), "Tried.");
  // The step behind it failed in the same commit.
  EXPECT_EQ(told_of(NodeKind::step, Failure{"other", "m"}, "Done."), "Done.");
}

TEST(recap, a_line_of_notes_is_the_first_with_words) {
  EXPECT_EQ(first_line_of("\n  \r\n\t A line. \r\nAnother."), "A line.");
  EXPECT_EQ(first_line_of("\n \n"), "");
  const std::string longest(limits::recap_line_bytes_max, 'w');
  EXPECT_EQ(first_line_of(longest), longest);
  EXPECT_EQ(first_line_of(longest + "w"), longest);
}

workflow::CompiledWorkflow with_functions(std::vector<std::pair<std::string, std::string>> list) {
  json::Array functions;
  for (auto& [name, definition] : list) {
    functions.emplace_back(json::Object{{"name", name}, {"definition", definition}});
  }
  workflow::CompiledWorkflow workflow;
  workflow.declared.set("functions", std::move(functions));
  return workflow;
}

TEST(recap, functions_come_by_name_and_not_twice) {
  EXPECT_EQ(functions_text({}, ""), "");
  const auto workflow = with_functions({{"b", "Do b."}, {"a", "Do a."}, {"c", "Do c."}});
  EXPECT_EQ(functions_text(workflow, "## Functions\n\n- `c`: Do c."),
            "## Functions\n\n- `a`: Do a.\n- `b`: Do b.\n");
}

TEST(recap, what_holds_for_the_whole_run_is_told_unless_the_prompt_shows_it) {
  workflow::CompiledWorkflow workflow;
  EXPECT_EQ(guidance_text(workflow, ""), "");
  workflow.declared.set("metaGuidance", json::Array{"Be kind.", "Be true."});
  EXPECT_EQ(guidance_text(workflow, "Do it."), "## For the whole run\n\n- Be kind.\n- Be true.\n");
  EXPECT_EQ(guidance_text(workflow, "## For the whole run\n\n- Be kind.\n- Be true.\n\nDo it."),
            "");
}

TEST(recap, what_holds_for_the_whole_run_keeps_its_budget) {
  const auto told = [](std::size_t bytes) {
    workflow::CompiledWorkflow workflow;
    workflow.declared.set("metaGuidance", json::Array{std::string(bytes, 'x')});
    return guidance_text(workflow, "");
  };
  const std::size_t room = limits::recap_guidance_bytes_max - std::string_view("- \n").size();
  EXPECT_THAT(told(room), Not(HasSubstr("[TRUNCATED]")));
  EXPECT_THAT(told(room + 1), HasSubstr("[TRUNCATED]"));
}

TEST(recap, functions_keep_their_budget) {
  const std::string start = "- `a`: ";
  const std::size_t room = limits::recap_functions_bytes_max - start.size() - 1;
  EXPECT_THAT(functions_text(with_functions({{"a", std::string(room, 'x')}}), ""),
              HasSubstr("- `a`: x"));
  EXPECT_EQ(functions_text(with_functions({{"a", std::string(room + 1, 'x')}}), ""),
            "## Functions\n\n[1 more are not shown]\n");
}

}  // namespace
}  // namespace baton::run
