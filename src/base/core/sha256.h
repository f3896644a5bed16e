#pragma once
// SHA-256 digests, by libcrypto.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton {

struct Sha256 {
  std::array<std::uint8_t, 32> bytes{};

  auto operator<=>(const Sha256&) const = default;

  /// 64 lower-case hexadecimal digits.
  std::string hex() const;
  static std::optional<Sha256> from_hex(std::string_view text);
};

Sha256 sha256(std::string_view data);

}  // namespace baton
