#pragma once
// SandboxImages: the two memory images that all sandboxes are restored from, made when the first
// script is compiled or run, and never before. Any script thread.

#include <optional>

#include "adapters/script/sandbox.h"
#include "base/core/thread_safety.h"

namespace baton::adapters {

class SandboxImages {
 public:
  /// A sandbox with a compiler, for compile_script.
  Result<ScriptSandbox> compiler();

  /// A sandbox without one, in which prelude.js has run.
  Result<ScriptSandbox> runner();

  /// The function of a runner that runs a script. REQUIRES: there is a runner.
  std::uint32_t run_function() const UNCHECKED_LOCKS { return run_function_; }

 private:
  Result<void> make_images() REQUIRES(mutex_);
  Result<void> make_runner_image(ScriptSandbox& compiler) REQUIRES(mutex_);

  Mutex mutex_;  // until what is below is there; then it does not change
  std::shared_ptr<const MemoryImage> compiler_ GUARDED_BY(mutex_);
  std::shared_ptr<const MemoryImage> runner_ GUARDED_BY(mutex_);
  std::vector<wasm_range> often_compiling_ GUARDED_BY(mutex_);
  std::vector<wasm_range> often_running_ GUARDED_BY(mutex_);
  std::uint32_t run_function_ GUARDED_BY(mutex_) = 0;
};

}  // namespace baton::adapters
