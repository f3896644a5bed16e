#include "cli/text_file.h"

#include <gtest/gtest.h>

#include "cli/testing/memory_world.h"

namespace baton::cli {
namespace {

Code refusal_of(const std::string& name) {
  MemoryWorld memory;
  const Code of_input = input_text(memory.world(), name, 1000).error().code;
  EXPECT_EQ(workflow_text(memory.world().directory / name).error().code, of_input) << name;
  return of_input;
}

TEST(text_file, a_file_that_is_not_there_is_not_found) {
  EXPECT_EQ(refusal_of("no/such/file"), Code::NOT_FOUND);
  EXPECT_EQ(refusal_of("dev/null/below"), Code::NOT_FOUND);
}

TEST(text_file, a_file_that_cannot_be_read_is_the_environments_fault) {
  EXPECT_EQ(refusal_of("dev"), Code::ENVIRONMENT);
  EXPECT_EQ(refusal_of(std::string(300, 'a')), Code::ENVIRONMENT);
}

TEST(text_file, a_dash_is_standard_input) {
  MemoryWorld memory;
  memory.set_input("1234");
  EXPECT_EQ(*input_text(memory.world(), "-", 4), "1234");
  memory.set_input("12345");
  EXPECT_EQ(input_text(memory.world(), "-", 4).error().code, Code::LIMIT_EXCEEDED);
}

}  // namespace
}  // namespace baton::cli
