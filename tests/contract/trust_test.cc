// The suite of the Trust port, run against the user's file and against memory, and what only a file
// promises.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "adapters/memory/memory_trust.h"
#include "adapters/trust/trust_file.h"
#include "base/limits.h"
#include "base/text.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

using adapters::TrustFile;
using adapters::TrustList;
using ports::TrustedWorkflow;

TrustedWorkflow workflow(std::string id) { return {sha256(id), id, {1'000}}; }

struct Kind {
  std::string_view name;
  std::unique_ptr<ports::TrustAdmin> (*open)(const TempDir&);
};

class Trust : public ::testing::TestWithParam<Kind> {
 protected:
  TempDir folder_;
  std::unique_ptr<ports::TrustAdmin> trust_ = GetParam().open(folder_);
};

TEST_P(Trust, nothing_is_trusted_at_first) {
  EXPECT_FALSE(*trust_->is_trusted(sha256("a")));
  EXPECT_TRUE(trust_->list()->empty());
  EXPECT_FALSE(*trust_->revoke(sha256("a")));
}

TEST_P(Trust, what_was_added_is_trusted_until_it_is_revoked) {
  ASSERT_TRUE(trust_->add(workflow("a")));
  ASSERT_TRUE(trust_->add(workflow("b")));
  EXPECT_TRUE(*trust_->is_trusted(sha256("a")));
  EXPECT_TRUE(*trust_->is_trusted(sha256("b")));
  EXPECT_FALSE(*trust_->is_trusted(sha256("c")));
  EXPECT_EQ(*trust_->list(), (std::vector{workflow("a"), workflow("b")}));
  EXPECT_TRUE(*trust_->revoke(sha256("a")));
  EXPECT_FALSE(*trust_->revoke(sha256("a")));
  EXPECT_FALSE(*trust_->is_trusted(sha256("a")));
  EXPECT_TRUE(*trust_->is_trusted(sha256("b")));
}

TEST_P(Trust, adding_twice_changes_nothing) {
  ASSERT_TRUE(trust_->add(workflow("a")));
  ASSERT_TRUE(trust_->add({sha256("a"), "another name", {2'000}}));
  EXPECT_EQ(*trust_->list(), std::vector{workflow("a")});
}

TEST_P(Trust, threads_lose_nothing_of_each_other) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 5; ++k) EXPECT_TRUE(trust_->add(workflow(cat(i, '-', k))));
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(trust_->list()->size(), 20u);
}

INSTANTIATE_TEST_SUITE_P(
    , Trust,
    ::testing::Values(Kind{"file",
                           [](const TempDir& folder) -> std::unique_ptr<ports::TrustAdmin> {
                             return std::make_unique<TrustFile>(folder.path("new/folder/trusted"),
                                                                TrustFile::Scope::listed);
                           }},
                      Kind{"memory",
                           [](const TempDir&) -> std::unique_ptr<ports::TrustAdmin> {
                             return std::make_unique<adapters::MemoryTrust>();
                           }}),
    [](const auto& tested) { return std::string(tested.param.name); });

class trust_file : public ::testing::Test {
 protected:
  TrustFile open() { return {path_, TrustFile::Scope::listed}; }
  std::string content() {
    std::ostringstream out;
    out << std::ifstream(path_).rdbuf();
    return out.str();
  }

  TempDir folder_;
  std::string path_ = folder_.path("trusted");
};

TEST_F(trust_file, is_the_owners_alone_and_read_by_others_at_once) {
  TrustFile one = open();
  TrustFile other = open();
  ASSERT_TRUE(one.add(workflow("a")));
  EXPECT_TRUE(*other.is_trusted(sha256("a")));
  struct stat info{};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_TRUE(*other.revoke(sha256("a")));
  EXPECT_FALSE(*one.is_trusted(sha256("a")));
}

TEST_F(trust_file, processes_lose_nothing_of_each_other) {
  for (int i = 0; i < 4; ++i) {
    if (::fork() != 0) continue;
    bool good = true;
    for (int k = 0; k < 10; ++k) good = open().add(workflow(cat(i, '-', k))) && good;
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  while (::wait(&status) > 0) EXPECT_EQ(status, 0);
  EXPECT_EQ(open().list()->size(), 40u);
}

TEST_F(trust_file, counts_for_nothing_when_others_can_use_it) {
  ASSERT_TRUE(open().add(workflow("a")));
  for (const mode_t mode : {0640u, 0620u, 0604u, 0602u}) {
    ::chmod(path_.c_str(), mode);
    const auto trusted = open().is_trusted(sha256("a"));
    ASSERT_FALSE(trusted) << mode;
    EXPECT_EQ(trusted.error().code, Code::ENVIRONMENT);
    EXPECT_FALSE(open().add(workflow("b")));
  }
}

TEST_F(trust_file, counts_for_nothing_when_it_is_a_link_or_no_file) {
  ASSERT_TRUE(open().add(workflow("a")));
  std::filesystem::rename(path_, folder_.path("elsewhere"));
  std::filesystem::create_symlink(folder_.path("elsewhere"), path_);
  EXPECT_FALSE(open().is_trusted(sha256("a")));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_FALSE(open().is_trusted(sha256("a")));
}

TEST_F(trust_file, counts_for_nothing_when_it_is_damaged) {
  ASSERT_TRUE(open().add(workflow("a")));
  const std::string whole = content();
  const auto code_with = [&](std::string_view text) {
    std::ofstream(path_) << text;
    return open().is_trusted(sha256("a")).error().code;
  };
  EXPECT_EQ(code_with(whole.substr(0, whole.size() - 3)), Code::STORE_CORRUPT);
  EXPECT_EQ(code_with(""), Code::STORE_CORRUPT);
  EXPECT_EQ(code_with("{}"), Code::STORE_CORRUPT);
  EXPECT_EQ(code_with(R"({"version":1,"workflows":[{"hash":"xyz","id":"a","since":1}]})"),
            Code::STORE_CORRUPT);
  EXPECT_EQ(code_with(R"({"version":1,"workflows":[],"all":true})"), Code::STORE_CORRUPT);
  EXPECT_EQ(code_with(R"({"version":2,"workflows":[]})"), Code::STORE_NEWER);
}

// Enforces: G9
TEST_F(trust_file, has_a_bound_on_its_size_and_entries) {
  TrustList list;
  for (std::size_t i = 0; i < limits::trusted_workflows_max; ++i) {
    ASSERT_TRUE(list.add(workflow(cat("workflow-", i))));
  }
  EXPECT_EQ(TrustList::parse(list.print())->all().size(), limits::trusted_workflows_max);
  EXPECT_EQ(list.add(workflow("one more")).error().code, Code::LIMIT_EXCEEDED);
  std::string text = list.print();
  text.resize(limits::trust_file_bytes_max, ' ');
  EXPECT_TRUE(TrustList::parse(text));
  EXPECT_FALSE(TrustList::parse(text + ' '));
}

TEST_F(trust_file, of_every_workflow_needs_no_list) {
  TrustFile every("", TrustFile::Scope::every);
  EXPECT_TRUE(*every.is_trusted(sha256("a")));
  TrustFile none("", TrustFile::Scope::listed);
  EXPECT_FALSE(*none.is_trusted(sha256("a")));
  EXPECT_EQ(none.add(workflow("a")).error().code, Code::ENVIRONMENT);
}

}  // namespace
}  // namespace baton::contract
