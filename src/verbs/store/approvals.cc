#include "verbs/store/approvals.h"

#include "base/core/approval_limits.h"
#include "base/core/sha256.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::verbs {
namespace {

constexpr std::string_view show_hint = "use a key that counts in this store";

/// Appends what `next` makes of what is recorded by then. Its key is taken when another process was
/// first: then it is made again.
template <class Next>
auto append_next(engine::Engine& engine, const Next& next)
    -> decltype(next(std::declval<const engine::Approvals&>())) {
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    const auto approvals = TRY(engine::approvals_of(engine.reading(), engine.signatures));
    auto event = TRY(next(approvals));
    const auto outcome = TRY(engine.store.append({run::approvals_session,
                                                  run::approval_key(event),
                                                  engine.clock.wall(),
                                                  {run::Event(event)}}));
    if (std::holds_alternative<ports::Appended>(outcome)) return event;
  }
  return fail(Code::STORE_BUSY, "other processes changed the approvals first, each time",
              "try again");
}

Result<run::SealPlace> seal_place_of(const engine::Approvals& approvals) {
  const auto place = run::seal_place(approvals.facts);
  if (place) return *place;
  return fail(Code::STORE_READ_ONLY, "this store has no name of its own, which seals need",
              "open it once with a release that can write it");
}

Result<void> check_in_force(const engine::Approvals& approvals, const ports::Sealer& sealer) {
  if (approvals.keys.is_in_force(sealer.key())) return {};
  if (approvals.keys.first().empty()) {
    return fail(Code::INVALID_INPUT, "this store has no approval key yet", "record yours first");
  }
  return fail(Code::INVALID_INPUT, cat("the approval key ", sealer.key(), " does not count here"),
              std::string(show_hint));
}

run::ChangeSource at_terminal() { return {.how = run::ChangedHow::terminal}; }

/// Whether the change could be recorded now; says why not.
Result<run::ApprovalKeyChanged> checked(engine::Engine& engine, const engine::Approvals& approvals,
                                        ports::Sealer& sealer, run::ApprovalKeyChanged event) {
  if (approvals.keys.changes() >= limits::approval_key_changes_max) {
    return fail(Code::LIMIT_EXCEEDED, cat("the keys of this store changed ",
                                          limits::approval_key_changes_max, " times already"));
  }
  const run::SealPlace place = TRY(seal_place_of(approvals));
  event.number = approvals.keys.changes() + 1;
  event.source = at_terminal();
  event.seal = TRY(sealer.seal(run::sealed_text(place, event)));
  run::ApprovalKeys after = approvals.keys;
  if (engine.signatures == nullptr) return fail(Code::INTERNAL, "no signature can be checked");
  if (const auto why = after.take(event, run::CommitNo{INT64_MAX}, place, *engine.signatures)) {
    return fail(Code::INVALID_INPUT, cat("the keys cannot change so: ", *why),
                std::string(show_hint));
  }
  return event;
}

}  // namespace

Result<void> record_first_key(engine::Engine& engine, ports::Sealer& sealer) {
  const auto before = TRY(engine::approvals_of(engine.reading(), engine.signatures));
  if (before.keys.is_in_force(sealer.key())) return {};
  TRY(append_next(engine, [&](const engine::Approvals& now) -> Result<run::ApprovalKeyChanged> {
    if (!now.keys.first().empty()) {
      return fail(Code::INVALID_INPUT, "this store has an approval key already",
                  cat("the owner of a key that counts can admit ", sealer.key()));
    }
    return checked(engine, now, sealer,
                   {.change = run::KeyChange::first, .key = sealer.key(), .seal = {}});
  }));
  return {};
}

Result<void> change_keys(engine::Engine& engine, ports::Sealer& sealer, run::KeyChange change,
                         std::string key) {
  if (!Sha256::from_hex(key)) {
    return fail(Code::INVALID_INPUT, "a public key is 64 lower-case hexadecimal digits",
                "give it as the owner of the key was shown it");
  }
  TRY(append_next(engine, [&](const engine::Approvals& now) -> Result<run::ApprovalKeyChanged> {
    TRY(check_in_force(now, sealer));
    return checked(engine, now, sealer, {.change = change, .key = key, .seal = {}});
  }));
  return {};
}

Result<std::int64_t> sign_policy(engine::Engine& engine, ports::Sealer& sealer, std::string text) {
  if (text.size() > limits::policy_text_bytes_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("a policy has at most ", limits::policy_text_bytes_max, " bytes"));
  }
  if (!utf8::is_valid(text)) return fail(Code::INVALID_UTF8, "the policy is not UTF-8");
  const auto event =
      append_next(engine, [&](const engine::Approvals& now) -> Result<run::PolicySigned> {
        TRY(check_in_force(now, sealer));
        run::PolicySigned next{
            .number = now.policies + 1, .text = text, .seal = {}, .source = at_terminal()};
        next.seal = TRY(sealer.seal(run::sealed_text(TRY(seal_place_of(now)), next)));
        return next;
      });
  return TRY(event).number;
}

Result<run::GateWord> seal_word(engine::Engine& engine, ports::Sealer& sealer,
                                const run::GateSubject& subject, run::GateWord word) {
  const auto now = TRY(engine::approvals_of(engine.reading(), engine.signatures));
  TRY(check_in_force(now, sealer));
  word.assurance = run::Assurance::sealed;
  word.seal = TRY(sealer.seal(run::sealed_text(TRY(seal_place_of(now)), subject, word)));
  return word;
}

}  // namespace baton::verbs
