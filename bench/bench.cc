#include "bench.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "base/text/text.h"

namespace baton::bench {
namespace {

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f" : "%.0f", value);
  return text;
}

}  // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

Spread spread_of(std::vector<double> samples_us) {
  Spread spread;
  spread.count = samples_us.size();
  for (const double sample : samples_us) spread.total += sample;
  std::ranges::sort(samples_us);
  if (samples_us.empty()) return spread;
  spread.p50 = samples_us[samples_us.size() / 2];
  spread.p99 = samples_us[samples_us.size() * 99 / 100];
  return spread;
}

Spread measure(std::size_t count, const std::function<void()>& call) {
  std::vector<double> samples;
  samples.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double start = now_us();
    call();
    samples.push_back(now_us() - start);
  }
  return spread_of(std::move(samples));
}

std::string filler(std::size_t bytes, std::size_t salt) {
  // Words that differ from call to call, so that nothing is stored once for all.
  std::string text = cat("entry ", salt, ": ");
  std::uint64_t state = salt * 0x9E37'79B9'7F4A'7C15 + 1;
  while (text.size() < bytes) {
    state = state * 6364136223846793005 + 1442695040888963407;
    text += cat((state >> 33) % 100'000, ' ');
  }
  text.resize(bytes);
  return text;
}

bool is_long(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  return std::ranges::count(words, "--long") > 0;
}

void Report::add(std::string what, double value, std::string unit, std::string target, bool met) {
  text_ += cat("| ", what, " | ", shown(value), ' ', unit, " | ", target, " | ",
               met ? "met" : "**missed**", " |\n");
  all_met_ = all_met_ && met;
  std::printf("%-66s %10s %-10s %-14s %s\n", what.c_str(), shown(value).c_str(), unit.c_str(),
              target.c_str(), met ? "met" : "MISSED");
  std::fflush(stdout);
}

int Report::finish(const std::string& folder) const {
  if (!folder.empty()) std::ofstream(folder + "/report.md") << text_;
  return all_met_ ? 0 : 1;
}

void Report::note(std::string what, double value, std::string unit) {
  text_ += cat("| ", what, " | ", shown(value), ' ', unit, " | | |\n");
  std::printf("%-66s %10s %s\n", what.c_str(), shown(value).c_str(), unit.c_str());
  std::fflush(stdout);
}

}  // namespace baton::bench
