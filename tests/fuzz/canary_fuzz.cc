// Links: base
// Fails on purpose: tools/fuzz must find the planted input within seconds, or fuzzing is broken.

#include <string_view>

#include "base/core/result.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  ASSERT(!input.starts_with("baton"));
  return 0;
}
