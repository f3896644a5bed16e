#include "adapters/os/stream_log.h"

#include <unistd.h>

#include "base/json/json.h"
#include "base/text/printable.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

std::string json_line(const ports::LogEntry& entry, WallMs now) {
  json::Object line{
      {"ts", to_rfc3339(now)}, {"level", name_of(entry.level)}, {"event", entry.event.text()}};
  if (entry.run) line.set("run", entry.run->text());
  if (entry.duration_ms) line.set("dur_ms", *entry.duration_ms);
  if (entry.code) line.set("code", name_of(*entry.code));
  return json::print(line) + '\n';
}

std::string human_line(const ports::LogEntry& entry, WallMs now) {
  std::string line = cat(to_rfc3339(now), ' ', name_of(entry.level), ' ', entry.event.text());
  if (entry.run) line += cat(' ', entry.run->text());
  if (entry.code) line += cat(' ', name_of(*entry.code));
  if (entry.duration_ms) line += cat(" (", *entry.duration_ms, " ms)");
  return line + '\n';
}

}  // namespace

std::string log_line(const ports::LogEntry& entry, WallMs now, LogForm form) {
  return form == LogForm::json ? json_line(entry, now) : human_line(entry, now);
}

void StreamLog::write(const ports::LogEntry& entry) {
  if (entry.level < least_) return;
  // An entry has no place for free text; should it ever get one, a terminal stays safe.
  const std::string line = printable(log_line(entry, clock_.wall(), form_));
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, line.data(), line.size());
}

}  // namespace baton::adapters
