#pragma once
// The operating system's random bytes. Any thread.

#include "ports/entropy.h"

namespace baton::adapters {

class OsEntropy final : public ports::Entropy {
 public:
  /// Ends the process when the system has no random bytes to give: nothing safe could follow.
  void fill(std::span<std::uint8_t> bytes) override;
};

}  // namespace baton::adapters
