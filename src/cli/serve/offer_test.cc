#include "cli/serve/offer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/config/load.h"
#include "cli/testing/memory_world.h"
#include "protocol/testing/lint.h"

namespace baton::cli {
namespace {

protocol::Catalog offered() {
  static transport::Hub hub;
  MemoryWorld memory;
  memory.world().environment["HOME"] = "/home/u";
  memory.world().environment["BATON_SURFACE"] = "all";
  const Config config = *load_config(memory.world(), Arguments{});
  return MUST(catalog_of(config, nullptr, nullptr, hub));
}

TEST(offer, every_tool_of_a_surface_is_one_that_every_client_takes) {
  const protocol::Catalog catalog = offered();
  for (const protocol::CheckedTool& entry : catalog.tools.all()) {
    EXPECT_THAT(protocol::lint(entry.tool), ::testing::IsEmpty());
    EXPECT_FALSE(entry.tool.output_schema.is_null()) << entry.tool.name;
  }
}

}  // namespace
}  // namespace baton::cli
