#pragma once
// The file of an approval key: 0600, one person's, made whole or not at all. The key in it is
// encrypted (locked_key.h). One thread.

#include <string>

#include "adapters/crypto/locked_key.h"
#include "ports/approval_key.h"
#include "ports/system.h"

namespace baton::adapters {

class LockedKeyFile final : public ports::ApprovalKeyFile {
 public:
  /// `cost` of the keys that it makes.
  LockedKeyFile(std::string path, ports::Entropy& entropy, ScryptCost cost = {})
      : path_(std::move(path)), entropy_(entropy), cost_(cost) {}

  const std::string& path() const override { return path_; }
  Result<std::string> key() override;
  Result<std::unique_ptr<ports::Sealer>> unlock(std::string_view passphrase) override;
  Result<std::unique_ptr<ports::Sealer>> make(std::string_view passphrase) override;
  Result<std::unique_ptr<ports::Sealer>> prepare(std::string_view passphrase) override;
  Result<std::optional<std::string>> prepared() override;
  Result<void> take_prepared() override;

 private:
  std::string next() const { return path_ + ".next"; }

  std::string path_;
  ports::Entropy& entropy_;
  ScryptCost cost_;
  std::int64_t failed_tries_ = 0;
};

}  // namespace baton::adapters
