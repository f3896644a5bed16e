// Approval keys, seals and signed policies as a store records them, and what a check of the store
// says of those that are forged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/crypto/ed25519.h"
#include "base/core/approval_limits.h"
#include "base/text/text.h"
#include "engine/load/approvals.h"
#include "engine/load/find_run.h"
#include "run/log/bundle.h"
#include "support/world.h"
#include "verbs/store/approvals.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/gc.h"
#include "verbs/store/import_bundle.h"
#include "verbs/store/salvage.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const adapters::Ed25519Check check;

/// A person with a key.
class Person final : public ports::Sealer {
 public:
  explicit Person(std::uint64_t seed) {
    adapters::FixedEntropy(seed).fill(seed_.bytes);
    key_ = adapters::ed25519_public_key(seed_).value();
  }
  const std::string& key() const override { return key_; }
  Result<run::Seal> seal(std::string_view text) override {
    return run::Seal{key_, adapters::ed25519_sign(seed_, text).value()};
  }

 private:
  adapters::SecretKey seed_;
  std::string key_;
};

class ApprovalsTest : public ::testing::Test {
 protected:
  engine::Engine engine() {
    engine::Engine out = world.engine();
    out.signatures = &check;
    return out;
  }
  engine::Approvals recorded() { return engine::approvals_of(engine().reading(), &check).value(); }
  verbs::VerifyReport verified(verbs::VerifyRequest request = {}) {
    request.signatures = &check;
    return verbs::verify(world.store, {}, request).value();
  }
  std::string problems(const verbs::PublicKeys& kept = {}) {
    std::string out;
    for (const std::string& each : verified({.kept = kept}).problems) out += each + '\n';
    return out;
  }

  /// A run that waits at a gate, which is recorded as the engine would record it.
  run::GateSubject open_gate(std::int64_t count = 1) {
    const auto started = world.start().value();
    auto e = engine();
    const run::RunRow row = world.store.run(started.reply.run).value().value();
    run::GateSubject out{.run = row.run, .workflow = row.workflow_hash, .gate = {}};
    out.gate = {.node = world.store.node(row.tip).value()->id,
                .step = "a",
                .question = "May a be done?",
                .least = run::Assurance::sealed,
                .count = count};
    record(row.session, cat("gate:", out.gate.node.text()), run::GateOpened{row.run, out.gate});
    return out;
  }
  void record(const SessionId& session, std::string key, run::Event event) {
    const auto outcome = world.store.append({session, std::move(key), morning, {std::move(event)}});
    ASSERT_TRUE(outcome && std::holds_alternative<ports::Appended>(*outcome));
  }
  SessionId session_of(const run::GateSubject& subject) {
    return world.store.run(subject.run).value()->session;
  }
  run::GateWord approval(const run::GateSubject& subject, Person& person) {
    auto e = engine();
    return verbs::seal_word(e, person, subject, {.gate = subject.gate.node, .reason = "seen"})
        .value();
  }
  void answer(const run::GateSubject& subject, run::GateWord word, std::int64_t number = 1) {
    word.number = number;
    const run::GateAnswered answered{subject.run, std::move(word)};
    record(session_of(subject), run::owner_key(answered), answered);
  }
  void decide(const run::GateSubject& subject, run::GateWord word) {
    record(session_of(subject), "decided",
           run::GateDecided{.run = subject.run,
                            .node = subject.gate.node,
                            .step = subject.gate.step,
                            .word = std::move(word)});
  }

  World world;
  Person owner{1};
  Person other{2};
  Person stranger{3};
};

using approvals = ApprovalsTest;

TEST_F(approvals, the_first_key_is_recorded_once) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::CommitNo last = world.last_commit();
  ASSERT_TRUE(verbs::record_first_key(e, owner)) << "the same again";
  EXPECT_EQ(verbs::record_first_key(e, stranger).error().code, Code::INVALID_INPUT);
  EXPECT_EQ(world.last_commit(), last);
  EXPECT_EQ(recorded().keys.first(), owner.key());
  EXPECT_EQ(problems({owner.key()}), "");
}

TEST_F(approvals, keys_change_by_the_word_of_one_that_counts) {
  auto e = engine();
  EXPECT_EQ(verbs::change_keys(e, owner, run::KeyChange::admitted, other.key()).error().code,
            Code::INVALID_INPUT)
      << "no key counts yet";
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  EXPECT_EQ(verbs::change_keys(e, stranger, run::KeyChange::admitted, stranger.key()).error().code,
            Code::INVALID_INPUT);
  EXPECT_EQ(verbs::change_keys(e, owner, run::KeyChange::admitted, "KEY").error().code,
            Code::INVALID_INPUT);
  EXPECT_EQ(verbs::change_keys(e, owner, run::KeyChange::withdrawn, owner.key()).error().code,
            Code::INVALID_INPUT)
      << "none would be left";
  ASSERT_TRUE(verbs::change_keys(e, owner, run::KeyChange::admitted, other.key()));
  ASSERT_TRUE(verbs::change_keys(e, other, run::KeyChange::withdrawn, owner.key()));
  EXPECT_THAT(recorded().keys.in_force(), ElementsAre(other.key()));
  EXPECT_EQ(verbs::change_keys(e, owner, run::KeyChange::admitted, owner.key()).error().code,
            Code::INVALID_INPUT)
      << "it counts no longer";
  EXPECT_EQ(problems({owner.key()}), "");
}

TEST_F(approvals, what_was_sealed_is_good_in_the_store_and_nowhere_else) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::GateSubject subject = open_gate();
  const run::GateWord word = approval(subject, owner);
  EXPECT_EQ(word.assurance, run::Assurance::sealed);
  const auto is_good = [&](const run::GateWord& given) {
    return engine::seal_is_good(e.reading(), &check, subject, given).value();
  };
  EXPECT_TRUE(is_good(word));
  run::GateWord refusal = word;
  refusal.decision = run::GateDecision::refused;
  EXPECT_FALSE(is_good(refusal));
  EXPECT_FALSE(engine::seal_is_good(e.reading(), nullptr, subject, word).value())
      << "without arithmetic no seal counts";
  EXPECT_EQ(verbs::seal_word(e, stranger, subject, word).error().code, Code::INVALID_INPUT);
}

// Enforces: G28
TEST_F(approvals, a_check_of_the_store_takes_sealed_decisions_of_its_owners) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::GateSubject subject = open_gate();
  const run::GateWord word = approval(subject, owner);
  answer(subject, word);
  ASSERT_TRUE(verbs::change_keys(e, owner, run::KeyChange::replaced, other.key()));
  decide(subject, word);  // recorded while its key counted
  EXPECT_EQ(problems({owner.key()}), "");
  EXPECT_EQ(verified().seals, 3);
}

// Enforces: G28
TEST_F(approvals, a_check_of_the_store_finds_a_forged_seal) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::GateSubject subject = open_gate();
  run::GateWord word = approval(subject, owner);
  word.reason = "another reason";
  answer(subject, word);
  EXPECT_THAT(problems(), HasSubstr("the seal of its decision is forged"));
}

// Enforces: G28
TEST_F(approvals, a_check_of_the_store_finds_a_seal_of_a_stranger) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::GateSubject subject = open_gate();
  run::GateWord word{.gate = subject.gate.node, .assurance = run::Assurance::sealed};
  const auto place = run::seal_place(world.store.facts().value()).value();
  word.seal = stranger.seal(run::sealed_text(place, subject, word)).value();
  answer(subject, word);
  EXPECT_THAT(problems(), HasSubstr("of a key that did not count then"));
}

// Enforces: G28
TEST_F(approvals, a_check_of_the_store_finds_a_decision_without_the_seal_it_needs) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::GateSubject subject = open_gate();
  run::GateWord word{.gate = subject.gate.node, .assurance = run::Assurance::present};
  decide(subject, word);
  EXPECT_THAT(problems(), HasSubstr("asks for a sealed decision, and this one is present"));
}

TEST_F(approvals, a_check_of_the_store_finds_a_decision_that_only_says_it_is_sealed) {
  const run::GateSubject subject = open_gate();
  decide(subject, {.gate = subject.gate.node, .assurance = run::Assurance::sealed});
  EXPECT_THAT(problems(), HasSubstr("said to be sealed, and has no seal"));
}

// Enforces: G28
TEST_F(approvals, a_check_of_the_store_counts_the_keys_of_a_gate) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  ASSERT_TRUE(verbs::change_keys(e, owner, run::KeyChange::admitted, other.key()));
  const run::GateSubject subject = open_gate(2);
  answer(subject, approval(subject, owner), 1);
  answer(subject, approval(subject, owner), 2);
  decide(subject, approval(subject, owner));
  EXPECT_THAT(problems(), HasSubstr("needs approvals of 2 keys, and has 1"));
}

TEST_F(approvals, a_check_of_the_store_takes_approvals_of_as_many_keys_as_a_gate_needs) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  ASSERT_TRUE(verbs::change_keys(e, owner, run::KeyChange::admitted, other.key()));
  const run::GateSubject subject = open_gate(2);
  answer(subject, approval(subject, owner), 1);
  answer(subject, approval(subject, other), 2);
  decide(subject, approval(subject, other));
  EXPECT_EQ(problems(), "");
}

// Enforces: G28
TEST_F(approvals, a_check_of_the_store_finds_a_rewritten_first_key) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, stranger));
  const run::GateSubject subject = open_gate();
  answer(subject, approval(subject, stranger));
  EXPECT_EQ(problems(), "") << "who writes a store with its keys fits it together";
  const std::string found = problems({owner.key()});
  EXPECT_THAT(found, HasSubstr(cat("first approval key is ", stranger.key())));
  EXPECT_THAT(found, HasSubstr(cat("sealed by ", stranger.key(), ", which no key")));
}

// Enforces: G28
TEST_F(approvals, a_key_that_was_kept_does_not_vouch_for_a_stranger_who_let_it_in) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, stranger));
  ASSERT_TRUE(verbs::change_keys(e, stranger, run::KeyChange::admitted, owner.key()));
  EXPECT_THAT(problems({owner.key()}), HasSubstr(cat("sealed by ", stranger.key())));
}

TEST_F(approvals, a_store_without_keys_is_no_store_of_who_kept_one) {
  EXPECT_EQ(problems(), "");
  EXPECT_THAT(problems({owner.key()}), HasSubstr("has no approval keys"));
}

// Enforces: G28
TEST_F(approvals, a_check_of_the_store_finds_a_forged_change_of_keys) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  run::ApprovalKeyChanged forged{
      .number = 2, .change = run::KeyChange::admitted, .key = stranger.key(), .seal = {}};
  const auto place = run::seal_place(world.store.facts().value()).value();
  forged.seal = stranger.seal(run::sealed_text(place, forged)).value();
  record(run::approvals_session, run::approval_key(forged), forged);
  EXPECT_THAT(problems(), HasSubstr("its change of the approval keys is forged"));
  EXPECT_EQ(engine::approvals_of(engine().reading(), &check).error().code,
            Code::STORAGE_CORRUPTION_DETECTED);
}

TEST_F(approvals, the_keys_of_a_store_change_so_often_and_no_more) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  for (std::int64_t i = 2; i <= limits::approval_key_changes_max; ++i) {
    const auto change = i % 2 == 0 ? run::KeyChange::admitted : run::KeyChange::withdrawn;
    ASSERT_TRUE(verbs::change_keys(e, owner, change, other.key())) << i;
  }
  EXPECT_EQ(verbs::change_keys(e, owner, run::KeyChange::admitted, stranger.key()).error().code,
            Code::LIMIT_EXCEEDED);
}

TEST_F(approvals, a_signed_policy_is_in_force_until_another_is_signed) {
  auto e = engine();
  EXPECT_EQ(recorded().policy, std::nullopt);
  EXPECT_EQ(verbs::sign_policy(e, owner, "a: 1\n").error().code, Code::INVALID_INPUT);
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  EXPECT_EQ(verbs::sign_policy(e, owner, "a: 1\n").value(), 1);
  EXPECT_EQ(verbs::sign_policy(e, owner, "a: 2\n").value(), 2);
  EXPECT_EQ(verbs::sign_policy(e, stranger, "a: 3\n").error().code, Code::INVALID_INPUT);
  EXPECT_EQ(recorded().policy->text, "a: 2\n");
  EXPECT_EQ(problems({owner.key()}), "");
}

TEST_F(approvals, a_policy_has_so_many_bytes) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const auto signs = [&](std::size_t bytes) {
    return code_of(verbs::sign_policy(e, owner, std::string(bytes, 'x')));
  };
  EXPECT_EQ(signs(limits::policy_text_bytes_max), "ok");
  EXPECT_EQ(signs(limits::policy_text_bytes_max + 1), "LIMIT_EXCEEDED");
}

// Enforces: G28
TEST_F(approvals, a_check_of_the_store_finds_a_policy_that_was_put_in_force_again) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  ASSERT_TRUE(verbs::sign_policy(e, owner, "loose\n"));
  ASSERT_TRUE(verbs::sign_policy(e, owner, "strict\n"));
  run::PolicySigned again = {.number = 1, .text = "loose\n", .seal = {}};
  const auto place = run::seal_place(world.store.facts().value()).value();
  again.seal = owner.seal(run::sealed_text(place, again)).value();
  again.number = 3;
  record(run::approvals_session, run::approval_key(again), again);
  EXPECT_THAT(problems(), HasSubstr("its policy is not signed"));
}

TEST_F(approvals, the_keys_of_a_store_stay_when_old_sessions_go) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  world.manual_clock.advance_ms(400LL * 86'400'000);
  EXPECT_THAT(verbs::gc(e, {.quiet_days = 1, .only_completed = false}).value().removed, IsEmpty());
  EXPECT_EQ(recorded().keys.first(), owner.key());
}

TEST_F(approvals, a_seal_of_another_store_is_a_claim_after_an_import) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::GateSubject subject = open_gate();
  answer(subject, approval(subject, owner));
  const std::string bundle = verbs::export_bundle(e.store, session_of(subject)).value();
  World elsewhere;
  engine::Engine there = elsewhere.engine();
  there.signatures = &check;
  ASSERT_TRUE(verbs::import_bundle(there, bundle));
  const auto report = verbs::verify(elsewhere.store, {}, {.signatures = &check}).value();
  EXPECT_THAT(report.problems, IsEmpty());
  bool is_claim = false;
  for (const run::Commit& commit : elsewhere.whole_log()) {
    const auto events = run::decode_events(commit.body).value();
    for (const run::Event& event : events) {
      const auto* word = std::get_if<run::GateAnswered>(&event);
      if (word == nullptr) continue;
      is_claim = word->word.assurance == run::Assurance::claimed && !word->word.seal;
    }
  }
  EXPECT_TRUE(is_claim);
}

/// What was decided elsewhere is vouched for there: here it is no damage, and no proof.
// Enforces: G28
TEST_F(approvals, a_check_of_the_store_notes_decisions_that_were_imported) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::GateSubject subject = open_gate();
  const run::GateWord word = approval(subject, owner);
  answer(subject, word);
  decide(subject, word);
  const SessionId session = session_of(subject);
  std::string bundle = verbs::export_bundle(e.store, session).value();
  World elsewhere;
  engine::Engine there = elsewhere.engine();
  there.signatures = &check;
  // Imported, exported from there, and imported once more.
  for (std::int64_t times = 1; times <= 2; ++times) {
    const SessionId copy = verbs::import_bundle(there, bundle).value().session;
    const auto report = verbs::verify(elsewhere.store, {}, {.signatures = &check}).value();
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(std::ssize(report.imported), times);
    EXPECT_EQ(report.imported.at(copy), 1);
    bundle = verbs::export_bundle(there.store, copy).value();
  }
  EXPECT_THAT(verified().imported, IsEmpty()) << "its own decisions are not imported ones";
}

/// The note covers what came with the import, and nothing that is written into the session later.
// Enforces: G28
TEST_F(approvals, a_check_of_the_store_finds_what_was_forged_after_an_import) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::GateSubject subject = open_gate();
  answer(subject, approval(subject, owner));
  const std::string bundle = verbs::export_bundle(e.store, session_of(subject)).value();
  World elsewhere;
  engine::Engine there = elsewhere.engine();
  there.signatures = &check;
  const SessionId copy = verbs::import_bundle(there, bundle).value().session;
  ASSERT_TRUE(elsewhere.store.append(
      {copy,
       "decided",
       morning,
       {run::Event(run::GateDecided{
           .run = subject.run,
           .node = subject.gate.node,
           .step = subject.gate.step,
           .word = {.gate = subject.gate.node, .assurance = run::Assurance::present}})}}));
  const auto report = verbs::verify(elsewhere.store, {}, {.signatures = &check}).value();
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("asks for a sealed decision")));
}

/// A session that was made here is not called an imported one by a commit that says so.
// Enforces: G28
TEST_F(approvals, a_check_of_the_store_finds_a_forged_import) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::GateSubject subject = open_gate();
  ASSERT_TRUE(world.start()) << "another run comes in between";
  decide(subject, {.gate = subject.gate.node, .assurance = run::Assurance::present});
  const run::SessionHead head = world.store.head(session_of(subject)).value();
  const run::DecisionsImported claim{.number = 1, .commits = head.seq.value};
  record(session_of(subject), run::owner_key(claim), claim);
  EXPECT_THAT(problems(), HasSubstr("tells of an import that it does not end"));
  EXPECT_THAT(problems(), HasSubstr("asks for a sealed decision, and this one is present"));
}

// Enforces: G27
TEST_F(approvals, words_of_every_assurance_are_claims_after_an_import) {
  const run::GateSubject subject = open_gate();
  for (const run::Assurance had : {run::Assurance::asked, run::Assurance::present}) {
    const auto number = static_cast<std::int64_t>(had);
    answer(subject, {.gate = subject.gate.node, .assurance = had}, number);
  }
  const std::string bundle = verbs::export_bundle(world.store, session_of(subject)).value();
  World elsewhere;
  engine::Engine there = elsewhere.engine();
  ASSERT_TRUE(verbs::import_bundle(there, bundle));
  std::size_t claims = 0;
  for (const run::Commit& commit : elsewhere.whole_log()) {
    const auto events = run::decode_events(commit.body).value();
    for (const run::Event& event : events) {
      const auto* said = std::get_if<run::GateAnswered>(&event);
      if (said == nullptr) continue;
      EXPECT_EQ(said->word.assurance, run::Assurance::claimed);
      ++claims;
    }
  }
  EXPECT_EQ(claims, 2u);
}

TEST_F(approvals, are_left_out_of_what_is_salvaged_from_a_sound_store) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  const run::GateSubject subject = open_gate();
  std::vector<SessionId> taken;
  const auto report =
      verbs::salvage(world.store,
                     [&](const SessionId& session, const std::string&) -> Result<void> {
                       taken.push_back(session);
                       return {};
                     })
          .value();
  EXPECT_TRUE(report.is_whole());
  EXPECT_TRUE(report.has_approvals);
  EXPECT_THAT(taken, ElementsAre(session_of(subject)));
}

TEST_F(approvals, what_a_store_knows_of_its_owners_is_in_no_bundle) {
  auto e = engine();
  ASSERT_TRUE(verbs::record_first_key(e, owner));
  run::Bundle bundle;
  bundle.session = run::approvals_session;
  bundle.commits = {world.whole_log().back()};
  EXPECT_EQ(run::check_meaning(bundle).error().code, Code::BUNDLE_INVALID_FORMAT);
}

using head = ApprovalsTest;

TEST_F(head, a_store_continues_each_of_its_heads) {
  const run::StoreHead empty = verified().head;
  EXPECT_EQ(empty, run::StoreHead::empty());
  const auto started = world.start().value();
  const run::StoreHead then = verified().head;
  ASSERT_TRUE(world.advance(*started.ack_token));
  for (const run::StoreHead& noted : {empty, then, verified().head}) {
    EXPECT_THAT(verified({.since = noted}).problems, IsEmpty()) << noted.text();
  }
}

// Enforces: G28
TEST_F(head, a_store_that_lost_its_last_words_is_found) {
  const run::GateSubject subject = open_gate();
  const run::StoreHead then = verified().head;
  answer(subject, {.gate = subject.gate.node, .decision = run::GateDecision::refused});
  const run::StoreHead noted = verified().head;
  EXPECT_NE(noted, then);

  World older;
  const auto report = verbs::verify(older.store, {}, {.since = noted}).value();
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("before the head that was noted")));
}

// Enforces: G28
TEST_F(head, a_store_with_another_past_is_found) {
  ASSERT_TRUE(world.start());
  const run::StoreHead noted = verified().head;
  World another(2);
  ASSERT_TRUE(another.start());
  ASSERT_TRUE(another.start());
  const auto report = verbs::verify(another.store, {}, {.since = noted}).value();
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("does not continue the head")));
}

TEST_F(head, after_a_removal_an_older_head_cannot_be_compared) {
  ASSERT_TRUE(world.start());
  const auto gone = world.start().value();
  const run::StoreHead noted = verified().head;
  world.purge(gone.reply.session);
  EXPECT_THAT(verified({.since = noted}).problems, ElementsAre(HasSubstr("gc removed sessions")));
  const run::StoreHead next = verified().head;
  EXPECT_THAT(verified({.since = next}).problems, IsEmpty());
}

}  // namespace
}  // namespace baton::testing
