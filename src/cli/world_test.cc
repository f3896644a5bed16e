#include "cli/world.h"

#include <gtest/gtest.h>

#include <vector>

#include "cli/testing/memory_world.h"

namespace baton::cli {
namespace {

constexpr std::string_view hostile = "a\033[31m\u202eb\n";
constexpr std::string_view shown = "a\\u001b[31m\\u202eb\n";

// Enforces: G20
TEST(stream, text_is_printed_in_its_printable_form) {
  MemoryWorld memory;
  MUST(write_text(memory.world().output, hostile));
  EXPECT_EQ(memory.output(), shown);
}

// Enforces: G20
TEST(stream, colours_are_around_the_text_and_never_in_it) {
  const std::vector<Painted> pieces = {{"loud\033[0m", Colour::red}, {" plain", Colour::none}};
  EXPECT_EQ(paint(pieces, true), "\033[1;31mloud\\u001b[0m\033[0m plain");
  EXPECT_EQ(paint(pieces, false), "loud\\u001b[0m plain");
}

// Enforces: G20
TEST(stream, progress_is_one_line_that_is_written_over) {
  MemoryWorld memory;
  MUST(write_progress(memory.world().errors, "a\033[2J\nb"));
  MUST(write_progress(memory.world().errors, ""));
  EXPECT_EQ(memory.errors(), "\ra\\u001b[2J\\nb\033[K\r\033[K");
}

// Enforces: G20
TEST(stream, data_is_exact_unless_a_person_reads_it) {
  MemoryWorld file;
  MUST(write_data(file.world().output, false, hostile));
  EXPECT_EQ(file.output(), hostile);
  MemoryWorld terminal;
  MUST(write_data(terminal.world().output, true, hostile));
  EXPECT_EQ(terminal.output(), shown);
}

}  // namespace
}  // namespace baton::cli
