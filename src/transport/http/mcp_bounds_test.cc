// What an MCP endpoint keeps for the calls of all its clients together.

#include "transport/http/testing/mcp_fixture.h"

namespace baton::transport {
namespace {

using testing::HttpClient;
using testing::McpFixture;

constexpr std::string_view headers =
    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n";
constexpr std::string_view call =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{)"
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}}}})";

// Enforces: G9
TEST(mcp_bounds, the_messages_of_calls_in_flight_are_bounded_together) {
  EXPECT_EQ(McpLimits().calls_bytes_max, limits::http_calls_bytes_max);
  for (const std::size_t less : {0, 1}) {
    const McpFixture fixture({.calls_bytes_max = call.size() - less});
    HttpClient client = fixture.connect();
    testing::post(client, headers, call);
    EXPECT_EQ(client.read().status, less == 0 ? 200 : 503);
  }
}

// Enforces: G9
TEST(mcp_bounds, a_call_in_flight_counts_and_one_that_ended_does_not) {
  McpFixture fixture({.calls_bytes_max = 2 * call.size()});
  HttpClient waiting = fixture.connect();
  testing::post_modern(waiting, "tools/call", "wait");
  ASSERT_TRUE(fixture.gate.wait_entered(1));
  HttpClient other = fixture.connect();
  testing::post(other, headers, call);
  EXPECT_EQ(other.read().status, 503);
  fixture.gate.open();
  EXPECT_EQ(waiting.read().status, 200);
  // The place of the call is given back after its answer.
  int status = 503;
  for (int i = 0; i < 10'000 && status == 503; ++i) {
    testing::post(other, headers, call);
    status = other.read().status;
  }
  EXPECT_EQ(status, 200);
}

}  // namespace
}  // namespace baton::transport
