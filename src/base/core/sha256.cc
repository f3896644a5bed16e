#include "base/core/sha256.h"

#include <openssl/sha.h>

#include <algorithm>

#include "base/text/text.h"

namespace baton {

std::string Sha256::hex() const { return to_hex(bytes); }

std::optional<Sha256> Sha256::from_hex(std::string_view text) {
  const auto decoded = baton::from_hex(text);
  Sha256 digest;
  if (!decoded || decoded->size() != digest.bytes.size()) return std::nullopt;
  std::ranges::copy(*decoded, digest.bytes.begin());
  return digest;
}

Sha256 sha256(std::string_view data) {
  Sha256 digest;
  SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(), digest.bytes.data());
  return digest;
}

}  // namespace baton
