#pragma once
// Log: what happened, for the operator of Baton. An entry has no place for free text: the event's
// name is a literal and the rest are ids, numbers and codes, so no token or secret can be in it.
// Any thread.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/core/ids.h"
#include "base/core/result.h"

namespace baton::ports {

enum class LogSeverity : std::uint8_t { debug, info, warn, error };

constexpr std::string_view name_of(LogSeverity level) {
  switch (level) {
    case LogSeverity::debug: return "debug";
    case LogSeverity::info: return "info";
    case LogSeverity::warn: return "warn";
    case LogSeverity::error: return "error";
  }
  return "error";
}

/// The name of something that happened, in snake_case; only a literal makes one.
class EventName {
 public:
  consteval EventName(const char* literal) : text_(literal) {}
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

struct LogEntry {
  LogSeverity level;
  EventName event;
  std::optional<RunId> run = {};
  std::optional<std::int64_t> duration_ms = {};
  std::optional<Code> code = {};
};

class Log {
 public:
  virtual ~Log() = default;
  virtual void write(const LogEntry& entry) = 0;
};

}  // namespace baton::ports
