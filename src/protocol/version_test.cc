#include "protocol/version.h"

#include <gtest/gtest.h>

namespace baton::protocol {
namespace {

json::Object params(std::string_view meta) { return {{"_meta", MUST(json::parse(meta))}}; }

RpcError refusal(std::string_view meta) {
  auto context = context_of(params(meta), {});
  EXPECT_FALSE(context) << meta;
  return context ? RpcError{} : context.error();
}

TEST(version, names_and_versions_match) {
  for (const char* name : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}) {
    ASSERT_TRUE(version_from(name)) << name;
    EXPECT_EQ(name_of(*version_from(name)), name);
  }
  EXPECT_FALSE(version_from("2024-10-07"));
  EXPECT_FALSE(version_from(""));
}

TEST(era, is_modern_when_the_request_names_a_modern_version) {
  const auto context = context_of(params(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                 "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}})"),
                                  {.principal = "p", .legacy_version = Version::v2024_11_05});
  ASSERT_TRUE(context);
  EXPECT_TRUE(context->modern());
  EXPECT_EQ(context->principal, "p");
  EXPECT_TRUE(context->client_capabilities.contains("elicitation"));
}

TEST(era, is_what_initialize_settled_otherwise) {
  ClientState connection;
  connection.legacy_version = Version::v2025_03_26;
  connection.legacy_capabilities = {{"roots", json::Object{}}};
  for (const json::Object& given : {json::Object{}, params(R"({"progressToken":1})")}) {
    const auto context = context_of(given, connection);
    ASSERT_TRUE(context);
    EXPECT_EQ(context->version, Version::v2025_03_26);
    EXPECT_EQ(context->client_capabilities, connection.legacy_capabilities);
  }
}

TEST(era, modern_requests_must_declare_capabilities) {
  const char* const holes[] = {R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"})",
                               R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
          "io.modelcontextprotocol/clientCapabilities":[]})"};
  for (const char* meta : holes) {
    const RpcError error = refusal(meta);
    EXPECT_EQ(error.code, RpcCode::invalid_params);
    EXPECT_NE(error.message.find("clientCapabilities"), std::string::npos);
  }
}

TEST(era, modern_requests_must_name_their_version) {
  for (const char* meta : {R"({"io.modelcontextprotocol/clientCapabilities":{}})",
                           R"({"io.modelcontextprotocol/protocolVersion":3,
            "io.modelcontextprotocol/clientCapabilities":{}})"}) {
    const RpcError error = refusal(meta);
    EXPECT_EQ(error.code, RpcCode::invalid_params);
    EXPECT_NE(error.message.find("protocolVersion"), std::string::npos);
  }
}

TEST(era, an_unsupported_version_is_told_which_are_supported) {
  for (const char* version : {"2099-01-01", "2025-11-25", ""}) {
    const RpcError error =
        refusal(std::string(R"({"io.modelcontextprotocol/clientCapabilities":{},)")
                    .append(R"("io.modelcontextprotocol/protocolVersion":")" +
                            std::string(version) + "\"}"));
    EXPECT_EQ(error.code, RpcCode::unsupported_protocol_version) << version;
    EXPECT_EQ(error.data, json::Value(json::Object{{"supported", json::Array{"2026-07-28"}},
                                                   {"requested", version}}));
  }
}

TEST(era, meta_must_be_an_object) {
  const auto context = context_of({{"_meta", 1}}, {});
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().code, RpcCode::invalid_params);
}

TEST(era, a_progress_token_is_a_string_or_an_integer) {
  EXPECT_EQ(context_of(params(R"({"progressToken":"t"})"), {})->progress_token, json::Value("t"));
  EXPECT_EQ(context_of(params(R"({"progressToken":0})"), {})->progress_token, json::Value(0));
  EXPECT_EQ(refusal(R"({"progressToken":1.5})").code, RpcCode::invalid_params);
}

}  // namespace
}  // namespace baton::protocol
