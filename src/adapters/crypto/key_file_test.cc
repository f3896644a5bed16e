#include "adapters/crypto/key_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "adapters/os/system.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

class key_file : public ::testing::Test {
 protected:
  key_file() {
    std::string pattern = ::testing::TempDir() + "baton-keys-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
  }
  ~key_file() override { fs::remove_all(directory_); }

  std::string path(std::string_view name = "store.db.keys") const {
    return cat(directory_.string(), '/', name);
  }

  static std::string content(const std::string& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }

  static void write(const std::string& file, std::string_view text) {
    std::ofstream(file) << text;
    ::chmod(file.c_str(), 0600);
  }

  std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      out.insert(entry.path().filename().string());
    }
    return out;
  }

  fs::path directory_;
  OsEntropy entropy_;
};

TEST_F(key_file, is_made_once_and_for_its_owner_only) {
  const KeyFile file(path());
  const mode_t old_mask = ::umask(0);
  ASSERT_TRUE(file.create_if_missing(entropy_));
  ::umask(old_mask);
  struct stat info{};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  const std::string first = content(path());
  ASSERT_TRUE(file.create_if_missing(entropy_));
  EXPECT_EQ(content(path()), first);
  EXPECT_EQ(names(), std::set<std::string>{"store.db.keys"});
}

TEST_F(key_file, simultaneous_first_starts_agree_on_one_key) {
  for (int round = 0; round < 10; ++round) {
    const KeyFile file(path(cat("keys-", round)));
    std::vector<std::string> seen(8);
    {
      std::vector<std::jthread> threads;
      for (std::string& text : seen) {
        threads.emplace_back([&] {
          OsEntropy entropy;
          if (!file.create_if_missing(entropy)) return;
          const auto opened = file.read();
          if (opened) text = opened->ring.print().text;
        });
      }
    }
    for (const std::string& text : seen) EXPECT_EQ(text, content(file.path()));
  }
  EXPECT_EQ(names().size(), 10u);
}

TEST_F(key_file, simultaneous_rotations_lose_no_key) {
  const KeyFile file(path());
  ASSERT_TRUE(file.create_if_missing(entropy_));
  std::vector<int> slots(15, -1);
  {
    std::vector<std::jthread> threads;
    for (int& slot : slots) {
      threads.emplace_back([&] {
        OsEntropy entropy;
        const auto rotated = file.rotate(entropy);
        if (rotated) slot = *rotated;
      });
    }
  }
  EXPECT_EQ(std::set<int>(slots.begin(), slots.end()).size(), 15u);
  EXPECT_EQ(file.list().value().size(), 16u);
  EXPECT_EQ(file.rotate(entropy_).error().code, Code::KEYS_EXHAUSTED);
  EXPECT_EQ(names(), std::set<std::string>{"store.db.keys"});
}

TEST_F(key_file, changes_are_kept_and_stay_private) {
  const KeyFile file(path());
  ASSERT_TRUE(file.create_if_missing(entropy_));
  EXPECT_EQ(file.rotate(entropy_).value(), 1);
  EXPECT_EQ(file.list().value(),
            (std::vector<KeyInfo>{{0, KeyState::verify_only}, {1, KeyState::current}}));
  EXPECT_EQ(file.retire(1).error().code, Code::INVALID_INPUT);
  ASSERT_TRUE(file.retire(0));
  EXPECT_EQ(file.retire(0).error().code, Code::NOT_FOUND);
  EXPECT_EQ(file.list().value(), (std::vector<KeyInfo>{{1, KeyState::current}}));
  struct stat info{};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
}

TEST_F(key_file, change_clears_what_an_interrupted_one_left) {
  const KeyFile file(path());
  ASSERT_TRUE(file.create_if_missing(entropy_));
  write(path("store.db.keys.new"), "half a ri");
  ASSERT_TRUE(file.rotate(entropy_));
  EXPECT_EQ(names(), std::set<std::string>{"store.db.keys"});
  EXPECT_EQ(file.list().value().size(), 2u);
}

TEST_F(key_file, stamp_changes_with_every_change) {
  const KeyFile file(path());
  ASSERT_TRUE(file.create_if_missing(entropy_));
  KeyFile::Opened opened = file.read().value();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(file.stamp().value(), opened.stamp);
    const std::uint8_t before = opened.ring.current();
    ASSERT_TRUE(file.rotate(entropy_));
    ASSERT_TRUE(file.retire(before));
    EXPECT_NE(file.stamp().value(), opened.stamp);
    opened = file.read().value();
  }
}

// Enforces: G8
TEST_F(key_file, file_that_others_may_use_is_refused) {
  const KeyFile file(path());
  ASSERT_TRUE(file.create_if_missing(entropy_));
  for (const mode_t mode : {0640u, 0604u, 0620u, 0602u, 0610u, 0601u, 0666u}) {
    ::chmod(path().c_str(), mode);
    const auto opened = file.read();
    ASSERT_FALSE(opened) << mode;
    EXPECT_EQ(opened.error().code, Code::ENVIRONMENT);
    EXPECT_NE(opened.error().message.find("chmod 600 " + path()), std::string::npos);
    EXPECT_EQ(file.rotate(entropy_).error().code, Code::ENVIRONMENT);
  }
  for (const mode_t mode : {0600u, 0400u}) {
    ::chmod(path().c_str(), mode);
    EXPECT_TRUE(file.read()) << mode;
  }
}

TEST_F(key_file, damaged_file_is_refused_and_left_as_it_is) {
  const KeyFile file(path());
  for (const std::string& damaged :
       {std::string(), std::string("{\"version\":1,"), std::string(64, '\0'),
        std::string(limits::key_ring_bytes_max + 1, ' ')}) {
    write(path(), damaged);
    ASSERT_TRUE(file.create_if_missing(entropy_));
    const auto opened = file.read();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::STORE_CORRUPT);
    EXPECT_NE(opened.error().message.find(path()), std::string::npos);
    EXPECT_EQ(file.rotate(entropy_).error().code, Code::STORE_CORRUPT);
    EXPECT_EQ(file.retire(0).error().code, Code::STORE_CORRUPT);
    EXPECT_EQ(content(path()), damaged);
  }
}

TEST_F(key_file, missing_file_is_an_error_for_all_but_the_first_start) {
  const KeyFile file(path("store.db.keys"));
  // Gone with its store, and then without it.
  EXPECT_EQ(file.read().error().code, Code::STORE_REPLACED);
  std::ofstream(path("store.db")) << "x";
  EXPECT_EQ(file.read().error().code, Code::ENVIRONMENT);
  EXPECT_EQ(file.stamp().error().code, Code::ENVIRONMENT);
  EXPECT_EQ(file.rotate(entropy_).error().code, Code::ENVIRONMENT);
  EXPECT_EQ(names().size(), 1u);
}

TEST_F(key_file, missing_directory_is_an_error) {
  EXPECT_EQ(KeyFile(path("no/keys")).create_if_missing(entropy_).error().code, Code::ENVIRONMENT);
}

TEST_F(key_file, neither_a_directory_nor_a_pipe_is_a_key_file) {
  fs::create_directory(path("folder"));
  EXPECT_EQ(KeyFile(path("folder")).read().error().code, Code::ENVIRONMENT);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(KeyFile(path("pipe")).read().error().code, Code::ENVIRONMENT);
}

TEST_F(key_file, change_through_a_symbolic_link_changes_the_file_behind_it) {
  const KeyFile file(path());
  ASSERT_TRUE(file.create_if_missing(entropy_));
  fs::create_symlink(path(), path("link"));
  EXPECT_EQ(KeyFile(path("link")).rotate(entropy_).value(), 1);
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(file.list().value().size(), 2u);
}

}  // namespace
}  // namespace baton::adapters
