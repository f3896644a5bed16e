// What it costs to run a command with all that bounds it, beside posix_spawn alone:
// `./dev bench process [--report]`. process_bench [DIR] writes DIR/report.md.

#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>

#include "adapters/process/run_process.h"
#include "bench.h"

namespace baton::bench {
namespace {

constexpr const char* program = "/bin/true";

void spawn_alone() {
  char name[] = "true";
  char* const argv[] = {name, nullptr};
  char* const environment[] = {nullptr};
  pid_t pid = 0;
  ASSERT(::posix_spawn(&pid, program, nullptr, nullptr, argv, environment) == 0);
  int status = 0;
  ASSERT(::waitpid(pid, &status, 0) == pid && status == 0);
}

void run_bounded() {
  const auto result =
      adapters::run_process({.argv = {program}, .directory = "/", .environment = {}});
  ASSERT(result.end == ports::ProcessEnd::exited && result.code == 0);
}

/// Both by turns, so that whatever else the machine does meets both.
std::pair<Spread, Spread> by_turns(std::size_t count) {
  std::vector<double> alone;
  std::vector<double> bounded;
  for (std::size_t i = 0; i < count; ++i) {
    const double begin = now_us();
    spawn_alone();
    const double middle = now_us();
    run_bounded();
    alone.push_back(middle - begin);
    bounded.push_back(now_us() - middle);
  }
  return {spread_of(std::move(alone)), spread_of(std::move(bounded))};
}

int run(const std::string& folder, bool is_long) {
  const std::size_t count = is_long ? 5'000 : 500;
  Report report;
  by_turns(50);
  const auto [alone, bounded] = by_turns(count);
  // As much memory as a server has after a long day.
  std::vector<char> heap(32u << 20, 'x');
  const auto [large_alone, large_bounded] = by_turns(count);
  ASSERT(heap.back() == 'x');
  report.note("a command, p50", bounded.p50, "us");
  report.note("posix_spawn alone, p50", alone.p50, "us");
  report.add("a command / posix_spawn alone, p50", bounded.p50 / alone.p50, "", "< 4",
             bounded.p50 / alone.p50 < 4);
  report.add("the same from a process of 32 MB", large_bounded.p50 / large_alone.p50, "", "< 4",
             large_bounded.p50 / large_alone.p50 < 4);
  return report.finish(folder);
}

}  // namespace
}  // namespace baton::bench

int main(int argc, char** argv) {
  return baton::bench::run(argc > 1 ? argv[1] : "", baton::bench::is_long(argc, argv));
}
