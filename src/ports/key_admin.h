#pragma once
// Managing the keys that sign tokens: what `baton keys` needs. Any thread.

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace baton::ports {

struct KeySlot {
  std::uint8_t slot = 0;
  bool is_current = false;
};

class KeyAdmin {
 public:
  virtual ~KeyAdmin() = default;
  virtual Result<std::vector<KeySlot>> list() = 0;

  /// A fresh key signs from now on; the others go on verifying. Gives its slot.
  virtual Result<std::uint8_t> rotate() = 0;

  /// Tokens signed with that key are void from now on.
  virtual Result<void> retire(std::uint8_t slot) = 0;
};

}  // namespace baton::ports
