#pragma once
// A signer without a file, for tests. Its HMAC is written out over base's SHA-256, so that the
// contract test compares two implementations. Any thread.

#include <array>
#include <optional>

#include "base/core/thread_safety.h"
#include "ports/signer.h"
#include "ports/system.h"

namespace baton::adapters {

class MemorySigner final : public ports::Signer {
 public:
  /// Begins with one key in slot 0. `entropy` must outlive this.
  explicit MemorySigner(ports::Entropy& entropy);

  Result<std::uint8_t> current_slot() override;
  Result<bool> has_key(std::uint8_t slot) override;
  Result<run::TokenMac> sign(std::uint8_t slot, std::string_view preimage) override;
  Result<bool> verify(std::uint8_t slot, std::string_view preimage,
                      const run::TokenMac& mac) override;

  /// A new key in the lowest free slot signs from now on. KEYS_EXHAUSTED: all 16 are taken.
  Result<std::uint8_t> rotate();

  /// Forgets a key. INVALID_INPUT: it is the current one; NOT_FOUND: there is none.
  Result<void> retire(std::uint8_t slot);

 private:
  using Key = std::array<std::uint8_t, 32>;

  Key fresh_key();

  ports::Entropy& entropy_;
  Mutex mutex_;
  std::array<std::optional<Key>, 16> keys_ GUARDED_BY(mutex_);
  std::uint8_t current_ GUARDED_BY(mutex_) = 0;
};

}  // namespace baton::adapters
