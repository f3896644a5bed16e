#pragma once
// The key that seals what a store could not otherwise show to be its own: the heads of its
// sessions, its snapshots, the traces of removed sessions and its epochs. It is in
// `<db>.anchor-key`, apart from the keys that sign tokens, because those are rotated and retired.
// Any thread.

#include <openssl/evp.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace baton::adapters::sqlite {

using Seal = std::array<std::uint8_t, 32>;

std::string anchor_key_path(const std::string& db);

class AnchorKey {
 public:
  /// Reads the key beside the store `db`. NOT_FOUND: there is none; ENVIRONMENT: it cannot be used.
  static Result<AnchorKey> open(const std::string& db);
  /// The same, after making one where there is none.
  static Result<AnchorKey> open_or_make(const std::string& db);
  static Result<AnchorKey> of(std::span<const std::uint8_t, 32> bytes);

  /// HMAC-SHA256 over `what` (which kind of thing it is) and the parts, each with its length.
  Seal seal(std::string_view what, std::initializer_list<std::string_view> parts) const;
  /// Compares in constant time.
  bool fits(std::span<const std::uint8_t> seal, std::string_view what,
            std::initializer_list<std::string_view> parts) const;

 private:
  struct Free {
    void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
  };
  explicit AnchorKey(EVP_MAC_CTX* keyed) : keyed_(keyed) {}

  std::unique_ptr<EVP_MAC_CTX, Free> keyed_;
};

}  // namespace baton::adapters::sqlite
