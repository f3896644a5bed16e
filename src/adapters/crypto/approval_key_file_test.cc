#include "adapters/crypto/approval_key_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "adapters/crypto/ed25519.h"
#include "adapters/os/repeatable.h"
#include "base/core/approval_limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view passphrase = "correct horse";
constexpr std::string_view other_passphrase = "another horse";

class ApprovalKeyFileTest : public ::testing::Test {
 protected:
  ApprovalKeyFileTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ApprovalKeyFileTest() override { std::filesystem::remove_all(folder_); }

  LockedKeyFile file() { return LockedKeyFile(path_, entropy_, {16, 1, 1}); }
  void write(const std::string& text) { std::ofstream(path_, std::ios::trunc) << text; }
  std::string content() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::string folder_ = cat(::testing::TempDir(), "/approval-key-", ::getpid());
  const std::string path_ = folder_ + "/new/approval.key";
  FixedEntropy entropy_{3};
};

using approval_key_file = ApprovalKeyFileTest;

TEST_F(approval_key_file, a_key_that_was_made_seals_after_it_is_unlocked) {
  const auto made = file().make(passphrase).value();
  LockedKeyFile again = file();
  EXPECT_EQ(again.key().value(), made->key());
  const auto open = again.unlock(passphrase).value();
  const run::Seal seal = open->seal("text").value();
  EXPECT_EQ(seal.key, made->key());
  EXPECT_TRUE(ed25519_fits(seal.key, "text", seal.signature));
}

TEST_F(approval_key_file, is_for_its_owner_alone_and_never_replaced) {
  ASSERT_TRUE(file().make(passphrase));
  struct stat found{};
  ASSERT_EQ(::stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat((folder_ + "/new").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
  const std::string before = content();
  EXPECT_EQ(file().make(passphrase).error().code, Code::INVALID_INPUT);
  EXPECT_EQ(content(), before);
}

// Enforces: G28
TEST_F(approval_key_file, a_process_has_so_many_tries) {
  ASSERT_TRUE(file().make(passphrase));
  LockedKeyFile mine = file();
  for (std::int64_t i = 1; i < limits::passphrase_tries_max; ++i) {
    EXPECT_EQ(mine.unlock("not this one").error().code, Code::INVALID_INPUT);
  }
  EXPECT_TRUE(mine.unlock(passphrase)) << "the last try counts";
  EXPECT_EQ(mine.unlock("not this one").error().code, Code::LIMIT_EXCEEDED) << "the last one";
  EXPECT_EQ(mine.unlock(passphrase).error().code, Code::LIMIT_EXCEEDED);
}

TEST_F(approval_key_file, without_a_file_there_is_a_way_on) {
  EXPECT_EQ(file().key().error().code, Code::NOT_FOUND);
  const auto refused = file().unlock(passphrase);
  EXPECT_EQ(refused.error().code, Code::NOT_FOUND);
  EXPECT_EQ(file().prepared().value(), std::nullopt);
}

// Enforces: G28
TEST_F(approval_key_file, a_file_that_is_open_to_others_or_planted_is_refused) {
  ASSERT_TRUE(file().make(passphrase));
  for (const mode_t open : {0640, 0604, 0620}) {
    ASSERT_EQ(::chmod(path_.c_str(), open), 0);
    EXPECT_EQ(file().unlock(passphrase).error().code, Code::ENVIRONMENT) << open;
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_TRUE(file().unlock(passphrase));

  const std::string moved = folder_ + "/moved";
  std::filesystem::rename(path_, moved);
  std::filesystem::create_symlink(moved, path_);
  EXPECT_EQ(file().unlock(passphrase).error().code, Code::ENVIRONMENT) << "a link";
  std::filesystem::remove(path_);
  std::filesystem::create_hard_link(moved, path_);
  EXPECT_EQ(file().unlock(passphrase).error().code, Code::ENVIRONMENT) << "a second name";
  std::filesystem::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(file().unlock(passphrase).error().code, Code::ENVIRONMENT) << "a pipe";
}

TEST_F(approval_key_file, a_damaged_file_is_an_error_and_stays) {
  ASSERT_TRUE(file().make(passphrase));
  const std::string whole = content();
  for (const std::string& text : {std::string(), whole.substr(0, whole.size() / 2),
                                  std::string("not a key\n"), whole + "more"}) {
    write(text);
    const auto refused = file().unlock(passphrase);
    EXPECT_EQ(refused.error().code, Code::STORE_CORRUPT) << text;
    EXPECT_THAT(refused.error().message, HasSubstr(path_));
    EXPECT_EQ(content(), text);
  }
  write(std::string(limits::approval_key_file_bytes_max + 1, ' '));
  EXPECT_EQ(file().key().error().code, Code::LIMIT_EXCEEDED);
  write(whole + std::string(limits::approval_key_file_bytes_max - whole.size(), ' '));
  EXPECT_TRUE(file().key());
}

// Enforces: G28
TEST_F(approval_key_file, a_file_with_the_name_of_another_key_does_not_open) {
  const std::string mine = file().make(passphrase).value()->key();
  const std::string stranger = ed25519_public_key(SecretKey()).value();
  std::string text = content();
  text.replace(text.find(mine), mine.size(), stranger);
  write(text);
  EXPECT_EQ(file().key().value(), stranger) << "that is all the file says";
  EXPECT_EQ(file().unlock(passphrase).error().code, Code::INVALID_INPUT);
}

TEST_F(approval_key_file, another_key_takes_its_place_once_it_is_told_to) {
  const std::string before = file().make(passphrase).value()->key();
  const std::string forgotten = file().prepare(other_passphrase).value()->key();
  const std::string next = file().prepare(other_passphrase).value()->key();
  EXPECT_NE(forgotten, next);
  EXPECT_EQ(file().key().value(), before);
  EXPECT_EQ(file().prepared().value(), next);
  ASSERT_TRUE(file().take_prepared());
  EXPECT_EQ(file().key().value(), next);
  EXPECT_EQ(file().prepared().value(), std::nullopt);
  EXPECT_TRUE(file().unlock(other_passphrase));
  EXPECT_EQ(file().unlock(passphrase).error().code, Code::INVALID_INPUT);
  LockedKeyFile kept(cat(path_, ".before-", before.substr(0, 16)), entropy_);
  EXPECT_EQ(kept.unlock(passphrase).value()->key(), before) << "for other stores";
}

TEST_F(approval_key_file, a_crash_while_it_is_replaced_loses_neither) {
  const std::string before = file().make(passphrase).value()->key();
  const std::string next = file().prepare(other_passphrase).value()->key();
  std::filesystem::rename(path_, cat(path_, ".before-", before.substr(0, 16)));
  ASSERT_TRUE(file().take_prepared());
  EXPECT_EQ(file().key().value(), next);
}

}  // namespace
}  // namespace baton::adapters
