#pragma once
// Engines: the two photographs that all sandboxes are restored from, taken when the first script
// is compiled or run, and never before. Any script thread.

#include <mutex>
#include <optional>

#include "adapters/script/sandbox.h"

namespace baton::adapters {

class Engines {
 public:
  /// A sandbox with a compiler, for compile_script.
  Result<Sandbox> compiler();

  /// A sandbox without one, in which prelude.js has run.
  Result<Sandbox> runner();

  /// The function of a runner that runs a script. REQUIRES: there is a runner.
  std::uint32_t run_function() const { return run_function_; }

 private:
  Result<void> take_photographs();  // with mutex_ held
  Result<void> photograph_runner(Sandbox& compiler);

  std::mutex mutex_;  // guards what is below until it is there; then it does not change
  std::shared_ptr<const Photograph> compiler_;
  std::shared_ptr<const Photograph> runner_;
  std::vector<wasm_range> often_compiling_;
  std::vector<wasm_range> often_running_;
  std::uint32_t run_function_ = 0;
};

}  // namespace baton::adapters
