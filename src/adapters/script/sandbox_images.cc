#include "adapters/script/sandbox_images.h"

#include "adapters/script/compile.h"
#include "adapters/script/prelude.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

// Prelude and engine are ours, so every error here is a defect or a lack of memory.
std::unexpected<Error> broken(std::string_view what, const SandboxAnswer& answer) {
  return fail(Code::INTERNAL, cat("the script engine does not ", what, ": ",
                                  answer.threw ? message_of(answer.text) : "it was stopped"));
}

}  // namespace

Result<ScriptSandbox> SandboxImages::compiler() {
  const MutexLock lock(mutex_);
  TRY(make_images());
  return ScriptSandbox::from(compiler_, often_compiling_);
}

Result<ScriptSandbox> SandboxImages::runner() {
  const MutexLock lock(mutex_);
  TRY(make_images());
  return ScriptSandbox::from(runner_, often_running_);
}

Result<void> SandboxImages::make_images() {
  if (runner_ != nullptr) return {};
  ScriptSandbox compiler = TRY(ScriptSandbox::start(Intrinsics::to_compile));
  compiler_ = TRY(MemoryImage::take(compiler.raw()));
  return make_runner_image(compiler);
}

Result<void> SandboxImages::make_runner_image(ScriptSandbox& compiler) {
  const SandboxAnswer prelude = compiler.compile(script_texts()[0].text);
  if (prelude.outcome != WASM_DONE || prelude.threw) return broken("compile its prelude", prelude);
  ScriptSandbox runner = TRY(ScriptSandbox::start(Intrinsics::to_run));
  const SandboxAnswer loaded = runner.load(prelude.text);
  if (loaded.outcome != WASM_DONE || loaded.threw) return broken("run its prelude", loaded);
  const auto photograph = TRY(MemoryImage::take(runner.raw()));
  run_function_ = loaded.handle;

  // A script of the most usual kind shows which pages are used by all.
  ScriptSandbox fresh = TRY(ScriptSandbox::from(compiler_, {}));
  const auto code = compile_script(fresh, {"input.map(x => x.a + 1)", {}, {"input"}});
  if (!code) return fail(Code::INTERNAL, "the script engine does not compile");
  often_compiling_ = compiler_->used_by(fresh.raw());
  const SandboxAnswer script = runner.load(*code);
  const SandboxAnswer ran = runner.run(run_function_, script.handle, R"({"input":[{"a":1}]})", 1);
  if (ran.outcome != WASM_DONE || ran.text != "v[2]") return broken("run", ran);
  often_running_ = photograph->used_by(runner.raw());
  runner_ = photograph;
  return {};
}

}  // namespace baton::adapters
