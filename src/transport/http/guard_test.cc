#include "transport/http/guard.h"

#include <gtest/gtest.h>

namespace baton::transport {
namespace {

Guard open_guard(std::vector<std::string> hosts = {}) {
  return Guard(std::move(hosts), std::make_shared<AllowAll>());
}

/// 0 when the request is let in.
int refusal(const Guard& guard, std::vector<HttpHeader> headers) {
  const HttpRequest head{.method = "POST", .target = "/mcp", .headers = std::move(headers)};
  const auto principal = guard.admit(head);
  if (!principal) return principal.error().status;
  EXPECT_EQ(*principal, "local");
  return 0;
}

TEST(guard, loopback_names_are_let_in_with_any_port) {
  for (const char* host :
       {"localhost", "LOCALHOST:7077", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:7077"}) {
    EXPECT_EQ(refusal(open_guard(), {{"host", host}}), 0) << host;
  }
}

TEST(guard, a_foreign_host_alone_is_refused) {
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "localhost:x", "localhost:", "[::1", "[::2]:80", "::1", "",
                           "evil@localhost", "localhost evil", "127.0.0.2"}) {
    EXPECT_EQ(refusal(open_guard(), {{"host", host}}), 403) << host;
  }
}

TEST(guard, a_foreign_origin_alone_is_refused) {
  for (const char* origin :
       {"http://evil.example", "https://localhost.evil.example", "null", "", "localhost",
        "file://localhost", "http://localhost@evil.example", "http://localhost/path"}) {
    EXPECT_EQ(refusal(open_guard(), {{"host", "localhost"}, {"origin", origin}}), 403) << origin;
  }
}

TEST(guard, every_origin_is_checked) {
  const HttpHeader good{"origin", "http://localhost"};
  const HttpHeader bad{"origin", "http://evil.example"};
  EXPECT_EQ(refusal(open_guard(), {{"host", "localhost"}, good, bad}), 403);
  EXPECT_EQ(refusal(open_guard(), {{"host", "localhost"}, good}), 0);
}

TEST(guard, a_request_has_one_host) {
  EXPECT_EQ(refusal(open_guard(), {}), 400);
  EXPECT_EQ(refusal(open_guard(), {{"host", "localhost"}, {"host", "localhost"}}), 400);
}

TEST(guard, a_further_host_can_be_named) {
  const Guard guard = open_guard({"Box.Example"});
  EXPECT_EQ(refusal(guard, {{"host", "box.example:80"}, {"origin", "https://BOX.example"}}), 0);
  EXPECT_EQ(refusal(guard, {{"host", "other.example"}}), 403);
}

TEST(guard, the_bearer_secret_is_asked_for_after_host_and_origin) {
  const Guard guard({}, std::make_shared<BearerSecret>("s3cret"));
  const HttpHeader host{"host", "localhost"};
  EXPECT_EQ(refusal(guard, {host, {"authorization", "Bearer s3cret"}}), 0);
  EXPECT_EQ(refusal(guard, {host, {"authorization", "bearer s3cret"}}), 0);
  EXPECT_EQ(refusal(guard, {host}), 401);
  for (const char* given : {"", "s3cret", "Basic s3cret", "Bearer", "Bearer ", "Bearer s3cre",
                            "Bearer s3crets", "Bearer  s3cret", "Bearer S3CRET"}) {
    EXPECT_EQ(refusal(guard, {host, {"authorization", given}}), 401) << given;
  }
  EXPECT_EQ(refusal(guard,
                    {host, {"authorization", "Bearer s3cret"}, {"authorization", "Bearer s3cret"}}),
            401);
  EXPECT_EQ(refusal(guard, {{"host", "evil.example"}}), 403);
}

TEST(guard, an_empty_secret_admits_no_request_without_the_header) {
  const Guard guard({}, std::make_shared<BearerSecret>(""));
  EXPECT_EQ(refusal(guard, {{"host", "localhost"}, {"authorization", "Basic x"}}), 401);
}

TEST(guard, a_refusal_for_lack_of_the_secret_names_the_scheme) {
  const Guard guard({}, std::make_shared<BearerSecret>("s3cret"));
  const auto refused =
      guard.admit({.method = "GET", .target = "/", .headers = {{"host", "[::1]"}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().headers.back().name, "WWW-Authenticate");
  EXPECT_EQ(refused.error().body.find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace baton::transport
