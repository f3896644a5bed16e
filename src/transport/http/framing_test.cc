#include "transport/http/framing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"

namespace baton::transport {
namespace {

using Found = HeadScanner::Found;

/// What is found when the bytes come one by one, and where.
std::pair<Found, std::size_t> scan(std::string_view bytes) {
  HeadScanner scanner;
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    const Found found = scanner.scan(bytes.substr(0, size));
    if (found != Found::nothing_yet) return {found, size};
  }
  return {Found::nothing_yet, bytes.size()};
}

HttpRequest head_of(std::vector<HttpHeader> headers) {
  return {.method = "POST", .target = "/", .headers = std::move(headers)};
}

int status_of(const std::expected<BodyFraming, HttpResponse>& framing) {
  return framing ? 200 : framing.error().status;
}

int status_of_codings(std::string value) {
  return status_of(framing_of(head_of({{"transfer-encoding", std::move(value)}})));
}

TEST(head_scanner, a_head_ends_with_its_first_empty_line) {
  const std::string_view head = "GET / HTTP/1.1\r\nA: b\tc \xff\r\nB:\r\n\r\n";
  EXPECT_EQ(scan(cat(head, "GET / HTTP/1.1\r\n\r\n")), std::pair(Found::end, head.size()));
  HeadScanner scanner;
  EXPECT_EQ(scanner.scan(cat(head, "\n\x01 anything")), Found::end);
  EXPECT_EQ(scanner.scanned(), head.size());
}

// Enforces: G25
TEST(head_scanner, what_no_head_may_hold_is_seen_at_its_byte) {
  constexpr std::string_view start = "GET / HTTP/1.1\r\n";
  const std::string_view bad[] = {
      "A: b\n",     "A: b\rc",   "A: b\r\r", " ",          "\t", "A: \x01",           "A: \x7f",
      {"A: \0", 4}, "A: b\r\n ", "\n",       "A: b\r\n\n", "\v", "A: b\r\nC: d\r\n ",
  };
  for (const std::string_view each : bad) {
    const std::string bytes = cat(start, each);
    EXPECT_EQ(scan(cat(bytes, "\r\n\r\n")), std::pair(Found::malformed, bytes.size())) << each;
  }
}

// Enforces: G9
TEST(head_scanner, the_number_of_fields_is_bounded) {
  std::string head = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i < limits::http_fields_max; ++i) head += "A: b\r\n";
  EXPECT_EQ(scan(cat(head, "\r\n")).first, Found::end);
  EXPECT_EQ(scan(cat(head, "A: b\r\n\r\n")).first, Found::too_many_fields);
}

TEST(framing, without_fields_there_is_no_body) {
  EXPECT_EQ(framing_of(head_of({{"host", "x"}})), (BodyFraming{}));
}

// Enforces: G25
TEST(framing, a_length_is_one_number) {
  const auto framed = [](std::string value) {
    return framing_of(head_of({{"content-length", std::move(value)}}));
  };
  EXPECT_EQ(framed("0"), (BodyFraming{.bytes = 0}));
  EXPECT_EQ(framed("0017"), (BodyFraming{.bytes = 17}));
  EXPECT_EQ(framed("18446744073709551615"), (BodyFraming{.bytes = ~std::uint64_t{0}}));
  for (const char* bad : {"", "-1", "+1", "1 1", "1,1", "1, 1", "0x1", "1.0", "1e3", "one",
                          "18446744073709551616", "1;q=1"}) {
    EXPECT_EQ(status_of(framed(bad)), 400) << bad;
  }
  for (const char* second : {"5", "6"}) {
    EXPECT_EQ(status_of(framing_of(head_of({{"content-length", "5"}, {"content-length", second}}))),
              400);
  }
}

// Enforces: G25
TEST(framing, chunked_is_the_only_coding_taken) {
  for (const char* good : {"chunked", "Chunked", "CHUNKED"}) {
    EXPECT_EQ(framing_of(head_of({{"transfer-encoding", good}})), (BodyFraming{.is_chunked = true}))
        << good;
  }
  for (const char* unknown : {"gzip", "gzip, chunked", "identity", "xchunked", "chunkedx",
                              "foo;a=b", "foo;a=\"b\" , chunked"}) {
    EXPECT_EQ(status_of_codings(unknown), 501) << unknown;
  }
  for (const char* bad : {"", ",", "chunked,", ",chunked", "chunked, gzip", "chunked, chunked",
                          "chunked;q=1", "chunked ;q=1", "chunked;", "\"chunked\"",
                          "chunked chunked", "chun ked", "gzip,,chunked"}) {
    EXPECT_EQ(status_of_codings(bad), 400) << bad;
  }
}

// Enforces: G25
TEST(framing, several_fields_of_codings_are_one_list) {
  const auto status = [](const char* first, const char* second) {
    return status_of(
        framing_of(head_of({{"transfer-encoding", first}, {"transfer-encoding", second}})));
  };
  EXPECT_EQ(status("gzip", "chunked"), 501);
  EXPECT_EQ(status("chunked", "gzip"), 400);
  EXPECT_EQ(status("chunked", "chunked"), 400);
  EXPECT_EQ(status("chunked", ""), 400);
}

// Enforces: G25
TEST(framing, a_transfer_coding_excludes_a_length_and_http_1_0) {
  for (const char* coding : {"chunked", "gzip", "identity"}) {
    EXPECT_EQ(
        status_of(framing_of(head_of({{"transfer-encoding", coding}, {"content-length", "5"}}))),
        400);
    HttpRequest old = head_of({{"transfer-encoding", coding}});
    old.http_1_0 = true;
    EXPECT_EQ(status_of(framing_of(old)), 400);
  }
}

// Enforces: G25
TEST(framing, the_line_of_a_chunk_is_a_size_and_extensions) {
  const auto size = [](std::string_view line) {
    const auto chunk = chunk_line_of(line);
    return chunk ? std::optional(chunk->size) : std::nullopt;
  };
  EXPECT_EQ(size("0"), 0u);
  EXPECT_EQ(size("1aF"), 0x1afu);
  EXPECT_EQ(size("000000000000000f"), 15u);
  EXPECT_EQ(size("ffffffffffffffff"), ~std::uint64_t{0});
  for (const char* good :
       {"5;a", "5;a=b", "5 ; a = b", "5;a=\"b;\\\" c\"", "5;a;b=c;d=\"\"", "5\t;a"}) {
    EXPECT_EQ(size(good), 5u) << good;
  }
  EXPECT_EQ(chunk_line_of("5;a=b")->extension_bytes, 4u);
  const std::string_view bad[] = {"",
                                  " 5",
                                  "5 ",
                                  "5 junk",
                                  "5junk",
                                  "0x5",
                                  "+5",
                                  "-5",
                                  "5;",
                                  "5;=b",
                                  "5;a=",
                                  "5;a=\"b",
                                  "5;a b",
                                  "5;a=b c",
                                  "5;a\nb",
                                  "5\n",
                                  "5;a=\"\x01\"",
                                  "5;a ",
                                  "5\r",
                                  "5;a\rb",
                                  "5;a=\"b\\",
                                  "00000000000000005",
                                  "10000000000000000"};
  for (const std::string_view each : bad) EXPECT_EQ(size(each), std::nullopt) << each;
}

TEST(framing, a_trailer_is_a_name_and_a_value) {
  for (const char* good : {"A: b", "A:", "a-b:\t c \xff"}) EXPECT_TRUE(is_field_line(good)) << good;
  for (const char* bad : {"", "junk", ": b", "A : b", " A: b", "A b: c", "A: b\n", "A: \x01",
                          "A: b\rc", "A: b\r", "A(: b"}) {
    EXPECT_FALSE(is_field_line(bad)) << bad;
  }
}

TEST(framing, a_line_that_cannot_end_well_is_seen_before_its_end) {
  EXPECT_FALSE(has_control("5;a"));
  EXPECT_FALSE(has_control("5;a\r"));
  EXPECT_FALSE(has_control("5;a\tb"));
  EXPECT_TRUE(has_control("5;a\n"));
  EXPECT_TRUE(has_control("5;a\rb"));
  EXPECT_TRUE(has_control("5;a\r\r"));
}

RC_GTEST_PROP(framing, no_chunk_line_with_a_control_character_is_taken,
              (std::string tail, char c)) {
  RC_PRE((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f);
  RC_ASSERT(!chunk_line_of(cat("5;a=\"", tail, c, "\"")));
  RC_ASSERT(!is_field_line(cat("A: ", tail, c)));
}

}  // namespace
}  // namespace baton::transport
