#include "cli/config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "base/core/limits.h"
#include "cli/testing/memory_world.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

class ConfigLoad : public ::testing::Test {
 protected:
  ConfigLoad() {
    char pattern[] = "/tmp/baton-config-XXXXXX";
    scratch_ = mkdtemp(pattern);
    world().directory = scratch_ / "project/sub";
    fs::create_directories(world().directory);
    world().environment["HOME"] = (scratch_ / "home").string();
  }
  ~ConfigLoad() override { fs::remove_all(scratch_); }

  World& world() { return memory_.world(); }

  void write(const fs::path& path, std::string_view text) {
    fs::create_directories((scratch_ / path).parent_path());
    std::ofstream(scratch_ / path) << text;
  }

  std::int64_t life() { return load_config(world(), {})->token_life_minutes(); }

  MemoryWorld memory_;
  fs::path scratch_;
};

TEST_F(ConfigLoad, the_projects_file_is_found_here_or_at_the_repositorys_root) {
  write("project/.baton/config.yaml", "token_ttl: 3\n");
  EXPECT_EQ(life(), 10) << "a folder above is not the project";
  fs::create_directory(scratch_ / "project/.git");
  EXPECT_EQ(life(), 3);
  write("project/sub/.baton/config.yaml", "token_ttl: 4\n");
  EXPECT_EQ(life(), 4);
}

TEST_F(ConfigLoad, the_users_file_follows_xdg) {
  write("home/.config/baton/config.yaml", "token_ttl: 5\n");
  EXPECT_EQ(life(), 5);
  write("xdg/baton/config.yaml", "token_ttl: 6\n");
  world().environment["XDG_CONFIG_HOME"] = (scratch_ / "xdg").string();
  EXPECT_EQ(life(), 6);
  world().environment["XDG_CONFIG_HOME"] = "xdg";
  EXPECT_EQ(life(), 5) << "a relative folder does not count";
}

TEST_F(ConfigLoad, the_default_store_follows_xdg) {
  EXPECT_EQ(load_config(world(), {})->store(),
            (scratch_ / "home/.local/share/baton/baton.db").string());
  world().environment["XDG_DATA_HOME"] = "/data";
  EXPECT_EQ(load_config(world(), {})->store(), "/data/baton/baton.db");
  world().environment.clear();
  EXPECT_EQ(load_config(world(), {})->store(), "");
}

TEST_F(ConfigLoad, relative_paths_in_a_projects_file_start_at_the_project) {
  fs::create_directory(scratch_ / "project/.git");
  write("project/.baton/config.yaml", "workflows: [flows]\n");
  EXPECT_EQ(load_config(world(), {})->workflows()[0], (scratch_ / "project/flows").string());
}

TEST_F(ConfigLoad, a_file_has_a_largest_size) {
  const std::string fits(limits::config_bytes_max, '#');
  write("home/.config/baton/config.yaml", fits);
  EXPECT_TRUE(load_config(world(), {}));
  write("home/.config/baton/config.yaml", fits + '#');
  EXPECT_EQ(load_config(world(), {}).error().code, Code::CONFIG_INVALID);
}

// Enforces: G19
TEST_F(ConfigLoad, a_projects_file_is_read_through_no_link) {
  write("elsewhere/config.yaml", "token_ttl: 3\n");
  fs::create_directory(scratch_ / "project/.git");
  const auto refused = [&] {
    const auto loaded = load_config(world(), {});
    EXPECT_FALSE(loaded);
    return !loaded && loaded.error().code == Code::CONFIG_INVALID &&
           loaded.error().message.contains("symbolic link");
  };
  fs::create_directory_symlink(scratch_ / "elsewhere", scratch_ / "project/.baton");
  EXPECT_TRUE(refused());
  fs::remove(scratch_ / "project/.baton");
  fs::create_directory(scratch_ / "project/.baton");
  fs::create_symlink(scratch_ / "elsewhere/config.yaml", scratch_ / "project/.baton/config.yaml");
  EXPECT_TRUE(refused());
  fs::remove(scratch_ / "project/.baton/config.yaml");
  EXPECT_EQ(life(), 10);
  ASSERT_EQ(mkfifo((scratch_ / "project/.baton/config.yaml").c_str(), 0600), 0);
  EXPECT_EQ(load_config(world(), {}).error().code, Code::CONFIG_INVALID);
}

TEST_F(ConfigLoad, in_the_home_folder_itself_links_are_the_users_own) {
  write("dotfiles/config.yaml", "token_ttl: 3\n");
  fs::create_directory(scratch_ / "home");
  fs::create_directory_symlink(scratch_ / "dotfiles", scratch_ / "home/.baton");
  world().directory = scratch_ / "home";
  EXPECT_EQ(life(), 3);
}

/// Who made the link means a file to be there: without it a stricter policy would be lost unseen.
// Enforces: G31
TEST_F(ConfigLoad, a_link_to_nothing_is_not_taken_for_no_file) {
  world().account_home = scratch_ / "account";
  fs::create_directories(scratch_ / "account/.config/baton");
  EXPECT_TRUE(load_config(world(), {}));
  const fs::path policy = scratch_ / "account/.config/baton/policy.yaml";
  fs::create_symlink(scratch_ / "gone/policy.yaml", policy);
  const auto refused = load_config(world(), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::CONFIG_INVALID);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("symbolic link to nothing"));
  fs::remove_all(scratch_ / "account/.config");
  fs::create_directory_symlink(scratch_ / "gone", scratch_ / "account/.config");
  EXPECT_FALSE(load_config(world(), {})) << "and a folder on the way";
  write("gone/baton/policy.yaml", "commands: never\n");
  EXPECT_TRUE(load_config(world(), {}));
}

TEST_F(ConfigLoad, a_folder_in_place_of_the_file_is_refused) {
  fs::create_directories(scratch_ / "home/.config/baton/config.yaml");
  EXPECT_EQ(load_config(world(), {}).error().code, Code::CONFIG_INVALID);
}

}  // namespace

namespace {

std::string problem(std::string_view text) {
  const auto given = read_config(text, "c.yaml");
  if (given) return "read";
  EXPECT_EQ(given.error().code, Code::CONFIG_INVALID);
  return given.error().message;
}

TEST(config_file, a_flat_mapping_of_values_and_lists_is_read_with_its_lines) {
  const auto given =
      *read_config("# mine\ndb: /x\n\nworkflows:\n  - a\n  - 'b c'\nverbose: yes\n", "c.yaml");
  ASSERT_EQ(given.size(), 3u);
  EXPECT_EQ(given[0].name, "db");
  EXPECT_EQ(given[0].values, std::vector<std::string>{"/x"});
  EXPECT_EQ(given[0].origin, "c.yaml:2");
  EXPECT_EQ(given[1].values, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(given[1].origin, "c.yaml:4");
  EXPECT_EQ(given[2].values, std::vector<std::string>{"yes"});
}

TEST(config_file, an_empty_file_says_nothing) {
  EXPECT_TRUE(read_config("", "c.yaml")->empty());
  EXPECT_TRUE(read_config("# only a comment\n", "c.yaml")->empty());
  EXPECT_TRUE(read_config("---\n", "c.yaml")->empty());
}

TEST(config_file, what_is_not_a_flat_mapping_is_refused_with_its_line) {
  EXPECT_EQ(problem("- a\n"), "c.yaml:1: settings are written as 'name: value'");
  EXPECT_EQ(problem("a: 1\nb:\n  c: 2\n"), "c.yaml:3: 'b' takes a value or a list of values");
  EXPECT_EQ(problem("a: [[1]]\n"), "c.yaml:1: 'a' takes a value or a list of values");
  EXPECT_EQ(problem("[a]: 1\n"), "c.yaml:1: the name of a setting is a word");
  EXPECT_EQ(problem("a: 1\n\na: 2\n"), "c.yaml:3: 'a' is set twice");
  EXPECT_EQ(problem("a:\nb: 1\n"), "c.yaml:1: 'a' has no value");
}

TEST(config_file, the_dangerous_parts_of_yaml_are_refused) {
  EXPECT_EQ(problem("a: &x 1\n"), "c.yaml:1: anchors are not supported here");
  EXPECT_EQ(problem("a: &x [1]\n"), "c.yaml:1: anchors are not supported here");
  EXPECT_EQ(problem("&x a: 1\n"), "c.yaml:1: anchors are not supported here");
  EXPECT_EQ(problem("a: 1\nb: *x\n"), "c.yaml:2: aliases are not supported");
  EXPECT_EQ(problem("a: !!str 1\n"), "c.yaml:1: tags are not supported here");
  EXPECT_EQ(problem("!x\na: 1\n"), "c.yaml:1: tags are not supported here");
  EXPECT_EQ(problem("%YAML 1.1\n---\na: 1\n"), "c.yaml:1: directives are not supported here");
  EXPECT_EQ(problem("a: 1\n---\nb: 1\n"), "c.yaml:2: a second document is not supported here");
}

TEST(config_file, text_that_is_not_yaml_is_refused_with_its_line) {
  EXPECT_EQ(problem("a: 1\nb: 'x\n").substr(0, 9), "c.yaml:3:");
  EXPECT_EQ(problem("a: \xff\n").substr(0, 7), "c.yaml:");
}

}  // namespace
}  // namespace baton::cli
