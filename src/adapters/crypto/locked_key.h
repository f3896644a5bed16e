#pragma once
// A key that is encrypted under a passphrase: scrypt (RFC 7914) makes a key of the passphrase, and
// AES-256-GCM encrypts the seed with it and vouches for everything else in the text. A value.
// docs/formats/approvals.md describes the text.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/crypto/secret.h"
#include "base/core/result.h"
#include "ports/system.h"

namespace baton::adapters {

/// What a try costs: 128 * n * r bytes of memory, and time in proportion.
struct ScryptCost {
  std::int64_t n = 1 << 17;  // a power of two
  std::int64_t r = 8;
  std::int64_t p = 1;
  bool operator==(const ScryptCost&) const = default;
};

/// The key that scrypt makes of a passphrase. LIMIT_EXCEEDED past limits::scrypt_memory_bytes_max.
Result<SecretKey> scrypt(std::string_view passphrase, std::string_view salt,
                         const ScryptCost& cost);

class LockedKey {
 public:
  /// INVALID_INPUT when the passphrase is too short or too long.
  static Result<LockedKey> lock(const SecretKey& seed, std::string_view passphrase,
                                const ScryptCost& cost, ports::Entropy& entropy);

  /// STORE_CORRUPT: not a text that text() makes; STORE_NEWER.
  static Result<LockedKey> parse(std::string_view text);
  std::string text() const;

  /// The public key that the text names, in hex.
  const std::string& key() const { return key_; }

  /// INVALID_INPUT: the passphrase is wrong, or the text was changed.
  Result<SecretKey> unlock(std::string_view passphrase) const;

 private:
  std::string vouched() const;

  std::string key_;
  ScryptCost cost_;
  std::array<std::uint8_t, 16> salt_{};
  std::array<std::uint8_t, 12> nonce_{};
  std::array<std::uint8_t, 32> encrypted_{};
  std::array<std::uint8_t, 16> tag_{};
};

}  // namespace baton::adapters
