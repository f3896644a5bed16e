#pragma once
// The list of trusted workflows as a value, and its text. docs/formats/trust.md has the form.

#include <string>
#include <string_view>

#include "ports/trust.h"

namespace baton::adapters {

class TrustList {
 public:
  /// STORE_CORRUPT: it is something else; STORE_NEWER: a later release wrote it.
  static Result<TrustList> parse(std::string_view text);
  std::string print() const;

  const std::vector<ports::TrustedWorkflow>& all() const { return all_; }
  bool has(const Sha256& hash) const;

  /// False when it is there already.
  Result<bool> add(const ports::TrustedWorkflow& workflow);
  /// False when it is not there.
  bool remove(const Sha256& hash);

 private:
  std::vector<ports::TrustedWorkflow> all_;  // in the order they were added
};

}  // namespace baton::adapters
