#include "protocol/message.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"

namespace baton::protocol {
namespace {

Fault refusal(std::string_view text) {
  auto decoded = decode(text);
  EXPECT_FALSE(decoded) << text;
  return decoded ? Fault{} : decoded.error();
}

RpcCode code_of(std::string_view text) { return refusal(text).error.code; }

template <class Kind>
Kind decoded(std::string_view text) {
  auto message = decode(text);
  if (!message) {
    ADD_FAILURE() << message.error().error.message;
    return {};
  }
  Kind* const kind = std::get_if<Kind>(&*message);
  EXPECT_NE(kind, nullptr) << text;
  return kind != nullptr ? std::move(*kind) : Kind{};
}

TEST(message, a_request_has_id_method_and_params) {
  const auto request =
      decoded<Request>(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}})");
  EXPECT_EQ(request.id, RequestId("a"));
  EXPECT_EQ(request.method, "m");
  EXPECT_EQ(request.params, (json::Object{{"x", 1}}));
}

TEST(message, absent_and_null_params_are_an_empty_object) {
  EXPECT_TRUE(decoded<Request>(R"({"jsonrpc":"2.0","id":1,"method":"m"})").params.empty());
  EXPECT_TRUE(
      decoded<Request>(R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})").params.empty());
}

TEST(message, without_an_id_it_is_a_notification) {
  EXPECT_EQ(decoded<Notification>(R"({"jsonrpc":"2.0","method":"n"})").method, "n");
}

TEST(message, a_result_or_an_error_makes_a_response) {
  EXPECT_FALSE(decoded<Response>(R"({"jsonrpc":"2.0","id":1,"result":{}})").is_error);
  const auto error = decoded<Response>(R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})");
  EXPECT_TRUE(error.is_error);
  EXPECT_EQ(error.body, json::Value(json::Object{{"code", 1}}));
}

TEST(message, ids_keep_their_type) {
  EXPECT_EQ(decoded<Request>(R"({"jsonrpc":"2.0","id":1,"method":"m"})").id, RequestId(1));
  EXPECT_EQ(decoded<Request>(R"({"jsonrpc":"2.0","id":"1","method":"m"})").id, RequestId("1"));
  EXPECT_EQ(decoded<Request>(R"({"jsonrpc":"2.0","id":"","method":"m"})").id, RequestId(""));
  EXPECT_EQ(encode_result(RequestId("1"), {}), R"({"jsonrpc":"2.0","id":"1","result":{}})");
  EXPECT_EQ(encode_result(RequestId(-9223372036854775807), {}),
            R"({"jsonrpc":"2.0","id":-9223372036854775807,"result":{}})");
}

TEST(message, other_ids_are_refused) {
  for (const char* id : {"null", "1.5", "1.0", "true", "[]", "{}", "9223372036854775808"}) {
    const Fault fault = refusal(cat(R"({"jsonrpc":"2.0","method":"m","id":)", id, '}'));
    EXPECT_EQ(fault.error.code, RpcCode::invalid_request) << id;
    EXPECT_FALSE(fault.id) << id;
  }
}

// Enforces: G9
TEST(message, the_length_of_an_id_is_bounded) {
  const auto with_id = [](std::size_t bytes) {
    return cat(R"({"jsonrpc":"2.0","id":")", std::string(bytes, 'x'), R"(","method":"m"})");
  };
  decoded<Request>(with_id(limits::request_id_bytes_max));
  const Fault fault = refusal(with_id(limits::request_id_bytes_max + 1));
  EXPECT_EQ(fault.error.code, RpcCode::invalid_request);
  EXPECT_FALSE(fault.id);
}

// Enforces: G9
TEST(message, no_more_is_decoded_of_a_batch_than_shows_that_it_is_too_long) {
  std::string batch = "[0";
  for (int i = 0; i < 100'000; ++i) batch += ",0";
  EXPECT_EQ(decode_incoming(batch + ']').messages.size(), limits::batch_messages_max + 1);
}

TEST(message, bad_json_is_a_parse_error) {
  for (const char* text : {"", "{", "nul", "{}x", R"({"a":1,"a":1})", "\"\xff\""}) {
    EXPECT_EQ(code_of(text), RpcCode::parse_error) << text;
  }
}

TEST(message, depth_is_bounded) {
  const auto nested = [](std::size_t depth) {
    // The envelope and params are the first two levels.
    const std::string open(depth - 2, '[');
    const std::string close(depth - 2, ']');
    return cat(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"x":)", open, close, "}}");
  };
  EXPECT_TRUE(decode(nested(limits::json_depth_max)));
  EXPECT_EQ(code_of(nested(limits::json_depth_max + 1)), RpcCode::parse_error);
}

TEST(message, length_is_bounded) {
  std::string text = R"({"jsonrpc":"2.0","id":1,"method":"m"})";
  text.append(limits::message_bytes_max - text.size(), ' ');
  EXPECT_TRUE(decode(text));
  EXPECT_EQ(code_of(text + ' '), RpcCode::parse_error);
}

TEST(message, a_batch_is_refused_and_told_why) {
  const Fault fault = refusal(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])");
  EXPECT_EQ(fault.error.code, RpcCode::invalid_request);
  EXPECT_NE(fault.error.message.find("each message by itself"), std::string::npos);
  EXPECT_EQ(code_of("[]"), RpcCode::invalid_request);
}

TEST(message, a_message_is_an_object) {
  for (const char* text : {"1", "null", "\"x\""}) {
    EXPECT_EQ(code_of(text), RpcCode::invalid_request) << text;
  }
}

TEST(message, the_version_of_json_rpc_must_be_2) {
  for (const char* text : {R"({"id":1,"method":"m"})", R"({"jsonrpc":2.0,"id":1,"method":"m"})",
                           R"({"jsonrpc":"1.0","id":1,"method":"m"})"}) {
    const Fault fault = refusal(text);
    EXPECT_EQ(fault.error.code, RpcCode::invalid_request) << text;
    EXPECT_EQ(fault.id, RequestId(1)) << text;
  }
}

TEST(message, an_unknown_member_is_refused_with_the_nearest_name) {
  const Fault fault = refusal(R"({"jsonrpc":"2.0","id":1,"method":"m","parms":{}})");
  EXPECT_EQ(fault.error.code, RpcCode::invalid_request);
  EXPECT_EQ(fault.id, RequestId(1));
  EXPECT_NE(fault.error.message.find("'parms'"), std::string::npos);
  EXPECT_NE(fault.error.message.find("'params'"), std::string::npos);
}

TEST(message, mixed_and_empty_shapes_are_refused) {
  for (const char* text :
       {R"({"jsonrpc":"2.0"})", R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","result":{}})",
        R"({"jsonrpc":"2.0","id":1,"method":1})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","error":{}})",
        R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})",
        R"({"jsonrpc":"2.0","id":1,"result":{},"params":{}})"}) {
    EXPECT_EQ(code_of(text), RpcCode::invalid_request) << text;
  }
}

TEST(message, params_must_be_an_object) {
  const Fault fault = refusal(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1]})");
  EXPECT_EQ(fault.error.code, RpcCode::invalid_params);
  EXPECT_EQ(fault.id, RequestId(1));
}

TEST(message, an_error_without_a_readable_id_has_none) {
  EXPECT_EQ(encode_error(std::nullopt, {RpcCode::parse_error, "no"}),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}})");
}

TEST(message, error_data_is_sent_when_there_is_some) {
  EXPECT_EQ(
      encode_error(RequestId(1), {RpcCode::invalid_params, "no", json::Object{{"uri", "u"}}}),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","data":{"uri":"u"}}})");
}

TEST(message, the_oversized_answer_names_the_limit) {
  EXPECT_NE(encode_oversized_message().find(cat(limits::message_bytes_max)), std::string::npos);
}

RC_GTEST_PROP(message, what_is_encoded_is_one_line_and_decodes_to_itself,
              (std::int64_t number, const std::string& noise)) {
  std::string text;
  for (const char c : noise) text += static_cast<char>(c & 0x7f);  // any ASCII, controls too
  const std::string line = encode_result(RequestId(text), {{"n", number}, {"t", text}});
  RC_ASSERT(line.find('\n') == std::string::npos);
  auto back = decode(line);
  RC_ASSERT(back.has_value());
  const Response* const response = std::get_if<Response>(&*back);
  RC_ASSERT(response != nullptr);
  RC_ASSERT(response->id == RequestId(text));
  RC_ASSERT(response->body == json::Value(json::Object{{"n", number}, {"t", text}}));
}

}  // namespace
}  // namespace baton::protocol
