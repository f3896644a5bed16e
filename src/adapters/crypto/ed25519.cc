#include "adapters/crypto/ed25519.h"

#include <openssl/evp.h>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Context = std::unique_ptr<EVP_MD_CTX, Free>;

constexpr std::size_t key_bytes = 32;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Key private_key(const SecretKey& seed) {
  return Key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.bytes.data(),
                                          seed.bytes.size()));
}

std::unexpected<Error> no_ed25519() {
  return fail(Code::ENVIRONMENT, "libcrypto cannot use Ed25519",
              "use a libcrypto whose provider has it");
}

}  // namespace

Result<std::string> ed25519_public_key(const SecretKey& seed) {
  const Key key = private_key(seed);
  std::array<std::uint8_t, key_bytes> out{};
  std::size_t size = out.size();
  if (!key || EVP_PKEY_get_raw_public_key(key.get(), out.data(), &size) != 1 ||
      size != out.size()) {
    return no_ed25519();
  }
  return to_hex(out);
}

Result<std::string> ed25519_sign(const SecretKey& seed, std::string_view text) {
  const Key key = private_key(seed);
  const Context context(EVP_MD_CTX_new());
  std::array<std::uint8_t, ed25519_signature_bytes> out{};
  std::size_t size = out.size();
  if (!key || !context ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), out.data(), &size, bytes_of(text), text.size()) != 1 ||
      size != out.size()) {
    return no_ed25519();
  }
  return to_hex(out);
}

bool ed25519_fits(std::string_view key, std::string_view text, std::string_view signature) {
  const auto key_given = from_hex(key);
  const auto signature_given = from_hex(signature);
  if (!key_given || key_given->size() != key_bytes || !signature_given ||
      signature_given->size() != ed25519_signature_bytes) {
    return false;
  }
  const Key public_key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key_given->data(), key_given->size()));
  const Context context(EVP_MD_CTX_new());
  return public_key && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, public_key.get()) == 1 &&
         EVP_DigestVerify(context.get(), signature_given->data(), signature_given->size(),
                          bytes_of(text), text.size()) == 1;
}

}  // namespace baton::adapters
