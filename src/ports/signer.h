#pragma once
// Makes and checks token MACs with a ring of up to 16 keys. Old keys continue verifying until they
// are retired; only the current one signs. Any thread.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "run/log/token.h"

namespace baton::ports {

class Signer {
 public:
  virtual ~Signer() = default;

  /// The keys of this moment, for the time of one call: looks no more whether they have changed.
  /// One that has nothing to look at gives itself; it must outlive the result then.
  virtual Result<std::shared_ptr<Signer>> held() {
    return std::shared_ptr<Signer>(std::shared_ptr<Signer>(), this);
  }

  /// The slot of the key that signs now.
  virtual Result<std::uint8_t> current_slot() = 0;

  /// Whether the key in `slot` is still there; a retired one is not.
  virtual Result<bool> has_key(std::uint8_t slot) = 0;

  /// NOT_FOUND: the key in that slot was retired.
  virtual Result<run::TokenMac> sign(std::uint8_t slot, std::string_view preimage) = 0;

  /// False for a wrong MAC and for a slot without a key alike; compares in constant time.
  virtual Result<bool> verify(std::uint8_t slot, std::string_view preimage,
                              const run::TokenMac& mac) = 0;
};

// Managing the keys that sign tokens: what `baton keys` needs. Any thread.

struct KeySlot {
  std::uint8_t slot = 0;
  bool is_current = false;
};

class KeyAdmin {
 public:
  virtual ~KeyAdmin() = default;
  virtual Result<std::vector<KeySlot>> list() = 0;

  /// A fresh key signs from now on; the others continue verifying. Gives its slot.
  virtual Result<std::uint8_t> rotate() = 0;

  /// Tokens signed with that key are void from now on.
  virtual Result<void> retire(std::uint8_t slot) = 0;
};

}  // namespace baton::ports
