#include "transport/http/request_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"

namespace baton::transport {
namespace {

using Stage = RequestReader::Stage;

struct Reading {
  int refusal = 0;
  Stage stage = Stage::head;
  HttpRequest request = {};
  std::string rest = {};
};

/// Feeds `bytes` in pieces of `step` and goes as far as they reach.
Reading read(std::string_view bytes, std::size_t step, ReadBounds bounds = {}) {
  RequestReader reader(bounds);
  Reading out;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    reader.feed(piece);
    for (;;) {
      const auto stage = reader.advance();
      if (!stage) return {.refusal = stage.error().status};
      if (*stage == out.stage) break;
      out.stage = *stage;
    }
  }
  if (out.stage != Stage::head) out.request = reader.request();
  out.rest = reader.take_rest();
  return out;
}

constexpr std::string_view post =
    "POST /mcp?a=b HTTP/1.1\r\nHost: x\r\nMCP-Session-Id:  \t7 \r\nContent-Length: 5\r\n\r\nhello";

TEST(request_reader, reads_a_request_however_it_is_cut) {
  for (std::size_t step = 1; step <= post.size(); ++step) {
    const Reading reading = read(post, step);
    ASSERT_EQ(reading.stage, Stage::complete) << step;
    EXPECT_EQ(reading.request.method, "POST");
    EXPECT_EQ(reading.request.path(), "/mcp");
    EXPECT_EQ(*reading.request.header("mcp-session-id"), "7");
    EXPECT_EQ(reading.request.body, "hello");
    EXPECT_TRUE(reading.request.keep_alive);
    EXPECT_EQ(reading.rest, "");
  }
}

TEST(request_reader, stops_between_head_and_body) {
  RequestReader reader({});
  reader.feed(post);
  EXPECT_EQ(reader.advance(), Stage::body);
  EXPECT_EQ(reader.request().body, "");
  EXPECT_EQ(reader.advance(), Stage::complete);
  EXPECT_EQ(reader.request().body, "hello");
}

TEST(request_reader, joins_chunks_and_ignores_trailers) {
  const std::string bytes =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;why=not\r\nhel\r\n2\r\nlo\r\n0\r\nHost: evil\r\n\r\nGET";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    const Reading reading = read(bytes, step);
    ASSERT_EQ(reading.stage, Stage::complete) << step;
    EXPECT_EQ(reading.request.body, "hello");
    EXPECT_EQ(reading.request.count("host"), 1u);
    EXPECT_EQ(reading.rest, "GET");
  }
}

TEST(request_reader, keeps_what_follows_for_the_next_request) {
  const Reading reading = read(cat(post, post), post.size() * 2);
  EXPECT_EQ(reading.stage, Stage::complete);
  EXPECT_EQ(reading.rest, post);
}

TEST(request_reader, the_limit_of_a_head_is_exact) {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\n";
  for (const std::size_t step : {std::size_t{1}, head.size()}) {
    EXPECT_EQ(read(head, step, {.head_bytes_max = head.size()}).stage, Stage::complete);
    EXPECT_EQ(read(head, step, {.head_bytes_max = head.size() - 1}).refusal, 431);
  }
}

TEST(request_reader, many_small_fields_are_bounded_together) {
  std::string head = "GET / HTTP/1.1\r\n";
  while (head.size() <= limits::http_head_bytes_max) head += "A: b\r\n";
  EXPECT_EQ(read(head, 1).refusal, 431);
}

TEST(request_reader, the_limit_of_a_body_is_exact) {
  EXPECT_EQ(read(post, 7, {.body_bytes_max = 5}).stage, Stage::complete);
  EXPECT_EQ(read(post, 7, {.body_bytes_max = 4}).refusal, 413);
  const std::string chunked =
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";
  EXPECT_EQ(read(chunked, 7, {.body_bytes_max = 5}).stage, Stage::complete);
  EXPECT_EQ(read(chunked, 7, {.body_bytes_max = 4}).refusal, 413);
}

TEST(request_reader, the_head_of_a_body_that_is_too_large_can_be_read) {
  for (const std::size_t most : {std::size_t{5}, std::size_t{4}}) {
    RequestReader reader({.body_bytes_max = most});
    reader.feed(post);
    EXPECT_EQ(reader.advance(), Stage::body);
    EXPECT_EQ(*reader.request().header("host"), "x");
    EXPECT_EQ(reader.body_is_too_large(), most < 5);
  }
}

TEST(request_reader, a_target_may_be_a_whole_url) {
  const auto head = [](std::string_view target) {
    return read(cat("GET ", target, " HTTP/1.1\r\nHost: x\r\n\r\n"), 100).request;
  };
  EXPECT_EQ(head("/mcp?a=http://b/").path(), "/mcp");
  EXPECT_EQ(head("/mcp").authority(), std::nullopt);
  EXPECT_EQ(head("http://localhost:80/mcp?a").path(), "/mcp");
  EXPECT_EQ(head("http://localhost:80/mcp?a").authority(), "localhost:80");
  EXPECT_EQ(head("HTTPS://[::1]/mcp/").path(), "/mcp/");
  EXPECT_EQ(head("HTTPS://[::1]/mcp/").authority(), "[::1]");
  EXPECT_EQ(head("http://x").path(), "/");
  EXPECT_EQ(head("http://x?a=/mcp").path(), "/");
  EXPECT_EQ(head("http://x?a=/mcp").authority(), "x");
  EXPECT_EQ(head("ftp://x/mcp").authority(), std::nullopt);
  EXPECT_EQ(head("*").path(), "*");
}

TEST(request_reader, what_chunks_say_about_themselves_is_bounded) {
  const std::string bytes = cat("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;a=\"",
                                std::string(limits::http_head_bytes_max, 'b'));
  EXPECT_EQ(read(bytes, 100).refusal, 431);
}

// Enforces: G9
TEST(request_reader, what_all_chunks_say_about_themselves_is_bounded_together) {
  const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  // Four bytes of extension each.
  std::string many = head;
  const std::size_t fits = limits::http_head_bytes_max / 4;
  for (std::size_t i = 0; i < fits - 1; ++i) many += "1;a=b\r\nx\r\n";
  EXPECT_EQ(read(cat(many, "0\r\nA:\r\n\r\n"), 4'096).stage, Stage::complete);
  EXPECT_EQ(read(cat(many, "1;a=b\r\nx\r\n0\r\nA:\r\n\r\n"), 4'096).refusal, 431);
}

// Enforces: G9
TEST(request_reader, the_number_of_trailers_is_bounded) {
  std::string bytes = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
  for (std::size_t i = 0; i < limits::http_fields_max; ++i) bytes += "A: b\r\n";
  EXPECT_EQ(read(cat(bytes, "\r\n"), 100).stage, Stage::complete);
  EXPECT_EQ(read(cat(bytes, "A: b\r\n\r\n"), 100).refusal, 431);
}

// Enforces: G25
TEST(request_reader, an_invalid_request_is_refused) {
  for (const std::string_view bytes :
       {std::string_view("\x16\x03\x01", 3), std::string_view("{\"jsonrpc\":\"2.0\"}"),
        std::string_view("GET / HTTP/9.9\r\n\r\n"), std::string_view("GET /\r\n\r\n"),
        std::string_view("POST / HT\r\n\r\n"),
        std::string_view("GET / HTTP/1.1\r\nbad field\r\n\r\n"),
        std::string_view("POST / HTTP/1.1\r\nContent-Length: "
                         "-1\r\n\r\n"),
        std::string_view("POST / HTTP/1.1\r\nContent-Length: 1\r\n"
                         "Content-Length: 2\r\n\r\n"),
        std::string_view("POST / HTTP/1.1\r\nContent-Length: 1\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n"),
        std::string_view("POST / HTTP/1.1\r\nTransfer-Encoding: "
                         "chunked\r\n\r\nx\r\n")}) {
    EXPECT_EQ(read(bytes, bytes.size()).refusal, 400) << bytes;
  }
}

// Enforces: G25
TEST(request_reader, one_empty_line_before_a_request_is_passed_over_and_no_more) {
  for (std::size_t step = 1; step <= post.size() + 2; ++step) {
    const Reading reading = read(cat("\r\n", post), step);
    ASSERT_EQ(reading.stage, Stage::complete) << step;
    EXPECT_EQ(reading.request.body, "hello");
    EXPECT_EQ(reading.rest, "");
    for (const std::string_view before :
         {"\r\n\r\n", "\n", "\r", "\r\r\n", "\r\n\n", " \r\n", "\r\n ", "\r\n\r"}) {
      EXPECT_EQ(read(cat(before, post), step).refusal, 400) << before.size() << ' ' << step;
    }
  }
  // The line counts for its own request: each of two may have one.
  const Reading first = read(cat("\r\n", post, "\r\n", post), post.size() * 3);
  ASSERT_EQ(first.stage, Stage::complete);
  EXPECT_EQ(read(first.rest, 7).stage, Stage::complete);
}

TEST(request_reader, an_empty_line_alone_is_no_request_that_has_begun) {
  RequestReader reader({});
  for (const char* bytes : {"\r", "\n"}) {
    reader.feed(bytes);
    EXPECT_EQ(reader.advance(), Stage::head);
  }
  EXPECT_FALSE(reader.begun());
}

// Enforces: G25
RC_GTEST_PROP(request_reader, any_bytes_give_the_same_request_however_they_are_cut, ()) {
  const auto tail = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("\r\n 0a;:GETchunked\x01\xff")));
  const auto before = *rc::gen::element<std::string>("", "\r\n", "\r\n\r\n", "\n", "\r");
  const std::string bytes = cat(before, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", tail);
  const Reading whole = read(bytes, bytes.size() + 1);
  const Reading cut = read(bytes, 1);
  // A fault may be seen sooner or later, but what is refused at once is never taken in pieces.
  RC_ASSERT(!(whole.refusal != 0 && cut.stage == Stage::complete));
  RC_ASSERT(!(cut.refusal != 0 && whole.stage == Stage::complete));
  if (whole.refusal != 0 || cut.refusal != 0) return;
  RC_ASSERT(whole.stage == cut.stage);
  RC_ASSERT(whole.request.body == cut.request.body);
}

}  // namespace
}  // namespace baton::transport
