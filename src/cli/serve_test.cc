#include "cli/serve.h"

#include <gtest/gtest.h>

#include "cli/config_load.h"
#include "cli/testing/memory_world.h"

namespace baton::cli {
namespace {

TEST(serve, a_person_is_told_what_it_is_and_how_to_use_it) {
  MemoryWorld memory;
  memory.world().arguments = {"serve", "--surface", "atomic"};
  memory.world().executable = "/opt/my tools/baton";
  memory.world().environment["HOME"] = "/home/u";
  Arguments arguments;
  arguments.options["--surface"] = {"atomic"};
  const Config config = *load_config(memory.world(), arguments);
  EXPECT_EQ(greeting(memory.world(), config),
            "baton " BATON_VERSION
            " is an MCP server and waits for messages on standard input; Ctrl-D ends it.\n"
            "Surface: atomic. Runs are kept in /home/u/.local/share/baton/baton.db.\n"
            "\n"
            "To give it to an agent, run one of these:\n"
            "  claude mcp add baton -- '/opt/my tools/baton' serve --surface atomic\n"
            "  codex mcp add baton -- '/opt/my tools/baton' serve --surface atomic\n"
            "  gemini mcp add baton '/opt/my tools/baton' serve --surface atomic\n"
            "or, for Cursor, put this into ~/.cursor/mcp.json:\n"
            "  {\"mcpServers\":{\"baton\":{\"command\":\"/opt/my tools/baton\","
            "\"args\":[\"serve\",\"--surface\",\"atomic\"]}}}\n");
}

TEST(serve, words_are_quoted_for_a_shell_only_where_needed) {
  EXPECT_EQ(shell_quoted("a/b-c_d.e"), "a/b-c_d.e");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$(x)"), "'$(x)'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace baton::cli
