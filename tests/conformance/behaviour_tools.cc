// Tools that report, log, leave their stream, or change what the server offers.

#include "conformance/fixtures.h"
#include "conformance/parts.h"

namespace baton::conformance {
namespace {

using protocol::Call;
using protocol::ToolAnswer;

constexpr std::int64_t pause_ms = 50;

ToolAnswer report_progress(const Call& call) {
  for (const double done : {0.0, 50.0, 100.0}) {
    call.report({.done = done, .total = 100});
    // After the last one too: some clients hear nothing that arrives together with the answer.
    wait(call, pause_ms);
  }
  return text_result("Reported 0, 50 and 100 of 100.");
}

ToolAnswer log_three_times(const Call& call) {
  call.log({.data = "Tool execution started"});
  wait(call, pause_ms);
  call.log({.data = "Tool processing data"});
  wait(call, pause_ms);
  call.log({.data = "Tool execution completed"});
  return text_result("Logged three messages.");
}

ToolAnswer leave_the_stream(const Call& call) {
  call.close_stream();
  wait(call, 2 * pause_ms);
  return text_result("The answer came after the stream was closed and resumed.");
}

ToolAnswer need_sampling(const Call& call) {
  const json::Object needed{{"sampling", json::Object{}}};
  if (!protocol::declares(call.client_capabilities, needed)) {
    return protocol::missing_capability(needed, "This tool needs a client that offers sampling.");
  }
  return text_result("The client offers sampling.");
}

}  // namespace

std::vector<protocol::Tool> behaviour_tools(const Publish& publish) {
  return {
      tool("test_tool_with_progress", "Reports its progress three times.", report_progress),
      tool("test_tool_with_logging", "Logs three messages while it runs.", log_three_times),
      tool("test_logging_tool", "Logs, but only for callers that asked for it.", log_three_times),
      tool("test_reconnection", "Closes its stream before it answers.", leave_the_stream),
      tool("test_missing_capability", "Needs a client that offers sampling.", need_sampling),
      tool("test_trigger_tool_change", "Says that the list of tools changed.",
           [publish](const Call&) {
             publish(protocol::ToolsChanged{});
             return text_result("Announced.");
           }),
      tool("test_trigger_prompt_change", "Says that the list of prompts changed.",
           [publish](const Call&) {
             publish(protocol::PromptsChanged{});
             return text_result("Announced.");
           }),
      tool("test_trigger_resource_update", "Says that test://watched-resource changed.",
           [publish](const Call&) {
             publish(protocol::ResourceUpdated{"test://watched-resource"});
             return text_result("Announced.");
           }),
  };
}

}  // namespace baton::conformance
