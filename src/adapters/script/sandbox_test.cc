#include "adapters/script/sandbox.h"

#include <gtest/gtest.h>

#include <cstring>

#include "adapters/script/compile.h"
#include "adapters/script/script_threads.h"

namespace baton::adapters {
namespace {

constexpr std::string_view scripts[] = {
    "1",
    "const down = n => n === 0 ? 0 : 1 + down(n - 1); return down(500)",
    "const down = () => down() + 1; return down()",
    "Array.from({ length: 300000 }, (_, i) => 'text ' + i).join().length",
    "let all = []; for (;;) all.push(new Uint8Array(100000).fill(7))",
    "for (;;) {}",
};

/// Whether two sandboxes have the same bytes in their memories.
bool are_alike(const ScriptSandbox& a, const ScriptSandbox& b) {
  const wasm_image one = wasm_sandbox_image(&a.raw());
  const wasm_image other = wasm_sandbox_image(&b.raw());
  return one.size == other.size && one.stack_pointer == other.stack_pointer &&
         std::memcmp(one.data, other.data, one.size) == 0;
}

TEST(sandbox, a_restored_one_is_like_a_new_one_in_every_byte) {
  SandboxImages engines;
  CodeCache cache(8, 1u << 20);
  ScriptThreads threads(engines, cache, {}, 1);
  const auto compare = [&] {
    ScriptSandbox used = MUST(engines.runner());
    for (const std::string_view source : scripts) {
      ScriptSandbox compiler = MUST(engines.compiler());
      const auto code =
          compile_script(compiler, {std::string(source), state::ScriptForm::transform, {}});
      ASSERT_TRUE(code.has_value()) << source;
      {
        const ScriptDeadline deadline(50);
        const SandboxAnswer loaded = used.load(*code);
        ASSERT_EQ(loaded.outcome, WASM_DONE) << source;
        used.run(engines.run_function(), loaded.handle, "{}", 1);
      }
      const ScriptSandbox fresh = MUST(engines.runner());
      EXPECT_FALSE(are_alike(used, fresh)) << source;
      ASSERT_TRUE(used.restore()) << source;
      EXPECT_TRUE(are_alike(used, fresh)) << source;
    }
  };
  EXPECT_TRUE(threads.run({}, [&](ScriptWorker&) {
    compare();
    return true;
  }));
}

}  // namespace
}  // namespace baton::adapters
