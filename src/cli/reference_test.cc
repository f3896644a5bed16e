#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/testing/project_file.h"
#include "cli/help.h"

namespace baton::cli {
namespace {

TEST(reference, docs_cli_md_is_what_the_table_of_verbs_says) {
  const std::string path = project_file("docs/cli.md");
  if (std::getenv("BATON_REBASELINE") != nullptr) std::ofstream(path) << reference();
  std::stringstream found;
  found << std::ifstream(path).rdbuf();
  EXPECT_EQ(found.str(), reference()) << "BATON_REBASELINE=1 rewrites it";
}

}  // namespace
}  // namespace baton::cli
