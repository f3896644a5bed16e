#include "adapters/system/clock.h"

#include <chrono>

namespace baton::adapters {
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
