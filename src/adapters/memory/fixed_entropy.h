#pragma once
// Bytes that follow from a seed (splitmix64), for tests: same seed, same bytes, whatever the
// sizes of the fills. Not fit for keys. Any thread.

#include <mutex>

#include "ports/entropy.h"

namespace baton::adapters {

class FixedEntropy final : public ports::Entropy {
 public:
  explicit FixedEntropy(std::uint64_t seed) : state_(seed) {}

  void fill(std::span<std::uint8_t> bytes) override {
    const std::scoped_lock lock(mutex_);
    for (std::uint8_t& byte : bytes) {
      if (left_ == 0) {
        word_ = next();
        left_ = 8;
      }
      byte = static_cast<std::uint8_t>(word_ & 0xFF);
      word_ >>= 8;
      --left_;
    }
  }

 private:
  std::uint64_t next() {
    state_ += 0x9E37'79B9'7F4A'7C15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58'476D'1CE4'E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D0'49BB'1331'11EB;
    return mixed ^ (mixed >> 31);
  }

  std::mutex mutex_;
  std::uint64_t state_;
  std::uint64_t word_ = 0;
  int left_ = 0;  // bytes of word_ not given out yet
};

}  // namespace baton::adapters
