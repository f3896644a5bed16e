#pragma once
// MemoryImage: the memory of a sandbox at one instant, in a sealed file of this process, from which
// any number of sandboxes are restored. Immutable; any thread.

#include <cstddef>
#include <memory>
#include <vector>

#include "adapters/script/wasm_runtime.h"
#include "base/core/result.h"

namespace baton::adapters {

class MemoryImage {
 public:
  static Result<std::shared_ptr<MemoryImage>> take(const wasm_sandbox& sandbox);
  ~MemoryImage();
  MemoryImage(const MemoryImage&) = delete;
  MemoryImage& operator=(const MemoryImage&) = delete;

  int file() const { return file_; }
  const std::uint8_t* bytes() const { return bytes_; }
  std::size_t size() const { return size_; }
  std::uint32_t stack_pointer() const { return stack_pointer_; }

  /// The pages that hold something, and those of `sandbox` that differ: what nearly every
  /// evaluation reads or writes. In order, with pages between any two ranges.
  std::vector<wasm_range> used_by(const wasm_sandbox& sandbox) const;

 private:
  MemoryImage(int file, const std::uint8_t* bytes, std::size_t size, std::uint32_t stack_pointer)
      : file_(file), bytes_(bytes), size_(size), stack_pointer_(stack_pointer) {}

  int file_;
  const std::uint8_t* bytes_;  // a mapping of the file
  std::size_t size_;
  std::uint32_t stack_pointer_;
};

}  // namespace baton::adapters
