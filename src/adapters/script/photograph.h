#pragma once
// Photograph: the memory of a sandbox at one instant, in a sealed file of this process, from which
// any number of sandboxes are restored. Immutable; any thread.

#include <cstddef>
#include <memory>
#include <vector>

#include "adapters/script/wasm_runtime.h"
#include "base/result.h"

namespace baton::adapters {

/// A run of pages that nearly every evaluation writes.
struct PageRange {
  std::size_t offset = 0;
  std::size_t size = 0;
};

class Photograph {
 public:
  static Result<std::shared_ptr<Photograph>> take(const wasm_sandbox& sandbox);
  ~Photograph();
  Photograph(const Photograph&) = delete;
  Photograph& operator=(const Photograph&) = delete;

  int file() const { return file_; }
  std::size_t size() const { return size_; }
  std::uint32_t stack_pointer() const { return stack_pointer_; }

  /// The pages of `sandbox` that differ from the photograph.
  std::vector<PageRange> written_by(const wasm_sandbox& sandbox) const;

 private:
  Photograph(int file, std::size_t size, std::uint32_t stack_pointer)
      : file_(file), size_(size), stack_pointer_(stack_pointer) {}

  int file_;
  std::size_t size_;
  std::uint32_t stack_pointer_;
};

}  // namespace baton::adapters
