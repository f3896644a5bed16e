#pragma once
// An MCP endpoint behind a real socket, with tools that do what the test tells them to, and a
// client that speaks both eras to it.

#include <gtest/gtest.h>

#include "base/core/thread_safety.h"
#include "transport/http/mcp_endpoint.h"
#include "transport/http/testing/running_server.h"

namespace baton::transport::testing {

/// Holds the calls that enter it until the test opens it or they are cancelled.
class Gate {
 public:
  /// Whether the call was cancelled.
  bool pass(const std::function<bool()>& cancelled) {
    const MutexLock lock(mutex_);
    ++entered_;
    news_.notify_all();
    // A handler is not notified of its cancellation, so it polls.
    while (!open_ && !cancelled()) news_.wait_for(mutex_, std::chrono::milliseconds(1));
    ++left_;
    news_.notify_all();
    return !open_;
  }

  void open() {
    const MutexLock lock(mutex_);
    open_ = true;
    news_.notify_all();
  }

  bool wait_entered(int count) {
    return wait([&]() REQUIRES(mutex_) { return entered_ >= count; });
  }
  int entered() {
    const MutexLock lock(mutex_);
    return entered_;
  }
  bool wait_left(int count) {
    return wait([&]() REQUIRES(mutex_) { return left_ >= count; });
  }

 private:
  template <class Happened>
  bool wait(const Happened& happened) {
    const MutexLock lock(mutex_);
    return news_.wait_for(mutex_, std::chrono::seconds(10), happened);
  }

  Mutex mutex_;
  Condition news_;
  int entered_ GUARDED_BY(mutex_) = 0;
  int left_ GUARDED_BY(mutex_) = 0;
  bool open_ GUARDED_BY(mutex_) = false;
};

/// Different from call to call, which is all that ids need here.
class CountingEntropy final : public ports::Entropy {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    for (auto& byte : bytes) byte = next_++;
  }

 private:
  std::uint8_t next_ = 0;
};

class McpFixture {
 public:
  explicit McpFixture(McpLimits bounds = {}, HttpOptions options = {},
                      std::shared_ptr<protocol::TaskBook> tasks = {})
      : endpoint_(protocol::Server({.version = "0"}, catalog(std::move(tasks))), hub, entropy_,
                  bounds),
        server_(MUST(HttpServer::listen({}, options, open_guard(), {endpoint_.route("/mcp")}))),
        thread_([this] { drained_ = server_->run(-1, [this] { endpoint_.stop(); }); }) {}
  ~McpFixture() {
    gate.open();
    stop();
    endpoint_.finish(10'000);
  }

  HttpClient connect() const { return HttpClient(server_->address()); }

  void begin_stop() { server_->stop(); }
  bool stop() {
    server_->stop();
    if (thread_.joinable()) thread_.join();
    return drained_;
  }

  Hub hub;
  Gate gate;

 private:
  protocol::Catalog catalog(std::shared_ptr<protocol::TaskBook> tasks);

  CountingEntropy entropy_;
  McpEndpoint endpoint_;
  std::unique_ptr<HttpServer> server_;
  bool drained_ = false;
  std::thread thread_;
};

inline protocol::Tool test_tool(std::string name, protocol::ToolHandler handler) {
  return {.name = std::move(name),
          .title = "Test",
          .description = "Use it to test.",
          .input_schema = MUST(json::parse(R"({"type":"object","properties":{}})")),
          .handler = std::move(handler)};
}

/// echo answers at once, wait at the gate, progress reports 1 before the gate and 2 after it, ask
/// asks the client for a form, poll closes its stream before the gate, task waits at the gate,
/// as a task where there is a book for them.
inline protocol::Catalog McpFixture::catalog(std::shared_ptr<protocol::TaskBook> tasks) {
  using protocol::ToolAnswer;
  using protocol::ToolCall;
  const auto text = [](std::string words) {
    return protocol::ToolResult{.structured = {{"said", std::move(words)}}};
  };
  std::vector<protocol::Tool> tools;
  tools.push_back(test_tool("echo", [=](const ToolCall&) -> ToolAnswer { return text("echo"); }));
  tools.push_back(test_tool("wait", [=, this](const ToolCall& call) -> ToolAnswer {
    return text(gate.pass(call.cancelled) ? "cancelled" : "waited");
  }));
  tools.push_back(test_tool("progress", [=, this](const ToolCall& call) -> ToolAnswer {
    call.report({.done = 1});
    gate.pass(call.cancelled);
    call.report({.done = 2});
    return text("progressed");
  }));
  tools.push_back(test_tool("poll", [=, this](const ToolCall& call) -> ToolAnswer {
    call.close_stream();
    gate.pass(call.cancelled);
    return text("polled");
  }));
  tools.push_back(test_tool("task", [=, this](const ToolCall& call) -> ToolAnswer {
    return text(gate.pass(call.cancelled) ? "cancelled" : "waited");
  }));
  tools.back().task = protocol::TaskMode::optional;
  tools.push_back(test_tool("ask", [=](const ToolCall& call) -> ToolAnswer {
    if (const json::Object* const answer = call.input("form")) {
      return protocol::ToolResult{.structured = {{"answer", *answer}}};
    }
    return protocol::NeedInput{
        {{"form",
          protocol::elicit_form("Name?", {{"type", "object"}, {"properties", json::Object{}}})}}};
  }));
  protocol::Resource watched{
      {.uri = "test://watched", .name = "watched", .description = "It changes."},
      [](const protocol::Call&) -> protocol::ResourceAnswer {
        return protocol::ResourceResult{
            {protocol::text_contents("test://watched", "text/plain", "now")}};
      }};
  return {.tools = MUST(protocol::ToolTable::make(std::move(tools))),
          .resources = MUST(protocol::ResourceTable::make({std::move(watched)}, {}, {})),
          .tools_change = true,
          .resources_subscribe = true,
          .tasks = std::move(tasks)};
}

// --- What a client sends ------------------------------------------------------------------------

inline constexpr std::string_view takes_both =
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";

inline bool post(HttpClient& client, std::string_view headers, std::string_view body) {
  return client.request("POST", "/mcp", cat(takes_both, headers), body);
}

/// A modern request with the headers that agree with it; `name` is that of a tool or a task, or
/// empty.
inline bool post_modern(HttpClient& client, std::string_view method, std::string_view name = {},
                        std::string_view params = {}, std::string_view id = "1") {
  const std::string header = cat("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ", method, "\r\n",
                                 name.empty() ? "" : cat("Mcp-Name: ", name, "\r\n"));
  const std::string_view key = method.starts_with("tasks/") ? "taskId" : "name";
  const std::string named = name.empty() ? "" : cat('"', key, "\":\"", name, "\",");
  return post(client, header,
              cat(R"({"jsonrpc":"2.0","id":)", id, R"(,"method":")", method, R"(","params":{)",
                  named, params, params.empty() ? "" : ",",
                  R"("_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":)"
                  R"("2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":)"
                  R"({"io.modelcontextprotocol/tasks":{}}}}}})"));
}

/// The headers that a session's requests carry.
inline std::string open_session(HttpClient& client, std::string_view version = "2025-11-25") {
  post(client, "",
       cat(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")",
           version, R"(","capabilities":{"elicitation":{}},"clientInfo":{"name":"t",)",
           R"("version":"0"}}})"));
  const Answer answer = client.read();
  EXPECT_EQ(answer.status, 200);
  const std::string headers = cat("Mcp-Session-Id: ", answer.header("mcp-session-id"),
                                  "\r\nMCP-Protocol-Version: ", version, "\r\n");
  post(client, headers, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(client.read().status, 202);
  return headers;
}

inline bool call_tool(HttpClient& client, std::string_view session, std::string_view name,
                      std::string_view id = "1") {
  return post(client, session,
              cat(R"({"jsonrpc":"2.0","id":)", id, R"(,"method":"tools/call","params":{"name":")",
                  name, R"(","arguments":{},"_meta":{"progressToken":7}}})"));
}

inline bool open_get(HttpClient& client, std::string_view session, std::string_view more = {}) {
  return client.send(cat("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n",
                         session, more, "\r\n"));
}

}  // namespace baton::transport::testing
