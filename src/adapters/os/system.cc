#include "adapters/os/system.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/core/result.h"

namespace baton::adapters {

void OsEntropy::fill(std::span<std::uint8_t> bytes) {
  constexpr std::size_t call_bytes_max = 256;  // getentropy's own limit
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), call_bytes_max);
    if (::getentropy(bytes.data(), size) != 0) panic(__FILE__, __LINE__, "getentropy failed");
    bytes = bytes.subspan(size);
  }
}

namespace {

template <class Clock, class Unit = std::chrono::milliseconds>
std::int64_t since_epoch() {
  return std::chrono::floor<Unit>(Clock::now().time_since_epoch()).count();
}

}  // namespace

WallMs SystemClock::wall() { return {since_epoch<std::chrono::system_clock>()}; }
MonoMs SystemClock::mono() { return {since_epoch<std::chrono::steady_clock>()}; }
std::int64_t SystemClock::mono_us() {
  return since_epoch<std::chrono::steady_clock, std::chrono::microseconds>();
}

}  // namespace baton::adapters
