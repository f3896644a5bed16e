// The figures of the state: what a write costs in a large one and among many computed fields; and
// those of scripts: how long an evaluation takes, warm and in a fresh sandbox, how long the first
// one does, and how far past its deadline one is stopped: `./dev bench state [--report]`.
// state_bench [DIR] writes DIR/report.md.

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "adapters/script/quickjs_host.h"
#include "base/text/text.h"
#include "bench.h"
#include "state_advance.h"
#include "state_load.h"

namespace baton::bench {
namespace {

using adapters::QuickJsHost;
using state::Evaluation;
using state::ScriptForm;

/// One that must come to a value.
void evaluate(QuickJsHost& host, std::span<const Evaluation> batch) {
  for (const auto& result : host.evaluate(batch, {})) ASSERT(result.has_value());
}

Evaluation of_20_bytes() {
  return {{"input.a + 1", ScriptForm::expression, {"input"}}, R"({"input":{"a":1234}})", {}};
}

/// A filter and a map over a list of 10 KB.
Evaluation of_10_kilobytes() {
  std::string scope = R"({"input":[)";
  for (int i = 0; scope.size() < 10'000; ++i) {
    if (i > 0) scope += ',';
    scope += cat(R"({"id":)", i, R"(,"name":"item number )", i, R"(","active":)",
                 i % 2 == 0 ? "true" : "false", R"(,"price":)", i, R"(.5,"qty":)", i % 7,
                 R"(,"tags":["a","b)", i, R"("],"note":"some text to fill"})");
  }
  return {{"input.filter(x => x.active).map(x => ({ id: x.id, name: x.name, total: x.price * x.qty,"
           " tags: x.tags }))",
           ScriptForm::expression,
           {"input"}},
          scope + "]}",
          {}};
}

/// Per evaluation, in a batch of one function.
double warm_us(QuickJsHost& host, const Evaluation& one, std::size_t size, std::size_t batches) {
  const std::vector<Evaluation> batch(size, one);
  return measure(batches, [&] { evaluate(host, batch); }).p50 / static_cast<double>(size);
}

/// A call of one evaluation, which is in a sandbox of its own.
Spread fresh(QuickJsHost& host, const Evaluation& one, std::size_t calls) {
  return measure(calls, [&] { evaluate(host, {&one, 1}); });
}

double compile_us(QuickJsHost& host, std::size_t calls) {
  std::size_t number = 0;
  return measure(calls,
                 [&] {
                   const state::Script script{
                       cat("input.a + ", ++number), ScriptForm::expression, {"input"}};
                   ASSERT(!host.check({&script, 1})[0]);
                 })
      .p50;
}

/// The longest time past a deadline of 100 ms, in milliseconds.
double overrun_ms(std::size_t rounds) {
  QuickJsHost host({.evaluation_ms_max = 100});
  double longest = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const std::string_view source :
         {"for (;;) {}", "for (;;) { try { for (;;) {} } catch {} }",
          "return /^(a+)+$/.test('a'.repeat(40) + '!')",
          "const a = Array.from({ length: 400000 }, (_, i) => -i); for (;;) a.sort()",
          "for (;;) 'x'.repeat(1000000).toUpperCase()",
          "let p = 1n; for (let i = 1n; ; ++i) p *= i",
          "let l = []; for (;;) try { for (;;) l.push(Array(1000).fill(0)) } catch { l = [] }"}) {
      const Evaluation one = {{std::string(source), ScriptForm::transform, {}}, "{}", {}};
      ASSERT(!host.check({&one.script, 1})[0]);
      const double before = now_us();
      ASSERT(!host.evaluate({&one, 1}, {})[0].has_value());
      longest = std::max(longest, (now_us() - before) / 1000 - 100);
    }
  }
  return longest;
}

int run(const std::string& folder, bool is_long) {
  Report report;
  const std::size_t scale = is_long ? 10 : 1;
  const double first_ms = median([&] {
    std::vector<double> samples;
    for (std::size_t i = 0; i < 5 * scale; ++i) {
      QuickJsHost host;
      const double before = now_us();
      const Evaluation one = of_20_bytes();
      evaluate(host, {&one, 1});
      samples.push_back((now_us() - before) / 1000);
    }
    return samples;
  }());
  QuickJsHost host;
  const Evaluation small = of_20_bytes();
  const Evaluation large = of_10_kilobytes();
  evaluate(host, {&small, 1});
  const double warm_small = warm_us(host, small, 200, 30 * scale);
  const double warm_large = warm_us(host, large, 20, 10 * scale);
  const Spread fresh_small = fresh(host, small, 1'000 * scale);
  const Spread fresh_large = fresh(host, large, 100 * scale);
  report.add("warm, 20 bytes in", warm_small, "us", "< 20", warm_small < 20);
  report.add("warm, 10 KB in", warm_large, "us", "< 1,000", warm_large < 1'000);
  report.add("fresh sandbox, 20 bytes in, p50", fresh_small.p50, "us", "< 120",
             fresh_small.p50 < 120);
  report.add("fresh sandbox, 10 KB in, p50", fresh_large.p50, "us", "< 1,200",
             fresh_large.p50 < 1'200);
  add_state_figures(report, scale);
  char stores[] = "state_bench_XXXXXX";
  ASSERT(mkdtemp(stores) != nullptr);
  add_advance_figures(report, host, stores);
  std::filesystem::remove_all(stores);
  const double overrun = overrun_ms(scale);
  report.add("longest time past a deadline", overrun, "ms", "< 5", overrun < 5);
  report.note("fresh sandbox, 20 bytes in, p99", fresh_small.p99, "us");
  report.note("compiling an expression", compile_us(host, 200 * scale), "us");
  report.note("the first script of a process", first_ms, "ms");
  return report.finish(folder);
}

}  // namespace
}  // namespace baton::bench

int main(int argc, char** argv) {
  return baton::bench::run(argc > 1 ? argv[1] : "", baton::bench::is_long(argc, argv));
}
