#include "protocol/server.h"

#include <gtest/gtest.h>

namespace baton::protocol {
namespace {

constexpr std::string_view modern_meta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

Server server_without_tools() {
  return Server({.version = "1.2.3", .instructions = std::string(default_instructions())}, {});
}

json::Value answer(const Server& server, std::string_view text, Connection& connection) {
  Step step = server.accept(text, connection);
  Reply* const reply = std::get_if<Reply>(&step);
  if (reply == nullptr) return {};
  EXPECT_EQ(reply->line.find('\n'), std::string::npos);
  return MUST(json::parse(reply->line));
}

json::Value answer(std::string_view text) {
  Connection connection;
  return answer(server_without_tools(), text, connection);
}

std::string modern(std::string_view method, std::string_view id = "1") {
  return std::string(R"({"jsonrpc":"2.0","id":)")
      .append(id)
      .append(R"(,"method":")")
      .append(method)
      .append(R"(","params":{)")
      .append(modern_meta)
      .append("}}");
}

TEST(server, bad_json_is_answered_with_a_null_id) {
  const json::Value reply = answer("{");
  ASSERT_NE(reply.find("id"), nullptr);
  EXPECT_TRUE(reply.find("id")->is_null());
  EXPECT_EQ(*reply.find("error")->find("code"), json::Value(-32700));
}

TEST(server, discover_says_what_the_server_is) {
  const json::Value reply = answer(modern("server/discover", "\"listen:0\""));
  EXPECT_EQ(*reply.find("id"), json::Value("listen:0"));
  const json::Value& result = *reply.find("result");
  EXPECT_EQ(*result.find("supportedVersions"), json::Value(json::Array{"2026-07-28"}));
  EXPECT_EQ(*result.find("resultType"), json::Value("complete"));
}

TEST(server, initialize_echoes_a_supported_version) {
  const json::Value reply = answer(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize",)"
      R"("params":{"protocolVersion":"2025-06-18"}})");
  EXPECT_EQ(*reply.find("result")->find("protocolVersion"), json::Value("2025-06-18"));
}

TEST(server, ping_is_answered_in_the_legacy_era_only) {
  EXPECT_EQ(*answer(R"({"jsonrpc":"2.0","id":7,"method":"ping"})").find("result"),
            json::Value(json::Object{}));
  EXPECT_EQ(*answer(modern("ping")).find("error")->find("code"), json::Value(-32601));
}

TEST(server, an_unknown_method_is_refused_by_name) {
  const json::Value reply = answer(R"({"jsonrpc":"2.0","id":7,"method":"no/such"})");
  EXPECT_EQ(*reply.find("error")->find("code"), json::Value(-32601));
  EXPECT_NE(reply.find("error")->find("message")->if_string()->find("no/such"), std::string::npos);
}

}  // namespace
}  // namespace baton::protocol
