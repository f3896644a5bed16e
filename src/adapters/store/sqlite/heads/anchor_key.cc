#include "adapters/store/sqlite/heads/anchor_key.h"

#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <sys/stat.h>

#include <cstdio>

#include "adapters/crypto/secret.h"
#include "adapters/files/private_file.h"
#include "adapters/os/system.h"
#include "base/core/sha256.h"
#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

constexpr std::size_t text_bytes = 2 * SecretKey::size + 1;

std::unexpected<Error> unusable(const std::string& path, std::string_view why) {
  return fail(Code::ENVIRONMENT, cat("the anchor key ", path, " cannot be used: ", why),
              "restore it from a backup");
}

}  // namespace

std::string anchor_key_path(const std::string& db) { return db + ".anchor-key"; }

Result<AnchorKey> AnchorKey::of(std::span<const std::uint8_t, 32> bytes) {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> mac(
      EVP_MAC_fetch(nullptr, "HMAC", nullptr), EVP_MAC_free);
  AnchorKey out(mac ? EVP_MAC_CTX_new(mac.get()) : nullptr);
  char digest[] = "SHA256";
  const std::array<OSSL_PARAM, 2> parameters = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end()};
  if (!out.keyed_ ||
      EVP_MAC_init(out.keyed_.get(), bytes.data(), bytes.size(), parameters.data()) != 1) {
    return fail(Code::INTERNAL, "libcrypto has no HMAC-SHA256");
  }
  return out;
}

Result<AnchorKey> AnchorKey::open(const std::string& db) {
  const std::string path = anchor_key_path(db);
  const Descriptor file = TRY(open_private(path, O_RDONLY, owner_of(db)));
  struct stat found{};
  if (::fstat(file.number(), &found) != 0 || (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return unusable(path, "other users may read it; run: chmod 600");
  }
  SecretText text;
  text.text = TRY(read_private(file, path, text_bytes));
  const auto bytes = text.text.size() == text_bytes && text.text.back() == '\n'
                         ? Sha256::from_hex(std::string_view(text.text).substr(0, text_bytes - 1))
                         : std::nullopt;
  if (!bytes) return unusable(path, "it must contain 64 hexadecimal digits and a newline");
  SecretKey key;
  key.bytes = bytes->bytes;
  return of(key.bytes);
}

Result<AnchorKey> AnchorKey::open_or_make(const std::string& db) {
  auto found = open(db);
  if (found || found.error().code != Code::NOT_FOUND) return found;
  SecretKey key;
  OsEntropy().fill(key.bytes);
  SecretText text;
  text.text = to_hex(key.bytes) + '\n';
  TRY(make_private(anchor_key_path(db), text.text));
  return open(db);
}

Seal AnchorKey::seal(std::string_view what, std::initializer_list<std::string_view> parts) const {
  const std::unique_ptr<EVP_MAC_CTX, Free> context(EVP_MAC_CTX_dup(keyed_.get()));
  const auto add = [&](std::string_view text) {
    return EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(text.data()),
                          text.size()) == 1;
  };
  bool is_done = context != nullptr && add(what);
  for (const std::string_view part : parts) {
    std::array<char, 24> length{};
    const int digits = std::snprintf(length.data(), length.size(), "\n%zu\n", part.size());
    is_done = is_done && add({length.data(), static_cast<std::size_t>(digits)}) && add(part);
  }
  Seal out{};
  std::size_t size = 0;
  is_done = is_done && EVP_MAC_final(context.get(), out.data(), &size, out.size()) == 1;
  // Only a lack of memory comes here.
  ASSERT(is_done && size == out.size());
  return out;
}

bool AnchorKey::fits(std::span<const std::uint8_t> given, std::string_view what,
                     std::initializer_list<std::string_view> parts) const {
  const Seal right = seal(what, parts);
  return given.size() == right.size() &&
         CRYPTO_memcmp(given.data(), right.data(), right.size()) == 0;
}

}  // namespace baton::adapters::sqlite
