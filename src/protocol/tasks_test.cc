#include "protocol/tasks.h"

#include <gtest/gtest.h>

#include "protocol/testing/fixture.h"

namespace baton::protocol {
namespace {

const json::Object with_tasks =
    object(R"({"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})");

InputRequest question() {
  return elicit_form("Sure?",
                     object(R"({"type":"object","properties":{"ok":{"type":"boolean"}}})"));
}

ToolAnswer work(const Call& call) {
  return ToolResult{.text = cat("done ", json::print(call.inputs))};
}

ToolAnswer ask_two(const Call& call) {
  NeedInput need;
  for (const char* key : {"a", "b"}) {
    if (call.input(key) == nullptr) need.requests.emplace(key, question());
  }
  if (!need.requests.empty()) return need;
  return work(call);
}

/// Quick when it is asked to be; else there is more to come.
ToolAnswer slow(const Call& call) {
  if (const json::Value* from = call.state.find("from")) {
    return ToolResult{
        .text = cat("went on from ", json::print(*from), " with ", json::print(call.arguments))};
  }
  ToolResult result{.text = "not yet"};
  if (!call.arguments.contains("quick")) result.goes_on_from = json::Object{{"from", 7}};
  return result;
}

Tool tasked(std::string name, ToolHandler handler, TaskMode mode) {
  Tool tool = plain_tool(std::move(name), std::move(handler));
  tool.task = mode;
  return tool;
}

Tool slow_tool() {
  Tool tool = tasked("slow", slow, TaskMode::when_slow);
  tool.input_schema = MUST(json::parse(
      R"({"type":"object","properties":{"quick":{"type":"integer"},"secret":{"type":"string"}}})"));
  return tool;
}

class Tasks : public ::testing::Test {
 protected:
  Tasks() { client.capabilities = with_tasks; }

  static Catalog catalog() {
    Tool first = tasked("first_asks", work, TaskMode::required);
    first.before_task = [](const Call& call) -> std::optional<NeedInput> {
      if (call.input("name") != nullptr) return std::nullopt;
      return NeedInput{{{"name", question()}}};
    };
    Catalog all;
    all.tools = MUST(ToolTable::make(
        {tasked("work", work, TaskMode::optional), tasked("must", work, TaskMode::required),
         tasked("ask", ask_two, TaskMode::optional), plain_tool("plain", work), slow_tool(),
         tasked(
             "break",
             [](const Call&) -> ToolAnswer { return RpcError{RpcCode::internal_error, "broke"}; },
             TaskMode::required),
         tasked(
             "until_cancelled",
             [](const Call& call) -> ToolAnswer {
               return ToolResult{.text = call.cancelled() ? "cancelled" : "not"};
             },
             TaskMode::required),
         std::move(first)}));
    all.tasks = std::make_shared<MemoryTaskBook>();
    all.sealer = std::make_shared<PlainSealer>();
    return all;
  }

  json::Value call(std::string_view tool, json::Object more = {}) {
    more.set("name", tool);
    return client.modern("tools/call", std::move(more));
  }
  std::string start(std::string_view tool) {
    return *at(call(tool), {"result", "taskId"}).if_string();
  }
  json::Value get(const std::string& id) {
    return at(client.modern("tasks/get", {{"taskId", id}}), {"result"});
  }

  Client client{catalog()};
};

TEST_F(Tasks, a_call_is_answered_by_a_task_and_continued) {
  const json::Value created = at(call("work"), {"result"});
  EXPECT_EQ(at(created, {"resultType"}), json::Value("task"));
  EXPECT_EQ(at(created, {"status"}), json::Value("working"));
  EXPECT_TRUE(created.find("ttlMs") != nullptr && created.find("ttlMs")->is_null());
  EXPECT_EQ(at(created, {"createdAt"}), json::Value("2026-09-21T14:13:20.000Z"));
  const std::string id = *at(created, {"taskId"}).if_string();
  EXPECT_EQ(at(get(id), {"status"}), json::Value("working"));
  client.continue_task();
  const json::Value ended = get(id);
  EXPECT_EQ(at(ended, {"status"}), json::Value("completed"));
  EXPECT_EQ(at(ended, {"resultType"}), json::Value("complete"));
  EXPECT_EQ(at(at(ended, {"result", "content"}).if_array()->at(0), {"text"}),
            json::Value("done {}"));
}

TEST_F(Tasks, a_client_without_tasks_gets_the_result_or_a_refusal) {
  client.capabilities = {};
  EXPECT_EQ(at(call("work"), {"result", "resultType"}), json::Value("complete"));
  const json::Value refused = call("must");
  EXPECT_EQ(code_of(refused), json::Value(-32021));
  EXPECT_EQ(client.status, 400);
  EXPECT_FALSE(at(refused, {"error", "data", "requiredCapabilities", "extensions",
                            "io.modelcontextprotocol/tasks"})
                   .is_null());
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    EXPECT_EQ(code_of(client.modern(method, object(R"({"taskId":"x","inputResponses":{}})"))),
              json::Value(-32021));
  }
  EXPECT_EQ(at(client.legacy("tools/call", {{"name", "work"}}), {"result", "isError"}),
            json::Value());
  EXPECT_EQ(code_of(client.legacy("tools/call", {{"name", "must"}})), json::Value(-32602));
}

TEST_F(Tasks, a_call_with_more_to_do_continues_as_a_task_that_keeps_none_of_its_arguments) {
  const json::Value created =
      at(call("slow", {{"arguments", object(R"({"secret":"s"})")}}), {"result"});
  EXPECT_EQ(at(created, {"resultType"}), json::Value("task"));
  client.continue_task();
  const json::Value ended = get(*at(created, {"taskId"}).if_string());
  EXPECT_EQ(at(ended, {"status"}), json::Value("completed"));
  EXPECT_EQ(at(at(ended, {"result", "content"}).if_array()->at(0), {"text"}),
            json::Value("went on from 7 with {}"));
}

TEST_F(Tasks, a_finished_call_is_not_a_task_and_without_tasks_the_first_result_counts) {
  const json::Object quick{{"arguments", object(R"({"quick":1})")}};
  EXPECT_EQ(at(call("slow", quick), {"result", "resultType"}), json::Value("complete"));
  client.capabilities = {};
  const json::Value answer = at(call("slow"), {"result"});
  EXPECT_EQ(at(answer, {"resultType"}), json::Value("complete"));
  EXPECT_EQ(at(at(answer, {"content"}).if_array()->at(0), {"text"}), json::Value("not yet"));
}

TEST_F(Tasks, a_tool_without_tasks_never_makes_one) {
  EXPECT_EQ(at(call("plain", {{"task", object(R"({"ttl":1})")}}), {"result", "resultType"}),
            json::Value("complete"));
}

TEST_F(Tasks, questions_are_answered_one_by_one) {
  const std::string id = start("ask");
  client.continue_task();
  const json::Value waiting = get(id);
  EXPECT_EQ(at(waiting, {"status"}), json::Value("input_required"));
  EXPECT_EQ(at(waiting, {"inputRequests"}).if_object()->size(), 2u);
  const auto update = [&](std::string_view responses) {
    return at(
        client.modern("tasks/update", {{"taskId", id}, {"inputResponses", object(responses)}}),
        {"result", "resultType"});
  };
  EXPECT_EQ(update(R"({"unknown":{}})"), json::Value("complete"));
  EXPECT_EQ(update(R"({"a":{"action":"accept"}})"), json::Value("complete"));
  EXPECT_TRUE(client.rest.empty());
  EXPECT_EQ(at(get(id), {"inputRequests"}).if_object()->size(), 1u);
  update(R"({"b":{"action":"accept"}})");
  EXPECT_EQ(at(get(id), {"status"}), json::Value("working"));
  EXPECT_EQ(client.rest.size(), 1u);
  client.continue_task();
  EXPECT_EQ(at(get(id), {"status"}), json::Value("completed"));
}

TEST_F(Tasks, a_question_the_client_cannot_answer_fails_the_task) {
  client.capabilities.erase("elicitation");
  const std::string id = start("ask");
  client.continue_task();
  EXPECT_EQ(at(get(id), {"status"}), json::Value("failed"));
  EXPECT_EQ(at(get(id), {"error", "code"}), json::Value(-32021));
}

TEST_F(Tasks, a_protocol_error_fails_the_task) {
  const std::string id = start("break");
  client.continue_task();
  const json::Value failed = get(id);
  EXPECT_EQ(at(failed, {"status"}), json::Value("failed"));
  EXPECT_EQ(at(failed, {"error", "message"}), json::Value("broke"));
  EXPECT_TRUE(at(failed, {"result"}).is_null());
}

TEST_F(Tasks, a_cancelled_task_stays_cancelled) {
  const std::string id = start("until_cancelled");
  const auto cancel = [&] {
    return at(client.modern("tasks/cancel", {{"taskId", id}}), {"result"});
  };
  EXPECT_EQ(at(cancel(), {"resultType"}), json::Value("complete"));
  EXPECT_TRUE(at(cancel(), {"taskId"}).is_null());
  client.continue_task();
  EXPECT_EQ(at(get(id), {"status"}), json::Value("cancelled"));
}

TEST_F(Tasks, a_task_that_outlives_the_server_fails) {
  const std::string id = start("work");
  client.host.stop = true;
  client.continue_task();
  EXPECT_EQ(at(get(id), {"status"}), json::Value("failed"));
}

TEST_F(Tasks, an_unknown_task_and_anothers_are_the_same) {
  const std::string id = start("work");
  EXPECT_EQ(code_of(client.modern("tasks/get", {{"taskId", "none"}})), json::Value(-32602));
  client.connection.principal = "someone else";
  EXPECT_EQ(code_of(client.modern("tasks/get", {{"taskId", id}})), json::Value(-32602));
  EXPECT_EQ(code_of(client.modern("tasks/cancel", {{"taskId", id}})), json::Value(-32602));
  EXPECT_EQ(code_of(client.modern("tasks/get")), json::Value(-32602));
  EXPECT_EQ(code_of(client.modern("tasks/update", {{"taskId", id}})), json::Value(-32602));
}

TEST_F(Tasks, what_is_asked_before_the_task_is_known_in_it) {
  const json::Value asked = at(call("first_asks"), {"result"});
  EXPECT_EQ(at(asked, {"resultType"}), json::Value("input_required"));
  EXPECT_TRUE(at(asked, {"taskId"}).is_null());
  const json::Value created =
      at(call("first_asks", {{"inputResponses", object(R"({"name":{"action":"accept"}})")}}),
         {"result"});
  EXPECT_EQ(at(created, {"resultType"}), json::Value("task"));
  EXPECT_TRUE(at(created, {"requestState"}).is_null());
  client.continue_task();
  EXPECT_EQ(
      at(at(get(*at(created, {"taskId"}).if_string()), {"result", "content"}).if_array()->at(0),
         {"text"}),
      json::Value(R"(done {"name":{"action":"accept"}})"));
}

TEST_F(Tasks, removed_methods_are_unknown) {
  EXPECT_EQ(code_of(client.modern("tasks/list")), json::Value(-32601));
  EXPECT_EQ(code_of(client.modern("tasks/result", {{"taskId", "x"}})), json::Value(-32601));
  EXPECT_EQ(code_of(client.legacy("tasks/get", {{"taskId", "x"}})), json::Value(-32601));
}

TEST(task, take_answers_ignores_unrequested_answers) {
  McpTask task;
  EXPECT_FALSE(take_answers(task, object(R"({"a":{"action":"accept"}})")));
  task.status = McpTaskState::input_required;
  task.requests = {{"a", question()}};
  EXPECT_FALSE(take_answers(task, object(R"({"b":1})")));
  EXPECT_TRUE(task.responses.empty());
  EXPECT_TRUE(take_answers(task, object(R"({"a":{"action":"accept"}})")));
  EXPECT_FALSE(take_answers(task, object(R"({"a":2})")));
  EXPECT_EQ(task.responses, object(R"({"a":{"action":"accept"}})"));
}

TEST(task, every_status_has_a_name_of_its_own) {
  for (const McpTaskState status :
       {McpTaskState::working, McpTaskState::input_required, McpTaskState::completed,
        McpTaskState::failed, McpTaskState::cancelled}) {
    EXPECT_EQ(task_status_from(name_of(status)), status);
  }
  EXPECT_EQ(task_status_from("done"), std::nullopt);
}

}  // namespace
}  // namespace baton::protocol
