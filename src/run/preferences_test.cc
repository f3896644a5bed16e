#include "run/preferences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace baton::run {
namespace {

using json::Object;
using testing::ElementsAre;
using testing::IsEmpty;

workflow::CompiledWorkflow recommending(Object preferences) {
  workflow::CompiledWorkflow workflow;
  workflow.fields.set("recommendedPreferences", std::move(preferences));
  return workflow;
}

TEST(preferences, nobody_said_anything_means_guided_and_conservative) {
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
  EXPECT_THAT(preference_warnings(recommending({{"recommendedAutonomy", "guided"}}),
                                  {Autonomy::full_auto_never_stop, RiskPolicy::aggressive}),
              ElementsAre("autonomy full_auto_never_stop goes beyond what this workflow recommends "
                          "(guided); it is kept as you chose it"));
  EXPECT_THAT(preference_warnings({}, {Autonomy::full_auto_never_stop, RiskPolicy::aggressive}),
              IsEmpty());
}

}  // namespace
}  // namespace baton::run
