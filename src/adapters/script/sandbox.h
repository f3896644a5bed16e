#pragma once
// Sandbox: one engine, restored from a photograph as often as wanted. Made and used on a script
// thread (script_threads.h); one thread at a time.

#include <memory>
#include <string>
#include <string_view>

#include "adapters/script/memory_image.h"
#include "base/core/time.h"

namespace baton::adapters {

/// How a call into the sandbox ended. Views are valid until its next call.
struct SandboxAnswer {
  wasm_outcome outcome = WASM_DONE;
  bool threw = false;
  std::uint32_t handle = 0;
  std::string_view text;   // of an exception: its message
  std::string_view stack;  // of an exception
};

/// What engines have built in.
enum class Intrinsics : std::uint32_t {
  to_run = 0x1FD,      // all of the language but eval, Function, WeakRef and what is not ECMAScript
  to_compile = 0x1FF,  // and the compiler
};

class ScriptSandbox {
 public:
  /// A new engine. ENVIRONMENT when the machine has no room for one.
  static Result<ScriptSandbox> start(Intrinsics intrinsics);

  /// An engine like the one in the photograph.
  static Result<ScriptSandbox> from(std::shared_ptr<const MemoryImage> photograph,
                                    std::vector<wasm_range> often_used);

  /// Restores the image; nothing of what happened since is left.
  Result<void> restore();

  void set_clock(WallMs now);

  SandboxAnswer compile(std::string_view source);
  SandboxAnswer load(std::string_view bytecode);
  SandboxAnswer run(std::uint32_t function, std::uint32_t script, std::string_view scope,
                    std::uint64_t seed);

  /// Whether its memory is larger than the photograph's.
  bool has_grown() const;

  const wasm_sandbox& raw() const { return *sandbox_; }

 private:
  struct Free {
    void operator()(wasm_sandbox* sandbox) const { wasm_sandbox_free(sandbox); }
  };
  explicit ScriptSandbox(wasm_sandbox* sandbox) : sandbox_(sandbox) {}

  std::unique_ptr<wasm_sandbox, Free> sandbox_;
  std::shared_ptr<const MemoryImage> photograph_;
  std::vector<wasm_range> often_used_;
  bool is_mapped_ = false;  // from the photograph
};

}  // namespace baton::adapters
