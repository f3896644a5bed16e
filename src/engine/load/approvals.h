#pragma once
// What a store knows of its owners: the approval keys whose seals count and the policy that was
// signed last. Reads only.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "run/policy/approvals.h"

namespace baton::engine {

struct Approvals {
  run::StoreFacts facts;
  run::ApprovalKeys keys;
  std::int64_t policies = 0;  // that were signed
  // The newest one with a good seal: it stays in force until another is signed.
  std::optional<run::PolicySigned> policy;
};

/// Without `check` no seal is good. STORAGE_CORRUPTION_DETECTED when one that is recorded is not.
Result<Approvals> approvals_of(const LoadContext& loading, const run::SignatureCheck* check);

/// Whether a word's seal is good for this gate of this store. `at`: the commit that it is recorded
/// in; without one it is not recorded yet.
Result<bool> seal_is_good(const LoadContext& loading, const run::SignatureCheck* check,
                          const run::GateSubject& subject, const run::GateWord& word,
                          std::optional<run::CommitNo> at = {});

}  // namespace baton::engine
