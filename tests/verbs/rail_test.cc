// The rail's tools as a client meets them: what they show of themselves, and what they answer.
// Origin: 004-13, 004-78, 004-86, 004-93, 004-110, 004-120

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text/text.h"
#include "protocol/arguments.h"
#include "protocol/features/tool.h"
#include "support/tool_results.h"
#include "support/world.h"
#include "surface/rail/tools.h"
#include "surface/rail/words.h"

namespace baton::testing {
namespace {

using json::Object;
using json::Value;
using protocol::ToolResult;
using ::testing::HasSubstr;

class rail : public ::testing::Test {
 protected:
  ToolResult call(std::string_view name, Object arguments) {
    const protocol::CheckedTool* tool = table_.find(name);
    auto accepted = protocol::accept_arguments(*tool, std::move(arguments));
    if (!accepted) return protocol::tool_error(accepted.error());
    auto result = std::get<ToolResult>(tool->tool.handler({.arguments = *std::move(accepted)}));
    if (!result.is_error) expect_well_formed(*tool, result);
    return result;
  }

  /// A good result fits its schema, and its text has every token and id of its fields.
  static void expect_well_formed(const protocol::CheckedTool& tool, const ToolResult& result) {
    const auto fits = tool.output->check(result.structured);
    EXPECT_TRUE(fits) << fits.error().message;
    std::vector<const Value*> todo;
    for (const json::Member& member : result.structured) todo.push_back(&member.value);
    while (!todo.empty()) {
      const Value& value = *todo.back();
      todo.pop_back();
      if (const json::Array* array = value.if_array()) {
        for (const Value& element : *array) todo.push_back(&element);
      } else if (const Object* object = value.if_object()) {
        for (const json::Member& member : *object) todo.push_back(&member.value);
      } else if (const std::string* text = value.if_string()) {
        for (const std::string_view prefix : {"st1", "ack1", "chk1", "sess_", "run_", "node_"}) {
          if (text->starts_with(prefix)) {
            EXPECT_THAT(result.text, HasSubstr(*text));
          }
        }
      }
    }
  }

  World world_;
  engine::Engine engine_ = world_.engine();
  protocol::ToolTable table_ =
      protocol::ToolTable::make(surface::rail::tools([this]() -> Result<engine::Engine*> {
        return &engine_;
      })).value();
};

void expect_plain_schema(const Value& schema, const std::string& where) {
  for (const std::string_view banned : {"$ref", "oneOf", "anyOf", "allOf", "$defs"}) {
    EXPECT_EQ(schema.find(banned), nullptr) << where << ' ' << banned;
  }
  ASSERT_NE(schema.find("type"), nullptr) << where;
  EXPECT_TRUE(schema.find("type")->is_string()) << where;
  if (const Value* items = schema.find("items")) expect_plain_schema(*items, where + "[]");
  const Value* properties = schema.find("properties");
  if (properties == nullptr) return;
  for (const json::Member& property : *properties->if_object()) {
    const std::string path = where + "." + property.key;
    const Value* description = property.value.find("description");
    ASSERT_NE(description, nullptr) << path << " is not described";
    EXPECT_FALSE(description->if_string()->empty()) << path;
    expect_plain_schema(property.value, path);
  }
}

TEST_F(rail, schemas_are_such_as_every_client_takes) {
  for (const protocol::CheckedTool& entry : table_.all()) {
    const protocol::Tool& tool = entry.tool;
    EXPECT_EQ(*tool.input_schema.find("type"), Value("object"));
    EXPECT_EQ(*tool.output_schema.find("type"), Value("object"));
    expect_plain_schema(tool.input_schema, tool.name);
    EXPECT_LE(tool.name.size(), 40u);
    EXPECT_LE(tool.description.size(), 2'000u);
    EXPECT_TRUE(tool.description.starts_with("Use this ")) << "say first when to use it";
    EXPECT_FALSE(tool.title.empty());
    EXPECT_FALSE(tool.annotations.destructive || tool.annotations.open_world);
  }
  EXPECT_TRUE(table_.find("list_workflows")->tool.annotations.read_only);
  EXPECT_FALSE(table_.find("start_workflow")->tool.annotations.idempotent);
  EXPECT_TRUE(table_.find("continue_workflow")->tool.annotations.idempotent);
}

TEST_F(rail, the_tools_are_these_six_whatever_was_called) {
  const auto names = [&] {
    std::vector<std::string> out;
    for (const protocol::CheckedTool& entry : table_.all()) out.push_back(entry.tool.name);
    return out;
  };
  const std::vector<std::string> six = {"list_workflows",      "inspect_workflow",
                                        "start_workflow",      "continue_workflow",
                                        "checkpoint_workflow", "resume_session"};
  EXPECT_EQ(names(), six);
}

TEST_F(rail, texts_of_the_tools_say_how_to_behave) {
  const protocol::Tool& next = table_.find("continue_workflow")->tool;
  for (const std::string_view intent :
       {"perform_pending_then_continue", "await_user_confirmation", "rehydrate_only", "complete"}) {
    EXPECT_TRUE(next.description.contains(cat(intent, ": "))) << intent;
    EXPECT_TRUE(surface::rail::instructions().contains(intent)) << intent;
  }
  const std::string fields = json::print(next.input_schema);
  EXPECT_TRUE(fields.contains("Right: ")) << "what good notes are";
  EXPECT_TRUE(fields.contains("Wrong: "));
  EXPECT_TRUE(
      table_.find("start_workflow")->tool.description.contains("A workflow is the user speaking"));
}

TEST_F(rail, what_is_listed_is_small) {
  std::size_t inputs = 0;
  std::size_t all = 0;
  for (const protocol::CheckedTool& entry : table_.all()) {
    const protocol::Tool& tool = entry.tool;
    const std::size_t input = json::print(tool.input_schema).size() + tool.description.size();
    inputs += input;
    all += input + json::print(tool.output_schema).size() + tool.name.size() +
           2 * tool.title.size() + 200;  // the annotations and the keys around
  }
  EXPECT_LE(inputs, 6u << 10);
  EXPECT_LE(all, 12u << 10);
}

TEST_F(rail, a_run_goes_from_start_to_end) {
  ToolResult reply = call("start_workflow", {{"workflowId", "demo"}, {"goal", "try it"}});
  ASSERT_FALSE(reply.is_error) << reply.text;
  for (const std::string_view step : {"a", "b", "c"}) {
    EXPECT_EQ(*reply.structured.find("pending")->find("stepId"), Value(step));
    EXPECT_EQ(*reply.structured.find("isComplete"), Value(false));
    EXPECT_THAT(reply.text, HasSubstr(cat("of ", step)));
    // The next call can be made once what is missing is filled in, and not before.
    const Value next = *reply.structured.find("nextCall");
    EXPECT_EQ(*next.find("tool"), Value("continue_workflow"));
    const json::Array& missing = *next.find("missing")->if_array();
    ASSERT_EQ(missing.size(), 1u);
    EXPECT_EQ(*missing[0].find("argument"), Value("output.notesMarkdown"));
    Object arguments = *next.find("arguments")->if_object();
    EXPECT_TRUE(call("continue_workflow", arguments).is_error);
    arguments.set("output", Object{{"notesMarkdown", "Did it."}});
    reply = call("continue_workflow", arguments);
    ASSERT_FALSE(reply.is_error) << reply.text;
  }
  EXPECT_EQ(*reply.structured.find("isComplete"), Value(true));
  EXPECT_EQ(at(reply, "nextIntent"), "complete");
  for (const std::string_view absent : {"ackToken", "checkpointToken", "pending", "nextCall"}) {
    EXPECT_FALSE(reply.structured.contains(absent)) << absent;
  }
  EXPECT_THAT(reply.text, HasSubstr("complete"));
}

// Enforces: G22
TEST_F(rail, same_call_gives_the_same_bytes) {
  const ToolResult first = call("start_workflow", {{"workflowId", "demo"}});
  const Object again{{"ackToken", at(first, "ackToken")},
                     {"output", Object{{"notesMarkdown", "done"}}}};
  const ToolResult once = call("continue_workflow", again);
  const ToolResult twice = call("continue_workflow", again);
  EXPECT_EQ(json::print(once.structured), json::print(twice.structured));
  EXPECT_EQ(once.text, twice.text);
  const Object saved{{"checkpointToken", at(first, "checkpointToken")}};
  EXPECT_EQ(call("checkpoint_workflow", saved).text, call("checkpoint_workflow", saved).text);
}

// Enforces: G22
TEST_F(rail, fork_is_told_in_fields_and_in_the_first_line) {
  const ToolResult first = call("start_workflow", {{"workflowId", "demo"}});
  const auto send = [&](std::string_view notes) {
    return call("continue_workflow", {{"ackToken", at(first, "ackToken")},
                                      {"output", Object{{"notesMarkdown", notes}}}});
  };
  const ToolResult one = send("one");
  EXPECT_FALSE(one.structured.contains("fork"));
  const ToolResult two = send("two");
  EXPECT_FALSE(two.structured.contains("notice"));
  const Value* fork = two.structured.find("fork");
  ASSERT_NE(fork, nullptr) << two.text;
  EXPECT_EQ(*fork->find("stepId"), Value("a"));
  EXPECT_EQ(*fork->find("stateToken"), *one.structured.find("stateToken"));
  EXPECT_TRUE(two.text.starts_with("New branch: the step \"a\" is settled")) << two.text;
  EXPECT_THAT(two.text.substr(0, two.text.find('\n')), HasSubstr(at(one, "stateToken")));
  const ToolResult again = send("two");
  EXPECT_EQ(json::print(again.structured), json::print(two.structured));
  EXPECT_EQ(again.text, two.text);
}

TEST_F(rail, state_token_alone_changes_nothing) {
  const ToolResult first = call("start_workflow", {{"workflowId", "demo"}});
  const run::CommitNo last = world_.last_commit();
  const Object look{{"stateToken", at(first, "stateToken")}};
  const ToolResult again = call("continue_workflow", look);
  EXPECT_EQ(at(again, "nextIntent"), at(first, "nextIntent")) << "the step is still to be done";
  EXPECT_EQ(at(again, "ackToken"), at(first, "ackToken"));
  Object with_intent = look;
  with_intent.set("intent", "rehydrate");
  EXPECT_FALSE(call("continue_workflow", with_intent).is_error);
  EXPECT_EQ(world_.last_commit(), last);
}

TEST_F(rail, calls_that_contradict_themselves_change_nothing) {
  const ToolResult first = call("start_workflow", {{"workflowId", "demo"}});
  const std::string ack = at(first, "ackToken");
  const std::string state = at(first, "stateToken");
  const run::CommitNo last = world_.last_commit();
  for (const Object& arguments :
       {Object{}, Object{{"intent", "advance"}}, Object{{"intent", "rehydrate"}},
        Object{{"intent", "advance"}, {"stateToken", state}},
        Object{{"intent", "rehydrate"}, {"ackToken", ack}},
        Object{{"intent", "perhaps"}, {"ackToken", ack}},
        Object{{"stateToken", state}, {"output", Object{{"notesMarkdown", "n"}}}},
        Object{{"stateToken", state}, {"context", Object{{"k", 1}}}},
        Object{{"stateToken", state}, {"preferences", Object{{"autonomy", "guided"}}}},
        Object{{"ackToken", ack}, {"outputs", Object{}}},
        Object{{"ackToken", ack}, {"output", Object{{"notes", "n"}}}},
        Object{{"ackToken", ack}, {"output", "text"}}, Object{{"ackToken", 3}},
        Object{{"ackToken", ack}, {"preferences", Object{{"autonomy", "bold"}}}},
        Object{{"ackToken", ack}, {"output", Object{{"artifacts", json::Array{3}}}}}}) {
    const ToolResult result = call("continue_workflow", arguments);
    EXPECT_EQ(code(result), "INVALID_INPUT") << json::print(arguments);
    EXPECT_FALSE(at(result, "message").empty());
    EXPECT_THAT(result.text, HasSubstr(at(result, "message")));
  }
  EXPECT_EQ(code(call("checkpoint_workflow", {})), "INVALID_INPUT");
  EXPECT_EQ(code(call("start_workflow", {})), "INVALID_INPUT");
  EXPECT_EQ(code(call("start_workflow", {{"workflowId", "../x"}})), "INVALID_INPUT");
  EXPECT_EQ(code(call("start_workflow", {{"workflowId", "dem"}})), "WORKFLOW_NOT_FOUND");
  EXPECT_EQ(world_.last_commit(), last);
}

TEST_F(rail, null_means_absent_and_json_in_a_string_is_read) {
  const ToolResult first =
      call("start_workflow", {{"workflowId", "demo"}, {"goal", nullptr}, {"context", nullptr}});
  ASSERT_FALSE(first.is_error) << first.text;
  const ToolResult next = call("continue_workflow",
                               {{"ackToken", at(first, "ackToken")},
                                {"intent", nullptr},
                                {"context", R"({"k":1})"},
                                {"output", R"({"notesMarkdown":"n","artifacts":[{"kind":"x"}]})"}});
  ASSERT_FALSE(next.is_error) << next.text;
  const auto run =
      world_.store
          .run(RunId::parse(*next.structured.find("session")->find("runId")->if_string()).value())
          .value();
  const NodeId tip = world_.store.node(run->tip).value()->id;
  EXPECT_EQ(*world_.cold_state(tip).value().context, (Object{{"k", 1}}));
}

TEST_F(rail, tokens_are_cleaned) {
  const ToolResult first = call("start_workflow", {{"workflowId", "demo"}});
  const std::string state = at(first, "stateToken");
  for (const std::string& text : {"\"" + state + "\"", " " + state + " ", state + "."}) {
    EXPECT_FALSE(call("continue_workflow", {{"stateToken", text}}).is_error) << text;
  }
  EXPECT_FALSE(
      call("continue_workflow", {{"ackToken", " '" + at(first, "ackToken") + "'. "}}).is_error);
}

TEST_F(rail, checkpoint_saves_and_leaves_the_step_pending) {
  const ToolResult first = call("start_workflow", {{"workflowId", "demo"}});
  const ToolResult saved =
      call("checkpoint_workflow", {{"checkpointToken", at(first, "checkpointToken")},
                                   {"stateToken", at(first, "stateToken")},
                                   {"output", Object{{"notesMarkdown", "half"}}}});
  ASSERT_FALSE(saved.is_error) << saved.text;
  EXPECT_TRUE(at(saved, "checkpointNodeId").starts_with("node_"));
  const Value& next = *saved.structured.find("nextCall");
  Object arguments = *next.find("arguments")->if_object();
  arguments.set("output", Object{{"notesMarkdown", "all of it"}});
  const ToolResult done = call("continue_workflow", arguments);
  ASSERT_FALSE(done.is_error) << done.text;
  EXPECT_EQ(*done.structured.find("pending")->find("stepId"), Value("b"));
  const ToolResult wrong =
      call("checkpoint_workflow", {{"checkpointToken", at(first, "ackToken")}});
  EXPECT_EQ(code(wrong), "TOKEN_SCOPE_MISMATCH");
}

TEST_F(rail, preferences_are_set_and_shown) {
  const ToolResult first = call(
      "start_workflow",
      {{"workflowId", "demo"},
       {"preferences", Object{{"autonomy", "full_auto_never_stop"}, {"riskPolicy", "balanced"}}}});
  EXPECT_EQ(*first.structured.find("preferences"),
            Value(Object{{"autonomy", "full_auto_never_stop"}, {"riskPolicy", "balanced"}}));
  EXPECT_THAT(first.text, HasSubstr("full_auto_never_stop"));
}

TEST_F(rail, workflows_are_listed_with_broken_files_and_their_reason) {
  world_.workflows.files.push_back({"user", "flows/bad.json", "{", {}});
  world_.workflows.files.push_back({"user", "flows/locked.json", "", "permission denied"});
  world_.workflows.files.push_back(
      {"user",
       "flows/t.json",
       R"({"id":"team.x","tags":["t"],"steps":[{"id":"a","prompt":"p"}]})",
       {}});
  const ToolResult all = call("list_workflows", {});
  const json::Array& listed = *all.structured.find("workflows")->if_array();
  ASSERT_EQ(listed.size(), 4u);
  EXPECT_EQ(*listed[0].find("workflowId"), Value("demo"));
  EXPECT_EQ(*listed[0].find("idStatus"), Value("legacy"));
  EXPECT_EQ(*listed[1].find("idStatus"), Value("namespaced"));
  EXPECT_THAT(*listed[3].find("problem")->if_string(), HasSubstr("permission denied"));
  for (const std::string_view part : {"demo", "team.x", "bad.json", "permission denied"}) {
    EXPECT_THAT(all.text, HasSubstr(part));
  }
  const ToolResult tagged = call("list_workflows", {{"tag", "t"}});
  EXPECT_EQ(tagged.structured.find("workflows")->if_array()->size(), 1u);
  for (const std::string_view cursor : {"x", "-1", "1.5", "99999999999999999999"}) {
    EXPECT_EQ(code(call("list_workflows", {{"cursor", cursor}})), "INVALID_INPUT") << cursor;
  }
  EXPECT_FALSE(call("list_workflows", {{"cursor", "1000"}}).is_error);
}

// Enforces: G9
TEST_F(rail, long_lists_come_in_pages_of_bounded_size) {
  world_.workflows.files.clear();
  for (int i = 0; i < 120; ++i) {
    world_.workflows.files.push_back(
        {"user",
         cat("flows/w", i, ".json"),
         cat(R"({"id":"w)", i, R"(","description":")", std::string(i % 3 == 0 ? 3'000 : 20, 'd'),
             R"(","steps":[{"id":"a","prompt":"p"}]})"),
         {}});
  }
  std::set<std::string> seen;
  Object arguments;
  int pages = 0;
  for (std::string cursor = "0"; !cursor.empty(); ++pages) {
    arguments.set("cursor", cursor);
    const ToolResult page = call("list_workflows", arguments);
    ASSERT_FALSE(page.is_error);
    EXPECT_LE(json::print(page.structured).size() + page.text.size(), limits::result_bytes_max);
    for (const Value& entry : *page.structured.find("workflows")->if_array()) {
      EXPECT_TRUE(seen.insert(*entry.find("workflowId")->if_string()).second);
    }
    cursor = at(page, "nextCursor");
  }
  EXPECT_EQ(seen.size(), 120u);
  EXPECT_GE(pages, 3);
}

TEST_F(rail, text_of_a_workflow_stays_out_of_descriptions) {
  for (const protocol::CheckedTool& entry : table_.all()) {
    const std::string before = entry.tool.description;
    world_.workflows.files[0].text = demo_workflow(2, 50);
    (void)call("list_workflows", {});
    EXPECT_EQ(entry.tool.description, before);
    EXPECT_EQ(before.find("pppp"), std::string::npos);
  }
}

TEST_F(rail, a_lost_run_is_found_and_continued) {
  const ToolResult first = call("start_workflow", {{"workflowId", "demo"}, {"goal", "Mend it"}});
  (void)call("continue_workflow", {{"ackToken", at(first, "ackToken")},
                                   {"output", Object{{"notesMarkdown", "The heron did it."}}}});
  const run::CommitNo last = world_.last_commit();
  const ToolResult found = call("resume_session", {{"query", "heron"}});
  ASSERT_FALSE(found.is_error) << found.text;
  const Value& candidate = found.structured.find("candidates")->if_array()->front();
  EXPECT_EQ(*candidate.find("pendingStepId"), Value("b"));
  EXPECT_EQ(*candidate.find("whyMatched"), Value(json::Array{"notes"}));
  EXPECT_THAT(found.text, HasSubstr("The heron did it."));
  const ToolResult back =
      call("continue_workflow", {{"stateToken", *candidate.find("stateToken")}});
  EXPECT_EQ(world_.last_commit(), last) << "neither writes";
  EXPECT_THAT(*back.structured.find("recovery")->find("recap")->if_string(), HasSubstr("heron"));
  EXPECT_THAT(back.text, HasSubstr("The heron did it."));
  EXPECT_FALSE(call("continue_workflow", {{"ackToken", at(back, "ackToken")}}).is_error);
}

TEST_F(rail, branches_are_told_with_their_tokens) {
  const ToolResult first = call("start_workflow", {{"workflowId", "demo"}});
  (void)call("continue_workflow", {{"ackToken", at(first, "ackToken")},
                                   {"output", Object{{"notesMarkdown", "One way."}}}});
  const ToolResult back = call("continue_workflow", {{"stateToken", at(first, "stateToken")}});
  const Value& recovery = *back.structured.find("recovery");
  EXPECT_EQ(*recovery.find("isTip"), Value(false));
  const Value& child = recovery.find("children")->if_array()->front();
  EXPECT_EQ(*child.find("label"), Value("step `a`: One way."));
  EXPECT_EQ(*child.find("isPreferred"), Value(true));
  EXPECT_EQ(*recovery.find("preferredTip")->find("stateToken"), *child.find("stateToken"));
  EXPECT_THAT(back.text, HasSubstr("1 branch continues from here"));
}

TEST_F(rail, a_workflow_is_inspected_without_starting_it) {
  const ToolResult metadata = call("inspect_workflow", {{"workflowId", "demo"}});
  ASSERT_FALSE(metadata.is_error) << metadata.text;
  EXPECT_TRUE(at(metadata, "workflowHash").starts_with("sha256:"));
  EXPECT_THAT(at(metadata, "outline"), HasSubstr("- a  prompt  \"Step a\""));
  EXPECT_THAT(metadata.text, HasSubstr(at(metadata, "outline")));
  EXPECT_FALSE(metadata.structured.contains("steps"));
  const ToolResult preview =
      call("inspect_workflow", {{"workflowId", "demo"}, {"mode", "preview"}});
  const json::Array& steps = *preview.structured.find("steps")->if_array();
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(*steps[1].find("compiled")->find("title"), Value("Step b"));
  EXPECT_THAT(preview.text, HasSubstr("pppppppppp of a"));
  EXPECT_EQ(world_.last_commit().value, 0);
}

// Enforces: G9
TEST_F(rail, a_long_workflow_is_inspected_in_pages_of_bounded_size) {
  world_.workflows.files[0].text = demo_workflow(300, 3'000);
  const ToolResult metadata = call("inspect_workflow", {{"workflowId", "demo"}});
  EXPECT_LE(json::print(metadata.structured).size() + metadata.text.size(),
            limits::result_bytes_max);
  EXPECT_THAT(at(metadata, "outline"), HasSubstr("more lines"));
  std::set<std::string> seen;
  Object arguments{{"workflowId", "demo"}, {"mode", "preview"}};
  for (std::string cursor = "0"; !cursor.empty();) {
    arguments.set("cursor", cursor);
    const ToolResult page = call("inspect_workflow", arguments);
    ASSERT_FALSE(page.is_error);
    EXPECT_LE(json::print(page.structured).size() + page.text.size(), limits::result_bytes_max);
    for (const Value& entry : *page.structured.find("steps")->if_array()) {
      EXPECT_TRUE(seen.insert(*entry.find("stepId")->if_string()).second);
    }
    cursor = at(page, "nextCursor");
  }
  EXPECT_EQ(seen.size(), 300u);
}

TEST_F(rail, read_only_tools_say_so_and_change_nothing) {
  const ToolResult first = call("start_workflow", {{"workflowId", "demo"}});
  const run::CommitNo last = world_.last_commit();
  for (const protocol::CheckedTool& entry : table_.all()) {
    if (!entry.tool.annotations.read_only) continue;
    Object arguments;
    if (entry.tool.name == "inspect_workflow") arguments.set("workflowId", "demo");
    EXPECT_FALSE(call(entry.tool.name, arguments).is_error) << entry.tool.name;
  }
  EXPECT_EQ(world_.last_commit(), last);
  for (const std::string_view name : {"list_workflows", "inspect_workflow", "resume_session"}) {
    EXPECT_TRUE(table_.find(name)->tool.annotations.read_only) << name;
  }
}

}  // namespace
}  // namespace baton::testing
