#pragma once
// A log on a file descriptor, usually standard error: a JSON object per line for machines,
// {ts, level, event, run?, dur_ms?, code?}, or a short line for people. Any thread; an entry is
// one write, so lines do not mix. A line that cannot be written is dropped.

#include <string>

#include "ports/log.h"
#include "ports/system.h"

namespace baton::adapters {

enum class LogForm { json, human };

/// One line with its newline.
std::string log_line(const ports::LogEntry& entry, WallMs now, LogForm form);

class StreamLog final : public ports::Log {
 public:
  /// Entries below `least` are not written. The descriptor stays the caller's.
  StreamLog(int descriptor, ports::LogSeverity least, LogForm form, ports::Clock& clock)
      : descriptor_(descriptor), least_(least), form_(form), clock_(clock) {}

  void write(const ports::LogEntry& entry) override;

 private:
  int descriptor_;
  ports::LogSeverity least_;
  LogForm form_;
  ports::Clock& clock_;
};

}  // namespace baton::adapters
