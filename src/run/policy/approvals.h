#pragma once
// Approval keys and what they sign: the texts byte by byte (docs/formats/approvals.md), which keys
// count at which commit, and whether a seal is good. Pure: the arithmetic is a SignatureCheck.

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/log/approval_events.h"
#include "run/log/rows.h"
#include "run/policy/signature.h"

namespace baton::run {

/// The store that a seal is made for, at one moment of it: a seal of another store, or of what a
/// store had before an older copy took its place, is worth nothing.
struct SealPlace {
  IdBytes store{};
  std::int64_t epoch = 0;
  bool operator==(const SealPlace&) const = default;
};

/// The place of a commit; without one, of the next. Nothing for a store without a name.
std::optional<SealPlace> seal_place(const StoreFacts& facts, std::optional<CommitNo> at = {});

/// What a decision at a gate is about, beside the gate.
struct GateSubject {
  RunId run;
  Sha256 workflow;
  Gate gate;
  bool operator==(const GateSubject&) const = default;
};

/// What the seal of a word at a gate signs: all that the person was shown and said.
std::string sealed_text(const SealPlace& place, const GateSubject& subject, const GateWord& word);

/// What the seal of a change of keys signs.
std::string sealed_text(const SealPlace& place, const ApprovalKeyChanged& change);

/// What the seal of a policy signs.
std::string sealed_text(const SealPlace& place, const PolicySigned& policy);

/// The keys of a store, from its log.
class ApprovalKeys {
 public:
  /// Takes the next change. Gives why it does not count, in a few words; such a one changes
  /// nothing.
  std::optional<std::string> take(const ApprovalKeyChanged& change, CommitNo at,
                                  const std::optional<SealPlace>& place,
                                  const SignatureCheck& check);

  /// The store's first key; empty when it has none.
  const std::string& first() const { return first_; }
  std::int64_t changes() const { return changes_; }

  /// Those whose seals count in a commit; without one, in the next. In the order of their coming.
  std::vector<std::string> in_force(std::optional<CommitNo> at = {}) const;
  bool is_in_force(std::string_view key, std::optional<CommitNo> at = {}) const;

  /// The keys that `roots` vouch for: these and all that they, or those they admitted, signed in.
  std::set<std::string, std::less<>> vouched_by(
      const std::set<std::string, std::less<>>& roots) const;

 private:
  struct Term {
    std::string key;
    std::string by;  // whose seal let it in; itself for the first
    CommitNo from;   // in the commits after this one
    std::optional<CommitNo> to = {};
  };
  void end(std::string_view key, CommitNo at);

  std::string first_;
  std::int64_t changes_ = 0;
  std::vector<Term> terms_;
};

/// Whether the word's seal is that of a key in force over what is decided at this gate. `at`: the
/// commit that the word is in; without one it is not recorded yet.
bool seal_is_good(const ApprovalKeys& keys, const StoreFacts& facts, const GateSubject& subject,
                  const GateWord& word, std::optional<CommitNo> at, const SignatureCheck& check);

/// The same of a signed policy.
bool seal_is_good(const ApprovalKeys& keys, const StoreFacts& facts, const PolicySigned& policy,
                  std::optional<CommitNo> at, const SignatureCheck& check);

}  // namespace baton::run
