#include "protocol/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"

namespace baton::protocol {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view modern_meta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

Tool tool(std::string name, ToolHandler handler) {
  return {.name = std::move(name),
          .title = "Title",
          .description = "Use it in tests.",
          .input_schema = MUST(json::parse(
              R"({"type":"object","properties":{"say":{"type":"string"}},"required":["say"]})")),
          .output_schema = MUST(json::parse(
              R"({"type":"object","properties":{"said":{"type":"string"}},"required":["said"]})")),
          .annotations = {.read_only = true, .idempotent = true},
          .handler = std::move(handler)};
}

ToolResult echo(const ToolCall& call) {
  const std::string said = *call.arguments.find("say")->if_string();
  return {.structured = {{"said", said}}, .text = "You said " + said};
}

Server server_with(std::vector<Tool> tools) {
  return Server({.version = "1.2.3", .instructions = "How to begin."},
                {.tools = MUST(ToolTable::make(std::move(tools)))});
}

class Host final : public CallHost {
 public:
  bool cancelled() const override { return stop; }
  void send(std::string_view line) override { sent.push_back(MUST(json::parse(line))); }
  std::expected<json::Value, RpcError> ask(std::string_view, json::Object) override {
    return std::unexpected(RpcError{});
  }
  void close_stream() override {}

  bool stop = false;
  std::vector<json::Value> sent;
};

/// The answer to `text`, running the work it asks for; null when there is none.
json::Value answer(const Server& server, std::string_view text, ClientState& connection,
                   Host& host) {
  Action action = server.accept(text, connection);
  std::string line;
  if (WireReply* const reply = std::get_if<WireReply>(&action)) line = std::move(reply->line);
  if (Work* const work = std::get_if<Work>(&action)) line = work->run(host).line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
  return line.empty() ? json::Value() : MUST(json::parse(line));
}

json::Value answer(const Server& server, std::string_view text,
                   Version legacy_version = newest_legacy_version) {
  ClientState connection;
  connection.legacy_version = legacy_version;
  Host host;
  return answer(server, text, connection, host);
}

json::Value answer(std::string_view text) { return answer(server_with({}), text); }

/// A request with the members of `params` given as text without braces.
std::string request(std::string_view method, std::string_view params = {},
                    std::string_view id = "1") {
  return cat(R"({"jsonrpc":"2.0","id":)", id, R"(,"method":")", method, R"(","params":{)", params,
             "}}");
}

std::string modern(std::string_view method, std::string_view params = {},
                   std::string_view id = "1") {
  return request(method, cat(modern_meta, params.empty() ? "" : ",", params), id);
}

const json::Value& at(const json::Value& value, std::initializer_list<std::string_view> path) {
  static const json::Value nothing;
  const json::Value* here = &value;
  for (const std::string_view key : path) {
    here = here->find(key);
    if (here == nullptr) return nothing;
  }
  return *here;
}

json::Value code_of(const json::Value& reply) { return at(reply, {"error", "code"}); }

std::string message_of(const json::Value& reply) {
  const std::string* const text = at(reply, {"error", "message"}).if_string();
  return text != nullptr ? *text : std::string{};
}

std::string text_of(const json::Value& reply) {
  const json::Array* const content = at(reply, {"result", "content"}).if_array();
  if (content == nullptr || content->size() != 1) return {};
  return *(*content)[0].find("text")->if_string();
}

TEST(server, bad_json_is_answered_without_an_id) {
  const json::Value reply = answer("{");
  EXPECT_EQ(reply.find("id"), nullptr);
  EXPECT_EQ(code_of(reply), json::Value(-32700));
}

TEST(server, notifications_and_answers_are_never_answered) {
  for (const char* text : {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                           R"({"jsonrpc":"2.0","method":"no/such"})",
                           R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}})",
                           R"({"jsonrpc":"2.0","id":1,"result":{}})",
                           R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})"}) {
    ClientState connection;
    const Action action = server_with({}).accept(text, connection);
    EXPECT_TRUE(std::holds_alternative<NoReply>(action) || std::holds_alternative<Answered>(action))
        << text;
  }
}

TEST(server, a_cancellation_names_the_request) {
  const auto hear = [](std::string_view params) {
    ClientState connection;
    return server_with({}).accept(
        cat(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)", params, '}'),
        connection);
  };
  const Action action = hear(R"({"requestId":"a","reason":"gone"})");
  ASSERT_TRUE(std::holds_alternative<Cancel>(action));
  EXPECT_EQ(std::get<Cancel>(action).id, RequestId("a"));
  EXPECT_TRUE(std::holds_alternative<NoReply>(hear("{}")));
  EXPECT_TRUE(std::holds_alternative<NoReply>(hear(R"({"requestId":null})")));
}

TEST(server, an_unknown_method_is_refused_by_name) {
  for (const std::string& text : {request("no/such"), modern("no/such")}) {
    const json::Value reply = answer(text);
    EXPECT_EQ(code_of(reply), json::Value(-32601));
    EXPECT_THAT(message_of(reply), HasSubstr("no/such"));
  }
}

// Enforces: G9
TEST(server, a_callers_words_are_quoted_up_to_a_limit) {
  const std::string fits(limits::schema_shown_bytes_max, 'm');
  EXPECT_THAT(message_of(answer(request(fits))), HasSubstr(cat('\'', fits, '\'')));
  const std::string reply = json::print(answer(request(fits + "m")));
  EXPECT_THAT(reply, HasSubstr(cat(fits, "...")));
  const std::string huge(100'000, 'm');
  for (const std::string& text :
       {request(huge), request("tools/call", cat(R"("name":")", huge, '"')),
        cat(R"({"jsonrpc":"2.0","id":1,")", huge, "\":1}"),
        request("x",
                cat(R"("_meta":{"io.modelcontextprotocol/protocolVersion":")", huge, "\"}"))}) {
    EXPECT_LT(json::print(answer(text)).size(), 1'000u);
  }
}

TEST(server, discover_says_what_the_server_is) {
  const json::Value reply = answer(modern("server/discover", {}, R"("listen:0")"));
  EXPECT_EQ(*reply.find("id"), json::Value("listen:0"));
  EXPECT_EQ(
      *reply.find("result"),
      json::Value(json::Object{{"supportedVersions", json::Array{"2026-07-28"}},
                               {"capabilities", json::Object{{"tools", json::Object{}}}},
                               {"instructions", "How to begin."},
                               {"ttlMs", limits::cache_hint_ms},
                               {"cacheScope", "public"},
                               {"resultType", "complete"},
                               {"_meta", json::Object{{std::string(meta_key::server_info),
                                                       json::Object{{"name", "baton"},
                                                                    {"title", "Baton"},
                                                                    {"version", "1.2.3"}}}}}}));
}

TEST(server, discover_needs_modern_meta) {
  EXPECT_EQ(code_of(answer(request("server/discover"))), json::Value(-32602));
}

TEST(server, the_unsupported_version_comes_before_the_method) {
  const json::Value reply = answer(request(
      "server/discover", R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01"})"));
  EXPECT_EQ(code_of(reply), json::Value(-32022));
  EXPECT_EQ(at(reply, {"error", "data", "requested"}), json::Value("2030-01-01"));
}

TEST(server, initialize_echoes_a_supported_version) {
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    const json::Value reply =
        answer(request("initialize", cat(R"("protocolVersion":")", version, '"')));
    EXPECT_EQ(at(reply, {"result", "protocolVersion"}), json::Value(version));
  }
}

TEST(server, initialize_answers_the_newest_legacy_version_to_any_other) {
  for (const char* version : {"2026-07-28", "2099-01-01", "2024-10-07", ""}) {
    const json::Value reply =
        answer(request("initialize", cat(R"("protocolVersion":")", version, '"')));
    EXPECT_EQ(at(reply, {"result", "protocolVersion"}), json::Value("2025-11-25"));
  }
}

TEST(server, initialize_has_exactly_the_legacy_fields) {
  const auto result = [](std::string_view version) {
    return *answer(request("initialize", cat(R"("protocolVersion":")", version, '"')))
                .find("result");
  };
  EXPECT_EQ(
      result("2025-06-18"),
      json::Value(json::Object{
          {"protocolVersion", "2025-06-18"},
          {"capabilities", json::Object{{"tools", json::Object{}}}},
          {"serverInfo", json::Object{{"name", "baton"}, {"title", "Baton"}, {"version", "1.2.3"}}},
          {"instructions", "How to begin."}}));
  EXPECT_EQ(at(result("2025-03-26"), {"serverInfo"}),
            json::Value(json::Object{{"name", "baton"}, {"version", "1.2.3"}}));
}

TEST(server, initialize_needs_a_version) {
  EXPECT_EQ(code_of(answer(request("initialize"))), json::Value(-32602));
}

TEST(server, initialize_settles_the_connection) {
  const Server server = server_with({tool("echo", echo)});
  ClientState connection;
  Host host;
  answer(server,
         request("initialize", R"("protocolVersion":"2024-11-05","capabilities":{"roots":{}})"),
         connection, host);
  EXPECT_EQ(connection.legacy_version, Version::v2024_11_05);
  EXPECT_TRUE(connection.legacy_capabilities.contains("roots"));
  const json::Value list = answer(server, request("tools/list"), connection, host);
  EXPECT_EQ((*at(list, {"result", "tools"}).if_array())[0].find("annotations"), nullptr);
}

TEST(server, the_era_is_never_pinned) {
  const Server server = server_with({});
  ClientState connection;
  Host host;
  const std::string init = request("initialize", R"("protocolVersion":"2025-06-18")");
  EXPECT_NE(answer(server, modern("server/discover"), connection, host).find("result"), nullptr);
  EXPECT_NE(answer(server, init, connection, host).find("result"), nullptr);
  EXPECT_EQ(at(answer(server, modern("tools/list"), connection, host), {"result", "resultType"}),
            json::Value("complete"));
  EXPECT_EQ(answer(server, request("tools/list"), connection, host).find("result")->find("ttlMs"),
            nullptr);
}

TEST(server, removed_methods_do_not_exist_in_the_modern_era) {
  for (const char* method :
       {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}) {
    EXPECT_EQ(code_of(answer(modern(method, R"("protocolVersion":"2025-06-18")"))),
              json::Value(-32601))
        << method;
  }
}

TEST(server, ping_is_answered_before_initialize) {
  EXPECT_EQ(*answer(R"({"jsonrpc":"2.0","id":7,"method":"ping"})").find("result"),
            json::Value(json::Object{}));
}

TEST(server_DeathTest, longer_instructions_are_a_defect) {
  const std::string longest(limits::instructions_bytes_max, 'x');
  Server({.instructions = longest}, Catalog{});
  EXPECT_DEATH(Server({.instructions = longest + 'x'}, Catalog{}), "instructions");
}

// --- tools/list

TEST(tools_list, has_the_fields_each_revision_knows) {
  const Server server = server_with({tool("echo", echo)});
  const auto keys = [&](Version version) {
    const json::Value reply = is_modern(version) ? answer(server, modern("tools/list"))
                                                 : answer(server, request("tools/list"), version);
    std::vector<std::string> out;
    for (const auto& member : *(*at(reply, {"result", "tools"}).if_array())[0].if_object()) {
      out.push_back(member.key);
    }
    return out;
  };
  const std::vector<std::string> all = {"name",        "title",        "description",
                                        "inputSchema", "outputSchema", "annotations"};
  EXPECT_THAT(keys(Version::v2024_11_05),
              ::testing::ElementsAre("name", "description", "inputSchema"));
  EXPECT_THAT(keys(Version::v2025_03_26),
              ::testing::ElementsAre("name", "description", "inputSchema", "annotations"));
  EXPECT_EQ(keys(Version::v2025_06_18), all);
  EXPECT_EQ(keys(Version::v2025_11_25), all);
  EXPECT_EQ(keys(Version::v2026_07_28), all);
}

TEST(tools_list, says_all_hints) {
  const json::Value reply = answer(server_with({tool("echo", echo)}), request("tools/list"));
  EXPECT_EQ(*(*at(reply, {"result", "tools"}).if_array())[0].find("annotations"),
            json::Value(json::Object{{"title", "Title"},
                                     {"readOnlyHint", true},
                                     {"destructiveHint", false},
                                     {"idempotentHint", true},
                                     {"openWorldHint", false}}));
}

TEST(tools_list, modern_results_carry_cache_hints) {
  const json::Value reply = answer(modern("tools/list"));
  EXPECT_EQ(at(reply, {"result", "ttlMs"}), json::Value(limits::cache_hint_ms));
  EXPECT_EQ(at(reply, {"result", "cacheScope"}), json::Value("public"));
  EXPECT_EQ(answer(request("tools/list")).find("result")->if_object()->size(), 1u);
}

std::vector<Tool> many_tools(std::size_t count) {
  std::vector<Tool> tools;
  for (std::size_t i = 0; i < count; ++i) tools.push_back(tool(cat("tool_", i), echo));
  return tools;
}

TEST(tools_list, a_full_page_has_no_cursor) {
  const json::Value reply =
      answer(server_with(many_tools(limits::list_page_items_max)), modern("tools/list"));
  EXPECT_EQ(at(reply, {"result", "tools"}).if_array()->size(), limits::list_page_items_max);
  EXPECT_EQ(at(reply, {"result"}).find("nextCursor"), nullptr);
}

TEST(tools_list, pages_give_every_tool_once_in_order) {
  const std::size_t count = 2 * limits::list_page_items_max + 1;
  const Server server = server_with(many_tools(count));
  std::vector<std::string> names;
  std::string cursor;
  std::size_t pages = 0;
  do {
    const json::Value reply =
        answer(server, modern("tools/list", cat(R"("cursor":")", cursor, '"')));
    for (const json::Value& listed : *at(reply, {"result", "tools"}).if_array()) {
      names.push_back(*listed.find("name")->if_string());
    }
    const std::string* const next = at(reply, {"result", "nextCursor"}).if_string();
    cursor = next != nullptr ? *next : std::string{};
    ++pages;
  } while (!cursor.empty());
  EXPECT_EQ(pages, 3u);
  ASSERT_EQ(names.size(), count);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(names[i], cat("tool_", i));
}

TEST(tools_list, a_foreign_cursor_is_refused) {
  for (const char* cursor : {R"("next")", R"("after:gone")", "1", "{}"}) {
    EXPECT_EQ(code_of(answer(request("tools/list", cat(R"("cursor":)", cursor)))),
              json::Value(-32602))
        << cursor;
  }
}

// --- tools/call

TEST(tools_call, gives_text_and_structure) {
  const Server server = server_with({tool("echo", echo)});
  const std::string params = R"("name":"echo","arguments":{"say":"hi"})";
  EXPECT_EQ(*answer(server, request("tools/call", params)).find("result"),
            MUST(json::parse(R"({"content":[{"type":"text","text":"You said hi"}],
                                 "structuredContent":{"said":"hi"}})")));
  const json::Value reply = answer(server, modern("tools/call", params));
  EXPECT_EQ(at(reply, {"result", "resultType"}), json::Value("complete"));
  EXPECT_EQ(at(reply, {"result", "_meta", meta_key::server_info, "name"}), json::Value("baton"));
}

TEST(tools_call, structure_is_left_out_for_revisions_without_it) {
  const Server server = server_with({tool("echo", echo)});
  const std::string text = request("tools/call", R"("name":"echo","arguments":{"say":"hi"})");
  EXPECT_EQ(at(answer(server, text, Version::v2025_03_26), {"result"}).if_object()->size(), 1u);
  EXPECT_TRUE(
      at(answer(server, text, Version::v2025_06_18), {"result", "structuredContent"}).is_object());
}

TEST(tools_call, a_result_without_text_is_its_json) {
  const Server server = server_with(
      {tool("echo", [](const ToolCall&) { return ToolResult{.structured = {{"said", "x"}}}; })});
  EXPECT_EQ(
      text_of(answer(server, request("tools/call", R"("name":"echo","arguments":{"say":"x"})"))),
      R"({"said":"x"})");
}

TEST(tools_call, dotted_names_and_absent_arguments_are_accepted) {
  Tool next = tool("workflow_next_step", [](const ToolCall& call) {
    return ToolResult{.text = cat(call.arguments.size())};
  });
  next.input_schema = json::Object{{"type", "object"}};
  const Server server = server_with({std::move(next)});
  for (const char* params :
       {R"("name":"workflow.next_step")", R"("name":"workflow_next_step","arguments":null)",
        R"("name":"workflow_next_step","arguments":"{}")"}) {
    EXPECT_EQ(text_of(answer(server, request("tools/call", params))), "0") << params;
  }
}

TEST(tools_call, an_unknown_tool_is_refused_with_the_nearest_name) {
  const Server server = server_with({tool("echo", echo)});
  for (const std::string& text :
       {request("tools/call", R"("name":"ecko")"), modern("tools/call", R"("name":"ecko")")}) {
    const json::Value reply = answer(server, text);
    EXPECT_EQ(code_of(reply), json::Value(-32602));
    EXPECT_THAT(message_of(reply), HasSubstr("'echo'"));
  }
}

TEST(tools_call, a_malformed_call_is_a_protocol_error) {
  const Server server = server_with({tool("echo", echo)});
  for (const char* params : {"", R"("name":1)", R"("name":"echo","arguments":[])",
                             R"("name":"echo","arguments":"[]")"}) {
    EXPECT_EQ(code_of(answer(server, request("tools/call", params))), json::Value(-32602))
        << params;
  }
}

TEST(tools_call, unfit_arguments_are_a_tool_error_where_the_revision_says_so) {
  const Server server =
      server_with({tool("echo", [](const ToolCall&) -> ToolResult { std::abort(); })});
  const std::string params = R"("name":"echo","arguments":{"sya":"hi"})";
  for (const json::Value& reply : {answer(server, modern("tools/call", params)),
                                   answer(server, request("tools/call", params))}) {
    EXPECT_EQ(at(reply, {"result", "isError"}), json::Value(true));
    EXPECT_THAT(text_of(reply), HasSubstr("INVALID_INPUT"));
    EXPECT_THAT(text_of(reply), HasSubstr("'say'"));
    EXPECT_THAT(text_of(reply), HasSubstr("retry_with_changes"));
  }
  const json::Value older = answer(server, request("tools/call", params), Version::v2025_06_18);
  EXPECT_EQ(code_of(older), json::Value(-32602));
  EXPECT_THAT(message_of(older), HasSubstr("'say'"));
  EXPECT_EQ(at(older, {"error", "data", "code"}), json::Value("INVALID_INPUT"));
}

TEST(tools_call, a_failure_is_structured_only_where_it_fits_the_output_schema) {
  const auto broken = [](const ToolCall&) {
    return tool_error(Error::make(Code::NOT_FOUND, "Nothing there.", "Look elsewhere."));
  };
  const std::string text = modern("tools/call", R"("name":"echo","arguments":{"say":"hi"})");
  const json::Value strict = answer(server_with({tool("echo", broken)}), text);
  EXPECT_EQ(at(strict, {"result", "isError"}), json::Value(true));
  EXPECT_EQ(at(strict, {"result"}).find("structuredContent"), nullptr);
  EXPECT_THAT(text_of(strict), HasSubstr("NOT_FOUND: Nothing there."));

  Tool open = tool("echo", broken);
  open.output_schema.if_object()->erase("required");
  const json::Value structured = answer(server_with({std::move(open)}), text);
  EXPECT_EQ(at(structured, {"result", "structuredContent", "code"}), json::Value("NOT_FOUND"));
}

TEST(tools_call, a_throwing_handler_is_an_internal_error) {
  const Server server = server_with(
      {tool("echo", [](const ToolCall&) -> ToolResult { throw std::runtime_error("oops"); })});
  const json::Value reply =
      answer(server, request("tools/call", R"("name":"echo","arguments":{"say":"hi"})"));
  EXPECT_EQ(code_of(reply), json::Value(-32603));
  EXPECT_THAT(message_of(reply), HasSubstr("oops"));
}

TEST(tools_call, the_handler_knows_its_caller) {
  ToolCall seen;
  const Server server = server_with({tool("echo", [&](const ToolCall& call) {
    seen = call;
    EXPECT_TRUE(call.cancelled());
    return echo(call);
  })});
  ClientState connection;
  connection.principal = "someone@issuer";
  Host host;
  host.stop = true;
  answer(server, modern("tools/call", R"("name":"echo","arguments":{"say":"hi"})"), connection,
         host);
  EXPECT_EQ(seen.principal, "someone@issuer");
  EXPECT_EQ(seen.version, Version::v2026_07_28);
  EXPECT_EQ(seen.arguments, (json::Object{{"say", "hi"}}));
}

TEST(tools_call, progress_goes_only_to_the_caller_that_asked_and_always_grows) {
  const Server server = server_with({tool("echo", [](const ToolCall& call) {
    call.report({.done = 0, .total = 100});
    call.report({.done = 50, .total = 100, .message = "half"});
    call.report({.done = 50});
    call.report({.done = 20});
    call.report({.done = std::numeric_limits<double>::quiet_NaN()});
    call.report({.done = 100});
    return echo(call);
  })});
  ClientState connection;
  Host silent;
  answer(server, request("tools/call", R"("name":"echo","arguments":{"say":"hi"})"), connection,
         silent);
  EXPECT_TRUE(silent.sent.empty());

  const std::string asked = request(
      "tools/call", R"("name":"echo","arguments":{"say":"hi"},"_meta":{"progressToken":"t"})");
  Host host;
  answer(server, asked, connection, host);
  ASSERT_EQ(host.sent.size(), 3u);
  EXPECT_EQ(host.sent[1],
            MUST(json::parse(R"({"jsonrpc":"2.0","method":"notifications/progress","params":
                {"progressToken":"t","progress":50,"total":100,"message":"half"}})")));
  EXPECT_EQ(at(host.sent[2], {"params", "progress"}), json::Value(100));

  connection.legacy_version = Version::v2024_11_05;
  Host old;
  answer(server, asked, connection, old);
  EXPECT_EQ(at(old.sent[1], {"params"}).find("message"), nullptr);
}

TEST(tools_call, work_outlives_the_server_value) {
  ClientState connection;
  std::optional<Action> action;
  {
    const Server server = server_with({tool("echo", echo)});
    action = server.accept(request("tools/call", R"("name":"echo","arguments":{"say":"hi"})"),
                           connection);
  }
  Host host;
  EXPECT_THAT(std::get<Work>(*action).run(host).line, HasSubstr("You said hi"));
}

}  // namespace
}  // namespace baton::protocol
