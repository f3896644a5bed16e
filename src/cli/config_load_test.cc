#include "cli/config_load.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "base/limits.h"
#include "cli/testing/memory_world.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

class ConfigLoad : public testing::Test {
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

TEST_F(ConfigLoad, a_folder_in_place_of_the_file_is_refused) {
  fs::create_directories(scratch_ / "home/.config/baton/config.yaml");
  EXPECT_EQ(load_config(world(), {}).error().code, Code::CONFIG_INVALID);
}

}  // namespace
}  // namespace baton::cli
