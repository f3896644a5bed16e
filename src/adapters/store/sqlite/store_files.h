#pragma once
// Copies of a whole store: the database, the keys of tokens and anchors, the heads, the secret of
// HTTP clients. A copy is itself a store and can be opened where it is. Any thread.

#include "ports/store_admin.h"

namespace baton::adapters {

class StoreFiles final : public ports::StoreAdmin {
 public:
  explicit StoreFiles(std::string db) : db_(std::move(db)) {}

  Result<ports::StoreCopy> backup(const std::string& file,
                                  const ports::CopyProgress& progress) override;
  Result<ports::StoreRestored> restore(const std::string& file,
                                       const ports::CopyProgress& progress) override;
  Result<std::int64_t> accept_loss() override;

 private:
  const std::string db_;
};

/// The process that has the store open, if one has; this one does not count.
Result<std::optional<std::int64_t>> user_of_store(const std::string& db);

}  // namespace baton::adapters
