#include "adapters/files/workflow_files.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/limits.h"
#include "base/text.h"

namespace baton::adapters {
namespace {

// Enforces: G9
TEST(workflow_files, of_a_folder_are_taken_up_to_their_limit) {
  std::string pattern = (std::filesystem::temp_directory_path() / "baton-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  for (std::size_t i = 0; i < limits::workflow_files_max; ++i) {
    std::ofstream(folder / cat(i, ".json")) << "{}";
  }
  std::ofstream(folder / "notes.txt") << "is none of them";
  WorkflowFiles files({{"extra", folder.string(), true}});
  const auto all = files.all();
  ASSERT_TRUE(all.has_value()) << all.error().message;
  EXPECT_EQ(all->size(), limits::workflow_files_max);
  std::ofstream(folder / "more.json") << "{}";
  EXPECT_EQ(files.all().error().code, Code::LIMIT_EXCEEDED);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace baton::adapters
