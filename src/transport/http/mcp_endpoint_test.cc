#include "transport/http/mcp_endpoint.h"

#include <gmock/gmock.h>

#include "protocol/testing/memory_task_book.h"
#include "transport/http/testing/mcp_fixture.h"

namespace baton::transport {
namespace {

using testing::Answer;
using testing::call_tool;
using ::testing::HasSubstr;
using testing::HttpClient;
using testing::McpFixture;
using ::testing::Not;
using testing::open_get;
using testing::open_session;
using testing::post;
using testing::post_modern;
using ::testing::StartsWith;

// --- The modern era -----------------------------------------------------------------------------

TEST(mcp_http, a_modern_call_needs_no_session_and_gets_none) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  post_modern(client, "tools/call", "echo");
  const Answer answer = client.read();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_EQ(answer.header("mcp-session-id"), "");
  EXPECT_THAT(answer.body, HasSubstr(R"("resultType":"complete")"));
}

TEST(mcp_http, what_a_modern_call_sends_before_its_answer_makes_it_a_stream) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  mcp.gate.open();
  post_modern(client, "tools/call", "progress");
  const Answer answer = client.read();
  EXPECT_EQ(answer.header("content-type"), "text/event-stream");
  EXPECT_EQ(answer.header("x-accel-buffering"), "no");
  EXPECT_THAT(answer.body, StartsWith("data: {"));
  EXPECT_THAT(answer.body, Not(HasSubstr("id: ")));
  EXPECT_THAT(answer.body, HasSubstr("notifications/progress"));
  EXPECT_THAT(answer.body, HasSubstr("progressed"));
}

TEST(mcp_http, a_modern_client_cancels_by_leaving) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  post_modern(client, "tools/call", "wait");
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  client.close();
  EXPECT_TRUE(mcp.gate.wait_left(1));
}

TEST(mcp_http, statuses_say_what_is_wrong_with_a_modern_request) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  post_modern(client, "no/such");
  EXPECT_EQ(client.read().status, 404);
  post(client, "", "{");
  EXPECT_EQ(client.read().status, 400);
  post(client, "MCP-Protocol-Version: 2026-07-28\r\n",
       R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}})");
  EXPECT_EQ(client.read().status, 400);
  const std::string cancelled =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  post(client, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n", cancelled);
  EXPECT_EQ(client.read().status, 400);
  post(client, "MCP-Protocol-Version: 2026-07-28\r\n", cancelled);
  EXPECT_EQ(client.read().status, 400);
  post(client, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: notifications/cancelled\r\n",
       cancelled);
  EXPECT_EQ(client.read().status, 202);
}

TEST(mcp_http, a_header_that_routes_is_sent_once) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string_view body =
      R"({"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","_meta":{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
  const std::string_view headers =
      "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n"
      "Mcp-Param-A: 1\r\n";
  post(client, headers, body);
  EXPECT_EQ(client.read().status, 200);
  for (const char* again : {"MCP-Protocol-Version: 2026-07-28", "mcp-method: tools/call",
                            "Mcp-Name: other", "Mcp-Param-A: 2"}) {
    post(client, cat(headers, again, "\r\n"), body);
    const Answer answer = client.read();
    EXPECT_EQ(answer.status, 400) << again;
    EXPECT_THAT(answer.body, HasSubstr(R"("id":9,"error":{"code":-32020)")) << again;
  }
  const std::string session = open_session(client);
  const std::string twice = cat(session, "Mcp-Session-Id: other\r\n");
  call_tool(client, twice, "echo", "9");
  const Answer answer = client.read();
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr(R"("id":9,"error":{"code":-32600)"));
  open_get(client, twice);
  EXPECT_EQ(client.read().status, 400);
  client.request("DELETE", "/mcp", twice);
  EXPECT_EQ(client.read().status, 400);
  call_tool(client, session, "echo");
  EXPECT_EQ(client.read().status, 200);
}

TEST(mcp_http, the_modern_era_has_no_get_and_no_delete) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  for (const char* method : {"GET", "DELETE"}) {
    client.request(method, "/mcp");
    EXPECT_EQ(client.read().status, 405) << method;
    client.request(method, "/mcp", "MCP-Protocol-Version: 2026-07-28\r\nMcp-Session-Id: x\r\n");
    const Answer answer = client.read();
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.header("allow"), "POST");
  }
  client.request("PUT", "/mcp");
  EXPECT_EQ(client.read().status, 405);
}

TEST(mcp_http, nothing_is_below_the_path) {
  const McpFixture mcp;
  for (const char* target : {"/mcp", "/mcp/", "/mcp?a", "/mcp/?/", "http://localhost/mcp"}) {
    HttpClient client = mcp.connect();
    client.request("POST", target, testing::takes_both, "{");
    EXPECT_EQ(client.read().status, 400) << target;
  }
  for (const char* target : {"/mcp/foo", "/mcp//", "http://localhost/mcp/foo"}) {
    HttpClient client = mcp.connect();
    client.request("POST", target, testing::takes_both, "{");
    EXPECT_EQ(client.read().status, 404) << target;
  }
}

TEST(mcp_http, bodies_are_json_and_answers_may_be_streams) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  client.request("POST", "/mcp", "Content-Type: text/plain\r\n", "{}");
  EXPECT_EQ(client.read().status, 415);
  client.request("POST", "/mcp", "", "{}");
  EXPECT_EQ(client.read().status, 415);
  client.request("POST", "/mcp", "Content-Type: application/json\r\nAccept: text/html\r\n", "{}");
  EXPECT_EQ(client.read().status, 406);
}

TEST(mcp_http, a_client_that_reads_no_streams_gets_the_answer_alone) {
  McpFixture mcp;
  mcp.gate.open();
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  client.request("POST", "/mcp",
                 cat(session, "Content-Type: application/json\r\nAccept: application/json\r\n"),
                 R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress"}})");
  const Answer answer = client.read();
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_THAT(answer.body, HasSubstr("progressed"));
}

TEST(mcp_http, a_client_that_reads_only_streams_gets_every_answer_as_one) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  const auto ask = [&](std::string_view session, std::string_view body) {
    client.request("POST", "/mcp",
                   cat(session, "Content-Type: application/json\r\nAccept: text/event-stream\r\n"),
                   body);
    return client.read();
  };
  const Answer opened =
      ask("", R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
              R"("2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}})");
  EXPECT_EQ(opened.header("content-type"), "text/event-stream");
  EXPECT_THAT(opened.body, HasSubstr(R"(data: {"jsonrpc":"2.0","id":0,"result")"));
  const std::string session = cat("Mcp-Session-Id: ", opened.header("mcp-session-id"), "\r\n");
  for (const std::string& body :
       {std::string(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"),
        std::string(
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})")}) {
    const Answer answer = ask(session, body);
    EXPECT_EQ(answer.header("content-type"), "text/event-stream") << body;
    EXPECT_THAT(answer.body, HasSubstr(R"(data: {"jsonrpc":"2.0","id":1,"result")"));
  }
  // What is wrong is said by the status.
  EXPECT_EQ(ask("Mcp-Session-Id: stale\r\n", R"({"jsonrpc":"2.0","id":1,"method":"ping"})").status,
            404);
}

TEST(mcp_http, an_answer_that_takes_long_becomes_a_stream_with_signs_of_life) {
  McpFixture mcp({.slow_call_ms = 1}, {.keep_alive_ms = 4});
  HttpClient client = mcp.connect();
  post_modern(client, "tools/call", "wait");
  EXPECT_EQ(client.read_head().header("content-type"), "text/event-stream");
  EXPECT_EQ(client.read_event(), ":\n\n");
  mcp.gate.open();
  std::string last;
  for (std::string event; !(event = client.read_event()).empty();) last = event;
  EXPECT_THAT(last, HasSubstr("waited"));
}

// --- Listening ----------------------------------------------------------------------------------

constexpr std::string_view all_tools = R"("notifications":{"toolsListChanged":true})";

TEST(mcp_http, a_listener_is_told_of_changes_and_of_the_end) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  post_modern(client, "subscriptions/listen", "", all_tools, "\"l\"");
  EXPECT_EQ(client.read_head().status, 200);
  EXPECT_THAT(client.read_event(), HasSubstr("notifications/subscriptions/acknowledged"));
  mcp.hub.publish(protocol::PromptsChanged{});
  mcp.hub.publish(protocol::ToolsChanged{});
  EXPECT_THAT(client.read_event(), HasSubstr("notifications/tools/list_changed"));
  mcp.begin_stop();
  EXPECT_THAT(client.read_event(), HasSubstr(R"("id":"l")"));
  EXPECT_EQ(client.read_event(), "");
  EXPECT_TRUE(mcp.stop());
}

TEST(mcp_http, a_listener_is_told_of_the_resources_it_named) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  post_modern(client, "subscriptions/listen", "",
              R"("notifications":{"resourceSubscriptions":["test://watched"]})");
  EXPECT_EQ(client.read_head().status, 200);
  EXPECT_THAT(client.read_event(), HasSubstr("acknowledged"));
  mcp.hub.publish(protocol::ResourceUpdated{"test://other"});
  mcp.hub.publish(protocol::ResourceUpdated{"test://watched"});
  const std::string event = client.read_event();
  EXPECT_THAT(event, HasSubstr("notifications/resources/updated"));
  EXPECT_THAT(event, HasSubstr("test://watched"));
}

TEST(mcp_http, listeners_are_bounded) {
  const McpFixture mcp({.listens_max = 1});
  HttpClient first = mcp.connect();
  post_modern(first, "subscriptions/listen", "", all_tools);
  EXPECT_EQ(first.read_head().status, 200);
  HttpClient second = mcp.connect();
  post_modern(second, "subscriptions/listen", "", all_tools);
  EXPECT_EQ(second.read().status, 503);
}

TEST(mcp_http, a_thousand_listeners_are_told_of_one_change) {
  McpFixture mcp;
  std::vector<HttpClient> clients;
  for (int i = 0; i < 1'000; ++i) {
    clients.push_back(mcp.connect());
    ASSERT_TRUE(post_modern(clients.back(), "subscriptions/listen", "", all_tools, cat(i)));
  }
  for (HttpClient& client : clients) {
    ASSERT_EQ(client.read_head().status, 200);
    ASSERT_THAT(client.read_event(), HasSubstr("acknowledged"));
  }
  mcp.hub.publish(protocol::ToolsChanged{});
  for (HttpClient& client : clients) {
    ASSERT_THAT(client.read_event(), HasSubstr("tools/list_changed"));
  }
  HttpClient other = mcp.connect();
  post_modern(other, "tools/call", "echo");
  EXPECT_EQ(other.read().status, 200);
}

// --- Legacy sessions ----------------------------------------------------------------------------

TEST(mcp_http, a_session_begins_with_initialize_and_ends_with_delete) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  call_tool(client, session, "echo");
  const Answer answer = client.read();
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_THAT(answer.body, Not(HasSubstr("resultType")));
  client.request("DELETE", "/mcp", session);
  EXPECT_EQ(client.read().status, 204);
  for (const char* method : {"GET", "DELETE"}) {
    client.request(method, "/mcp", session);
    EXPECT_EQ(client.read().status, 404);
  }
  call_tool(client, session, "echo");
  EXPECT_EQ(client.read().status, 404);
}

TEST(mcp_http, a_legacy_request_without_a_session_is_400_and_with_a_stale_one_404) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  call_tool(client, "", "echo");
  EXPECT_EQ(client.read().status, 400);
  call_tool(client, "Mcp-Session-Id: stale\r\n", "echo");
  EXPECT_EQ(client.read().status, 404);
  call_tool(client, "Mcp-Session-Id: x\r\nMCP-Protocol-Version: 1999-01-01\r\n", "echo");
  EXPECT_EQ(client.read().status, 400);
}

TEST(mcp_http, initialize_with_a_stale_session_opens_a_new_one) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  post(client, "Mcp-Session-Id: stale\r\n",
       R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
       R"("capabilities":{},"clientInfo":{"name":"t","version":"0"}}})");
  const Answer answer = client.read();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("mcp-session-id").size(), 48u);
}

TEST(mcp_http, a_failed_initialize_opens_no_session_and_ends_none) {
  const McpFixture mcp({.sessions_max = 1});
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  post(client, "", R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})");
  const Answer answer = client.read();
  EXPECT_THAT(answer.body, HasSubstr("-32602"));
  EXPECT_EQ(answer.header("mcp-session-id"), "");
  call_tool(client, session, "echo");
  EXPECT_EQ(client.read().status, 200);
}

TEST(mcp_http, a_legacy_client_that_leaves_has_cancelled_nothing) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  call_tool(client, session, "progress");
  EXPECT_EQ(client.read_head().status, 200);
  // The priming event has an id, and nothing else but when to reconnect.
  EXPECT_EQ(client.read_event(), cat("id: 1-0\nretry: ", limits::sse_retry_ms, "\ndata: \n\n"));
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  client.close();
  mcp.gate.open();
  HttpClient again = mcp.connect();
  open_get(again, session, "Last-Event-ID: 1-1\r\n");
  const Answer answer = again.read();
  EXPECT_THAT(answer.body, StartsWith("id: 1-2\ndata: "));
  EXPECT_THAT(answer.body, HasSubstr("id: 1-3\ndata: "));
  EXPECT_THAT(answer.body, HasSubstr("progressed"));
}

TEST(mcp_http, a_stream_closed_by_its_call_is_fetched_by_resuming) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  call_tool(client, session, "poll");
  const Answer first = client.read();
  EXPECT_THAT(first.body, StartsWith("id: 1-0\nretry: "));
  EXPECT_THAT(first.body, Not(HasSubstr("polled")));
  open_get(client, session, "Last-Event-ID: 1-0\r\n");
  EXPECT_EQ(client.read_head().status, 200);
  mcp.gate.open();
  EXPECT_THAT(client.read_event(), HasSubstr("polled"));
  EXPECT_EQ(client.read_event(), "");
}

TEST(mcp_http, the_stream_of_an_older_client_stays_open_until_its_answer) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client, "2025-06-18");
  call_tool(client, session, "poll");
  EXPECT_EQ(client.read_head().status, 200);
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  mcp.gate.open();
  EXPECT_THAT(client.read_event(), HasSubstr("polled"));
  EXPECT_EQ(client.read_event(), "");
}

TEST(mcp_http, only_what_was_sent_can_be_resumed) {
  McpFixture mcp;
  mcp.gate.open();
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  call_tool(client, session, "progress");
  client.read();
  for (const char* id : {"1-4", "1-99", "2-0", "0-0", "x", "", "1", "18446744073709551616-0"}) {
    open_get(client, session, cat("Last-Event-ID: ", id, "\r\n"));
    EXPECT_EQ(client.read().status, 400) << id;
  }
  open_get(client, session, "Last-Event-ID: 1-3\r\n");
  EXPECT_EQ(client.read().body, "");
}

TEST(mcp_http, older_clients_are_not_primed) {
  McpFixture mcp;
  mcp.gate.open();
  HttpClient client = mcp.connect();
  call_tool(client, open_session(client, "2025-06-18"), "progress");
  EXPECT_THAT(client.read().body, StartsWith("id: 1-1\ndata: {"));
}

TEST(mcp_http, a_cancelled_legacy_call_is_answered_with_nothing) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  call_tool(client, session, "wait", "5");
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  HttpClient other = mcp.connect();
  post(other, session,
       R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  EXPECT_EQ(other.read().status, 202);
  EXPECT_EQ(client.read().body, "");
  // The id is free again.
  mcp.gate.open();
  call_tool(client, session, "wait", "5");
  EXPECT_THAT(client.read().body, HasSubstr("waited"));
}

TEST(mcp_http, an_id_in_use_is_refused) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  call_tool(client, session, "wait", "5");
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  HttpClient other = mcp.connect();
  call_tool(other, session, "wait", "5");
  EXPECT_THAT(other.read().body, HasSubstr("still being answered"));
}

TEST(mcp_http, a_legacy_client_is_asked_on_the_stream_of_its_call) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  call_tool(client, session, "ask");
  EXPECT_EQ(client.read_head().status, 200);
  client.read_event();
  const std::string asked = client.read_event();
  EXPECT_THAT(asked, HasSubstr(R"("method":"elicitation/create")"));
  HttpClient other = mcp.connect();
  post(other, session, R"({"jsonrpc":"2.0","id":"baton:1","result":{"action":"decline"}})");
  EXPECT_EQ(other.read().status, 202);
  EXPECT_THAT(client.read_event(), HasSubstr(R"("answer":{"action":"decline"})"));
}

TEST(mcp_http, a_call_that_waits_for_its_client_can_be_cancelled) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  call_tool(client, session, "ask", "5");
  client.read_head();
  client.read_event();
  client.read_event();
  HttpClient other = mcp.connect();
  post(other, session,
       R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  EXPECT_EQ(other.read().status, 202);
  // The question is taken back, and nothing else is said.
  const std::string withdrawn = client.read_event();
  EXPECT_THAT(withdrawn, HasSubstr(R"("method":"notifications/cancelled")"));
  EXPECT_THAT(withdrawn, HasSubstr(R"("requestId":"baton:1")"));
  EXPECT_EQ(client.read_event(), "");
}

TEST(mcp_http, the_stream_of_get_carries_changes_and_can_be_resumed) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  open_get(client, session);
  EXPECT_EQ(client.read_head().status, 200);
  EXPECT_THAT(client.read_event(), StartsWith("id: 0-0\n"));
  mcp.hub.publish(protocol::ToolsChanged{});
  EXPECT_THAT(client.read_event(), StartsWith("id: 0-1\n"));
  client.close();
  mcp.hub.publish(protocol::ToolsChanged{});
  HttpClient again = mcp.connect();
  open_get(again, session, "Last-Event-ID: 0-1\r\n");
  EXPECT_EQ(again.read_head().status, 200);
  EXPECT_THAT(again.read_event(), StartsWith("id: 0-2\n"));
  // A further one takes its place.
  HttpClient third = mcp.connect();
  open_get(third, session);
  EXPECT_EQ(third.read_head().status, 200);
  EXPECT_EQ(again.read_event(), "");
}

TEST(mcp_http, a_session_is_told_of_the_resources_it_subscribed) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  const auto subscribe = [&](std::string_view method) {
    post(client, session,
         cat(R"({"jsonrpc":"2.0","id":1,"method":"resources/)", method,
             R"(","params":{"uri":"test://watched"}})"));
    EXPECT_EQ(client.read().status, 200);
  };
  subscribe("subscribe");
  HttpClient stream = mcp.connect();
  open_get(stream, session);
  EXPECT_EQ(stream.read_head().status, 200);
  stream.read_event();
  mcp.hub.publish(protocol::ResourceUpdated{"test://watched"});
  EXPECT_THAT(stream.read_event(), HasSubstr("notifications/resources/updated"));
  subscribe("unsubscribe");
  mcp.hub.publish(protocol::ResourceUpdated{"test://watched"});
  mcp.hub.publish(protocol::ToolsChanged{});
  EXPECT_THAT(stream.read_event(), HasSubstr("tools/list_changed"));
}

TEST(mcp_http, a_cancellation_that_races_its_answer_leaves_one_of_the_two) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  HttpClient other = mcp.connect();
  const std::string session = open_session(client);
  for (int id = 1; id <= 200; ++id) {
    call_tool(client, session, "echo", cat(id));
    post(other, session,
         cat(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)", id,
             "}}"));
    const std::string body = client.read().body;
    ASSERT_TRUE(body.empty() || body.find(cat("\"id\":", id)) != std::string::npos);
    ASSERT_EQ(other.read().status, 202);
  }
}

TEST(mcp_http, the_oldest_idle_session_makes_room) {
  McpFixture mcp({.sessions_max = 2});
  HttpClient client = mcp.connect();
  const std::string first = open_session(client);
  const std::string second = open_session(client);
  call_tool(client, first, "wait");
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  HttpClient other = mcp.connect();
  const std::string third = open_session(other);
  call_tool(other, second, "echo");
  EXPECT_EQ(other.read().status, 404);
  call_tool(other, third, "echo");
  EXPECT_EQ(other.read().status, 200);
  mcp.gate.open();
  EXPECT_THAT(client.read().body, HasSubstr("waited"));
}

TEST(mcp_http, calls_are_bounded) {
  McpFixture mcp({.calls_max = 1});
  HttpClient client = mcp.connect();
  post_modern(client, "tools/call", "wait");
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  HttpClient other = mcp.connect();
  post_modern(other, "tools/call", "echo");
  EXPECT_EQ(other.read().status, 503);
  post_modern(other, "tools/list");
  EXPECT_EQ(other.read().status, 200);
}

TEST(mcp_http, bounds_are_the_limits_unless_told_otherwise) {
  const McpLimits bounds;
  EXPECT_EQ(bounds.calls_max, limits::http_calls_max);
  EXPECT_EQ(bounds.listens_max, limits::http_listens_max);
  EXPECT_EQ(bounds.sessions_max, limits::http_sessions_max);
  EXPECT_EQ(bounds.slow_call_ms, limits::http_slow_call_ms);
}

TEST(mcp_http, as_many_calls_wait_at_once_as_there_are_workers) {
  McpFixture mcp;
  std::vector<HttpClient> clients;
  // The last of them begins when another has ended.
  for (std::size_t i = 0; i < limits::http_workers_max + 1; ++i) {
    clients.push_back(mcp.connect());
    post_modern(clients.back(), "tools/call", "wait");
  }
  EXPECT_TRUE(mcp.gate.wait_entered(static_cast<int>(limits::http_workers_max)));
  mcp.gate.open();
  for (HttpClient& client : clients) EXPECT_THAT(client.read().body, HasSubstr("waited"));
}

TEST(mcp_http, tasks_take_no_slot_of_other_calls) {
  McpFixture mcp({}, {}, std::make_shared<protocol::MemoryTaskBook>());
  HttpClient client = mcp.connect();
  const int tasks = static_cast<int>(limits::http_workers_max) + 1;
  for (int i = 0; i < tasks; ++i) {
    post_modern(client, "tools/call", "task");
    ASSERT_THAT(client.read().body, HasSubstr(R"("status":"working")"));
  }
  EXPECT_TRUE(mcp.gate.wait_entered(tasks));
  post_modern(client, "tasks/get", "task-1");
  EXPECT_THAT(client.read().body, HasSubstr(R"("status":"working")"));
  post_modern(client, "tasks/cancel", "task-1");
  EXPECT_EQ(client.read().status, 200);
  EXPECT_TRUE(mcp.gate.wait_left(1));
}

TEST(mcp_http, tasks_are_not_counted_among_the_calls_up_to_as_many_as_those) {
  McpFixture mcp({.calls_max = 1}, {}, std::make_shared<protocol::MemoryTaskBook>());
  HttpClient client = mcp.connect();
  post_modern(client, "tools/call", "task");
  ASSERT_THAT(client.read().body, HasSubstr(R"("status":"working")"));
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  post_modern(client, "tools/call", "task");
  ASSERT_THAT(client.read().body, HasSubstr(R"("status":"working")"));
  ASSERT_TRUE(mcp.gate.wait_entered(2));
  // The second one keeps a place.
  post_modern(client, "tools/call", "echo");
  EXPECT_EQ(client.read().status, 503);
}

TEST(mcp_http, a_task_continues_when_its_client_disconnects) {
  McpFixture mcp({}, {}, std::make_shared<protocol::MemoryTaskBook>());
  HttpClient client = mcp.connect();
  post_modern(client, "tools/call", "task");
  client.read();
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  client.close();
  HttpClient other = mcp.connect();
  post_modern(other, "tasks/get", "task-1");
  EXPECT_THAT(other.read().body, HasSubstr(R"("status":"working")"));
  mcp.gate.open();
  EXPECT_TRUE(mcp.gate.wait_left(1));
}

TEST(mcp_http, calls_that_wait_for_their_client_free_their_slots) {
  const McpFixture mcp;
  std::vector<HttpClient> clients;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client);
  for (std::size_t i = 0; i < limits::http_workers_max + 1; ++i) {
    clients.push_back(mcp.connect());
    call_tool(clients.back(), session, "ask", cat(i));
    ASSERT_EQ(clients.back().read_head().status, 200);
    clients.back().read_event();
    ASSERT_THAT(clients.back().read_event(), HasSubstr("elicitation/create"));
  }
  // Leaving cancels nothing, so that they wait on.
  clients.clear();
  call_tool(client, session, "echo", "\"other\"");
  EXPECT_THAT(client.read().body, HasSubstr("echo"));
}

TEST(mcp_http, a_batch_is_answered_with_an_array_where_the_revision_knows_them) {
  const McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string_view batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call",)"
      R"("params":{"name":"echo"}},{"jsonrpc":"2.0","method":"notifications/initialized"}])";
  post(client, open_session(client, "2025-03-26"), batch);
  const Answer answer = client.read();
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, StartsWith("["));
  EXPECT_THAT(answer.body, HasSubstr(R"("id":1)"));
  EXPECT_THAT(answer.body, HasSubstr(R"("id":2)"));
  post(client, open_session(client, "2025-03-26"),
       R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
  EXPECT_EQ(client.read().status, 202);
  post(client, open_session(client), batch);
  EXPECT_THAT(client.read().body, HasSubstr("-32600"));
}

std::string batched_call(std::string_view id, std::string_view tool) {
  return cat(R"({"jsonrpc":"2.0","id":)", id, R"(,"method":"tools/call","params":{"name":")", tool,
             R"("}})");
}

std::string cancellation(std::string_view id) {
  return cat(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)", id,
             "}}");
}

TEST(mcp_http, cancelling_one_request_of_a_batch_silences_that_one_alone) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client, "2025-03-26");
  post(client, session,
       cat('[', batched_call("1", "echo"), ',', batched_call("2", "wait"), ',',
           batched_call("3", "wait"), ',', batched_call("4", "echo"), ']'));
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  HttpClient other = mcp.connect();
  // The third has not begun yet.
  for (const char* id : {"3", "2"}) {
    post(other, session, cancellation(id));
    EXPECT_EQ(other.read().status, 202);
  }
  const std::string body = client.read().body;
  EXPECT_THAT(body, HasSubstr(R"("id":1)"));
  EXPECT_THAT(body, Not(HasSubstr(R"("id":2)")));
  EXPECT_THAT(body, Not(HasSubstr(R"("id":3)")));
  EXPECT_THAT(body, HasSubstr(R"("id":4)"));
  EXPECT_EQ(mcp.gate.entered(), 1);
}

TEST(mcp_http, a_batch_may_cancel_what_it_asks) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client, "2025-03-26");
  post(client, session,
       cat('[', batched_call("1", "wait"), ',', cancellation("1"), ',', batched_call("2", "echo"),
           ']'));
  const std::string body = client.read().body;
  EXPECT_THAT(body, Not(HasSubstr(R"("id":1)")));
  EXPECT_THAT(body, HasSubstr(R"("id":2)"));
  // With nothing left there is no answer, and the ids are free again.
  post(client, session, cat('[', batched_call("1", "wait"), ',', cancellation("1"), ']'));
  EXPECT_EQ(client.read().body, "");
  call_tool(client, session, "echo");
  EXPECT_THAT(client.read().body, HasSubstr("echo"));
}

TEST(mcp_http, an_id_in_use_is_refused_in_a_batch_and_the_others_are_answered) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  const std::string session = open_session(client, "2025-03-26");
  call_tool(client, session, "wait", "5");
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  HttpClient other = mcp.connect();
  post(other, session,
       cat('[', batched_call("5", "echo"), ',', batched_call("6", "echo"), ',',
           batched_call("6", "echo"), ']'));
  const std::string body = other.read().body;
  EXPECT_THAT(body, HasSubstr(R"("id":5,"error":{"code":-32600)"));
  EXPECT_THAT(body, HasSubstr(R"("id":6,"error":{"code":-32600)"));
  EXPECT_THAT(body, HasSubstr(R"("id":6,"result")"));
  // The one that was there first is still in flight.
  post(other, session, cancellation("5"));
  EXPECT_EQ(other.read().status, 202);
  EXPECT_EQ(client.read().body, "");
}

TEST(mcp_http, a_stream_is_whole_when_its_call_ends_while_the_server_does) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  post_modern(client, "tools/call", "progress");
  EXPECT_EQ(client.read_head().status, 200);
  EXPECT_THAT(client.read_event(), HasSubstr("notifications/progress"));
  mcp.begin_stop();
  mcp.gate.open();
  EXPECT_THAT(client.read_event(), HasSubstr("notifications/progress"));
  EXPECT_THAT(client.read_event(), HasSubstr("progressed"));
  EXPECT_EQ(client.read_event(), "");
  EXPECT_TRUE(mcp.stop());
}

TEST(mcp_http, the_end_of_the_server_waits_for_no_client) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  call_tool(client, open_session(client), "ask", "5");
  EXPECT_EQ(client.read_head().status, 200);
  client.read_event();
  EXPECT_THAT(client.read_event(), HasSubstr("elicitation/create"));
  mcp.begin_stop();
  EXPECT_THAT(client.read_event(), HasSubstr(R"("id":5,)"));
  EXPECT_EQ(client.read_event(), "");
  EXPECT_TRUE(mcp.stop());
}

TEST(mcp_http, the_end_of_the_server_waits_for_calls) {
  McpFixture mcp;
  HttpClient client = mcp.connect();
  post_modern(client, "tools/call", "wait");
  ASSERT_TRUE(mcp.gate.wait_entered(1));
  mcp.begin_stop();
  mcp.gate.open();
  EXPECT_THAT(client.read().body, HasSubstr("waited"));
  EXPECT_TRUE(mcp.stop());
}

}  // namespace
}  // namespace baton::transport
