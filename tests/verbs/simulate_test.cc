#include "verbs/workflow/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "support/world.h"

namespace baton::testing {
namespace {

verbs::Simulation simulated(const std::string& steps, std::size_t points_max) {
  World world;
  world.workflows.files = {{.source = "extra",
                            .path = "w.yaml",
                            .text = cat("id: w\nname: W\nsteps:\n", steps),
                            .problem = {}}};
  engine::Engine engine = world.engine();
  verbs::SimulateRequest request{.workflow = "w", .inputs = {}};
  request.points_max = points_max;
  return MUST(verbs::simulate(engine, request));
}

TEST(simulate, visits_no_more_points_than_its_bound) {
  const std::string steps =
      "  - {id: a, prompt: A.}\n  - {id: b, prompt: B., runCondition: {var: x}}\n";
  const verbs::Simulation whole = simulated(steps, limits::simulated_points_max);
  EXPECT_TRUE(whole.is_whole);
  const auto points = static_cast<std::size_t>(whole.points);
  EXPECT_TRUE(simulated(steps, points).is_whole);
  const verbs::Simulation part = simulated(steps, 1);
  EXPECT_FALSE(part.is_whole);
  EXPECT_THAT(part.unreachable, ::testing::IsEmpty()) << "nothing is said of what was not seen";
  EXPECT_EQ(verbs::SimulateRequest{}.points_max, limits::simulated_points_max);
}

TEST(simulate, counts_ways_up_to_a_bound) {
  const auto ways = [](int steps) {
    std::string text = "  - {id: first, prompt: F.}\n";
    for (int i = 0; i < steps; ++i) {
      text += cat("  - {id: s", i, ", prompt: S., runCondition: {var: ", i % 2 == 0 ? "a" : "b",
                  "}}\n");
    }
    return simulated(text, limits::simulated_points_max).ways;
  };
  // With one step: it is done or left out. Each further one can follow any of the others.
  EXPECT_EQ(ways(1), 2);
  EXPECT_EQ(ways(2), 4);
  EXPECT_LT(ways(8), limits::simulated_ways_max);
  EXPECT_EQ(ways(60), limits::simulated_ways_max);
}

}  // namespace
}  // namespace baton::testing
