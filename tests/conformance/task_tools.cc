// Tools that become tasks, and one that never does.

#include "base/text/text.h"
#include "conformance/fixtures.h"
#include "conformance/parts.h"

namespace baton::conformance {
namespace {

using protocol::Call;
using protocol::NeedInput;
using protocol::TaskMode;
using protocol::Tool;
using protocol::ToolAnswer;
using protocol::ToolResult;

Tool with_task(Tool tool, TaskMode mode) {
  tool.task = mode;
  return tool;
}

ToolAnswer compute(const Call& call) {
  const json::Value* const seconds = call.arguments.find("seconds");
  wait(call, static_cast<std::int64_t>(seconds->as_double() * 1000));
  return text_result(cat("Computed ", argument(call, "label")));
}

ToolAnswer fail_as_a_tool(const Call& call) {
  wait(call, 1000);
  ToolResult failure = text_result("The job failed, as it always does.");
  failure.is_error = true;
  return failure;
}

ToolAnswer confirm_delete(const Call& call) {
  const json::Object* const answer = call.input("confirm_delete");
  const std::string file = argument(call, "filename");
  if (answer == nullptr) {
    return NeedInput{
        {{"confirm_delete", ask_for(cat("Delete ", file, '?'), "confirm", "boolean")}}};
  }
  const json::Value* const content = answer->find("content");
  const json::Value* const confirmed = content == nullptr ? nullptr : content->find("confirm");
  const bool go = confirmed != nullptr && *confirmed == json::Value(true);
  return text_result(cat(go ? "Deleted " : "Kept ", file));
}

ToolAnswer ask_for_two(const Call& call) {
  NeedInput need;
  for (const char* key : {"first_name", "second_name"}) {
    if (call.input(key) == nullptr)
      need.requests.emplace(key, ask_for("A name?", "name", "string"));
  }
  if (!need.requests.empty()) return need;
  return text_result("Both names are there.");
}

std::optional<NeedInput> ask_name_first(const Call& call) {
  if (call.input("user_name") != nullptr) return std::nullopt;
  return NeedInput{{{"user_name", ask_for("What is your name?", "name", "string")}}};
}

ToolAnswer greet_in_task(const Call& call) {
  const json::Object* const answer = call.input("user_name");
  const json::Value* const content = answer == nullptr ? nullptr : answer->find("content");
  return text_result(cat("Task done for ", content == nullptr ? "nobody" : json::print(*content)));
}

constexpr std::string_view seconds_schema = R"({"type":"object","properties":{
    "seconds":{"type":"number","minimum":0,"maximum":600,"description":"How long to compute."},
    "label":{"type":"string","description":"What to call the result."}},"required":["seconds"]})";

}  // namespace

std::vector<Tool> task_tools() {
  Tool first_asks = with_task(
      tool("test_tool_with_task", "Asks for a name, then greets in a task.", greet_in_task),
      TaskMode::required);
  first_asks.before_task = ask_name_first;
  return {
      tool_with("greet", "Greets, at once.",
                R"({"type":"object","properties":{"name":{"type":"string",
                    "description":"Whom to greet."}},"required":["name"]})",
                [](const Call& call) {
                  return text_result(cat("Hello, ", argument(call, "name"), '!'));
                }),
      with_task(tool_with("slow_compute", "Computes for a while.", seconds_schema, compute),
                TaskMode::optional),
      with_task(tool("failing_job", "Fails after a second.", fail_as_a_tool), TaskMode::required),
      with_task(tool("protocol_error_job", "Breaks down.",
                     [](const Call&) {
                       return protocol::RpcError{protocol::RpcCode::internal_error,
                                                 "The job broke down, as it always does."};
                     }),
                TaskMode::required),
      with_task(tool_with("confirm_delete", "Deletes nothing, after asking.",
                          R"({"type":"object","properties":{"filename":{"type":"string",
                              "description":"What would be deleted."}},"required":["filename"]})",
                          confirm_delete),
                TaskMode::optional),
      with_task(tool("multi_input", "Asks two things at once.", ask_for_two), TaskMode::optional),
      std::move(first_asks),
  };
}

}  // namespace baton::conformance
