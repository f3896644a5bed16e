// Origin: 004-84, 004-111

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/testing/project_file.h"
#include "surface/rail/tools.h"

namespace baton::surface::rail {
namespace {

TEST(rail_reference, docs_rail_md_is_what_the_tools_say_of_themselves) {
  const std::string expected = reference();
  const std::string path = project_file("docs/rail.md");
  if (std::getenv("BATON_REBASELINE") != nullptr) std::ofstream(path) << expected;
  std::stringstream found;
  found << std::ifstream(path).rdbuf();
  EXPECT_EQ(found.str(), expected) << "BATON_REBASELINE=1 rewrites it";
}

}  // namespace
}  // namespace baton::surface::rail
