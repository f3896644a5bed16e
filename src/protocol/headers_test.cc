#include "protocol/headers.h"

#include <gtest/gtest.h>

#include "protocol/testing/fixture.h"

namespace baton::protocol {
namespace {

using Given = std::map<std::string, std::string>;

Headers headers_of(const Given& given) {
  return [given](std::string_view name) -> std::optional<std::string_view> {
    static thread_local std::string kept;
    const auto found = given.find(std::string(name));
    if (found == given.end()) return std::nullopt;
    kept = found->second;
    return kept;
  };
}

Catalog catalog() {
  Tool tool =
      plain_tool("find", [](const Call&) -> ToolAnswer { return ToolResult{.text = "ok"}; });
  tool.input_schema = MUST(json::parse(R"({"type":"object","properties":{
      "region":{"type":"string","x-mcp-header":"Region"},
      "count":{"type":"integer","x-mcp-header":"Count"},
      "deep":{"type":"object","properties":{"on":{"type":"boolean","x-mcp-header":"On"}}}}})"));
  Catalog all;
  all.tools = MUST(ToolTable::make({std::move(tool)}));
  return all;
}

/// The code of the answer to a modern request with these headers, and its status.
std::string answer(std::string_view method, json::Object params, const Given& given) {
  Client client(catalog());
  const Headers headers = headers_of(given);
  const Action step = client.server.accept(
      decode_incoming(encode_request(1, method, client.with_meta(std::move(params)))),
      client.connection, &headers);
  if (std::holds_alternative<Work>(step)) return "runs";
  const WireReply& reply = std::get<WireReply>(step);
  return cat(reply.http_status, ' ', json::print(code_of(MUST(json::parse(reply.line)))));
}

Given full(std::string_view method, Given more = {}) {
  more.emplace("MCP-Protocol-Version", "2026-07-28");
  more.emplace("Mcp-Method", method);
  return more;
}

std::string call(std::string_view arguments, Given more) {
  more.emplace("Mcp-Name", "find");
  return answer("tools/call", {{"name", "find"}, {"arguments", object(arguments)}},
                full("tools/call", std::move(more)));
}

TEST(headers, agree_with_the_body_or_the_request_is_refused) {
  EXPECT_EQ(answer("tools/list", {}, full("tools/list")), "200 null");
  EXPECT_EQ(answer("tools/list", {}, full("prompts/list")), "400 -32020");
  EXPECT_EQ(answer("tools/list", {}, full("TOOLS/LIST")), "400 -32020");
  EXPECT_EQ(answer("tools/list", {}, {{"MCP-Protocol-Version", "2026-07-28"}}), "400 -32020");
  EXPECT_EQ(answer("tools/list", {}, {{"Mcp-Method", "tools/list"}}), "400 -32020");
  EXPECT_EQ(answer("tools/list", {},
                   {{"MCP-Protocol-Version", "2025-11-25"}, {"Mcp-Method", "tools/list"}}),
            "400 -32020");
  EXPECT_EQ(answer("no/such", {}, full("no/such")), "404 -32601");
}

TEST(headers, the_name_is_repeated) {
  const json::Object find{{"name", "find"}};
  EXPECT_EQ(answer("tools/call", find, full("tools/call", {{"Mcp-Name", "find"}})), "runs");
  EXPECT_EQ(answer("tools/call", find, full("tools/call", {{"Mcp-Name", "=?base64?ZmluZA==?="}})),
            "runs");
  EXPECT_EQ(answer("tools/call", find, full("tools/call", {{"Mcp-Name", "other"}})), "400 -32020");
  EXPECT_EQ(answer("tools/call", find, full("tools/call")), "400 -32020");
  EXPECT_EQ(answer("tools/call", find, full("tools/call", {{"Mcp-Name", "=?base64?ZmluZA?="}})),
            "400 -32020");
}

TEST(headers, arguments_are_repeated_where_the_schema_says_so) {
  EXPECT_EQ(call(R"({"region":"eu"})", {{"Mcp-Param-Region", "eu"}}), "runs");
  EXPECT_EQ(call(R"({"region":"eu"})", {}), "400 -32020");
  EXPECT_EQ(call(R"({})", {{"Mcp-Param-Region", "eu"}}), "400 -32020");
  EXPECT_EQ(call(R"({"region":null})", {}), "runs");
  EXPECT_EQ(call(R"({"region":"é"})", {{"Mcp-Param-Region", "=?base64?w6k=?="}}), "runs");
  EXPECT_EQ(call(R"({"region":"Hello"})", {{"Mcp-Param-Region", "=?base64?SGVs!!!bG8=?="}}),
            "400 -32020");
  EXPECT_EQ(call(R"({"region":"=?base64?SGVsbG8="})", {{"Mcp-Param-Region", "=?base64?SGVsbG8="}}),
            "runs");
  EXPECT_EQ(call(R"({"count":10})", {{"Mcp-Param-Count", "10.0"}}), "runs");
  EXPECT_EQ(call(R"({"count":10})", {{"Mcp-Param-Count", "ten"}}), "400 -32020");
  EXPECT_EQ(call(R"({"deep":{"on":true}})", {{"Mcp-Param-On", "true"}}), "runs");
  EXPECT_EQ(call(R"({"deep":{"on":true}})", {{"Mcp-Param-On", "True"}}), "400 -32020");
}

TEST(headers, repeat_arguments_that_come_as_text_as_well) {
  const auto sent_as_text = [](const json::Value& arguments, Given more) {
    more.emplace("Mcp-Name", "find");
    return answer("tools/call", {{"name", "find"}, {"arguments", arguments}},
                  full("tools/call", std::move(more)));
  };
  const std::string whole = R"({"region":"eu"})";
  EXPECT_EQ(sent_as_text(whole, {{"Mcp-Param-Region", "eu"}}), "runs");
  EXPECT_EQ(sent_as_text(whole, {}), "400 -32020");
  const json::Value part = object(R"({"deep":"{\"on\":true}"})");
  EXPECT_EQ(sent_as_text(part, {{"Mcp-Param-On", "true"}}), "runs");
  EXPECT_EQ(sent_as_text(part, {}), "400 -32020");
}

TEST(headers, a_handshake_is_always_legacy) {
  Client client(catalog());
  const Headers headers = headers_of({{"MCP-Protocol-Version", "2026-07-28"}});
  const Action step = client.server.accept(
      decode_incoming(encode_request(1, "initialize", {{"protocolVersion", "2025-06-18"}})),
      client.connection, &headers);
  EXPECT_EQ(std::get<WireReply>(step).http_status, 200);
  EXPECT_EQ(client.connection.legacy_version, Version::v2025_06_18);
}

TEST(headers, of_a_modern_notification_repeat_its_method) {
  Client client(catalog());
  const auto status = [&](json::Object params, const Given& given) {
    const Headers headers = headers_of(given);
    const Action step = client.server.accept(
        decode_incoming(encode_notification("notifications/x", std::move(params))),
        client.connection, &headers);
    return std::holds_alternative<NoReply>(step) ? 202 : std::get<WireReply>(step).http_status;
  };
  const json::Object modern = client.with_meta({});
  EXPECT_EQ(status(modern, full("notifications/x")), 202);
  EXPECT_EQ(status(modern, full("notifications/y")), 400);
  EXPECT_EQ(status(modern, {{"MCP-Protocol-Version", "2026-07-28"}}), 400);
  EXPECT_EQ(status(modern, {{"Mcp-Method", "notifications/x"}}), 400);
  EXPECT_EQ(status({}, full("notifications/x")), 202);
  EXPECT_EQ(status({}, full("notifications/y")), 400);
  EXPECT_EQ(status({}, {{"MCP-Protocol-Version", "2025-11-25"}}), 202);
}

TEST(headers, a_hole_in_meta_comes_before_everything_else) {
  Client client(catalog());
  const Headers headers = headers_of(full("server/discover"));
  const auto code = [&](std::string_view params) {
    const Action step =
        client.server.accept(decode_incoming(encode_request(1, "server/discover", object(params))),
                             client.connection, &headers);
    return json::print(code_of(MUST(json::parse(std::get<WireReply>(step).line))));
  };
  EXPECT_EQ(code("{}"), "-32602");
  EXPECT_EQ(code(R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}})"), "-32602");
  EXPECT_EQ(code(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})"),
            "-32602");
  EXPECT_EQ(code(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"v9",
                              "io.modelcontextprotocol/clientCapabilities":{}}})"),
            "-32020");
}

TEST(headers, the_era_of_what_has_no_meta_is_that_of_its_header) {
  const auto modern = [](std::string_view text, const Given& given) {
    return is_modern(decode_incoming(text), headers_of(given));
  };
  const Given now = {{"MCP-Protocol-Version", "2026-07-28"}};
  const Given then = {{"MCP-Protocol-Version", "2025-11-25"}};
  EXPECT_TRUE(modern(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", now));
  EXPECT_TRUE(modern(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})", now));
  EXPECT_FALSE(modern(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", then));
  EXPECT_FALSE(modern(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", {}));
  EXPECT_FALSE(modern(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})", now));
}

TEST(tool_table, refuses_headers_that_clients_would) {
  const auto usable = [](std::string_view properties) {
    Tool tool = plain_tool("t", [](const Call&) -> ToolAnswer { return ToolResult{}; });
    tool.input_schema =
        MUST(json::parse(cat(R"({"type":"object","properties":{)", properties, "}}")));
    return ToolTable::make({tool}).has_value();
  };
  EXPECT_TRUE(usable(R"("a":{"type":"string","x-mcp-header":"A-b.1"})"));
  EXPECT_FALSE(usable(R"("a":{"type":"string","x-mcp-header":""})"));
  EXPECT_FALSE(usable(R"("a":{"type":"string","x-mcp-header":"a b"})"));
  EXPECT_FALSE(usable(R"("a":{"type":"string","x-mcp-header":"é"})"));
  EXPECT_FALSE(usable(R"("a":{"type":"string","x-mcp-header":1})"));
  EXPECT_FALSE(usable(R"("a":{"type":"number","x-mcp-header":"A"})"));
  EXPECT_FALSE(usable(R"("a":{"type":"string","x-mcp-header":"A"},
                         "b":{"type":"string","x-mcp-header":"a"})"));
}

}  // namespace
}  // namespace baton::protocol
