#include "run/decide/preferences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace baton::run {
namespace {

using json::Object;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

workflow::CompiledWorkflow recommending(Object preferences) {
  workflow::CompiledWorkflow workflow;
  workflow.declared.set("recommendedPreferences", std::move(preferences));
  return workflow;
}

TEST(preferences, the_default_is_guided_and_conservative) {
  EXPECT_EQ(Preferences{}, (Preferences{Autonomy::guided, RiskPolicy::conservative}));
}

TEST(preferences, every_pair_warns_exactly_when_it_goes_beyond) {
  for (const std::string_view most : names<Autonomy>()) {
    for (const std::string_view chosen : names<Autonomy>()) {
      const auto warnings = preference_warnings(recommending({{"recommendedAutonomy", most}}),
                                                {*from_name<Autonomy>(chosen), {}});
      EXPECT_EQ(warnings.empty(), *from_name<Autonomy>(chosen) <= *from_name<Autonomy>(most));
    }
  }
  for (const std::string_view most : names<RiskPolicy>()) {
    for (const std::string_view chosen : names<RiskPolicy>()) {
      const auto warnings = preference_warnings(recommending({{"recommendedRiskPolicy", most}}),
                                                {{}, *from_name<RiskPolicy>(chosen)});
      EXPECT_EQ(warnings.empty(), *from_name<RiskPolicy>(chosen) <= *from_name<RiskPolicy>(most));
    }
  }
}

TEST(preferences, warnings_name_both_sides) {
  EXPECT_THAT(
      preference_warnings(recommending({{"recommendedAutonomy", "guided"}}),
                          {Autonomy::full_auto_never_stop, RiskPolicy::aggressive}),
      ElementsAre("this run goes further without its user than its workflow recommends: "
                  "autonomy full_auto_never_stop (recommended: guided). The choice is kept. "
                  "The safer combination is autonomy guided with risk policy aggressive; "
                  "tell the user so"));
  EXPECT_THAT(preference_warnings(recommending({{"recommendedAutonomy", "guided"},
                                                {"recommendedRiskPolicy", "balanced"}}),
                                  {Autonomy::full_auto_never_stop, RiskPolicy::aggressive}),
              ElementsAre(HasSubstr("The safer combination is autonomy guided with risk policy "
                                    "balanced")));
  EXPECT_THAT(preference_warnings(recommending({{"recommendedAutonomy", "bold"}}),
                                  {Autonomy::full_auto_never_stop, {}}),
              IsEmpty());
  EXPECT_THAT(preference_warnings({}, {Autonomy::full_auto_never_stop, RiskPolicy::aggressive}),
              IsEmpty());
}

// Enforces: G29
TEST(preferences, every_wish_above_a_ceiling_is_one_for_the_ceiling) {
  for (const std::string_view most : names<Autonomy>()) {
    for (const std::string_view chosen : names<Autonomy>()) {
      const PolicyStatement said{.source = PolicySource::user_policy,
                                 .autonomy = from_name<Autonomy>(most)};
      const Policy policy = resolve(std::span(&said, 1));
      const auto wish = from_name<Autonomy>(chosen);
      const CappedWish capped = below_ceilings({.autonomy = wish, .risk_policy = {}}, policy);
      EXPECT_EQ(capped.wish.autonomy, std::min(*wish, *from_name<Autonomy>(most)));
      EXPECT_EQ(capped.wish.risk_policy, std::nullopt);
      EXPECT_EQ(capped.alerts.empty(), *wish <= *from_name<Autonomy>(most));
    }
  }
  for (const std::string_view most : names<RiskPolicy>()) {
    for (const std::string_view chosen : names<RiskPolicy>()) {
      const PolicyStatement said{.source = PolicySource::user_policy,
                                 .risk = from_name<RiskPolicy>(most)};
      const Policy policy = resolve(std::span(&said, 1));
      const auto wish = from_name<RiskPolicy>(chosen);
      const CappedWish capped = below_ceilings({.autonomy = {}, .risk_policy = wish}, policy);
      EXPECT_EQ(capped.wish.risk_policy, std::min(*wish, *from_name<RiskPolicy>(most)));
      EXPECT_EQ(capped.alerts.empty(), *wish <= *from_name<RiskPolicy>(most));
    }
  }
}

TEST(preferences, a_wish_that_was_capped_says_whose_ceiling_it_was) {
  const PolicyStatement said{.source = PolicySource::user_policy, .autonomy = Autonomy::guided};
  const CappedWish capped = below_ceilings(
      {.autonomy = Autonomy::full_auto_never_stop, .risk_policy = RiskPolicy::aggressive},
      resolve(std::span(&said, 1)));
  EXPECT_THAT(capped.alerts,
              ElementsAre("autonomy full_auto_never_stop was asked for, but the owner's ceiling is "
                          "guided (user_policy): the run has guided"));
}

std::vector<Preferences> all_preferences() {
  std::vector<Preferences> out;
  for (const std::string_view mode : names<Autonomy>()) {
    for (const std::string_view policy : names<RiskPolicy>()) {
      out.push_back({*from_name<Autonomy>(mode), *from_name<RiskPolicy>(policy)});
    }
  }
  return out;
}

TEST(preferences, a_raise_of_either_preference_is_a_raise) {
  for (const Preferences& from : all_preferences()) {
    for (const Preferences& to : all_preferences()) {
      const bool is_further = to.autonomy > from.autonomy || to.risk_policy > from.risk_policy;
      EXPECT_EQ(is_raise(from, to), is_further);
      // Either they are the same, or one of the two ways is a raise.
      EXPECT_EQ(is_raise(from, to) || is_raise(to, from), from != to);
    }
  }
}

TEST(preferences, the_words_for_a_raise_say_from_what_to_what_who_and_how) {
  const Preferences guided;
  const Preferences never{Autonomy::full_auto_never_stop, RiskPolicy::conservative};
  const Preferences bold{Autonomy::guided, RiskPolicy::aggressive};
  const Preferences both{Autonomy::full_auto_never_stop, RiskPolicy::balanced};
  EXPECT_EQ(raise_text(never, {guided, {"local", ChangedHow::call, "continue_workflow"}}),
            "autonomy raised from guided to full_auto_never_stop by local with continue_workflow");
  EXPECT_EQ(raise_text(bold, {never, {"ann", ChangedHow::terminal, ""}}),
            "risk policy raised from conservative to aggressive by ann in a terminal");
  EXPECT_EQ(raise_text(both, {guided, {"local", ChangedHow::start, "start_workflow"}}),
            "autonomy raised from guided to full_auto_never_stop and risk policy raised from "
            "conservative to balanced by local at the start with start_workflow");
  EXPECT_EQ(raise_text(PreferenceRaise{never, {guided, {}}, 3}),
            "autonomy raised from guided to full_auto_never_stop by local (3 times, this is the "
            "latest)");
}

}  // namespace
}  // namespace baton::run
