#pragma once
// ScriptWorker: what one script thread compiles and evaluates with. One thread.

#include <map>
#include <optional>
#include <span>

#include "adapters/script/code_cache.h"
#include "adapters/script/sandbox_images.h"
#include "base/core/limits.h"

namespace baton::adapters {

struct SandboxOptions {
  std::int64_t evaluation_ms_max = limits::script_ms_max;
  std::int64_t batch_ms_max = limits::script_batch_ms_max;
  std::size_t threads_max = limits::script_threads_max;  // and never more than one for each core
};

class ScriptWorker {
 public:
  ScriptWorker(SandboxImages& engines, CodeCache& cache, const SandboxOptions& options)
      : engines_(engines), cache_(cache), options_(options) {}

  std::shared_ptr<const Compiled> compile(const state::Script& script);

  /// Evaluations of one caller, and their results so far.
  struct Batch {
    std::span<const state::Evaluation> evaluations;
    std::vector<state::ScriptResult> results = {};
    std::int64_t used_us = 0;  // by evaluating, not by waiting
  };

  /// Continues the batch for a turn, by one evaluation at least: true when it is done. Each
  /// evaluation is in what looks like a sandbox of its own; the first of a turn is in a fresh one.
  /// REQUIRES: tidy() has followed the last turn of another batch.
  bool evaluate(Batch& batch);

  /// Prepares the sandboxes for the next batch, while no caller waits.
  void reset_sandboxes();

 private:
  std::shared_ptr<const Compiled> compile(const state::Script& script, const Sha256& key);
  Result<void> ready_compiler();
  Result<void> ready_runner();
  state::ScriptResult evaluate(const state::Evaluation& evaluation, std::int64_t ms_max);
  SandboxAnswer run(const state::Evaluation& evaluation, const Sha256& key,
                    const std::string& bytecode);

  SandboxImages& engines_;
  CodeCache& cache_;
  const SandboxOptions options_;
  std::optional<ScriptSandbox> compiler_;
  std::optional<ScriptSandbox> runner_;
  bool compiler_is_ready_ = false;
  bool runner_is_ready_ = false;
  std::map<Sha256, std::uint32_t> loaded_;  // functions in runner_
};

}  // namespace baton::adapters
