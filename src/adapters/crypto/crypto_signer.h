#pragma once
// Signs tokens with HMAC-SHA256 under the keys of a key file. Any thread.
//
// Looks at the file's stamp on every call and reads it again when it changed, so that a rotation
// or a retirement by another process counts at once; held() looks once.

#include <memory>

#include "adapters/crypto/key_file.h"
#include "base/core/thread_safety.h"
#include "ports/signer.h"

namespace baton::adapters {

class CryptoSigner final : public ports::Signer {
 public:
  /// The errors of KeyFile::read.
  static Result<std::unique_ptr<CryptoSigner>> open(KeyFile file);

  /// Reads nothing before the first call; open() is for who wants to hear of a bad file early.
  explicit CryptoSigner(KeyFile file) : file_(std::move(file)) {}
  ~CryptoSigner() override;

  Result<std::shared_ptr<ports::Signer>> held() override;
  Result<std::uint8_t> current_slot() override;
  Result<bool> has_key(std::uint8_t slot) override;
  Result<run::TokenMac> sign(std::uint8_t slot, std::string_view preimage) override;
  Result<bool> verify(std::uint8_t slot, std::string_view preimage,
                      const run::TokenMac& mac) override;

 private:
  class Loaded;

  /// The keys as the file has them now.
  Result<std::shared_ptr<Loaded>> loaded();

  const KeyFile file_;
  Mutex mutex_;
  std::shared_ptr<Loaded> loaded_ GUARDED_BY(mutex_);
};

}  // namespace baton::adapters
