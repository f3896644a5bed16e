#include "run/policy/approvals.h"

#include <algorithm>

#include "base/core/sha256.h"
#include "base/json/json.h"
#include "base/text/text.h"

namespace baton::run {
namespace {

/// A text of named fields, each with its length, so that no two lists of fields have one text.
class SignedText {
 public:
  SignedText(std::string_view what, const SealPlace& place) : text_(cat("baton ", what, " v1\n")) {
    field("store", to_hex(place.store));
    field("epoch", cat(place.epoch));
  }

  void field(std::string_view name, std::string_view value) {
    text_ += cat(name, ' ', value.size(), ':', value, '\n');
  }

  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

/// The gate as it was recorded: every field of it, also those that the text does not name.
std::string digest_of(const Gate& gate) {
  const auto text = json::canonical(to_json(gate));
  // A gate is read from the log, which has nothing without a canonical form.
  return text ? sha256(*text).hex() : std::string();
}

}  // namespace

std::optional<SealPlace> seal_place(const StoreFacts& facts, std::optional<CommitNo> at) {
  std::optional<SealPlace> out;
  for (const StoreEpoch& each : facts.epochs) {
    if (!at || each.after < *at) out = SealPlace{each.store, each.epoch};
  }
  return out;
}

std::string sealed_text(const SealPlace& place, const GateSubject& subject, const GateWord& word) {
  SignedText text("gate decision", place);
  text.field("run", subject.run.text());
  text.field("node", subject.gate.node.text());
  text.field("step", subject.gate.step);
  text.field("workflow", subject.workflow.hex());
  text.field("output", subject.gate.output ? subject.gate.output->hex() : std::string());
  text.field("question", sha256(subject.gate.question).hex());
  text.field("gate", digest_of(subject.gate));
  text.field("decision", name_of(word.decision));
  text.field("choice", word.choice);
  text.field("reason", word.reason);
  return std::move(text).take();
}

std::string sealed_text(const SealPlace& place, const ApprovalKeyChanged& change) {
  SignedText text("approval key", place);
  text.field("number", cat(change.number));
  text.field("change", name_of(change.change));
  text.field("key", change.key);
  return std::move(text).take();
}

std::string sealed_text(const SealPlace& place, const PolicySigned& policy) {
  SignedText text("policy", place);
  text.field("number", cat(policy.number));
  text.field("text", sha256(policy.text).hex());
  return std::move(text).take();
}

std::optional<std::string> ApprovalKeys::take(const ApprovalKeyChanged& change, CommitNo at,
                                              const std::optional<SealPlace>& place,
                                              const SignatureCheck& check) {
  const bool is_first = change.change == KeyChange::first;
  if (change.number != changes_ + 1) return "it is not the next change of the keys";
  if (is_first != first_.empty()) return "only the first change can be of a first key";
  if (!place || !check.fits(change.seal.key, sealed_text(*place, change), change.seal.signature)) {
    return "its seal does not fit";
  }
  if (is_first) {
    if (change.seal.key != change.key) return "a first key is sealed by itself";
    first_ = change.key;
    changes_ = 1;
    terms_.push_back({change.key, change.key, at});
    return std::nullopt;
  }
  if (!is_in_force(change.seal.key, at)) return "the key that sealed it did not count";
  if (is_in_force(change.key, at) != (change.change == KeyChange::withdrawn)) {
    return change.change == KeyChange::withdrawn ? "the key does not count"
                                                 : "the key counts already";
  }
  if (change.change == KeyChange::withdrawn && in_force(at).size() == 1) {
    return "no key would be left";
  }
  changes_ = change.number;
  if (change.change == KeyChange::withdrawn) {
    end(change.key, at);
  } else {
    if (change.change == KeyChange::replaced) end(change.seal.key, at);
    terms_.push_back({change.key, change.seal.key, at});
  }
  return std::nullopt;
}

void ApprovalKeys::end(std::string_view key, CommitNo at) {
  for (Term& term : terms_) {
    if (term.key == key && !term.to) term.to = at;
  }
}

std::vector<std::string> ApprovalKeys::in_force(std::optional<CommitNo> at) const {
  std::vector<std::string> out;
  for (const Term& term : terms_) {
    const bool has_begun = !at || term.from < *at;
    const bool has_ended = term.to && (!at || *term.to < *at);
    if (has_begun && !has_ended) out.push_back(term.key);
  }
  return out;
}

bool ApprovalKeys::is_in_force(std::string_view key, std::optional<CommitNo> at) const {
  return std::ranges::count(in_force(at), key) > 0;
}

std::set<std::string, std::less<>> ApprovalKeys::vouched_by(
    const std::set<std::string, std::less<>>& roots) const {
  std::set<std::string, std::less<>> out;
  for (const Term& term : terms_) {
    if (roots.contains(term.key) || (term.by != term.key && out.contains(term.by))) {
      out.insert(term.key);
    }
  }
  return out;
}

bool seal_is_good(const ApprovalKeys& keys, const StoreFacts& facts, const GateSubject& subject,
                  const GateWord& word, std::optional<CommitNo> at, const SignatureCheck& check) {
  const auto place = seal_place(facts, at);
  return place && word.seal && word.gate == subject.gate.node &&
         keys.is_in_force(word.seal->key, at) &&
         check.fits(word.seal->key, sealed_text(*place, subject, word), word.seal->signature);
}

bool seal_is_good(const ApprovalKeys& keys, const StoreFacts& facts, const PolicySigned& policy,
                  std::optional<CommitNo> at, const SignatureCheck& check) {
  const auto place = seal_place(facts, at);
  return place && keys.is_in_force(policy.seal.key, at) &&
         check.fits(policy.seal.key, sealed_text(*place, policy), policy.seal.signature);
}

}  // namespace baton::run
