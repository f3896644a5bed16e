#include "adapters/script/testing/scripted_host.h"

#include "base/text/text.h"

namespace baton::adapters {

void ScriptedHost::write(std::string source, Part part) {
  parts_.insert_or_assign(std::move(source), std::move(part));
}

void ScriptedHost::refuse(std::string source, state::ScriptProblem problem) {
  refused_.insert_or_assign(std::move(source), std::move(problem));
}

std::optional<state::ScriptProblem> ScriptedHost::problem_of(const state::Script& script) const {
  if (const auto found = refused_.find(script.source); found != refused_.end()) {
    return found->second;
  }
  if (parts_.contains(script.source)) return std::nullopt;
  return state::ScriptProblem{
      state::ScriptFault::syntax, cat("no scripted answer for `", script.source, '`'), {}, 1, 1};
}

std::vector<std::optional<state::ScriptProblem>> ScriptedHost::check(
    std::span<const state::Script> scripts) {
  std::vector<std::optional<state::ScriptProblem>> out;
  for (const state::Script& script : scripts) out.push_back(problem_of(script));
  return out;
}

std::vector<state::ScriptResult> ScriptedHost::evaluate(std::span<const state::Evaluation> batch,
                                                        const ports::ScriptQueueKey&) {
  std::vector<state::ScriptResult> out;
  for (const state::Evaluation& each : batch) {
    if (auto problem = problem_of(each.script)) {
      out.push_back(std::unexpected(std::move(*problem)));
      continue;
    }
    // The scope is what a test or the engine printed, so it can be read.
    const json::Value scope = MUST(json::parse(each.scope));
    out.push_back(parts_.find(each.script.source)->second(scope, each.draw));
  }
  return out;
}

}  // namespace baton::adapters
