#pragma once
// Ed25519 (RFC 8032), by libcrypto. Values; any thread.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/crypto/secret.h"
#include "base/core/result.h"
#include "run/policy/signature.h"

namespace baton::adapters {

inline constexpr std::size_t ed25519_signature_bytes = 64;

/// The public key of a secret seed, in lower-case hex.
Result<std::string> ed25519_public_key(const SecretKey& seed);

/// In lower-case hex.
Result<std::string> ed25519_sign(const SecretKey& seed, std::string_view text);

bool ed25519_fits(std::string_view key, std::string_view text, std::string_view signature);

class Ed25519Check final : public run::SignatureCheck {
 public:
  bool fits(std::string_view key, std::string_view text,
            std::string_view signature) const override {
    return ed25519_fits(key, text, signature);
  }
};

}  // namespace baton::adapters
