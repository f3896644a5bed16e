#pragma once
// A seeded generator (splitmix64) whose draws are the same on every machine and library.
// One thread.

#include <cstdint>

namespace baton::powercut {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E37'79B9'7F4A'7C15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58'476D'1CE4'E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D0'49BB'1331'11EB;
    return mixed ^ (mixed >> 31);
  }

  /// 0 to bound - 1. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  bool chance(std::uint64_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

/// A seed for one of many things that share a seed.
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t number) {
  return Dice(seed ^ (number * 0xD6E8'FEB8'6659'FD93)).next();
}

}  // namespace baton::powercut
