#pragma once
// What the benchmarks share: clocks, percentiles, the workload, and a table of results. A figure
// is a ratio within one run wherever it can be, so that it means the same on another machine.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace baton::bench {

/// Microseconds from a clock that never goes back.
inline double now_us() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Spread {
  double p50 = 0;
  double p99 = 0;
  double total = 0;
  std::size_t count = 0;
  double per_second() const { return static_cast<double>(count) / (total / 1e6); }
};

Spread spread_of(std::vector<double> samples_us);
double median(std::vector<double> values);

/// Times each of `count` calls.
Spread measure(std::size_t count, const std::function<void()>& call);

// The workload: a prompt of 1 KB, notes of 500 B, one artifact of 2 KB.
inline constexpr std::size_t prompt_bytes = 1'000;
inline constexpr std::size_t notes_bytes = 500;
inline constexpr std::size_t artifact_bytes = 2'000;
inline constexpr std::size_t payload_bytes = prompt_bytes + notes_bytes + artifact_bytes;
std::string filler(std::size_t bytes, std::size_t salt);

/// Whether --long was given, behind the first word.
bool is_long(int argc, char** argv);

/// Figures with their targets, printed as they come and kept as Markdown.
class Report {
 public:
  void add(std::string what, double value, std::string unit, std::string target, bool met);
  void note(std::string what, double value, std::string unit);
  /// Writes the table to `folder`/report.md, unless that is empty. The exit code: 0 when every
  /// target is met.
  int finish(const std::string& folder) const;

 private:
  std::string text_ = "| Figure | Measured | Target | |\n|---|---|---|---|\n";
  bool all_met_ = true;
};

}  // namespace baton::bench
