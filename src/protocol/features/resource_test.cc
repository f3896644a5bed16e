#include "protocol/features/resource.h"

#include <gtest/gtest.h>

#include "protocol/testing/fixture.h"

namespace baton::protocol {
namespace {

ResourceHandler says(std::string text) {
  return [text](const Call& call) {
    return ResourceResult{
        {text_contents(call.uri, "text/plain", cat(text, json::print(call.arguments)))}, 5};
  };
}

Resource resource(std::string uri) {
  return {{.uri = std::move(uri), .name = "n", .title = "T", .description = "d"}, says("it")};
}

ResourceTemplate templated(std::string uri) {
  return {{.uri = std::move(uri), .name = "n", .description = "d"}, says("one of them")};
}

Catalog catalog(std::vector<Resource> resources, ResourceLister lister = {}) {
  Catalog all;
  all.resources = MUST(
      ResourceTable::make(std::move(resources), {templated("x://runs/{id}")}, std::move(lister)));
  all.resources_subscribe = true;
  return all;
}

json::Value uri(std::string_view text) { return json::Object{{"uri", text}}; }

TEST(resource_table, refuses_what_clients_could_not_use) {
  Resource nameless = resource("x://a");
  nameless.info.name.clear();
  Resource silent = resource("x://a");
  silent.read = {};
  Resource bare = resource("x://a");
  bare.info.description.clear();
  for (const Resource& bad :
       {resource("no scheme"), resource(":x"), resource("1x://a"), nameless, silent, bare}) {
    EXPECT_FALSE(ResourceTable::make({bad}, {}, {})) << bad.info.uri;
  }
  EXPECT_FALSE(ResourceTable::make({resource("x://a"), resource("x://a")}, {}, {}));
  EXPECT_FALSE(ResourceTable::make({}, {templated("x://{a")}, {}));
  EXPECT_TRUE(ResourceTable::make({resource("x://a")}, {templated("x://{a}")}, {}));
}

TEST(resources, are_listed_and_read_in_both_eras) {
  Client client(catalog({resource("x://a")}));
  EXPECT_EQ(at(client.legacy("resources/list"), {"result"}),
            json::Value(object(R"({"resources":[{"uri":"x://a","name":"n","title":"T",
                                   "description":"d"}]})")));
  const json::Value listed = client.modern("resources/list");
  EXPECT_EQ(at(listed, {"result", "cacheScope"}), json::Value("public"));
  const json::Value read = client.modern("resources/read", {{"uri", "x://runs/a%2Fb"}});
  EXPECT_EQ(at(read, {"result", "contents"}).if_array()->at(0),
            json::Value(object(R"({"uri":"x://runs/a%2Fb","mimeType":"text/plain",
                                   "text":"one of them{\"id\":\"a/b\"}"})")));
  EXPECT_EQ(at(read, {"result", "ttlMs"}), json::Value(5));
  EXPECT_EQ(at(read, {"result", "cacheScope"}), json::Value("private"));
}

TEST(resources, an_unknown_one_has_the_code_of_the_era_and_its_uri) {
  Client client(catalog({resource("x://a")}));
  const json::Value modern = client.modern("resources/read", {{"uri", "x://b"}});
  EXPECT_EQ(code_of(modern), json::Value(-32602));
  EXPECT_EQ(at(modern, {"error", "data", "uri"}), json::Value("x://b"));
  EXPECT_EQ(code_of(client.legacy("resources/read", {{"uri", "x://b"}})), json::Value(-32002));
  EXPECT_EQ(code_of(client.legacy("resources/read")), json::Value(-32602));
}

TEST(resources, those_that_come_and_go_follow_those_that_stay) {
  const std::size_t total = limits::list_page_items_max + 5;
  const ResourceLister lister = [&](std::string_view, std::string_view after,
                                    std::size_t count) -> Result<std::vector<ResourceInfo>> {
    std::vector<ResourceInfo> out;
    for (std::size_t i = 0; i < total && out.size() < count; ++i) {
      const std::string each = cat("x://runs/", 1000 + i);
      if (each > after) out.push_back({.uri = each, .name = "run"});
    }
    return out;
  };
  Client client(catalog({resource("x://a"), resource("x://b")}, lister));
  std::set<std::string> seen;
  json::Object params;
  int pages = 0;
  for (;;) {
    const json::Value page = at(client.modern("resources/list", params), {"result"});
    ++pages;
    const json::Value listed = at(page, {"resources"});
    for (const json::Value& each : *listed.if_array()) {
      EXPECT_TRUE(seen.insert(*each.find("uri")->if_string()).second);
    }
    const json::Value cursor = at(page, {"nextCursor"});
    if (cursor.is_null()) break;
    params = {{"cursor", cursor}};
    // No other list's, and no made-up one.
    EXPECT_EQ(code_of(client.modern("resources/templates/list", params)), json::Value(-32602));
    const json::Object bad{{"cursor", cat("AAAA", *cursor.if_string())}};
    EXPECT_EQ(code_of(client.modern("resources/list", bad)), json::Value(-32602));
  }
  EXPECT_EQ(pages, 2);
  EXPECT_EQ(seen.size(), total + 2);
}

TEST(resources, a_bad_cursor_is_refused) {
  Client client(catalog({resource("x://a")}));
  for (const json::Value& bad : {json::Value("nonsense"), json::Value("after:"), json::Value(1),
                                 json::Value("after:x://none")}) {
    EXPECT_EQ(code_of(client.modern("resources/list", {{"cursor", bad}})), json::Value(-32602));
  }
  EXPECT_TRUE(code_of(client.modern("resources/list", {{"cursor", ""}})).is_null());
}

TEST(subscriptions, a_legacy_client_is_told_of_what_it_subscribed) {
  Client client(catalog({resource("x://a")}));
  client.initialize("2025-11-25");
  EXPECT_EQ(notification_for(ResourceUpdated{"x://a"}, client.connection), std::nullopt);
  client.legacy("resources/subscribe", *uri("x://a").if_object());
  EXPECT_NE(notification_for(ResourceUpdated{"x://a"}, client.connection), std::nullopt);
  EXPECT_EQ(notification_for(ResourceUpdated{"x://b"}, client.connection), std::nullopt);
  client.legacy("resources/unsubscribe", *uri("x://a").if_object());
  EXPECT_EQ(notification_for(ResourceUpdated{"x://a"}, client.connection), std::nullopt);
}

TEST(subscriptions, there_are_no_more_than_the_limit) {
  Client client(catalog({resource("x://a")}));
  for (std::size_t i = 0; i < limits::subscribed_uris_max; ++i) {
    const auto answer = client.legacy("resources/subscribe", {{"uri", cat("x://", i)}});
    ASSERT_TRUE(code_of(answer).is_null());
  }
  EXPECT_EQ(code_of(client.legacy("resources/subscribe", {{"uri", "x://y"}})), json::Value(-32602));
  EXPECT_TRUE(code_of(client.legacy("resources/subscribe", {{"uri", "x://0"}})).is_null());
}

// Enforces: G9
TEST(subscriptions, their_names_are_bounded_together) {
  Client client(catalog({resource("x://a")}));
  const auto code = [&](std::string uri) {
    return code_of(client.legacy("resources/subscribe", {{"uri", std::move(uri)}}));
  };
  const std::string half(limits::subscribed_uris_bytes_max / 2, 'a');
  EXPECT_TRUE(code(half).is_null());
  EXPECT_EQ(code(half + 'b'), json::Value(-32602));
  EXPECT_TRUE(code(std::string(half.size(), 'b')).is_null());
  EXPECT_EQ(code("c"), json::Value(-32602));
  EXPECT_TRUE(code(half).is_null());
}

TEST(subscriptions, changes_are_watched_for_as_long_as_a_client_is_subscribed) {
  Catalog all = catalog({resource("x://a")});
  const auto watched = std::make_shared<int>(0);
  all.watch = [watched](std::string_view uri) -> std::shared_ptr<void> {
    return uri == "x://a" ? watched : nullptr;
  };
  const long idle = watched.use_count();
  {
    Client client(std::move(all));
    EXPECT_EQ(watched.use_count(), idle);
    client.legacy("resources/subscribe", *uri("x://a").if_object());
    client.legacy("resources/subscribe", *uri("x://a").if_object());
    EXPECT_EQ(watched.use_count(), idle + 1) << "once, however often it asks";
    client.legacy("resources/subscribe", *uri("x://b").if_object());
    EXPECT_EQ(watched.use_count(), idle + 1) << "nothing has to watch this one";
    client.legacy("resources/unsubscribe", *uri("x://a").if_object());
    EXPECT_EQ(watched.use_count(), idle);
    client.legacy("resources/subscribe", *uri("x://a").if_object());
    client.connection = ClientState();
    EXPECT_EQ(watched.use_count(), idle) << "the client is gone";

    Action action = client.server.accept(
        encode_request(7, "subscriptions/listen",
                       client.with_meta(object(
                           R"({"notifications":{"resourceSubscriptions":["x://a","x://b"]}})"))),
        client.connection);
    ASSERT_TRUE(std::holds_alternative<Listen>(action));
    EXPECT_EQ(watched.use_count(), idle + 1);
    action = NoReply();
    EXPECT_EQ(watched.use_count(), idle) << "it listens no more";
  }
}

TEST(subscriptions, are_not_offered_where_nothing_changes) {
  Catalog all = catalog({resource("x://a")});
  all.resources_subscribe = false;
  Client client(std::move(all));
  EXPECT_EQ(code_of(client.legacy("resources/subscribe", {{"uri", "x://a"}})), json::Value(-32601));
}

}  // namespace
}  // namespace baton::protocol
