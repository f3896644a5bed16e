#include "cli/config/command_settings.h"

#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "cli/config/command_values.h"

namespace baton::cli {
namespace {

using Values = std::vector<std::string>;

const ConfigLocations around{"/home/u", "/home/u/.local/share/baton/baton.db"};

Result<Config> said(ConfigSource source, std::string name, Values values) {
  const Layer layer{source, "/base", {{std::move(name), std::move(values), "file:1"}}};
  return merge(std::vector{layer}, around);
}

ports::CommandSettings settings_with(std::string name, Values values,
                                     const ports::Environment& environment = {}) {
  return command_settings(*said(ConfigSource::user_file, std::move(name), std::move(values)),
                          environment);
}

const ports::Environment rich{
    {"PATH", "/bin"}, {"HOME", "/home/u"},     {"LC_ALL", "C"},       {"LC_TIME", "C"},
    {"LCX", "1"},     {"AWS_SECRET", "s"},     {"GITHUB_TOKEN", "t"}, {"CARGO_HOME", "c"},
    {"CARGO_X", "d"}, {"LD_PRELOAD", "/x.so"}, {"TMPDIR", "/t"},      {"BATON_TOKEN_FILE", "f"}};

// Enforces: G26
TEST(command_settings, usual_variables_are_passed_on_and_no_others) {
  const ports::CommandSettings usual = command_settings(*merge({}, around), rich);
  EXPECT_EQ(usual.environment, (ports::Environment{{"HOME", "/home/u"},
                                                   {"LC_ALL", "C"},
                                                   {"LC_TIME", "C"},
                                                   {"PATH", "/bin"},
                                                   {"TMPDIR", "/t"}}));
  EXPECT_EQ(usual.resources, ports::ResourceLimits());
  EXPECT_FALSE(usual.is_sandboxed);
  EXPECT_TRUE(usual.writable.empty());
}

TEST(command_settings, every_usual_variable_is_passed_on) {
  ports::Environment all;
  for (const char* name :
       {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_", "TZ", "TERM",
        "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"}) {
    all.emplace(name, "1");
  }
  EXPECT_EQ(command_settings(*merge({}, around), all).environment, all);
}

TEST(command_settings, owner_names_further_variables_by_name_or_prefix) {
  const ports::Environment given =
      settings_with("commands.env", {"AWS_SECRET", "CARGO_*"}, rich).environment;
  EXPECT_TRUE(given.contains("AWS_SECRET") && given.contains("CARGO_HOME") &&
              given.contains("CARGO_X") && given.contains("PATH"));
  EXPECT_FALSE(given.contains("GITHUB_TOKEN"));
  EXPECT_FALSE(given.contains("LCX"));
}

TEST(command_settings, names_of_variables_have_a_form) {
  for (const char* good : {"A", "_a1", "CARGO_*"}) EXPECT_TRUE(names_variables(good)) << good;
  for (const char* bad : {"", "*", "A=b", "1A", "A*B", "A B", "-x"}) {
    EXPECT_FALSE(names_variables(bad)) << bad;
  }
  EXPECT_EQ(said(ConfigSource::user_file, "commands.env", {"*"}).error().code,
            Code::CONFIG_INVALID);
}

TEST(command_settings, owner_changes_limits_one_by_one_or_takes_them_away) {
  const ports::ResourceLimits limits =
      settings_with("commands.limits", {"open_files=64", "processes=none", "memory_bytes=1000000",
                                        "cpu_seconds=5", "file_bytes=7"})
          .resources;
  EXPECT_EQ(limits.open_files, 64u);
  EXPECT_EQ(limits.processes, std::nullopt);
  EXPECT_EQ(limits.memory_bytes, 1'000'000u);
  EXPECT_EQ(limits.cpu_seconds, 5u);
  EXPECT_EQ(limits.file_bytes, 7u);
  EXPECT_EQ(settings_with("commands.limits", {"open_files=64"}).resources.processes,
            limits::command_processes_max);
  for (const char* bad : {"open_files", "open_files=", "open_files=0", "open_files=-1",
                          "open_files=many", "files=5", "=5"}) {
    EXPECT_EQ(said(ConfigSource::user_file, "commands.limits", {bad}).error().code,
              Code::CONFIG_INVALID)
        << bad;
  }
}

TEST(command_settings, owner_asks_for_a_sandbox_and_opens_it) {
  EXPECT_TRUE(settings_with("commands.sandbox", {"workspace"}).is_sandboxed);
  EXPECT_FALSE(settings_with("commands.sandbox", {"none"}).is_sandboxed);
  EXPECT_FALSE(said(ConfigSource::user_file, "commands.sandbox", {"all"}));
  EXPECT_EQ(settings_with("commands.writable", {"~/.cache", "/opt/x"}).writable,
            (Values{"/home/u/.cache", "/opt/x"}));
}

// Enforces: G26
TEST(command_settings, project_says_nothing_about_commands) {
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"commands.env", "AWS_*"},
                                          {"commands.limits", "processes=none"},
                                          {"commands.sandbox", "none"},
                                          {"commands.writable", "/"}}) {
    const auto merged = said(ConfigSource::project_file, name, {value});
    ASSERT_FALSE(merged) << name;
    EXPECT_EQ(merged.error().code, Code::CONFIG_INVALID);
    EXPECT_EQ(merged.error().next.text(), "use the user's config.yaml");
    const Setting* setting = find_setting(name);
    EXPECT_TRUE(setting->flag.empty() && setting->variable.empty()) << name;
  }
}

}  // namespace
}  // namespace baton::cli
