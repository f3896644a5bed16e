#pragma once
// Random bytes from outside, fit for keys.

#include <cstdint>
#include <span>

namespace baton::ports {

class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;
};

}  // namespace baton::ports
