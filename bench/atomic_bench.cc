// The figures of runs that are driven by their ids: `./dev bench atomic [--report]`.
// atomic_bench DIR [BINARY] [--long]; DIR must be on a real disk; writes DIR/report.md.

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/text/text.h"
#include "bench.h"
#include "engine.h"
#include "raw_store.h"
#include "verbs/run/next_step.h"

namespace baton::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t workers = 16;

workflow::Step handing_out(std::size_t items, std::vector<workflow::Step> steps) {
  json::Array list;
  for (std::size_t i = 0; i < items; ++i) list.emplace_back(cat("item ", i));
  workflow::Step step;
  step.id = "spread";
  step.title = "Spread";
  workflow::ParallelForeach spread;
  spread.items = json::Object{{"list", std::move(list)}};
  spread.max_parallel = static_cast<std::int64_t>(items);
  step.body = std::move(spread);
  step.blocks = {{"steps", std::move(steps)}};
  return step;
}

/// A task that is done as soon as it is begun.
workflow::Step nothing_to_do() {
  workflow::Step step;
  step.id = "nothing";
  step.title = "Nothing";
  step.body = workflow::Exit();
  return step;
}

workflow::CompiledWorkflow workflow_of(std::size_t items, workflow::Step task) {
  workflow::CompiledWorkflow workflow;
  workflow.id = "bench";
  workflow.steps = {handing_out(items, {std::move(task)}),
                    workflow::prompt_step("report", "Report", "Report.")};
  return workflow;
}

/// Begins, and where there is something to do carries out, every task of a run; tasks per second.
double tasks_per_second(BenchEngine& bench, std::size_t items, workflow::Step task) {
  const bool has_work = task.kind() == workflow::StepKind::prompt;
  const std::string run = bench.start(workflow_of(items, std::move(task))).reply.run.text();
  std::atomic<std::size_t> next = 0;
  const double begin = now_us();
  {
    std::vector<std::jthread> pool;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      pool.emplace_back([&] {
        for (std::size_t item = next++; item < items; item = next++) {
          const std::string id = run::task_id("spread", item);
          const auto step = MUST(verbs::next_step_of_task(bench.engine(), {}, run, id, {}));
          ASSERT(has_work == step.point.has_value());
          if (!has_work) continue;
          run::StepInput input;
          input.notes = "done";
          MUST(verbs::complete_step_of_task(
              bench.engine(), {}, {run, step.point->answer.reply.pending->step_id, input}, id));
        }
      });
    }
  }
  const double seconds = (now_us() - begin) / 1e6;
  // All are settled, and the run has gone on by itself.
  ASSERT(MUST(verbs::next_step(bench.engine(), {}, run, {})).point->answer.reply.pending->step_id ==
         "report");
  return static_cast<double>(items) / seconds;
}

void measure_tasks(const fs::path& dir, std::size_t rounds, Report& report) {
  BenchEngine bench((dir / "tasks.db").string());
  std::vector<double> empty;
  std::vector<double> working;
  for (std::size_t i = 0; i < rounds; ++i) {
    empty.push_back(tasks_per_second(bench, 1'000, nothing_to_do()));
    working.push_back(tasks_per_second(bench, 1'000, workflow::prompt_step("do", "Do", "Do it.")));
  }
  report.add("tasks leased and settled, empty, 1,000 of one step", median(empty), "/s", ">= 1000",
             median(empty) >= 1'000);
  report.note("the same, with a step each", median(working), "/s");
}

void measure_next_step(const fs::path& dir, std::size_t rounds, Report& report) {
  constexpr std::size_t samples = 1'000;
  BenchEngine bench((dir / "next.db").string());
  surface::SignedReply at = bench.start(1'000, prompt_bytes);
  Outputs outputs;
  for (int i = 0; i < 100; ++i) at = bench.advance(at, outputs.next());
  const std::string run = at.reply.run.text();
  const std::string tasks =
      bench.start(workflow_of(100, workflow::prompt_step("do", "Do", "Do."))).reply.run.text();
  MUST(verbs::next_step_of_task(bench.engine(), {}, tasks, "spread.item7", {}));
  RawStore raw((dir / "raw.db").string());
  const std::string body = filler(payload_bytes, 1);
  std::vector<double> plain;
  std::vector<double> of_task;
  std::vector<double> of_list;
  std::vector<double> raw_p50;
  for (std::size_t i = 0; i < rounds; ++i) {
    raw_p50.push_back(measure(samples, [&] { raw.commit(body); }).p50);
    plain.push_back(
        measure(samples, [&] { MUST(verbs::next_step(bench.engine(), {}, run, {})); }).p50 /
        raw_p50.back());
    of_task.push_back(
        measure(
            samples,
            [&] { MUST(verbs::next_step_of_task(bench.engine(), {}, tasks, "spread.item7", {})); })
            .p50 /
        raw_p50.back());
    of_list.push_back(
        measure(samples, [&] { MUST(verbs::next_step(bench.engine(), {}, tasks, {})); }).p50 /
        raw_p50.back());
  }
  const auto before = MUST(bench.store().last_commit());
  MUST(verbs::next_step(bench.engine(), {}, run, {}));
  report.note("raw commit, p50", median(raw_p50), "us");
  report.add("get_next_step p50 / raw p50", median(plain), "x", "<= 0.5", median(plain) <= 0.5);
  report.note("the same of a sub-agent / raw p50", median(of_task), "x");
  report.note("the same with 100 tasks to list / raw p50", median(of_list), "x");
  const auto writes = MUST(bench.store().last_commit()).value - before.value;
  report.add("commits made by asking", static_cast<double>(writes), "", "0", writes == 0);
}

int run(const std::string& folder, bool is_long) {
  const fs::path dir = folder;
  fs::create_directories(dir);
  Report report;
  const std::size_t rounds = is_long ? 9 : 3;
  measure_tasks(dir, rounds, report);
  measure_next_step(dir, rounds, report);
  return report.finish(folder);
}

}  // namespace
}  // namespace baton::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: atomic_bench DIR [--long]\n", stderr);
    return 2;
  }
  return baton::bench::run(argv[1], baton::bench::is_long(argc, argv));
}
