#include "engine/load/approvals.h"

#include "base/text/text.h"
#include "engine/load/load.h"

namespace baton::engine {
namespace {

std::unexpected<Error> unsound(const run::Commit& commit, std::string_view why) {
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("commit ", commit.no.value, " changes the approval keys, but ", why),
              "a check of the whole store names what else does not fit");
}

class NoCheck final : public run::SignatureCheck {
 public:
  bool fits(std::string_view, std::string_view, std::string_view) const override { return false; }
};

Result<void> take(Approvals& out, const run::Commit& commit, run::Event& event,
                  const run::SignatureCheck& check) {
  if (const auto* change = std::get_if<run::ApprovalKeyChanged>(&event)) {
    const auto place = run::seal_place(out.facts, commit.no);
    if (const auto why = out.keys.take(*change, commit.no, place, check)) {
      return unsound(commit, *why);
    }
  } else if (auto* policy = std::get_if<run::PolicySigned>(&event)) {
    if (policy->number != out.policies + 1 ||
        !run::seal_is_good(out.keys, out.facts, *policy, commit.no, check)) {
      return unsound(commit, "the seal of its policy does not fit");
    }
    out.policies = policy->number;
    out.policy = std::move(*policy);
  }
  return {};
}

}  // namespace

Result<Approvals> approvals_of(const LoadContext& loading, const run::SignatureCheck* check) {
  static const NoCheck none;
  Approvals out;
  out.facts = TRY(loading.store.facts());
  run::Seq after;
  while (true) {
    const auto page =
        TRY(loading.store.log(run::approvals_session, after, limits::log_page_commits));
    if (page.empty()) return out;
    after = page.back().seq;
    for (const run::Commit& commit : page) {
      for (run::Event& event : TRY(events_of(commit))) {
        TRY(take(out, commit, event, check != nullptr ? *check : none));
      }
    }
  }
}

Result<bool> seal_is_good(const LoadContext& loading, const run::SignatureCheck* check,
                          const run::GateSubject& subject, const run::GateWord& word,
                          std::optional<run::CommitNo> at) {
  if (check == nullptr || !word.seal) return false;
  const Approvals approvals = TRY(approvals_of(loading, check));
  return run::seal_is_good(approvals.keys, approvals.facts, subject, word, at, *check);
}

}  // namespace baton::engine
