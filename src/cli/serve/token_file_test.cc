#include "cli/serve/token_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::cli {
namespace {

class CountingEntropy final : public ports::Entropy {
 public:
  void fill(std::span<std::uint8_t> bytes) override {
    for (auto& byte : bytes) byte = next_++;
  }

 private:
  std::uint8_t next_ = 0;
};

class TokenFile : public ::testing::Test {
 protected:
  TokenFile() {
    char name[] = "/tmp/baton-token-XXXXXX";
    folder_ = mkdtemp(name);
    path_ = cat(folder_, "/sub/db.http-token");
  }
  ~TokenFile() override { std::filesystem::remove_all(folder_); }

  void write(std::string_view text, mode_t mode = 0600) {
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
    std::ofstream(path_, std::ios::trunc) << text;
    chmod(path_.c_str(), mode);
  }

  std::string folder_;
  std::string path_;
  CountingEntropy entropy_;
};

TEST_F(TokenFile, is_made_once_for_its_owner_alone) {
  const auto first = open_token_file(path_, TokenPlace::beside_the_store, entropy_);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->is_new);
  EXPECT_EQ(first->text.size(), 64u);
  struct stat info{};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const auto second = open_token_file(path_, TokenPlace::beside_the_store, entropy_);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->is_new);
  EXPECT_EQ(second->text, first->text);
}

TEST_F(TokenFile, of_another_maker_is_read_without_its_line_end) {
  write("a-secret-of-my-own\r\n");
  EXPECT_EQ(open_token_file(path_, TokenPlace::beside_the_store, entropy_)->text,
            "a-secret-of-my-own");
}

TEST_F(TokenFile, that_others_can_use_is_refused) {
  for (const mode_t mode : {0640u, 0604u, 0660u}) {
    write("a-secret-of-my-own", mode);
    const auto secret = open_token_file(path_, TokenPlace::beside_the_store, entropy_);
    ASSERT_FALSE(secret);
    EXPECT_EQ(secret.error().code, Code::ENVIRONMENT);
    EXPECT_EQ(secret.error().message.find("a-secret"), std::string::npos);
  }
}

TEST_F(TokenFile, behind_a_link_is_read_only_where_the_user_named_it) {
  write("a-secret-of-my-own");
  const std::string kept = folder_ + "/kept";
  std::filesystem::rename(path_, kept);
  std::filesystem::create_symlink(kept, path_);
  const auto planted = open_token_file(path_, TokenPlace::beside_the_store, entropy_);
  ASSERT_FALSE(planted);
  EXPECT_EQ(planted.error().code, Code::ENVIRONMENT);
  EXPECT_NE(planted.error().message.find("is a symbolic link"), std::string::npos);
  EXPECT_EQ(open_token_file(path_, TokenPlace::named, entropy_)->text, "a-secret-of-my-own");
}

TEST_F(TokenFile, of_another_user_is_refused) {
  if (geteuid() != 0) return;
  write("a-secret-of-my-own");
  ASSERT_EQ(chown(path_.c_str(), 12345, 12345), 0);
  for (const TokenPlace place : {TokenPlace::beside_the_store, TokenPlace::named}) {
    const auto planted = open_token_file(path_, place, entropy_);
    ASSERT_FALSE(planted);
    EXPECT_NE(planted.error().message.find("belongs to another user"), std::string::npos);
  }
}

TEST_F(TokenFile, without_a_fit_secret_is_refused) {
  const std::string shortest(limits::http_secret_chars_min, 'x');
  write(shortest);
  EXPECT_TRUE(open_token_file(path_, TokenPlace::beside_the_store, entropy_));
  write(shortest.substr(1));
  EXPECT_FALSE(open_token_file(path_, TokenPlace::beside_the_store, entropy_));
  write("");
  EXPECT_FALSE(open_token_file(path_, TokenPlace::beside_the_store, entropy_));
  write(shortest + " two words");
  EXPECT_FALSE(open_token_file(path_, TokenPlace::beside_the_store, entropy_));
  write(std::string(limits::http_secret_bytes_max, 'x'));
  EXPECT_TRUE(open_token_file(path_, TokenPlace::beside_the_store, entropy_));
  write(std::string(limits::http_secret_bytes_max + 1, 'x'));
  EXPECT_FALSE(open_token_file(path_, TokenPlace::beside_the_store, entropy_));
}

TEST_F(TokenFile, that_is_not_a_file_is_refused) {
  std::filesystem::create_directories(path_);
  EXPECT_FALSE(open_token_file(path_, TokenPlace::beside_the_store, entropy_));
}

}  // namespace
}  // namespace baton::cli
