// The plan's figures: how long reading and writing plans of 10 KB and 100 KB takes, of several
// kinds, and how it grows: `./dev bench plan [--report]`. plan_bench [DIR] writes DIR/report.md.

#include <cstdio>
#include <fstream>

#include "base/text/text.h"
#include "bench.h"
#include "plan/parse.h"
#include "plan/validate.h"

namespace baton::bench {
namespace {

constexpr std::size_t samples = 500;

std::string grown(std::string text, std::string_view line, std::size_t bytes) {
  while (text.size() + line.size() < bytes) text += line;
  return text;
}

struct Kind {
  const char* name;
  std::string_view start;
  std::string_view line;
};

constexpr Kind kinds[] = {
    {"prose", "feat: x\n\n", "Some words of a description that goes on and on for a while.\n"},
    {"tasks", "feat: x\n\n",
     "- [ ]: One of the tasks, with enough words in it to be the task of a real plan, and then "
     "some more\n"},
    {"constraints", "feat: x\n\n", "- Never: do what this constraint says must not be done\n"},
    {"look-alikes", "feat: x\n\n", "- Must: Not be taken for a constraint, since it is none\n"},
    {"empty lines", "feat: x\n\n", "\n"},
    {"direction", "feat: x\n\n- [ ]: A\n\nGo on.\n", "And then go on with something else: more.\n"},
};

double median_us(const std::string& text) {
  // A plan of 100 KB may have more tasks than the default allows.
  plan::PlanConfig config = plan::default_config();
  config.tasks_max = limits::plan_tasks_ceiling;
  return measure(samples,
                 [&] {
                   const plan::Parsed parsed = plan::parse(text, config);
                   ASSERT(parsed.state == plan::State::parsed);
                 })
      .p50;
}

int run(const std::string& folder) {
  Report report;
  for (const Kind& kind : kinds) {
    const std::string small = grown(std::string(kind.start), kind.line, 10'000);
    const std::string large = grown(std::string(kind.start), kind.line, 100'000);
    const double small_us = median_us(small);
    const double large_us = median_us(large);
    report.add(cat("read 100 KB: ", kind.name), large_us, "us", "< 1,000", large_us < 1'000);
    report.note(cat("100 KB against 10 KB: ", kind.name), large_us / small_us, "x");
  }
  return report.finish(folder);
}

}  // namespace
}  // namespace baton::bench

int main(int argc, char** argv) { return baton::bench::run(argc > 1 ? argv[1] : ""); }
