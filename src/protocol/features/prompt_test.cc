#include "protocol/features/prompt.h"

#include <gtest/gtest.h>

#include "protocol/testing/blocks.h"
#include "protocol/testing/fixture.h"

namespace baton::protocol {
namespace {

Prompt prompt(std::string name) {
  return {.name = std::move(name),
          .title = "T",
          .description = "d",
          .arguments = {{.name = "who",
                         .description = "whom",
                         .required = true,
                         .complete = complete_from({"ann", "anna", "bob"})},
                        {.name = "how", .description = "how"}},
          .handler = [](const Call& call) {
            return PromptResult{"made",
                                {{"user", text_content(json::print(call.arguments))},
                                 {"assistant", resource_link("x://a", "a", "about", "")}}};
          }};
}

Catalog catalog() {
  Catalog all;
  all.prompts = MUST(PromptTable::make({prompt("greet")}));
  return all;
}

json::Object query(std::string_view value) {
  return {{"ref", json::Object{{"type", "ref/prompt"}, {"name", "greet"}}},
          {"argument", json::Object{{"name", "who"}, {"value", value}}}};
}

TEST(prompt_table, refuses_what_clients_could_not_use) {
  Prompt undescribed = prompt("a");
  undescribed.description.clear();
  Prompt silent = prompt("a");
  silent.handler = {};
  Prompt twice = prompt("a");
  twice.arguments.push_back(twice.arguments[0]);
  for (const Prompt& bad : {undescribed, silent, twice, prompt("A"), prompt("a.b")}) {
    EXPECT_FALSE(PromptTable::make({bad}));
  }
  EXPECT_FALSE(PromptTable::make({prompt("a"), prompt("a")}));
}

TEST(prompts, are_shaped_for_the_revision) {
  Client client(catalog());
  client.initialize("2024-11-05");
  EXPECT_EQ(at(client.legacy("prompts/list"), {"result"}),
            json::Value(object(R"({"prompts":[{"name":"greet","description":"d","arguments":[
                {"name":"who","description":"whom","required":true},
                {"name":"how","description":"how","required":false}]}]})")));
  const json::Value old = at(client.legacy("prompts/get", object(R"({"name":"greet",
                                           "arguments":{"who":"ann"}})")),
                             {"result", "messages"});
  EXPECT_EQ(json::print(old.if_array()->at(1)),
            R"j({"role":"assistant","content":{"type":"text","text":"a: x://a (about)"}})j");
  const json::Value now = at(client.modern("prompts/get", object(R"({"name":"greet",
                                           "arguments":{"who":"ann"}})")),
                             {"result", "messages"});
  EXPECT_EQ(at(now.if_array()->at(1), {"content", "type"}), json::Value("resource_link"));
  EXPECT_EQ(at(now.if_array()->at(0), {"content", "text"}), json::Value(R"({"who":"ann"})"));
}

TEST(prompts, wrong_calls_are_refused) {
  Client client(catalog());
  for (const char* bad :
       {R"({})", R"({"name":"greed"})", R"({"name":"greet"})", R"({"name":"greet","arguments":[]})",
        R"({"name":"greet","arguments":{"who":1}})",
        R"({"name":"greet","arguments":{"who":"a","whom":"b"}})"}) {
    EXPECT_EQ(code_of(client.modern("prompts/get", object(bad))), json::Value(-32602)) << bad;
  }
}

TEST(completion, offers_what_fits_and_counts_the_rest) {
  Client client(catalog());
  EXPECT_EQ(at(client.legacy("completion/complete", query("an")), {"result", "completion"}),
            json::Value(object(R"({"values":["ann","anna"],"total":2,"hasMore":false})")));
  std::vector<std::string> many(limits::completion_values_max + 1, "x");
  Catalog all = catalog();
  Prompt wide = prompt("greet");
  wide.arguments[0].complete = complete_from(many);
  all.prompts = MUST(PromptTable::make({wide}));
  Client other(std::move(all));
  const json::Value found =
      at(other.modern("completion/complete", query("")), {"result", "completion"});
  EXPECT_EQ(at(found, {"values"}).if_array()->size(), limits::completion_values_max);
  EXPECT_EQ(at(found, {"hasMore"}), json::Value(true));
}

TEST(completion, of_nothing_known_is_refused_and_of_nothing_offered_is_empty) {
  Client client(catalog());
  json::Object how = query("");
  how.set("argument", json::Object{{"name", "how"}, {"value", ""}});
  EXPECT_EQ(at(client.legacy("completion/complete", how), {"result", "completion", "total"}),
            json::Value(0));
  json::Object other = query("");
  other.set("ref", json::Object{{"type", "ref/prompt"}, {"name", "nobody"}});
  EXPECT_EQ(code_of(client.legacy("completion/complete", other)), json::Value(-32602));
  other.set("ref", json::Object{{"type", "ref/resource"}, {"uri", "x://{a}"}});
  EXPECT_EQ(code_of(client.legacy("completion/complete", other)), json::Value(-32602));
  EXPECT_EQ(code_of(client.legacy("completion/complete", {})), json::Value(-32602));
}

TEST(prompts, are_not_a_method_without_any) {
  Client client({});
  EXPECT_EQ(code_of(client.modern("prompts/list")), json::Value(-32601));
  EXPECT_EQ(client.status, 404);
  EXPECT_EQ(code_of(client.modern("completion/complete")), json::Value(-32601));
}

}  // namespace
}  // namespace baton::protocol
