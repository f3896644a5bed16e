#pragma once
// The keys that sign tokens: up to 16, of which one signs and the others only verify.
// docs/formats/keyring.md has the text form. A value; its owner serialises changes.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "adapters/crypto/secret.h"
#include "base/core/result.h"
#include "ports/system.h"

namespace baton::adapters {

enum class KeyState : std::uint8_t { current, verify_only };

std::string_view name_of(KeyState state);

/// What may be told about a key.
struct KeyInfo {
  std::uint8_t slot = 0;
  KeyState state = KeyState::current;
  bool operator==(const KeyInfo&) const = default;
};

class KeyRing {
 public:
  static constexpr std::size_t slots = 16;  // four bits of a token

  /// A ring of one fresh key.
  static KeyRing make(ports::Entropy& entropy);

  /// STORE_CORRUPT: not a ring; STORE_NEWER: a newer release's. Errors hold no key.
  static Result<KeyRing> parse(std::string_view text);

  SecretText print() const;

  std::uint8_t current() const { return current_; }

  /// The key in `slot`, or nullptr.
  const SecretKey* key(std::uint8_t slot) const;

  /// In the order of slots.
  std::vector<KeyInfo> list() const;

  /// Puts a fresh key into the lowest free slot and makes it current; gives the slot.
  /// KEYS_EXHAUSTED: all slots are taken.
  Result<std::uint8_t> rotate(ports::Entropy& entropy);

  /// Forgets a key. INVALID_INPUT: it is the current one; NOT_FOUND: the slot is empty.
  Result<void> retire(std::uint8_t slot);

 private:
  std::array<std::optional<SecretKey>, slots> keys_;
  std::uint8_t current_ = 0;  // keys_[current_] has a value
};

}  // namespace baton::adapters
