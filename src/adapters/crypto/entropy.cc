#include "adapters/crypto/entropy.h"

#include <unistd.h>

#include <algorithm>

#include "base/result.h"

namespace baton::adapters {

void OsEntropy::fill(std::span<std::uint8_t> bytes) {
  constexpr std::size_t call_bytes_max = 256;  // getentropy's own limit
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), call_bytes_max);
    if (::getentropy(bytes.data(), size) != 0) panic(__FILE__, __LINE__, "getentropy failed");
    bytes = bytes.subspan(size);
  }
}

}  // namespace baton::adapters
