// Who is told of which change: subscriptions/listen and legacy connections.

#include "protocol/changes.h"

#include <gtest/gtest.h>

#include "protocol/testing/fixture.h"

namespace baton::protocol {
namespace {

Catalog changing() {
  Catalog all;
  all.tools_change = all.prompts_change = all.resources_subscribe = true;
  all.tasks = std::make_shared<MemoryTaskBook>();
  return all;
}

Action listen(Client& client, std::string_view notifications, const RequestId& id = "l") {
  return client.server.accept(
      encode_request(id, "subscriptions/listen",
                     client.with_meta({{"notifications", object(notifications)}})),
      client.connection);
}

TEST(listen, grants_what_there_is_and_acknowledges_it) {
  Client client(changing());
  const Action action = listen(client, R"({"toolsListChanged":true,"promptsListChanged":false,
      "resourcesListChanged":true,"resourceSubscriptions":["x://a"],"taskIds":["t"]})");
  const Listen& listening = std::get<Listen>(action);
  EXPECT_EQ(MUST(json::parse(listening.acknowledged)), json::Value(object(R"({"jsonrpc":"2.0",
                "method":"notifications/subscriptions/acknowledged","params":{
                "_meta":{"io.modelcontextprotocol/subscriptionId":"l"},
                "notifications":{"toolsListChanged":true,"resourceSubscriptions":["x://a"]}}})")));
  const json::Value final = MUST(json::parse(listening.final));
  EXPECT_EQ(at(final, {"id"}), json::Value("l"));
  EXPECT_EQ(at(final, {"result", "resultType"}), json::Value("complete"));
  EXPECT_EQ(at(final, {"result", "_meta", "io.modelcontextprotocol/subscriptionId"}),
            json::Value("l"));
}

TEST(listen, is_told_only_what_it_asked_for) {
  Client client(changing());
  client.capabilities = object(R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})");
  const Action action =
      listen(client, R"({"toolsListChanged":true,"resourceSubscriptions":["x://a"],
                                       "taskIds":["t"]})",
             7);
  const ChangeFilter& filter = std::get<Listen>(action).filter;
  const auto line = [&](const Change& change) { return notification_for(change, filter, 7); };
  EXPECT_EQ(MUST(json::parse(*line(ResourceUpdated{"x://a"}))),
            json::Value(object(R"({"jsonrpc":"2.0","method":"notifications/resources/updated",
                "params":{"uri":"x://a","_meta":{"io.modelcontextprotocol/subscriptionId":7}}})")));
  EXPECT_TRUE(line(ToolsChanged{}));
  EXPECT_FALSE(line(ResourceUpdated{"x://b"}));
  EXPECT_FALSE(line(PromptsChanged{}));
  EXPECT_FALSE(line(ResourcesChanged{}));
  McpTask task{.id = "t", .principal = "local"};
  const auto told = line(TaskChanged{task});
  ASSERT_TRUE(told);
  EXPECT_EQ(at(MUST(json::parse(*told)), {"params", "taskId"}), json::Value("t"));
  task.principal = "someone else";
  EXPECT_FALSE(line(TaskChanged{task}));
}

TEST(listen, a_malformed_wish_is_refused) {
  Client client(changing());
  for (const char* bad : {R"({"toolsListChanged":1})", R"({"resourceSubscriptions":"x://a"})",
                          R"({"resourceSubscriptions":[1]})", R"({"taskIds":[{}]})"}) {
    const Action action = listen(client, bad);
    EXPECT_EQ(code_of(MUST(json::parse(std::get<WireReply>(action).line))), json::Value(-32602))
        << bad;
  }
  EXPECT_EQ(code_of(client.modern("subscriptions/listen")), json::Value(-32602));
  std::string many;
  for (std::size_t i = 0; i <= limits::subscribed_uris_max; ++i) many += cat(i ? "," : "", "\"x\"");
  const Action action = listen(client, cat(R"({"resourceSubscriptions":[)", many, "]}"));
  EXPECT_TRUE(std::holds_alternative<WireReply>(action));
}

// Enforces: G9
TEST(listen, the_names_of_what_is_listened_to_are_bounded_together) {
  Client client(changing());
  const auto is_taken = [&](std::size_t bytes) {
    const Action action = listen(client, cat(R"({"resourceSubscriptions":["x","y",")",
                                             std::string(bytes - 2, 'z'), R"("]})"));
    return std::holds_alternative<Listen>(action);
  };
  EXPECT_TRUE(is_taken(limits::subscribed_uris_bytes_max));
  EXPECT_FALSE(is_taken(limits::subscribed_uris_bytes_max + 1));
}

TEST(listen, is_no_method_where_nothing_changes) {
  Client client({});
  EXPECT_EQ(code_of(client.modern("subscriptions/listen")), json::Value(-32601));
}

TEST(changes, a_legacy_client_is_told_of_lists_after_its_handshake) {
  Client client(changing());
  EXPECT_FALSE(notification_for(ToolsChanged{}, client.connection));
  client.initialize("2025-06-18");
  EXPECT_EQ(notification_for(ToolsChanged{}, client.connection),
            R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}})");
  EXPECT_TRUE(notification_for(PromptsChanged{}, client.connection));
  EXPECT_FALSE(notification_for(TaskChanged{}, client.connection));
}

TEST(batch, is_known_to_one_revision_only) {
  const std::string batch = R"([{"jsonrpc":"2.0","id":1,"method":"ping"},
      {"jsonrpc":"2.0","method":"notifications/initialized"},
      {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-03-26"}},
      {"jsonrpc":"2.0","id":3,"method":"no/such"},7])";
  Client client({});
  EXPECT_EQ(code_of(client.run(batch)), json::Value(-32600));
  client.initialize("2025-06-18");
  EXPECT_EQ(code_of(client.run(batch)), json::Value(-32600));
  client.initialize("2025-03-26");
  const Action action = client.server.accept(batch, client.connection);
  const auto& actions = std::get<Batch>(action).actions;
  ASSERT_EQ(actions.size(), 5u);
  EXPECT_TRUE(std::holds_alternative<NoReply>(actions[1]));
  const auto code = [&](std::size_t i) {
    return code_of(MUST(json::parse(std::get<WireReply>(actions[i]).line)));
  };
  EXPECT_TRUE(code(0).is_null());
  EXPECT_EQ(code(2), json::Value(-32600));
  EXPECT_EQ(code(3), json::Value(-32601));
  EXPECT_EQ(code(4), json::Value(-32600));
  EXPECT_EQ(code_of(client.run("[]")), json::Value(-32600));
}

TEST(batch, has_no_more_messages_than_the_limit) {
  Client client({});
  client.initialize("2025-03-26");
  const auto batch_of = [](std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
      out += cat(i == 0 ? "[" : ",", R"({"jsonrpc":"2.0","method":"x"})");
    }
    return out + ']';
  };
  const auto fits = [&](std::size_t count) {
    return std::holds_alternative<Batch>(client.server.accept(batch_of(count), client.connection));
  };
  EXPECT_TRUE(fits(limits::batch_messages_max));
  EXPECT_FALSE(fits(limits::batch_messages_max + 1));
}

}  // namespace
}  // namespace baton::protocol
