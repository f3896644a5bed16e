#include "adapters/script/sandbox.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

std::string_view view_of(const wasm_bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data), bytes.size};
}

SandboxAnswer answer_of(wasm_outcome outcome, const wasm_answer& raw) {
  if (outcome != WASM_DONE) return {outcome, false, 0, {}, {}};
  return {outcome, raw.threw != 0, raw.handle, view_of(raw.text), view_of(raw.stack)};
}

// The engine refuses an allocation, and can still say so, before its memory ends.
constexpr std::size_t heap_bytes_max = limits::script_memory_bytes_max - (4u << 20);

}  // namespace

Result<ScriptSandbox> ScriptSandbox::start(Intrinsics intrinsics) {
  ScriptSandbox made(wasm_sandbox_new(limits::script_memory_bytes_max));
  if (made.sandbox_ == nullptr) {
    return fail(Code::ENVIRONMENT, cat("there is no room for a sandbox: ", std::strerror(errno)),
                "a sandbox reserves 8 GiB of address space; lift the limit of `ulimit -v`");
  }
  const auto outcome =
      wasm_engine_start(made.sandbox_.get(), static_cast<std::uint32_t>(intrinsics), heap_bytes_max,
                        limits::script_stack_bytes_max);
  if (outcome != WASM_DONE) return fail(Code::INTERNAL, "the script engine does not start");
  return made;
}

Result<ScriptSandbox> ScriptSandbox::from(std::shared_ptr<const MemoryImage> photograph,
                                          std::vector<wasm_range> often_used) {
  ScriptSandbox made(wasm_sandbox_new(limits::script_memory_bytes_max));
  if (made.sandbox_ == nullptr) {
    return fail(Code::ENVIRONMENT, cat("there is no room for a sandbox: ", std::strerror(errno)),
                "a sandbox reserves 8 GiB of address space; lift the limit of `ulimit -v`");
  }
  made.photograph_ = std::move(photograph);
  made.often_used_ = std::move(often_used);
  TRY(made.restore());
  return made;
}

Result<void> ScriptSandbox::restore() {
  // Pages that every evaluation needs stay and are copied over; asking the kernel for new ones
  // takes several times as long, and longer still when the evaluation meets them one by one.
  if (is_mapped_ && wasm_sandbox_rewind(sandbox_.get(), often_used_.data(), often_used_.size(),
                                        photograph_->bytes(), photograph_->size(),
                                        photograph_->stack_pointer()) == 0) {
    return {};
  }
  const int refused = wasm_sandbox_restore(sandbox_.get(), photograph_->file(), photograph_->size(),
                                           photograph_->stack_pointer());
  if (refused != 0) {
    return fail(Code::ENVIRONMENT, cat("cannot restore a sandbox: ", std::strerror(refused)));
  }
  is_mapped_ = true;
  // Where the kernel cannot do it they come one by one.
  std::uint8_t* data = wasm_sandbox_image(sandbox_.get()).data;
  for (const wasm_range& range : often_used_) {
    madvise(data + range.offset, range.size, MADV_POPULATE_WRITE);
  }
  return {};
}

void ScriptSandbox::set_clock(WallMs now) {
  // The module's clock has no time before 1970.
  const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(now.value, 0));
  wasm_sandbox_set_clock(sandbox_.get(), ms * 1'000'000);
}

SandboxAnswer ScriptSandbox::compile(std::string_view source) {
  wasm_answer raw;
  const auto outcome = wasm_compile(sandbox_.get(), source.data(), source.size(), &raw);
  return answer_of(outcome, raw);
}

SandboxAnswer ScriptSandbox::load(std::string_view bytecode) {
  wasm_answer raw;
  const auto outcome =
      wasm_load(sandbox_.get(), reinterpret_cast<const std::uint8_t*>(bytecode.data()),
                bytecode.size(), &raw);
  return answer_of(outcome, raw);
}

SandboxAnswer ScriptSandbox::run(std::uint32_t function, std::uint32_t script,
                                 std::string_view scope, std::uint64_t seed) {
  wasm_answer raw;
  const auto outcome =
      wasm_run(sandbox_.get(), function, script, scope.data(), scope.size(), seed, &raw);
  return answer_of(outcome, raw);
}

bool ScriptSandbox::has_grown() const {
  return wasm_sandbox_image(sandbox_.get()).size > photograph_->size();
}

}  // namespace baton::adapters
