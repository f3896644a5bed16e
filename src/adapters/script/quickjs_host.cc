#include "adapters/script/quickjs_host.h"

#include <algorithm>

#include "base/limits.h"

namespace baton::adapters {
namespace {

std::size_t one_per_core() { return std::max(1u, std::thread::hardware_concurrency()); }

state::ScriptProblem unavailable(const Error& error) {
  return {state::ScriptFault::unavailable, error.message, error.hint, 0, 0};
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
  const auto done = threads_.run([&](Workshop& workshop) {
    for (std::size_t at = 0; at < scripts.size(); ++at) {
      const auto compiled = workshop.compile(scripts[at]);
      if (!*compiled) out[at] = compiled->error();
    }
  });
  if (!done) std::ranges::fill(out, unavailable(done.error()));
  return out;
}

std::vector<state::ScriptResult> QuickJsHost::evaluate(std::span<const state::Evaluation> batch) {
  std::vector<state::ScriptResult> out;
  if (batch.empty()) return out;
  const auto done = threads_.run([&](Workshop& workshop) { out = workshop.evaluate(batch); });
  if (!done) out.assign(batch.size(), std::unexpected(unavailable(done.error())));
  return out;
}

}  // namespace baton::adapters
