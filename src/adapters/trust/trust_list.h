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

  /// What was said of the workflow in this project; nullptr when nothing was.
  const ports::TrustedWorkflow* find(const Sha256& hash, const ports::Project& project) const;

  /// Why no command of the workflow may run in this project; empty when it was never trusted.
  /// REQUIRES: find() gives nothing.
  std::string why_not(const Sha256& hash, const ports::Project& project) const;

  /// False when it is there already.
  Result<bool> add(const ports::TrustedWorkflow& workflow);
  /// False when it is not there.
  bool remove(const Sha256& hash);

 private:
  std::vector<ports::TrustedWorkflow> all_;  // in the order they were added
};

/// What follows from what was said of the workflow, and from how things are now. The files are
/// those that a command names.
ports::TrustVerdict judged(const TrustList& list, const Sha256& hash, const ports::Project& project,
                           const std::vector<ports::TrustedFile>& files);

}  // namespace baton::adapters
