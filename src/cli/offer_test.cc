#include "cli/offer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/config_load.h"
#include "cli/testing/memory_world.h"
#include "protocol/lint.h"

namespace baton::cli {
namespace {

protocol::Catalog offered(Offer offer) {
  static transport::Hub hub;
  MemoryWorld memory;
  memory.world().environment["HOME"] = "/home/u";
  memory.world().environment["BATON_SURFACE"] = "all";
  const Config config = *load_config(memory.world(), Arguments{});
  return MUST(catalog_of(offer, config, nullptr, nullptr, hub));
}

std::vector<std::string> names(const protocol::Catalog& catalog) {
  std::vector<std::string> out;
  for (const protocol::CheckedTool& entry : catalog.tools.all()) out.push_back(entry.tool.name);
  return out;
}

TEST(offer, every_tool_of_a_surface_is_one_that_every_client_takes) {
  const protocol::Catalog catalog = offered(Offer::surfaces);
  for (const protocol::CheckedTool& entry : catalog.tools.all()) {
    EXPECT_THAT(protocol::lint(entry.tool), testing::IsEmpty());
    EXPECT_FALSE(entry.tool.output_schema.is_null()) << entry.tool.name;
  }
}

TEST(offer, no_fixture_is_offered_without_the_flag) {
  const protocol::Catalog fixtures = offered(Offer::conformance);
  const protocol::Catalog surfaces = offered(Offer::surfaces);
  EXPECT_GE(fixtures.tools.all().size(), 35u);
  for (const std::string& name : names(fixtures)) {
    EXPECT_THAT(names(surfaces), testing::Not(testing::Contains(name)));
  }
  for (const protocol::Resource& each : surfaces.resources.resources()) {
    EXPECT_FALSE(each.info.uri.starts_with("test://"));
  }
  for (const protocol::Prompt& each : surfaces.prompts.all()) {
    EXPECT_FALSE(each.name.starts_with("test_"));
  }
}

TEST(offer, the_fixtures_come_without_a_way_to_any_run) {
  EXPECT_THAT(names(offered(Offer::conformance)),
              testing::Not(testing::Contains("start_workflow")));
}

}  // namespace
}  // namespace baton::cli
