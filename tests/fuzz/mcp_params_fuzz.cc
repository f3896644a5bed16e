// Links: base protocol
// One byte chooses a method and an era, the rest is the text of its params: no crash, every answer
// is JSON, and a state that was not sealed here opens nothing.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text/text.h"
#include "protocol/server.h"
#include "protocol/testing/fixture.h"

namespace baton::protocol {
namespace {

constexpr std::string_view methods[] = {
    "initialize",       "tools/call",           "tools/list",     "resources/list",
    "resources/read",   "resources/subscribe",  "prompts/get",    "completion/complete",
    "logging/setLevel", "subscriptions/listen", "tasks/get",      "tasks/update",
    "tasks/cancel",     "prompts/list",         "server/discover"};

ToolAnswer ask(const Call& call) {
  if (call.input("name") != nullptr) return ToolResult{.text = json::print(call.inputs)};
  return NeedInput{{{"name", elicit_form("Name?", {{"type", "object"}})}}, "kept"};
}

Catalog everything() {
  Tool asking = plain_tool("ask", ask);
  asking.task = TaskMode::optional;
  Catalog all;
  all.tools = MUST(ToolTable::make({std::move(asking)}));
  const ResourceHandler read = [](const Call& call) {
    return ResourceResult{{text_contents(call.uri, "", json::print(call.arguments))}};
  };
  all.resources = MUST(
      ResourceTable::make({{{.uri = "x://a", .name = "a", .description = "d"}, read}},
                          {{{.uri = "x://{b}/c", .name = "b", .description = "d"}, read}}, {}));
  all.prompts =
      MUST(PromptTable::make({{.name = "p",
                               .description = "d",
                               .arguments = {{.name = "a", .complete = complete_from({"x", "y"})}},
                               .handler = [](const Call& call) {
                                 return PromptResult{
                                     {}, {{"user", text_content(json::print(call.arguments))}}};
                               }}}));
  all.tools_change = all.resources_subscribe = all.logs = true;
  all.tasks = std::make_shared<MemoryTaskBook>();
  all.sealer = std::make_shared<PlainSealer>();
  return all;
}

void feed(std::uint8_t choice, std::string_view text) {
  const Result<json::Value> params = json::parse(text);
  if (!params || !params->is_object()) return;
  // A new one each time, so that the tasks of one input are not kept for the next.
  const Server server({.version = "0"}, everything());
  ClientState connection;
  FakeHost host;
  host.answers = {json::Object{}, json::Object{}};
  Request request{1, std::string(methods[(choice >> 1) % std::size(methods)]),
                  *params->if_object()};
  if ((choice & 1) != 0) {
    json::Object meta = object(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{"elicitation":{},
        "extensions":{"io.modelcontextprotocol/tasks":{}}}})");
    request.params.set("_meta", std::move(meta));
  }
  Incoming incoming;
  incoming.messages.emplace_back(std::move(request));
  Action action = server.accept(std::move(incoming), connection, nullptr);
  if (const WireReply* const reply = std::get_if<WireReply>(&action))
    ASSERT(json::parse(reply->line));
  const Work* const work = std::get_if<Work>(&action);
  if (work == nullptr) return;
  const WorkResult outcome = work->run(host);
  const json::ReadLimits bounds{.bytes_max = outcome.line.size(),
                                .depth_max = 4 * limits::json_depth_max};
  ASSERT(json::parse(outcome.line, bounds));
  if (outcome.then) outcome.then(host);
}

}  // namespace
}  // namespace baton::protocol

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  baton::protocol::feed(data[0], {reinterpret_cast<const char*>(data + 1), size - 1});
  return 0;
}
