#pragma once
// The ScriptHost of the real world: QuickJS-ng as WebAssembly, translated to C, on threads of its
// own. Nothing is started, reserved or read before the first script. Any thread.

#include "adapters/script/script_threads.h"
#include "ports/script_host.h"

namespace baton::adapters {

class QuickJsHost final : public ports::ScriptHost {
 public:
  QuickJsHost();
  explicit QuickJsHost(const SandboxOptions& options);

  std::vector<std::optional<state::ScriptProblem>> check(
      std::span<const state::Script> scripts) override;
  std::vector<state::ScriptResult> evaluate(std::span<const state::Evaluation> batch,
                                            const ports::ScriptQueueKey& turn) override;

  /// How many script threads there are by now.
  std::size_t threads() const { return threads_.started(); }

 private:
  SandboxImages engines_;
  CodeCache cache_;
  ScriptThreads threads_;  // last: its threads use the others until they end
};

}  // namespace baton::adapters
