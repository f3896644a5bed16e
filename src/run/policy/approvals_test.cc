#include "run/policy/approvals.h"

#include <gtest/gtest.h>

#include "base/core/sha256.h"
#include "base/text/text.h"

namespace baton::run {
namespace {

/// A signature that anyone can work out: the digest of the key and the text.
class OpenCheck final : public SignatureCheck {
 public:
  static std::string sign(std::string_view key, std::string_view text) {
    return sha256(cat(key, '|', text)).hex();
  }
  bool fits(std::string_view key, std::string_view text,
            std::string_view signature) const override {
    return signature == sign(key, text);
  }
};

constexpr SealPlace place{{7}, 1};
const StoreFacts facts{{{1, {7}, {0}}}, 0};

ApprovalKeyChanged change(std::int64_t number, KeyChange what, std::string key, std::string by) {
  ApprovalKeyChanged out{.number = number, .change = what, .key = std::move(key), .seal = {}};
  out.seal = {by, OpenCheck::sign(by, sealed_text(place, out))};
  return out;
}

/// a first; b beside it; c in place of b; then a withdrawn by c.
std::vector<ApprovalKeyChanged> history() {
  return {change(1, KeyChange::first, "a", "a"), change(2, KeyChange::admitted, "b", "a"),
          change(3, KeyChange::replaced, "c", "b"), change(4, KeyChange::withdrawn, "a", "c")};
}

std::vector<ApprovalKeyChanged> first_of_history(std::size_t count) {
  std::vector<ApprovalKeyChanged> all = history();
  all.resize(count);
  return all;
}

ApprovalKeys keys_after(std::span<const ApprovalKeyChanged> changes) {
  ApprovalKeys keys;
  std::int64_t commit = 0;
  for (const ApprovalKeyChanged& each : changes) {
    EXPECT_EQ(keys.take(each, {commit += 10}, place, OpenCheck()), std::nullopt) << each.number;
  }
  return keys;
}

GateSubject subject() {
  return {.run = {{1}},
          .workflow = sha256("workflow"),
          .gate = {.node = {{2}},
                   .step = "ship",
                   .question = "Ship it?",
                   .least = Assurance::sealed,
                   .output = sha256("notes")}};
}

GateWord word_by(const std::string& key) {
  GateWord word{
      .gate = subject().gate.node, .assurance = Assurance::sealed, .reason = "it is ready"};
  word.seal = Seal{key, OpenCheck::sign(key, sealed_text(place, subject(), word))};
  return word;
}

using Keys = std::vector<std::string>;

TEST(approvals, keys_count_from_the_commit_after_their_coming_to_that_of_their_going) {
  const ApprovalKeys keys = keys_after(history());
  EXPECT_EQ(keys.in_force(CommitNo{10}), Keys{});
  EXPECT_EQ(keys.in_force(CommitNo{11}), Keys{"a"});
  EXPECT_EQ(keys.in_force(CommitNo{21}), (Keys{"a", "b"}));
  EXPECT_EQ(keys.in_force(CommitNo{30}), (Keys{"a", "b"})) << "it signs its own end";
  EXPECT_EQ(keys.in_force(CommitNo{31}), (Keys{"a", "c"}));
  EXPECT_EQ(keys.in_force(), Keys{"c"});
  EXPECT_EQ(keys.first(), "a");
}

// Enforces: G28
TEST(approvals, another_key_counts_only_when_one_that_counts_signed_it) {
  const auto why_not = [](ApprovalKeyChanged wrong) {
    ApprovalKeys keys = keys_after(first_of_history(2));
    return keys.take(wrong, {99}, place, OpenCheck()).has_value() && keys.changes() == 2;
  };
  EXPECT_FALSE(why_not(change(3, KeyChange::admitted, "c", "b")));
  EXPECT_TRUE(why_not(change(3, KeyChange::admitted, "c", "c"))) << "by itself";
  EXPECT_TRUE(why_not(change(3, KeyChange::admitted, "c", "d"))) << "by a stranger";
  EXPECT_TRUE(why_not(change(3, KeyChange::first, "c", "c"))) << "a second first key";
  EXPECT_TRUE(why_not(change(4, KeyChange::admitted, "c", "b"))) << "one is missing";
  EXPECT_TRUE(why_not(change(2, KeyChange::admitted, "c", "b"))) << "again";
  EXPECT_TRUE(why_not(change(3, KeyChange::admitted, "b", "a"))) << "there already";
  EXPECT_TRUE(why_not(change(3, KeyChange::withdrawn, "c", "a"))) << "not there";
  ApprovalKeyChanged other_key = change(3, KeyChange::admitted, "c", "b");
  other_key.key = "e";
  EXPECT_TRUE(why_not(other_key)) << "signed was another";
  ApprovalKeyChanged other_act = change(3, KeyChange::admitted, "c", "b");
  other_act.change = KeyChange::replaced;
  EXPECT_TRUE(why_not(other_act)) << "signed was something else";
}

TEST(approvals, the_last_key_cannot_go) {
  ApprovalKeys keys = keys_after(first_of_history(1));
  EXPECT_TRUE(keys.take(change(2, KeyChange::withdrawn, "a", "a"), {20}, place, OpenCheck()));
  EXPECT_EQ(keys.in_force(), Keys{"a"});
}

TEST(approvals, a_key_vouches_for_those_that_it_let_in_and_not_for_who_let_it_in) {
  const ApprovalKeys keys = keys_after(history());
  using Set = std::set<std::string, std::less<>>;
  EXPECT_EQ(keys.vouched_by({"a"}), (Set{"a", "b", "c"}));
  EXPECT_EQ(keys.vouched_by({"b"}), (Set{"b", "c"}));
  EXPECT_EQ(keys.vouched_by({"c"}), Set{"c"});
  EXPECT_EQ(keys.vouched_by({"z"}), Set{});
}

TEST(approvals, a_seal_is_good_while_its_key_counts) {
  const ApprovalKeys keys = keys_after(history());
  const auto is_good = [&](const GateWord& word, std::int64_t at) {
    return seal_is_good(keys, facts, subject(), word, CommitNo{at}, OpenCheck());
  };
  EXPECT_TRUE(is_good(word_by("a"), 15));
  EXPECT_TRUE(is_good(word_by("a"), 40));
  EXPECT_FALSE(is_good(word_by("a"), 41)) << "withdrawn";
  EXPECT_FALSE(is_good(word_by("b"), 15)) << "not there yet";
  EXPECT_FALSE(is_good(word_by("d"), 15)) << "never";
  EXPECT_TRUE(seal_is_good(keys, facts, subject(), word_by("c"), {}, OpenCheck()));
  GateWord bare = word_by("a");
  bare.seal.reset();
  EXPECT_FALSE(is_good(bare, 15));
}

// Enforces: G28
TEST(approvals, a_seal_fits_nothing_but_what_was_decided) {
  const ApprovalKeys keys = keys_after(history());
  const auto fits = [&](const GateSubject& what, const GateWord& word, const StoreFacts& where) {
    return seal_is_good(keys, where, what, word, CommitNo{15}, OpenCheck());
  };
  const GateWord word = word_by("a");
  ASSERT_TRUE(fits(subject(), word, facts));

  std::vector<GateSubject> others(10, subject());
  others[0].run = {{9}};
  others[1].workflow = sha256("another");
  others[2].gate.step = "other";
  others[3].gate.question = "Drop it?";
  others[4].gate.output = sha256("other notes");
  others[5].gate.output.reset();
  others[6].gate.kind = GateKind::command;
  others[7].gate.offer = {{"autonomy", "full_auto_never_stop"}};
  others[8].gate.count = 2;
  others[9].gate.node = {{3}};
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_FALSE(fits(others[i], word, facts)) << "subject " << i;
  }
  std::vector<GateWord> words(4, word);
  words[0].decision = GateDecision::refused;
  words[1].choice = "all";
  words[2].reason = "it is ready, and everything else too";
  words[3].gate = {{3}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_FALSE(fits(subject(), words[i], facts)) << "word " << i;
  }
  EXPECT_FALSE(fits(subject(), word, {{{1, {8}, {0}}}, 0})) << "another store";
  EXPECT_FALSE(fits(subject(), word, {{{2, {7}, {0}}}, 0})) << "another epoch";
  EXPECT_FALSE(fits(subject(), word, {{{1, {7}, {0}}, {2, {7}, {12}}}, 0})) << "an epoch since";
  EXPECT_TRUE(fits(subject(), word, {{{1, {7}, {0}}, {2, {7}, {15}}}, 0})) << "an epoch later";
  EXPECT_FALSE(fits(subject(), word, {})) << "a store without a name";
}

TEST(approvals, what_is_signed_is_written_byte_by_byte) {
  const GateSubject about = subject();
  const GateWord word{.gate = about.gate.node, .choice = "a", .reason = "line\nnode 1:x"};
  const std::string text = sealed_text(place, about, word);
  EXPECT_EQ(
      text.substr(0, 85),
      "baton gate decision v1\nstore 32:07000000000000000000000000000000\nepoch 1:1\nrun 30:run");
  EXPECT_TRUE(text.ends_with("decision 8:approved\nchoice 1:a\nreason 13:line\nnode 1:x\n"));
  const PolicySigned policy{.number = 3, .text = "gates:\n", .seal = {}};
  EXPECT_EQ(sealed_text(place, policy),
            cat("baton policy v1\nstore 32:07000000000000000000000000000000\nepoch 1:1\n"
                "number 1:3\ntext 64:",
                sha256("gates:\n").hex(), '\n'));
}

TEST(approvals, a_signed_policy_is_good_as_long_as_nothing_of_it_changes) {
  const ApprovalKeys keys = keys_after(history());
  PolicySigned policy{.number = 1, .text = "gates:\n  assurance: sealed\n", .seal = {}};
  policy.seal = {"c", OpenCheck::sign("c", sealed_text(place, policy))};
  EXPECT_TRUE(seal_is_good(keys, facts, policy, {}, OpenCheck()));
  PolicySigned other = policy;
  other.text += "# and more\n";
  EXPECT_FALSE(seal_is_good(keys, facts, other, {}, OpenCheck()));
  PolicySigned later = policy;
  later.number = 2;
  EXPECT_FALSE(seal_is_good(keys, facts, later, {}, OpenCheck())) << "put in force again";
  EXPECT_FALSE(seal_is_good(keys, facts, policy, CommitNo{15}, OpenCheck())) << "before its key";
}

}  // namespace
}  // namespace baton::run
