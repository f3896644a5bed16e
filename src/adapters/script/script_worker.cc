#include "adapters/script/script_worker.h"

#include <chrono>

#include "adapters/script/result.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using state::Evaluation;
using state::ScriptFault;
using state::ScriptProblem;
using state::ScriptResult;

ScriptProblem unavailable(const Error& error) {
  return {ScriptFault::unavailable, error.message, error.next.text(), 0, 0};
}

std::optional<ScriptProblem> problem_of_scope(std::string_view scope) {
  if (scope.size() > limits::script_scope_bytes_max) {
    return ScriptProblem{ScriptFault::size,
                         cat("the script's input has ", scope.size(), " bytes; ",
                             limits::script_scope_bytes_max, " are allowed"),
                         "give it only what it needs", 0, 0};
  }
  if (const auto digits = first_inexact(scope)) {
    return ScriptProblem{ScriptFault::inexact, cat("JavaScript cannot represent ", *digits),
                         "keep it as a string", 0, 0};
  }
  return std::nullopt;
}

}  // namespace

Result<void> ScriptWorker::ready_compiler() {
  if (compiler_is_ready_) return {};
  if (compiler_) {
    TRY(compiler_->restore());
  } else {
    compiler_.emplace(TRY(engines_.compiler()));
  }
  compiler_is_ready_ = true;
  return {};
}

Result<void> ScriptWorker::ready_runner() {
  if (runner_is_ready_) return {};
  loaded_.clear();
  if (runner_) {
    TRY(runner_->restore());
  } else {
    runner_.emplace(TRY(engines_.runner()));
  }
  runner_is_ready_ = true;
  return {};
}

std::shared_ptr<const Compiled> ScriptWorker::compile(const state::Script& script) {
  return compile(script, key_of(script));
}

std::shared_ptr<const Compiled> ScriptWorker::compile(const state::Script& script,
                                                      const Sha256& key) {
  if (auto found = cache_.find(key)) return found;
  if (const auto ready = ready_compiler(); !ready) {
    return std::make_shared<const Compiled>(std::unexpected(unavailable(ready.error())));
  }
  compiler_is_ready_ = false;
  Compiled compiled = compile_script(*compiler_, script);
  // After a busy moment the script may run the next time.
  if (!compiled && compiled.error().fault == ScriptFault::time) {
    return std::make_shared<const Compiled>(std::move(compiled));
  }
  return cache_.put(key, std::move(compiled));
}

SandboxAnswer ScriptWorker::run(const Evaluation& evaluation, const Sha256& key,
                                const std::string& bytecode) {
  auto found = loaded_.find(key);
  if (found == loaded_.end()) {
    const SandboxAnswer loaded = runner_->load(bytecode);
    if (loaded.outcome != WASM_DONE || loaded.threw) return loaded;
    found = loaded_.emplace(key, loaded.handle).first;
  }
  runner_->set_clock(evaluation.draw.now);
  return runner_->run(engines_.run_function(), found->second, evaluation.scope,
                      evaluation.draw.seed);
}

ScriptResult ScriptWorker::evaluate(const Evaluation& evaluation, std::int64_t ms_max) {
  if (auto problem = problem_of_scope(evaluation.scope)) return std::unexpected(*problem);
  const Sha256 key = key_of(evaluation.script);
  const auto compiled = compile(evaluation.script, key);
  if (!*compiled) return std::unexpected(compiled->error());
  if (const auto ready = ready_runner(); !ready) {
    return std::unexpected(unavailable(ready.error()));
  }
  const ScriptDeadline deadline(ms_max);
  const SandboxAnswer answer = run(evaluation, key, **compiled);
  // What was left by a jump, or has taken memory, is not used again.
  if (answer.outcome != WASM_DONE || runner_->has_grown()) runner_is_ready_ = false;
  return result_of(answer, evaluation.script);
}

bool ScriptWorker::evaluate(Batch& batch) {
  using Clock = std::chrono::steady_clock;
  const auto us_since = [](Clock::time_point begun) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun).count();
  };
  batch.results.reserve(batch.evaluations.size());
  const auto turn = Clock::now();
  const std::size_t had = batch.results.size();
  while (batch.results.size() < batch.evaluations.size()) {
    const bool is_over = us_since(turn) >= limits::script_turn_ms * 1'000;
    if (is_over && batch.results.size() > had) return false;
    const auto begun = Clock::now();
    const std::int64_t left = options_.batch_ms_max - batch.used_us / 1'000;
    const std::int64_t ms = std::min(left, options_.evaluation_ms_max);
    batch.results.push_back(ms > 0 ? evaluate(batch.evaluations[batch.results.size()], ms)
                                   : std::unexpected(problem_of(WASM_DEADLINE)));
    batch.used_us += us_since(begun);
  }
  return true;
}

void ScriptWorker::reset_sandboxes() {
  // When there is no room now, the next batch says so.
  if (runner_) {
    runner_is_ready_ = false;
    static_cast<void>(ready_runner());
  }
  if (compiler_) static_cast<void>(ready_compiler());
}

}  // namespace baton::adapters
