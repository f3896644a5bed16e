#include "cli/serve/serve.h"

#include <gtest/gtest.h>

#include "cli/config/load.h"
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
            "To add it to an agent, run one of these:\n"
            "  claude mcp add baton -- '/opt/my tools/baton' serve --surface atomic\n"
            "  codex mcp add baton -- '/opt/my tools/baton' serve --surface atomic\n"
            "  gemini mcp add baton '/opt/my tools/baton' serve --surface atomic\n"
            "or, for Cursor, put this into ~/.cursor/mcp.json:\n"
            "  {\"mcpServers\":{\"baton\":{\"command\":\"/opt/my tools/baton\","
            "\"args\":[\"serve\",\"--surface\",\"atomic\"]}}}\n");
}

TEST(serve, the_words_for_a_client_hold_from_any_folder_and_environment) {
  MemoryWorld memory;
  memory.world().directory = "/my work";
  memory.world().arguments = {"serve", "--workflows", "w", "--workflows=x", "--verbose"};
  memory.world().environment["HOME"] = "/home/u";
  memory.world().environment["BATON_DB"] = "a b.db";
  memory.world().environment["BATON_SURFACE"] = "rail,planner";
  Arguments arguments;
  arguments.options["--workflows"] = {"w", "x"};
  arguments.options["--verbose"] = {"true"};
  const std::string said = greeting(memory.world(), *load_config(memory.world(), arguments));
  EXPECT_TRUE(said.contains(
      "  claude mcp add baton -- /usr/bin/baton serve --db '/my work/a b.db' --surface "
      "rail,planner --workflows '/my work/w' --workflows '/my work/x' --verbose\n"))
      << said;
  EXPECT_TRUE(said.contains("\"--db\",\"/my work/a b.db\"")) << said;
}

TEST(serve, over_http_a_person_is_told_where_runs_are_kept_and_how_to_use_it) {
  MemoryWorld memory;
  memory.world().environment["HOME"] = "/home/u";
  const Config config = *load_config(memory.world(), {});
  EXPECT_EQ(http_greeting(config, "http://127.0.0.1:7077/mcp", "/my work/t"),
            "Surface: rail. Runs are kept in /home/u/.local/share/baton/baton.db.\n"
            "\n"
            "To add it to an agent, run one of these:\n"
            "  claude mcp add --transport http baton http://127.0.0.1:7077/mcp --header "
            "\"Authorization: Bearer $(cat '/my work/t')\"\n"
            "  codex mcp add baton --url http://127.0.0.1:7077/mcp --bearer-token-env-var "
            "BATON_SECRET\n"
            "  gemini mcp add --transport http --header "
            "\"Authorization: Bearer $(cat '/my work/t')\" baton http://127.0.0.1:7077/mcp\n"
            "Codex reads the secret when it starts: export BATON_SECRET=\"$(cat '/my work/t')\"\n");
  EXPECT_FALSE(http_greeting(config, "http://127.0.0.1:7077/mcp", "").contains("Bearer"));
  EXPECT_EQ(http_greeting(config, "unix:/run/b", ""),
            "Surface: rail. Runs are kept in /home/u/.local/share/baton/baton.db.\n");
}

TEST(serve, an_address_that_other_machines_reach_is_warned_of) {
  const auto warning = [](std::string_view address) {
    return exposure_warning(MUST(transport::parse_address(address)));
  };
  for (const char* here : {"7077", "127.0.0.1:7077", "localhost:7077", "[::1]:7077", "unix:/s"}) {
    EXPECT_EQ(warning(here), "") << here;
  }
  EXPECT_EQ(
      warning("0.0.0.0:7077"),
      "baton: warning: 0.0.0.0:7077 can be reached from other machines, over every network "
      "of this one. Anyone who sends the secret gets access; without TLS the secret and every "
      "message can be read on the way.\n"
      "hint: listen on 127.0.0.1 or a unix socket, and use an SSH tunnel or a proxy with "
      "TLS\n");
  EXPECT_TRUE(warning("[::]:7077").contains("over every network"));
  EXPECT_TRUE(warning("192.168.1.2:7077").contains("can be reached from other machines. Anyone"));
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
