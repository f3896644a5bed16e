#include "transport/http/session.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"

namespace baton::transport {
namespace {

std::shared_ptr<Exchange> exchange() { return std::make_shared<Exchange>(std::size_t{64} << 20); }

bool can_resume(HttpSession& session, std::uint64_t stream, std::uint64_t event) {
  return session.resume({stream, event}, exchange());
}

TEST(session, keeps_events_for_a_resume_up_to_a_bound) {
  HttpSession session("s", "local", 1);
  const std::uint64_t stream = session.open_stream(exchange());
  const std::string half(limits::http_replay_bytes_max / 2, 'x');
  session.send(stream, half);
  session.send(stream, half);
  EXPECT_TRUE(can_resume(session, stream, 0));
  session.send(stream, "y");
  EXPECT_FALSE(can_resume(session, stream, 0));
  EXPECT_TRUE(can_resume(session, stream, 1));
}

TEST(session, keeps_the_last_event_of_a_stream_of_any_size) {
  HttpSession session("s", "local", 1);
  const std::uint64_t stream = session.open_stream(exchange());
  session.send(stream, std::string(limits::http_replay_bytes_max * 2, 'x'));
  EXPECT_TRUE(can_resume(session, stream, 0));
}

TEST(session, drops_what_is_finished_before_what_is_not) {
  HttpSession session("s", "local", 1);
  const std::string half(limits::http_replay_bytes_max / 2, 'x');
  const std::uint64_t open = session.open_stream(exchange());
  session.send(open, "{}");
  session.send(open, "{}");
  const std::uint64_t finished = session.open_stream(exchange());
  session.send(finished, half);
  session.finish(finished);
  session.send(open, half);
  EXPECT_FALSE(can_resume(session, finished, 0));
  EXPECT_TRUE(can_resume(session, open, 0));
}

TEST(session, keeps_a_number_of_finished_streams) {
  HttpSession session("s", "local", 1);
  for (std::size_t i = 0; i < limits::http_replay_streams_max; ++i) {
    session.finish(session.open_stream(exchange()));
  }
  EXPECT_TRUE(can_resume(session, 1, 0));
  session.finish(session.open_stream(exchange()));
  EXPECT_FALSE(can_resume(session, 1, 0));
  EXPECT_TRUE(can_resume(session, 2, 0));
}

TEST(session, after_its_end_nothing_can_be_resumed_or_sent) {
  HttpSession session("s", "local", 1);
  const std::uint64_t stream = session.open_stream(exchange());
  session.send(stream, "{}");
  session.end();
  EXPECT_FALSE(can_resume(session, stream, 0));
  EXPECT_FALSE(session.send(stream, "{}"));
  EXPECT_FALSE(session.has_reader());
}

}  // namespace
}  // namespace baton::transport
