#pragma once
// The trusted workflows of one user in a file of theirs, 0600, in their own data folder: never in a
// project, which whoever wrote it would fill. Read anew for each question; a change is a new file
// that takes the old one's place, under a lock. Any thread.

#include <string>

#include "adapters/trust/trust_list.h"

namespace baton::adapters {

class TrustFile final : public ports::TrustAdmin {
 public:
  /// Whom the user trusts: those of the file, or every workflow.
  enum class Scope : std::uint8_t { listed, every };

  /// An empty path: there is no place for a file, so none is listed.
  TrustFile(std::string path, Scope scope) : path_(std::move(path)), scope_(scope) {}

  Result<bool> is_trusted(const Sha256& workflow) override;
  Result<std::vector<ports::TrustedWorkflow>> list() override;
  Result<void> add(const ports::TrustedWorkflow& workflow) override;
  Result<bool> revoke(const Sha256& workflow) override;

 private:
  Result<TrustList> read() const;
  Result<void> write(const TrustList& list) const;

  const std::string path_;
  const Scope scope_;
};

}  // namespace baton::adapters
