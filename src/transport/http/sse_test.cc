#include "transport/http/sse.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace baton::transport {
namespace {

TEST(sse, an_event_is_lines_that_end_with_an_empty_one) {
  EXPECT_EQ(sse_event("{}"), "data: {}\n\n");
  EXPECT_EQ(sse_event("{}", EventId{3, 17}), "id: 3-17\ndata: {}\n\n");
  EXPECT_EQ(sse_priming({3, 0}, 500), "id: 3-0\nretry: 500\ndata: \n\n");
  EXPECT_EQ(sse_retry(500), "retry: 500\n\n");
}

TEST(sse, an_event_id_is_read_as_it_was_written_and_no_other_way) {
  EXPECT_EQ(event_id_from("0-0"), (EventId{0, 0}));
  EXPECT_EQ(event_id_from("18446744073709551615-1"), (EventId{18446744073709551615u, 1}));
  for (const char* text : {"", "-", "1", "1-", "-1", "1-2-3", "01-2", "1-02", "+1-2", " 1-2",
                           "1-2 ", "1--2", "18446744073709551616-1", "a-b", "1_2"}) {
    EXPECT_FALSE(event_id_from(text)) << text;
  }
}

RC_GTEST_PROP(sse, every_event_id_comes_back, (std::uint64_t stream, std::uint64_t event)) {
  const EventId id{stream, event};
  RC_ASSERT(event_id_from(to_text(id)) == id);
}

}  // namespace
}  // namespace baton::transport
