#include "run/policy/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text/text.h"

namespace baton::run {
namespace {

using ::testing::ElementsAre;
using enum PolicySource;

/// What the documentation says of a setting, as words. The table below is checked against it for
/// every combination of sources.
struct Documented {
  PolicySetting setting;
  std::vector<std::string_view> strictest_first;
  std::string_view fallback;
  std::vector<PolicySource> may_loosen;
};

const std::vector<Documented>& documented() {
  static const std::vector<Documented> table = {
      {PolicySetting::autonomy,
       {"guided", "full_auto_stop_on_user_deps", "full_auto_never_stop"},
       "full_auto_never_stop",
       {}},
      {PolicySetting::risk, {"conservative", "balanced", "aggressive"}, "aggressive", {}},
      {PolicySetting::waivable, {"never", "author"}, "author", {}},
      {PolicySetting::on_fork, {"ask", "reuse", "repeat"}, "ask", {user_policy, workflow, step}},
      {PolicySetting::commands, {"never", "trusted", "all"}, "trusted", {user_policy, allow_shell}},
      {PolicySetting::assurance,
       {"present", "asked", "claimed"},
       "asked",
       {user_policy, workflow, step}}};
  return table;
}

std::vector<PolicySource> all_sources() {
  std::vector<PolicySource> out;
  for (const std::string_view name : names<PolicySource>()) {
    if (name != "default") out.push_back(*from_name<PolicySource>(name));
  }
  return out;
}

/// What one source says: a value, by its place in the order of strictness.
struct Word {
  PolicySource source;
  std::size_t rank;
};

struct Expected {
  std::string value;
  std::vector<PolicySource> sources;
};

/// The rule in the words of the documentation, for a setting whose values are in one order: the
/// strictest of all that is said, with the default unless a source speaks that may loosen it.
Expected expected(const Documented& of, const std::vector<Word>& words) {
  const bool is_loosened = std::ranges::any_of(
      words, [&](const Word& each) { return std::ranges::count(of.may_loosen, each.source) > 0; });
  std::size_t strictest = of.strictest_first.size();
  if (!is_loosened) {
    strictest = static_cast<std::size_t>(std::ranges::find(of.strictest_first, of.fallback) -
                                         of.strictest_first.begin());
  }
  for (const Word& each : words) strictest = std::min(strictest, each.rank);
  Expected out{std::string(of.strictest_first[strictest]), {}};
  for (const Word& each : words) {
    if (each.rank == strictest) out.sources.push_back(each.source);
  }
  if (out.sources.empty()) out.sources = {fallback};
  return out;
}

PolicyStatements statements_of(const Documented& of, const std::vector<Word>& words) {
  PolicyStatements out;
  for (const Word& each : words) {
    EXPECT_TRUE(say(out.emplace_back(PolicyStatement{.source = each.source}), of.setting,
                    of.strictest_first[each.rank]));
  }
  return out;
}

/// Calls `each` with every combination: each source says nothing, or one of the values.
void for_every_combination(std::size_t values, const auto& each) {
  const std::vector<PolicySource> sources = all_sources();
  std::vector<std::size_t> said(sources.size(), 0);  // 0: nothing
  for (;;) {
    std::vector<Word> words;
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (said[i] > 0) words.push_back({sources[i], said[i] - 1});
    }
    each(words);
    std::size_t digit = 0;
    while (digit < said.size() && ++said[digit] > values) said[digit++] = 0;
    if (digit == said.size()) return;
  }
}

TEST(policy, is_the_strictest_of_every_combination_of_sources) {
  for (const Documented& of : documented()) {
    std::size_t combinations = 0;
    for_every_combination(of.strictest_first.size(), [&](const std::vector<Word>& words) {
      ++combinations;
      const Policy policy = resolve(statements_of(of, words), true);
      const Expected wanted = expected(of, words);
      ASSERT_EQ(value_text(policy, of.setting), wanted.value);
      ASSERT_EQ(sources_of(policy, of.setting), wanted.sources);
    });
    // Nine sources, each with every value or none.
    EXPECT_EQ(combinations, of.strictest_first.size() == 2 ? 19683U : 262144U);
  }
}

TEST(policy, of_one_setting_says_nothing_of_another) {
  for (const Documented& of : documented()) {
    for (std::size_t rank = 0; rank < of.strictest_first.size(); ++rank) {
      const Policy policy = resolve(statements_of(of, {{user_policy, rank}}));
      for (const Documented& other : documented()) {
        if (other.setting == of.setting) continue;
        EXPECT_EQ(value_text(policy, other.setting), value_text(Policy(), other.setting));
        EXPECT_THAT(sources_of(policy, other.setting), ElementsAre(fallback));
      }
    }
  }
}

TEST(policy, asks_where_the_client_can_ask_and_takes_a_claim_elsewhere) {
  EXPECT_THAT(resolve({}, true).assurance.value, ElementsAre(Assurance::asked));
  EXPECT_THAT(resolve({}, false).assurance.value, ElementsAre(Assurance::claimed));
  EXPECT_TRUE(resolve({}, false).assurance.is_default());
}

TEST(policy, asks_for_a_seal_and_a_name_when_sources_ask_for_either) {
  const PolicyStatements both = {{.source = step, .assurance = Assurance::identified},
                                 {.source = project, .assurance = Assurance::sealed},
                                 {.source = user_policy, .assurance = Assurance::present}};
  const Policy policy = resolve(both, true);
  EXPECT_THAT(policy.assurance.value, ElementsAre(Assurance::sealed, Assurance::identified));
  EXPECT_THAT(policy.assurance.sources, ElementsAre(project, step));
  EXPECT_EQ(value_text(policy, PolicySetting::assurance), "sealed and identified");
  const std::vector<Assurance> seal = {Assurance::sealed};
  const std::vector<Assurance> seal_and_name = {Assurance::identified, Assurance::sealed};
  EXPECT_FALSE(is_enough(seal, policy.assurance.value));
  EXPECT_TRUE(is_enough(seal_and_name, policy.assurance.value));
}

TEST(policy, a_seal_or_a_name_is_stricter_than_the_other_assurances) {
  for (const Assurance high : {Assurance::sealed, Assurance::identified}) {
    for (const Assurance low : {Assurance::claimed, Assurance::asked, Assurance::present}) {
      for (const PolicySource source : all_sources()) {
        const PolicyStatements said = {{.source = user_policy, .assurance = low},
                                       {.source = source, .assurance = high}};
        const Policy policy = resolve(said, true);
        EXPECT_THAT(policy.assurance.value, ElementsAre(high));
        EXPECT_THAT(policy.assurance.sources, ElementsAre(source));
      }
    }
  }
}

TEST(policy, does_not_depend_on_the_order_of_what_is_said) {
  PolicyStatements said = {{.source = step, .on_fork = OnFork::repeat},
                           {.source = project, .assurance = Assurance::sealed},
                           {.source = user_policy, .on_fork = OnFork::reuse},
                           {.source = step, .assurance = Assurance::identified}};
  const auto by_address = [](const PolicyStatement& a, const PolicyStatement& b) {
    return std::pair(a.source, a.on_fork.has_value()) < std::pair(b.source, b.on_fork.has_value());
  };
  std::ranges::sort(said, by_address);
  const Policy first = resolve(said);
  while (std::ranges::next_permutation(said, by_address).found) EXPECT_EQ(resolve(said), first);
  EXPECT_EQ(first.on_fork.value, OnFork::reuse);
}

TEST(policy, hears_a_step_beside_what_was_said_and_not_after_it) {
  const PolicyStatements projects = {{.source = project, .on_fork = OnFork::reuse}};
  const Policy alone = resolve(projects);
  EXPECT_EQ(alone.on_fork.value, OnFork::ask) << "a project does not loosen the default";
  const PolicyStatement repeats{.source = step, .on_fork = OnFork::repeat};
  EXPECT_EQ(with_word(alone, repeats).on_fork.value, OnFork::reuse)
      << "the default gives way to the step, and what the project says does not";
  EXPECT_EQ(with_word(Policy(), repeats).on_fork.value, OnFork::repeat);
  EXPECT_TRUE(with_word(resolve({}, true), repeats).client_asks);
}

TEST(policy, is_recorded_where_a_source_speaks) {
  EXPECT_TRUE(entries_of(resolve({}, true)).empty());
  const PolicyStatements said = {{.source = user_policy, .assurance = Assurance::sealed},
                                 {.source = project, .commands = CommandRule::all},
                                 {.source = flag, .risk = RiskPolicy::balanced},
                                 {.source = environment, .risk = RiskPolicy::balanced}};
  EXPECT_THAT(entries_of(resolve(said)),
              ElementsAre(PolicyEntry{"ceiling.risk", "balanced", {"flag", "environment"}},
                          PolicyEntry{"gates.assurance", "sealed", {"user_policy"}}));
}

TEST(policy, of_an_owner_is_known_for_both_kinds_of_clients) {
  const OwnerPolicy silent;
  EXPECT_THAT(silent.of(true).assurance.value, ElementsAre(Assurance::asked));
  EXPECT_THAT(silent.of(false).assurance.value, ElementsAre(Assurance::claimed));
  const OwnerPolicy strict(PolicyStatements{{.source = user_policy, .waivable = Waivable::never}});
  EXPECT_EQ(strict.of(true).waivable.value, Waivable::never);
  EXPECT_EQ(strict.of(false).waivable.value, Waivable::never);
}

TEST(policy, takes_the_words_of_its_sets_and_no_others) {
  for (const std::string_view name : names<PolicySetting>()) {
    const PolicySetting setting = *from_name<PolicySetting>(name);
    PolicyStatement statement;
    for (const std::string_view value : values_of(setting)) {
      EXPECT_TRUE(say(statement, setting, value));
    }
    EXPECT_FALSE(say(statement, setting, "anything"));
  }
}

}  // namespace
}  // namespace baton::run
