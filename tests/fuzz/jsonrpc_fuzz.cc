// Links: base protocol
// Any text, line by line, through decoding and dispatch: no crash, and every answer is one line of
// JSON that decodes as an answer.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/server.h"

namespace baton::protocol {
namespace {

class Host final : public CallHost {
 public:
  bool cancelled() const override { return false; }
  void send(std::string_view line) override { ASSERT(decode(line).has_value()); }
  std::expected<json::Value, RpcError> ask(std::string_view, json::Object) override {
    return std::unexpected(RpcError{});
  }
  void close_stream() override {}
};

ToolResult echo(const ToolCall& call) {
  call.report({.done = 1, .message = "half"});
  return {.structured = {{"arguments", call.arguments}}};
}

Server make_server() {
  Tool tool{.name = "echo",
            .title = "Echo",
            .description = "Use it to hear yourself.",
            .input_schema = MUST(json::parse(R"({"type":"object","required":["text"],"properties":{
                "text":{"type":"string"},"count":{"type":"integer"},
                "list":{"type":"array","items":{"type":"object",
                        "properties":{"name":{"type":"string"}}}},
                "free":{"type":"object"},"any":{}}})")),
            .handler = echo};
  return Server({.version = "0", .instructions = "How to begin."},
                {.tools = MUST(ToolTable::make({std::move(tool)}))});
}

void check_answer(std::string_view line) {
  ASSERT(line.find('\n') == std::string_view::npos);
  // Text inside an argument may be nested again, so an answer may be deeper than a message.
  const json::ReadLimits bounds{.bytes_max = line.size(), .depth_max = 4 * limits::json_depth_max};
  const Result<json::Value> answer = json::parse(line, bounds);
  ASSERT(answer.has_value());
  // Only what could not be read is answered without one.
  const json::Value* const id = answer->find("id");
  ASSERT(id != nullptr ? request_id_from(*id).has_value() : answer->find("error") != nullptr);
  ASSERT((answer->find("result") != nullptr) != (answer->find("error") != nullptr));
}

void feed(std::string_view rest) {
  static const Server server = make_server();
  ClientState connection;
  Host host;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    Action action = server.accept(line, connection);
    if (const WireReply* const reply = std::get_if<WireReply>(&action)) check_answer(reply->line);
    if (const Work* const work = std::get_if<Work>(&action)) check_answer(work->run(host).line);
  }
}

}  // namespace
}  // namespace baton::protocol

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  baton::protocol::feed({reinterpret_cast<const char*>(data), size});
  return 0;
}
