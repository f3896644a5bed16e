#include "adapters/system/clock.h"

#include <chrono>

namespace baton::adapters {
namespace {

template <class Clock>
std::int64_t ms_since_epoch() {
  const auto since = Clock::now().time_since_epoch();
  return std::chrono::floor<std::chrono::milliseconds>(since).count();
}

}  // namespace

WallMs SystemClock::wall() { return {ms_since_epoch<std::chrono::system_clock>()}; }
MonoMs SystemClock::mono() { return {ms_since_epoch<std::chrono::steady_clock>()}; }

}  // namespace baton::adapters
