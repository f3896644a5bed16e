#include "adapters/os/stream_log.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <type_traits>

namespace baton::adapters {
namespace {

using ports::LogEntry;
using ports::LogSeverity;

class StoppedClock : public ports::Clock {
 public:
  WallMs wall() override { return {1'785'231'000'125}; }
  MonoMs mono() override { return {0}; }
};

const WallMs noon{1'785'231'000'125};

TEST(stream_log, a_json_line_has_only_what_is_known) {
  EXPECT_EQ(log_line({LogSeverity::info, "serve_started"}, noon, LogForm::json),
            R"({"ts":"2026-07-28T09:30:00.125Z","level":"info","event":"serve_started"})"
            "\n");
  const LogEntry full{LogSeverity::error, "advance_failed", RunId{}, 12, Code::STORE_FULL};
  EXPECT_EQ(log_line(full, noon, LogForm::json),
            R"({"ts":"2026-07-28T09:30:00.125Z","level":"error","event":"advance_failed",)"
            R"("run":"run_00000000000000000000000000","dur_ms":12,"code":"STORE_FULL"})"
            "\n");
}

TEST(stream_log, people_get_a_short_line) {
  const LogEntry full{LogSeverity::warn, "advance_failed", RunId{}, 12, Code::STORE_FULL};
  EXPECT_EQ(log_line(full, noon, LogForm::human),
            "2026-07-28T09:30:00.125Z warn advance_failed run_00000000000000000000000000 "
            "STORE_FULL (12 ms)\n");
}

TEST(stream_log, entries_below_the_least_level_are_not_written) {
  const int file = memfd_create("log", MFD_CLOEXEC);
  StoppedClock clock;
  StreamLog log(file, LogSeverity::warn, LogForm::human, clock);
  log.write({LogSeverity::debug, "not_seen"});
  log.write({LogSeverity::info, "not_seen"});
  log.write({LogSeverity::warn, "seen"});
  log.write({LogSeverity::error, "seen"});
  char text[256];
  const ssize_t size = pread(file, text, sizeof text, 0);
  close(file);
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(size)),
            "2026-07-28T09:30:00.125Z warn seen\n2026-07-28T09:30:00.125Z error seen\n");
}

// Enforces: G12
TEST(stream_log, text_made_at_run_time_cannot_be_logged) {
  EXPECT_FALSE((std::is_constructible_v<ports::EventName, std::string>));
  EXPECT_FALSE((std::is_constructible_v<ports::EventName, std::string_view>));
  EXPECT_FALSE((std::is_assignable_v<decltype(LogEntry::run)&, std::string>));
  EXPECT_FALSE((std::is_assignable_v<decltype(LogEntry::code)&, std::string>));
}

}  // namespace
}  // namespace baton::adapters
