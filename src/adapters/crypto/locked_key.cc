#include "adapters/crypto/locked_key.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "adapters/crypto/ed25519.h"
#include "base/core/approval_limits.h"
#include "base/json/fields.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using json::Fields;
using json::Object;

constexpr std::int64_t text_version = 1;
constexpr std::string_view what_it_is = "baton approval key v1";
constexpr std::int64_t scrypt_part_max = 1 << 20;  // of r and of p: their product cannot overflow

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::unexpected<Error> crypto_failed(std::string_view what) {
  return fail(Code::INTERNAL, cat("libcrypto could not ", what, '.'));
}

std::unexpected<Error> wrong_passphrase() {
  return fail(Code::INVALID_INPUT, "the passphrase is wrong, or the key file was changed",
              "try again; a lost passphrase cannot be recovered, and another key counts only when "
              "this one signs it");
}

Result<void> check_length(std::string_view passphrase) {
  if (passphrase.size() >= limits::passphrase_bytes_min &&
      passphrase.size() <= limits::passphrase_bytes_max) {
    return {};
  }
  return fail(Code::INVALID_INPUT, cat("a passphrase has ", limits::passphrase_bytes_min, " to ",
                                       limits::passphrase_bytes_max, " bytes"));
}

template <std::size_t size>
Result<void> read_hex(Fields& fields, std::string_view key, std::array<std::uint8_t, size>& out) {
  const auto bytes = from_hex(TRY(fields.string(key)));
  if (!bytes || bytes->size() != size) return fields.wrong(key, cat(2 * size, " hex digits"));
  std::ranges::copy(*bytes, out.begin());
  return {};
}

}  // namespace

Result<SecretKey> scrypt(std::string_view passphrase, std::string_view salt,
                         const ScryptCost& cost) {
  const bool is_power = cost.n >= 2 && (cost.n & (cost.n - 1)) == 0;
  const bool is_sane = is_power && cost.r >= 1 && cost.p >= 1 && cost.r <= scrypt_part_max &&
                       cost.p <= scrypt_part_max && cost.n <= limits::scrypt_memory_bytes_max;
  if (!is_sane) return fail(Code::STORE_CORRUPT, "scrypt cannot have this cost");
  const std::int64_t table = 128 * cost.r * cost.n;
  const std::int64_t blocks = 128 * cost.r * cost.p;
  if (table > limits::scrypt_memory_bytes_max || blocks > limits::scrypt_memory_bytes_max) {
    return fail(Code::LIMIT_EXCEEDED, cat("scrypt would need more than ",
                                          limits::scrypt_memory_bytes_max, " bytes of memory"));
  }
  SecretKey out;
  // It works on two more blocks of the table's size.
  const auto room = static_cast<std::uint64_t>(table + blocks + 4 * 128 * cost.r);
  if (EVP_PBE_scrypt(passphrase.data(), passphrase.size(), bytes_of(salt), salt.size(),
                     static_cast<std::uint64_t>(cost.n), static_cast<std::uint64_t>(cost.r),
                     static_cast<std::uint64_t>(cost.p), room, out.bytes.data(),
                     out.bytes.size()) != 1) {
    return crypto_failed("make a key of a passphrase");
  }
  return out;
}

std::string LockedKey::vouched() const {
  return cat(what_it_is, '\n', key_, '\n', cost_.n, ' ', cost_.r, ' ', cost_.p, '\n', to_hex(salt_),
             '\n');
}

Result<LockedKey> LockedKey::lock(const SecretKey& seed, std::string_view passphrase,
                                  const ScryptCost& cost, ports::Entropy& entropy) {
  TRY(check_length(passphrase));
  LockedKey out;
  out.key_ = TRY(ed25519_public_key(seed));
  out.cost_ = cost;
  entropy.fill(out.salt_);
  entropy.fill(out.nonce_);
  const std::string salt(out.salt_.begin(), out.salt_.end());
  const SecretKey key = TRY(scrypt(passphrase, salt, cost));
  const std::string beside = out.vouched();
  const Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  int size = 0;
  const bool is_done =
      cipher &&
      EVP_EncryptInit_ex2(cipher.get(), EVP_aes_256_gcm(), key.bytes.data(), out.nonce_.data(),
                          nullptr) == 1 &&
      EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytes_of(beside),
                        static_cast<int>(beside.size())) == 1 &&
      EVP_EncryptUpdate(cipher.get(), out.encrypted_.data(), &size, seed.bytes.data(),
                        static_cast<int>(seed.bytes.size())) == 1 &&
      EVP_EncryptFinal_ex(cipher.get(), nullptr, &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(out.tag_.size()),
                          out.tag_.data()) == 1;
  if (!is_done) return crypto_failed("encrypt a key");
  return out;
}

Result<SecretKey> LockedKey::unlock(std::string_view passphrase) const {
  const std::string salt(salt_.begin(), salt_.end());
  const SecretKey key = TRY(scrypt(passphrase, salt, cost_));
  const std::string beside = vouched();
  std::array<std::uint8_t, 16> tag = tag_;
  SecretKey seed;
  const Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  int size = 0;
  if (!cipher || EVP_DecryptInit_ex2(cipher.get(), EVP_aes_256_gcm(), key.bytes.data(),
                                     nonce_.data(), nullptr) != 1) {
    return crypto_failed("decrypt a key");
  }
  const bool fits = EVP_DecryptUpdate(cipher.get(), nullptr, &size, bytes_of(beside),
                                      static_cast<int>(beside.size())) == 1 &&
                    EVP_DecryptUpdate(cipher.get(), seed.bytes.data(), &size, encrypted_.data(),
                                      static_cast<int>(encrypted_.size())) == 1 &&
                    EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_SET_TAG,
                                        static_cast<int>(tag.size()), tag.data()) == 1 &&
                    EVP_DecryptFinal_ex(cipher.get(), nullptr, &size) == 1;
  if (!fits || TRY(ed25519_public_key(seed)) != key_) return wrong_passphrase();
  return seed;
}

std::string LockedKey::text() const {
  const Object kdf{
      {"name", "scrypt"}, {"n", cost_.n}, {"r", cost_.r}, {"p", cost_.p}, {"salt", to_hex(salt_)}};
  const Object cipher{{"name", "aes-256-gcm"},
                      {"nonce", to_hex(nonce_)},
                      {"text", to_hex(encrypted_)},
                      {"tag", to_hex(tag_)}};
  return json::print(
             Object{{"version", text_version}, {"key", key_}, {"kdf", kdf}, {"cipher", cipher}}) +
         '\n';
}

Result<LockedKey> LockedKey::parse(std::string_view text) {
  const auto parsed = json::parse(text, {limits::approval_key_file_bytes_max, 4});
  if (!parsed) return fail(Code::STORE_CORRUPT, "it is not JSON");
  Fields fields(*parsed, "approval key", Code::STORE_CORRUPT);
  if (const std::int64_t version = TRY(fields.integer("version")); version != text_version) {
    return fail(version > text_version ? Code::STORE_NEWER : Code::STORE_CORRUPT,
                cat("it has version ", version, "; this release reads version ", text_version));
  }
  LockedKey out;
  std::array<std::uint8_t, SecretKey::size> key{};
  TRY(read_hex(fields, "key", key));
  out.key_ = to_hex(key);
  Fields kdf(*TRY(fields.any("kdf")), "kdf", Code::STORE_CORRUPT);
  if (TRY(kdf.string("name")) != "scrypt") return kdf.wrong("name", "\"scrypt\"");
  out.cost_.n = TRY(kdf.integer("n"));
  out.cost_.r = TRY(kdf.integer("r"));
  out.cost_.p = TRY(kdf.integer("p"));
  TRY(read_hex(kdf, "salt", out.salt_));
  TRY(kdf.done());
  Fields cipher(*TRY(fields.any("cipher")), "cipher", Code::STORE_CORRUPT);
  if (TRY(cipher.string("name")) != "aes-256-gcm") return cipher.wrong("name", "\"aes-256-gcm\"");
  TRY(read_hex(cipher, "nonce", out.nonce_));
  TRY(read_hex(cipher, "text", out.encrypted_));
  TRY(read_hex(cipher, "tag", out.tag_));
  TRY(cipher.done());
  TRY(fields.done());
  return out;
}

}  // namespace baton::adapters
