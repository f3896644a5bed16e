#pragma once
// The trusted workflows of one user in a file of theirs, 0600, in their own data folder: never in a
// project, whose author could fill it. Read again for each question; a change is a new file
// that takes the old one's place, under a lock. Any thread.

#include <string>

#include "adapters/trust/project.h"
#include "adapters/trust/trust_list.h"

namespace baton::adapters {

class TrustFile final : public ports::TrustAdmin {
 public:
  /// An empty path: there is no place for a file, so none is listed. `variables`: those of the
  /// commands.
  explicit TrustFile(std::string path, CommandVariables variables = {})
      : path_(std::move(path)), variables_(std::move(variables)) {}

  Result<ports::TrustVerdict> judge(const Sha256& workflow, const std::string& folder) override;
  Result<ports::TrustVerdict> judge(const Sha256& workflow, const std::string& folder,
                                    const ports::NamedFiles& command) override;
  Result<ports::Binding> look(const std::string& folder,
                              std::span<const ports::NamedFiles> commands) override;
  Result<std::vector<ports::TrustedWorkflow>> list() override;
  Result<void> add(const ports::TrustedWorkflow& workflow) override;
  Result<bool> revoke(const Sha256& workflow) override;

 private:
  Result<TrustList> read() const;
  Result<void> write(const TrustList& list) const;

  const std::string path_;
  const CommandVariables variables_;
};

}  // namespace baton::adapters
