// Questions to the client, in both eras.

#include "protocol/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/testing/blocks.h"
#include "protocol/testing/fixture.h"

namespace baton::protocol {
namespace {

const InputRequest ask_name =
    elicit_form("Name?", object(R"({"type":"object","properties":{"name":{"type":"string"}}})"));

/// Asks for a name, then for a colour, keeping a count between.
ToolAnswer ask_twice(const Call& call) {
  if (call.input("name") == nullptr) return NeedInput{{{"name", ask_name}}, 1};
  if (call.input("color") == nullptr) {
    EXPECT_EQ(call.state, json::Value(1));
    return NeedInput{{{"color", ask_name}}, 2};
  }
  EXPECT_EQ(call.state, json::Value(2));
  return ToolResult{.text = json::print(call.inputs)};
}

Catalog asking(ToolHandler handler) {
  Catalog all;
  all.tools = MUST(ToolTable::make({plain_tool("ask", std::move(handler))}));
  all.sealer = std::make_shared<PlainSealer>();
  return all;
}

json::Object call_ask(json::Object more = {}) {
  json::Object params{{"name", "ask"}};
  for (const auto& [key, value] : more) params.set(key, value);
  return params;
}

TEST(questions, a_modern_client_is_asked_by_the_result) {
  Client client(asking(ask_twice));
  client.capabilities = object(R"({"elicitation":{}})");
  const json::Value first = client.modern("tools/call", call_ask());
  EXPECT_EQ(at(first, {"result", "resultType"}), json::Value("input_required"));
  EXPECT_EQ(at(first, {"result", "inputRequests", "name", "method"}),
            json::Value("elicitation/create"));
  EXPECT_TRUE(at(first, {"result", "ttlMs"}).is_null());
  const json::Value second = client.modern(
      "tools/call", call_ask({{"requestState", at(first, {"result", "requestState"})},
                              {"inputResponses", object(R"({"name":{"action":"accept"}})")}}));
  EXPECT_EQ(at(second, {"result", "inputRequests", "name"}), json::Value());
  const json::Value third = client.modern(
      "tools/call", call_ask({{"requestState", at(second, {"result", "requestState"})},
                              {"inputResponses", object(R"({"color":{"action":"cancel"}})")}}));
  EXPECT_EQ(at(third, {"result", "resultType"}), json::Value("complete"));
  EXPECT_EQ(at(at(third, {"result", "content"}).if_array()->at(0), {"text"}),
            json::Value(R"({"name":{"action":"accept"},"color":{"action":"cancel"}})"));
  EXPECT_TRUE(client.host.asked.empty());
}

TEST(questions, a_legacy_client_is_asked_while_the_call_waits) {
  Client client(asking(ask_twice));
  client.initialize("2025-06-18", object(R"({"elicitation":{}})"));
  client.host.answers = {object(R"({"action":"accept"})"), object(R"({"action":"decline"})")};
  const json::Value answer = client.legacy("tools/call", call_ask());
  EXPECT_EQ(client.host.asked.size(), 2u);
  EXPECT_EQ(at(at(answer, {"result", "content"}).if_array()->at(0), {"text"}),
            json::Value(R"({"name":{"action":"accept"},"color":{"action":"decline"}})"));
  client.host.answers.clear();
  // A form that the client does not answer is one that the user closed.
  const json::Value closed = client.legacy("tools/call", call_ask());
  EXPECT_EQ(at(at(closed, {"result", "content"}).if_array()->at(0), {"text"}),
            json::Value(R"({"name":{"action":"cancel"},"color":{"action":"cancel"}})"));
}

TEST(questions, a_state_belongs_to_its_call) {
  Client client(asking(ask_twice));
  client.capabilities = object(R"({"elicitation":{}})");
  const json::Value state = at(client.modern("tools/call", call_ask()), {"result", "requestState"});
  ASSERT_TRUE(state.is_string());
  const auto with = [&](json::Value given, json::Object more = {}) {
    more.set("requestState", std::move(given));
    return code_of(client.modern("tools/call", call_ask(std::move(more))));
  };
  EXPECT_TRUE(with(state).is_null());
  EXPECT_EQ(with(cat(*state.if_string(), "x")), json::Value(-32602));
  EXPECT_EQ(with(1), json::Value(-32602));
  EXPECT_EQ(with(state, {{"arguments", object(R"({"other":null})")}}), json::Value(-32602));
  client.connection.principal = "someone else";
  EXPECT_EQ(with(state), json::Value(-32602));
}

TEST(questions, missing_and_malformed_answers_are_asked_for_again) {
  Client client(asking(ask_twice));
  client.capabilities = object(R"({"elicitation":{}})");
  for (const char* responses :
       {R"({})", R"({"wrong":{}})", R"({"name":12345})", R"({"name":{}})",
        R"({"name":{"action":"boom"}})", R"({"name":{"action":"accept","content":[]}})"}) {
    const json::Value again =
        client.modern("tools/call", call_ask({{"inputResponses", object(responses)}}));
    EXPECT_FALSE(at(again, {"result", "inputRequests", "name"}).is_null()) << responses;
  }
  EXPECT_EQ(code_of(client.modern("tools/call", call_ask({{"inputResponses", {}}}))),
            json::Value(-32602));
}

TEST(questions, only_what_the_client_declares_is_asked) {
  Client client(asking(ask_twice));
  const json::Value refused = client.modern("tools/call", call_ask());
  EXPECT_EQ(code_of(refused), json::Value(-32021));
  EXPECT_EQ(client.status, 400);
  EXPECT_EQ(at(refused, {"error", "data", "requiredCapabilities"}),
            json::Value(object(R"({"elicitation":{"form":{}}})")));
  EXPECT_EQ(code_of(client.legacy("tools/call", call_ask())), json::Value(-32602));
}

TEST(questions, a_form_needs_form_mode_and_a_url_its_own) {
  const json::Object form = capabilities_for(ask_name);
  const json::Object url = capabilities_for(elicit_url("m", "https://x", "1"));
  EXPECT_TRUE(declares(object(R"({"elicitation":{}})"), form));
  EXPECT_TRUE(declares(object(R"({"elicitation":{"form":{},"url":{}}})"), url));
  EXPECT_FALSE(declares(object(R"({"elicitation":{}})"), url));
  EXPECT_FALSE(declares(object(R"({"elicitation":{"url":{}}})"), form));
  EXPECT_FALSE(declares(object(R"({"sampling":{}})"), form));
  EXPECT_TRUE(
      declares(object(R"({"roots":{"listChanged":true}})"), capabilities_for(list_roots())));
  EXPECT_FALSE(declares(object(R"({"sampling":{}})"), capabilities_for(sample({{"tools", {}}}))));
}

TEST(questions, a_url_has_its_id_only_where_the_revision_knows_it) {
  const auto handler = [](const Call& call) -> ToolAnswer {
    if (call.input("u") != nullptr) return ToolResult{.text = "done"};
    return NeedInput{{{"u", elicit_url("Go", "https://example.org", "e1")}}};
  };
  Client client(asking(handler));
  client.capabilities = object(R"({"elicitation":{"url":{}}})");
  const json::Value params =
      at(client.modern("tools/call", call_ask()), {"result", "inputRequests", "u", "params"});
  EXPECT_EQ(params, json::Value(object(R"({"mode":"url","message":"Go",
                                           "url":"https://example.org"})")));
  client.initialize("2025-11-25", object(R"({"elicitation":{"url":{}}})"));
  client.host.answers = {object(R"({"action":"accept"})")};
  client.legacy("tools/call", call_ask());
  EXPECT_EQ(client.host.asked[0].params.find("elicitationId")->if_string()->size(), 2u);
}

TEST(questions, a_handler_that_never_has_enough_is_stopped) {
  const auto handler = [](const Call&) -> ToolAnswer { return NeedInput{{{"name", ask_name}}}; };
  Client client(asking(handler));
  client.initialize("2025-11-25", object(R"({"elicitation":{}})"));
  client.host.answers.assign(limits::input_rounds_max + 5, object("{}"));
  EXPECT_EQ(code_of(client.legacy("tools/call", call_ask())), json::Value(-32603));
  EXPECT_EQ(client.host.asked.size(), limits::input_rounds_max);
}

TEST(calls, the_log_goes_only_to_callers_that_want_it) {
  const auto handler = [](const Call& call) -> ToolAnswer {
    call.log({.level = LogLevel::info, .data = "note", .logger = "l"});
    call.log({.level = LogLevel::error, .data = "bad"});
    return ToolResult{.text = json::print(call.trace)};
  };
  Catalog all = asking(handler);
  all.logs = true;
  Client client(std::move(all));
  client.modern("tools/call", call_ask());
  EXPECT_TRUE(client.host.sent.empty());
  client.more_meta = {{std::string(meta_key::log_level), "error"}};
  client.modern("tools/call", call_ask());
  ASSERT_EQ(client.host.sent.size(), 1u);
  EXPECT_EQ(at(client.host.sent[0], {"params", "data"}), json::Value("bad"));
  client.more_meta = {{std::string(meta_key::log_level), "loud"}};
  EXPECT_EQ(code_of(client.modern("tools/call", call_ask())), json::Value(-32602));
  client.host.sent.clear();
  client.legacy("tools/call", call_ask());
  EXPECT_EQ(client.host.sent.size(), 2u);
  EXPECT_EQ(code_of(client.legacy("logging/setLevel", {{"level", "loud"}})), json::Value(-32602));
  client.legacy("logging/setLevel", {{"level", "critical"}});
  client.host.sent.clear();
  client.legacy("tools/call", call_ask());
  EXPECT_TRUE(client.host.sent.empty());
}

TEST(calls, a_trace_is_passed_on) {
  Client client(asking(
      [](const Call& call) -> ToolAnswer { return ToolResult{.text = json::print(call.trace)}; }));
  client.more_meta = object(R"({"traceparent":"00-1-2-01","baggage":"a=b","other":1})");
  EXPECT_EQ(at(at(client.modern("tools/call", call_ask()), {"result", "content"}).if_array()->at(0),
               {"text"}),
            json::Value(R"({"traceparent":"00-1-2-01","baggage":"a=b"})"));
}

}  // namespace
}  // namespace baton::protocol
