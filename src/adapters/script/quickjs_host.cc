#include "adapters/script/quickjs_host.h"

#include <algorithm>

#include "base/core/limits.h"

namespace baton::adapters {
namespace {

std::size_t one_per_core() { return std::max(1u, std::thread::hardware_concurrency()); }

state::ScriptProblem problem_of(const Error& error) {
  const bool is_busy = error.code == Code::SCRIPT_BUSY;
  return {is_busy ? state::ScriptFault::busy : state::ScriptFault::unavailable, error.message,
          error.next.text(), 0, 0};
}

}  // namespace

QuickJsHost::QuickJsHost() : QuickJsHost(SandboxOptions{}) {}

QuickJsHost::QuickJsHost(const SandboxOptions& options)
    : cache_(limits::cached_scripts_max, limits::cached_scripts_bytes_max),
      threads_(engines_, cache_, options, std::min(options.threads_max, one_per_core())) {}

std::vector<std::optional<state::ScriptProblem>> QuickJsHost::check(
    std::span<const state::Script> scripts) {
  std::vector<std::optional<state::ScriptProblem>> out(scripts.size());
  if (scripts.empty()) return out;
  std::size_t at = 0;
  const auto done = threads_.run({}, [&](ScriptWorker& workshop) {
    const auto compiled = workshop.compile(scripts[at]);
    if (!*compiled) out[at] = compiled->error();
    return ++at == scripts.size();
  });
  if (!done) std::ranges::fill(out, problem_of(done.error()));
  return out;
}

std::vector<state::ScriptResult> QuickJsHost::evaluate(std::span<const state::Evaluation> batch,
                                                       const ports::ScriptQueueKey& turn) {
  ScriptWorker::Batch asked{batch};
  if (batch.empty()) return {};
  const auto done =
      threads_.run(turn, [&](ScriptWorker& workshop) { return workshop.evaluate(asked); });
  if (!done) asked.results.assign(batch.size(), std::unexpected(problem_of(done.error())));
  return std::move(asked.results);
}

}  // namespace baton::adapters
