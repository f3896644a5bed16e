#include "transport/http/accept.h"

#include <gtest/gtest.h>

namespace baton::transport {
namespace {

/// "json", "stream", "both" or "none".
std::string taken(const std::vector<std::string>& values) {
  HttpRequest request;
  for (const std::string& value : values) request.headers.push_back({"accept", value});
  const Accepted accepted = accepted_by(request);
  if (accepted.json && accepted.stream) return "both";
  if (accepted.json) return "json";
  return accepted.stream ? "stream" : "none";
}

TEST(accept, a_client_without_the_header_takes_both) { EXPECT_EQ(taken({}), "both"); }

TEST(accept, ranges_name_types_families_or_everything) {
  EXPECT_EQ(taken({"application/json"}), "json");
  EXPECT_EQ(taken({"text/event-stream"}), "stream");
  EXPECT_EQ(taken({"application/json, text/event-stream"}), "both");
  EXPECT_EQ(taken({"application/json", "text/event-stream"}), "both");
  EXPECT_EQ(taken({" Application/JSON ; charset=utf-8 ,\ttext/*"}), "both");
  EXPECT_EQ(taken({"application/*"}), "json");
  EXPECT_EQ(taken({"text/*"}), "stream");
  EXPECT_EQ(taken({"text/html, */*"}), "both");
}

TEST(accept, a_name_that_only_looks_alike_is_another_type) {
  for (const char* value : {"application/jsonx", "xapplication/json", "application/json-seq",
                            "application", "*", "text/event-stream2", "text", "", ",", "*/json",
                            "text/html;a=\"application/json, text/event-stream\""}) {
    EXPECT_EQ(taken({value}), "none") << value;
  }
}

TEST(accept, the_quality_0_means_not_taken) {
  EXPECT_EQ(taken({"application/json;q=0, text/event-stream"}), "stream");
  EXPECT_EQ(taken({"application/json;q=0.000, text/event-stream;q=0.001"}), "stream");
  EXPECT_EQ(taken({"application/json; Q=0"}), "none");
  EXPECT_EQ(taken({"application/json;q=0.9, text/event-stream;q=1"}), "both");
}

TEST(accept, the_most_specific_range_decides) {
  EXPECT_EQ(taken({"*/*, application/json;q=0"}), "stream");
  EXPECT_EQ(taken({"application/json;q=0, */*"}), "stream");
  EXPECT_EQ(taken({"text/*;q=0, */*"}), "json");
  EXPECT_EQ(taken({"text/*;q=0, text/event-stream"}), "stream");
  EXPECT_EQ(taken({"*/*;q=0"}), "none");
}

}  // namespace
}  // namespace baton::transport
