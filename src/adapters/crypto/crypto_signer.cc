#include "adapters/crypto/crypto_signer.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

struct Free {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using Mac = std::unique_ptr<EVP_MAC, Free>;
using MacContext = std::unique_ptr<EVP_MAC_CTX, Free>;

std::unexpected<Error> crypto_failed(std::string_view what) {
  return fail(Code::INTERNAL, cat("libcrypto could not ", what, '.'));
}

/// A context that has taken the key in; only copies of it see a message.
Result<MacContext> keyed(EVP_MAC* mac, const SecretKey& key) {
  MacContext context(EVP_MAC_CTX_new(mac));
  char digest[] = "SHA256";
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                               OSSL_PARAM_construct_end()};
  if (!context || EVP_MAC_init(context.get(), key.bytes.data(), key.bytes.size(), params) != 1) {
    return crypto_failed("prepare a key");
  }
  return context;
}

Result<run::TokenMac> mac_of(const EVP_MAC_CTX* keyed_context, std::string_view message) {
  std::array<std::uint8_t, 32> full{};
  std::size_t size = 0;
  const MacContext context(EVP_MAC_CTX_dup(keyed_context));
  if (!context ||
      EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(message.data()),
                     message.size()) != 1 ||
      EVP_MAC_final(context.get(), full.data(), &size, full.size()) != 1 || size != full.size()) {
    return crypto_failed("make a MAC");
  }
  run::TokenMac mac{};
  std::copy_n(full.begin(), mac.size(), mac.begin());
  OPENSSL_cleanse(full.data(), full.size());
  return mac;
}

}  // namespace

/// One state of the file, which never changes. Holds the file open: FileStamp needs that.
class CryptoSigner::Loaded final : public ports::Signer {
 public:
  static Result<std::shared_ptr<Loaded>> from(KeyFile::Opened opened) {
    const Mac mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
    if (!mac) return crypto_failed("find HMAC");
    auto out = std::make_shared<Loaded>();
    out->stamp_ = opened.stamp;
    out->file_ = std::move(opened.file);
    out->current_ = opened.ring.current();
    for (const KeyInfo& info : opened.ring.list()) {
      out->contexts_[info.slot] = TRY(keyed(mac.get(), *opened.ring.key(info.slot)));
    }
    return out;
  }

  const KeyFileStamp& stamp() const { return stamp_; }

  Result<std::uint8_t> current_slot() override { return current_; }
  Result<bool> has_key(std::uint8_t slot) override { return context(slot) != nullptr; }

  Result<run::TokenMac> sign(std::uint8_t slot, std::string_view preimage) override {
    if (context(slot) != nullptr) return mac_of(context(slot), preimage);
    return fail(Code::NOT_FOUND, cat("There is no key in slot ", slot, '.'),
                "It was retired; sign with the current one.");
  }

  Result<bool> verify(std::uint8_t slot, std::string_view preimage,
                      const run::TokenMac& mac) override {
    // A slot without a key costs the same work, so that the time does not tell which slots exist.
    const bool has = context(slot) != nullptr;
    const run::TokenMac right = TRY(mac_of(context(has ? slot : current_), preimage));
    const bool equal = CRYPTO_memcmp(right.data(), mac.data(), mac.size()) == 0;
    return has && equal;
  }

 private:
  const EVP_MAC_CTX* context(std::uint8_t slot) const {
    return slot < contexts_.size() ? contexts_[slot].get() : nullptr;
  }

  KeyFileStamp stamp_;
  Descriptor file_;
  std::uint8_t current_ = 0;
  std::array<MacContext, KeyRing::slots> contexts_;  // null: no key in that slot
};

CryptoSigner::~CryptoSigner() = default;

Result<std::unique_ptr<CryptoSigner>> CryptoSigner::open(KeyFile file) {
  auto signer = std::make_unique<CryptoSigner>(std::move(file));
  TRY(signer->loaded());
  return signer;
}

Result<std::shared_ptr<CryptoSigner::Loaded>> CryptoSigner::loaded() {
  const MutexLock lock(mutex_);
  if (!loaded_ || TRY(file_.stamp()) != loaded_->stamp()) {
    loaded_ = TRY(Loaded::from(TRY(file_.read())));
  }
  return loaded_;
}

Result<std::shared_ptr<ports::Signer>> CryptoSigner::held() { return TRY(loaded()); }

Result<std::uint8_t> CryptoSigner::current_slot() { return TRY(loaded())->current_slot(); }

Result<bool> CryptoSigner::has_key(std::uint8_t slot) { return TRY(loaded())->has_key(slot); }

Result<run::TokenMac> CryptoSigner::sign(std::uint8_t slot, std::string_view preimage) {
  return TRY(loaded())->sign(slot, preimage);
}

Result<bool> CryptoSigner::verify(std::uint8_t slot, std::string_view preimage,
                                  const run::TokenMac& mac) {
  return TRY(loaded())->verify(slot, preimage, mac);
}

}  // namespace baton::adapters
