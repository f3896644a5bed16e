// The suite of the Trust port, run against the user's file and against memory, and what only a file
// promises.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "adapters/trust/testing/memory_trust.h"
#include "adapters/trust/trust_file.h"
#include "base/core/limits.h"
#include "base/text/text.h"
#include "support/stores.h"

namespace baton::contract {
namespace {

using adapters::TrustFile;
using adapters::TrustList;
using ports::NamedFiles;
using ports::TrustedWorkflow;

TrustedWorkflow unbound(std::string id) { return {sha256(id), id, {1'000}}; }

struct Kind {
  std::string_view name;
  std::unique_ptr<ports::TrustAdmin> (*open)(const TempDir&);
};

class Trust : public ::testing::TestWithParam<Kind> {
 protected:
  Trust() {
    std::filesystem::create_directories(here());
    std::filesystem::create_directories(elsewhere());
  }

  std::string here() const { return folder_.path("here"); }
  std::string elsewhere() const { return folder_.path("elsewhere"); }

  void write(const std::string& name, std::string_view text) const {
    const std::filesystem::path path = std::filesystem::path(here()) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  /// As the user would say it about `here`, of commands with these words.
  TrustedWorkflow workflow(const std::string& id, std::vector<std::string> words = {}) {
    const NamedFiles command{"", std::move(words)};
    ports::Binding seen = trust_->look(here(), {&command, 1}).value();
    return {sha256(id), id, {1'000}, std::move(seen.project), std::move(seen.files)};
  }

  bool is_trusted(const std::string& id, const std::string& folder) {
    return trust_->judge(sha256(id), folder)->is_trusted;
  }
  bool is_trusted(const std::string& id) { return is_trusted(id, here()); }

  /// Empty when a command with these words may be run.
  std::string why_not(const std::string& id, const NamedFiles& command) {
    const ports::TrustVerdict verdict = trust_->judge(sha256(id), here(), command).value();
    EXPECT_EQ(verdict.is_trusted, verdict.reason.empty());
    return verdict.reason;
  }

  TempDir folder_;
  std::unique_ptr<ports::TrustAdmin> trust_ = GetParam().open(folder_);
};

TEST_P(Trust, nothing_is_trusted_at_first) {
  EXPECT_FALSE(is_trusted("a"));
  EXPECT_EQ(trust_->judge(sha256("a"), here())->reason, "");
  EXPECT_TRUE(trust_->list()->empty());
  EXPECT_FALSE(*trust_->revoke(sha256("a")));
}

TEST_P(Trust, what_was_added_is_trusted_until_it_is_revoked) {
  ASSERT_TRUE(trust_->add(workflow("a")));
  ASSERT_TRUE(trust_->add(workflow("b")));
  EXPECT_TRUE(is_trusted("a"));
  EXPECT_TRUE(is_trusted("b"));
  EXPECT_FALSE(is_trusted("c"));
  EXPECT_EQ(*trust_->list(), (std::vector{workflow("a"), workflow("b")}));
  EXPECT_TRUE(*trust_->revoke(sha256("a")));
  EXPECT_FALSE(*trust_->revoke(sha256("a")));
  EXPECT_FALSE(is_trusted("a"));
  EXPECT_TRUE(is_trusted("b"));
}

TEST_P(Trust, adding_twice_changes_nothing) {
  ASSERT_TRUE(trust_->add(workflow("a")));
  TrustedWorkflow again = workflow("a");
  again.id = "another name";
  again.since = {2'000};
  ASSERT_TRUE(trust_->add(again));
  EXPECT_EQ(*trust_->list(), std::vector{workflow("a")});
}

// Enforces: G21
TEST_P(Trust, holds_for_the_project_that_was_seen_and_for_no_other) {
  ASSERT_TRUE(trust_->add(workflow("a")));
  EXPECT_TRUE(is_trusted("a"));
  EXPECT_FALSE(is_trusted("a", elsewhere()));
  EXPECT_FALSE(is_trusted("a", folder_.path("")));
  const std::string reason = trust_->judge(sha256("a"), elsewhere())->reason;
  EXPECT_TRUE(reason.contains(
      cat("`baton trust a --project ", std::filesystem::canonical(elsewhere()).string(), '`')))
      << reason;
  // A folder inside of it is another one too.
  std::filesystem::create_directory(here() + "/inner");
  EXPECT_FALSE(is_trusted("a", here() + "/inner"));
  // By every path that leads to it.
  std::filesystem::create_directory_symlink(here(), folder_.path("link"));
  EXPECT_TRUE(is_trusted("a", folder_.path("link")));
}

// Enforces: G21
TEST_P(Trust, ends_when_another_folder_takes_the_place_of_the_project) {
  ASSERT_TRUE(trust_->add(workflow("a")));
  std::filesystem::rename(here(), folder_.path("moved"));
  EXPECT_FALSE(trust_->judge(sha256("a"), here()));  // there is none
  std::filesystem::create_directory(here());
  const ports::TrustVerdict verdict = trust_->judge(sha256("a"), here()).value();
  EXPECT_FALSE(verdict.is_trusted);
  EXPECT_TRUE(verdict.reason.contains("another folder that was at")) << verdict.reason;
  EXPECT_FALSE(is_trusted("a", folder_.path("moved")));
}

// Enforces: G21
TEST_P(Trust, ends_for_a_command_when_a_file_that_it_names_changes) {
  write("check.sh", "true\n");
  write("tools/y.py", "pass\n");
  ASSERT_TRUE(trust_->add(workflow("a", {"check.sh", "tools/y.py", "missing.sh"})));
  EXPECT_EQ(trust_->list()->front().files.size(), 2u);
  EXPECT_EQ(why_not("a", {"", {"check.sh"}}), "");
  write("check.sh", "false\n");
  EXPECT_TRUE(why_not("a", {"", {"check.sh"}})
                  .contains("check.sh, which the command names, has "
                            "changed"));
  EXPECT_EQ(why_not("a", {"", {"tools/y.py"}}), "");
  EXPECT_TRUE(why_not("a", {"", {"tools/y.py", "./check.sh"}}).contains("`baton trust a"));
  // What is as it was is trusted as it was.
  write("check.sh", "true\n");
  EXPECT_EQ(why_not("a", {"", {"check.sh"}}), "");
  // What was not there could not be seen.
  write("missing.sh", "true\n");
  EXPECT_TRUE(why_not("a", {"", {"missing.sh"}}).contains("was not there"));
  // Looking again is enough.
  ASSERT_TRUE(trust_->add(workflow("a", {"check.sh", "tools/y.py", "missing.sh"})));
  EXPECT_EQ(trust_->list()->size(), 1u);
  EXPECT_EQ(why_not("a", {"", {"missing.sh"}}), "");
}

// Enforces: G21
TEST_P(Trust, sees_a_file_by_every_path_that_leads_to_it) {
  write("sub/x.sh", "true\n");
  write("x.sh", "true\n");
  const std::string absolute = std::filesystem::canonical(here()).string() + "/sub/x.sh";
  ASSERT_TRUE(trust_->add(workflow("a")));
  EXPECT_NE(why_not("a", {"", {"sub/x.sh"}}), "");
  EXPECT_NE(why_not("a", {"", {"./sub/../sub/x.sh"}}), "");
  EXPECT_NE(why_not("a", {"sub", {"x.sh"}}), "");
  EXPECT_NE(why_not("a", {"sub", {"../x.sh"}}), "");
  EXPECT_NE(why_not("a", {"", {"sub", "x.sh"}}), "");  // cd sub && ./x.sh
  EXPECT_NE(why_not("a", {"", {absolute}}), "");
  std::filesystem::create_symlink(absolute, here() + "/link.sh");
  EXPECT_NE(why_not("a", {"", {"link.sh"}}), "");
  std::filesystem::create_directory_symlink(here(), folder_.path("link"));
  EXPECT_NE(why_not("a", {"", {folder_.path("link/sub/x.sh")}}), "");
  // A file of the machine is not the project's.
  EXPECT_EQ(why_not("a", {"", {"/bin/sh", "sh", "no-such-file"}}), "");
}

// Enforces: G21
TEST_P(Trust, sees_what_is_behind_several_changes_of_the_folder) {
  write("a/b/x.sh", "true\n");
  write("a/b/c/d/y.sh", "true\n");
  ASSERT_TRUE(trust_->add(workflow("a")));
  EXPECT_NE(why_not("a", {"", {"a", "b", "x.sh"}}), "");            // cd a && cd b && ./x.sh
  EXPECT_NE(why_not("a", {"", {"y.sh", "d", "c", "b", "a"}}), "");  // in any order
  EXPECT_NE(why_not("a", {"", {"a/b/c", "..", "x.sh"}}), "");       // cd a/b/c && cd ..
  EXPECT_NE(why_not("a", {"", {"./a/", "./b/", "./x.sh"}}), "");
}

// Enforces: G21
TEST_P(Trust, takes_the_way_up_from_where_a_link_leads) {
  namespace fs = std::filesystem;
  write("x.sh", "true\n");
  write("tools/README", "x");
  const std::vector<NamedFiles> commands = {{"", {"tools/../x.sh"}}, {"", {"tools", "../x.sh"}}};
  ports::Binding seen = trust_->look(here(), commands).value();
  ASSERT_EQ(seen.files.size(), 1u);
  EXPECT_EQ(seen.files.front().path, "x.sh");
  ASSERT_TRUE(trust_->add({sha256("a"), "a", {1}, std::move(seen.project), std::move(seen.files)}));
  for (const NamedFiles& each : commands) EXPECT_EQ(why_not("a", each), "");
  write("vendor/x.sh", "echo another\n");
  fs::create_directory(here() + "/vendor/d");
  fs::rename(here() + "/tools", here() + "/before");
  fs::create_directory_symlink("vendor/d", here() + "/tools");
  for (const NamedFiles& each : commands) {
    EXPECT_TRUE(why_not("a", each).contains("vendor/x.sh, which the command names, was not there"))
        << why_not("a", each);
  }
  // A shell that changes back goes where the text says.
  write("a/x.sh", "true\n");
  fs::create_directory_symlink("../vendor/d", here() + "/a/link");
  EXPECT_TRUE(why_not("a", {"", {"a/link", "..", "./x.sh"}}).contains("a/x.sh, which"));
}

// Enforces: G21
TEST_P(Trust, is_not_given_to_a_command_that_may_be_in_too_many_folders) {
  ASSERT_TRUE(trust_->add(workflow("a")));
  std::string deep = here();
  for (std::size_t i = 0; i < limits::trusted_files_max / 4; ++i) deep += "/d";
  std::filesystem::create_directories(deep);
  const auto judged = trust_->judge(sha256("a"), here(), {"", {"d", "x.sh"}});
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().code, Code::LIMIT_EXCEEDED);
}

TEST_P(Trust, takes_no_word_for_a_file_that_cannot_be_digested) {
  ASSERT_TRUE(trust_->add(workflow("a")));
  ASSERT_EQ(::mkfifo((here() + "/pipe").c_str(), 0600), 0);
  const auto judged = trust_->judge(sha256("a"), here(), {"", {"pipe"}});
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().code, Code::ENVIRONMENT);
}

// Enforces: G9
TEST_P(Trust, reads_a_bounded_number_of_files_of_a_bounded_size) {
  write("large", std::string(limits::trusted_file_bytes_max, 'x'));
  NamedFiles command{"", {"large"}};
  EXPECT_TRUE(trust_->look(here(), {&command, 1}));
  write("large", std::string(limits::trusted_file_bytes_max + 1, 'x'));
  EXPECT_EQ(trust_->look(here(), {&command, 1}).error().code, Code::LIMIT_EXCEEDED);
  command.words.clear();
  for (std::size_t i = 0; i < limits::trusted_files_max; ++i) {
    command.words.push_back(cat("file", i));
    write(command.words.back(), "x");
  }
  EXPECT_EQ(trust_->look(here(), {&command, 1})->files.size(), limits::trusted_files_max);
  command.words.emplace_back("last");
  write("last", "x");
  EXPECT_EQ(trust_->look(here(), {&command, 1}).error().code, Code::LIMIT_EXCEEDED);
}

TEST_P(Trust, threads_lose_nothing_of_each_other) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 5; ++k) EXPECT_TRUE(trust_->add(unbound(cat(i, '-', k))));
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(trust_->list()->size(), 20u);
}

INSTANTIATE_TEST_SUITE_P(
    , Trust,
    ::testing::Values(Kind{"file",
                           [](const TempDir& folder) -> std::unique_ptr<ports::TrustAdmin> {
                             return std::make_unique<TrustFile>(folder.path("new/folder/trusted"));
                           }},
                      Kind{"memory",
                           [](const TempDir&) -> std::unique_ptr<ports::TrustAdmin> {
                             return std::make_unique<adapters::MemoryTrust>();
                           }}),
    [](const auto& tested) { return std::string(tested.param.name); });

class trust_file : public ::testing::Test {
 protected:
  trust_file() { std::filesystem::create_directory(here_); }

  TrustedWorkflow workflow(const std::string& id) {
    return {sha256(id), id, {1'000}, open().look(here_, {})->project};
  }
  TrustFile open() { return TrustFile(path_); }
  TrustFile open(adapters::CommandVariables variables) {
    return TrustFile(path_, std::move(variables));
  }
  std::string content() {
    std::ostringstream out;
    out << std::ifstream(path_).rdbuf();
    return out.str();
  }

  TempDir folder_;
  std::string path_ = folder_.path("trusted");
  std::string here_ = folder_.path("here");
};

TEST_F(trust_file, is_the_owners_alone_and_read_by_others_at_once) {
  TrustFile one = open();
  TrustFile other = open();
  ASSERT_TRUE(one.add(workflow("a")));
  EXPECT_TRUE(other.judge(sha256("a"), here_)->is_trusted);
  struct stat info{};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_TRUE(*other.revoke(sha256("a")));
  EXPECT_FALSE(one.judge(sha256("a"), here_)->is_trusted);
}

// Enforces: G21
TEST_F(trust_file, of_a_release_that_bound_nothing_counts_for_nothing_until_it_is_renewed) {
  std::ofstream(path_) << R"({"version": 1, "workflows": [{"hash": ")" << sha256("a").hex()
                       << R"(", "id": "a", "since": 5}]})";
  ::chmod(path_.c_str(), 0600);
  const ports::TrustVerdict before = open().judge(sha256("a"), here_).value();
  EXPECT_FALSE(before.is_trusted);
  EXPECT_TRUE(before.reason.contains("before trust was bound to a project")) << before.reason;
  EXPECT_EQ(*open().list(), (std::vector<TrustedWorkflow>{{sha256("a"), "a", {5}}}));
  // Others are added beside it, and it stays what it is.
  ASSERT_TRUE(open().add(workflow("b")));
  EXPECT_FALSE(open().judge(sha256("a"), here_)->is_trusted);
  EXPECT_TRUE(open().judge(sha256("b"), here_)->is_trusted);
  ASSERT_TRUE(open().add(workflow("a")));
  EXPECT_TRUE(open().judge(sha256("a"), here_)->is_trusted);
  EXPECT_EQ(open().list()->size(), 2u);
}

// Enforces: G21
TEST_F(trust_file, sees_programs_that_the_path_finds_in_the_project) {
  const std::string bin = here_ + "/bin";
  std::filesystem::create_directory(bin);
  TrustFile file = open({.path = cat("/usr/bin:", bin)});
  ASSERT_TRUE(file.add(workflow("a")));
  EXPECT_TRUE(file.judge(sha256("a"), here_, {"", {"lint"}})->is_trusted);
  std::ofstream(bin + "/lint") << "#!/bin/sh\n";
  EXPECT_FALSE(file.judge(sha256("a"), here_, {"", {"lint"}})->is_trusted);
}

// Enforces: G21
TEST_F(trust_file, sees_programs_for_data_and_folders_of_the_path_that_are_not_absolute) {
  const std::string folder = std::filesystem::canonical(here_).string();
  TrustFile trust = open({.path = cat(folder, "/bin:tools:/usr/bin:")});
  ports::Binding seen = trust.look(here_, {}).value();
  ASSERT_TRUE(trust.add({sha256("a"), "a", {1}, std::move(seen.project), {}}));
  const NamedFiles command{"", {}, {"cat"}};
  EXPECT_TRUE(trust.judge(sha256("a"), here_, command)->is_trusted);
  for (const char* name : {"cat", "bin/cat", "tools/cat"}) {
    std::filesystem::create_directories(std::filesystem::path(folder + '/' + name).parent_path());
    std::ofstream(folder + '/' + name) << "#!/bin/sh\n";
    EXPECT_FALSE(trust.judge(sha256("a"), here_, command)->is_trusted) << name;
    std::filesystem::remove(folder + '/' + name);
  }
  // From the folder that the command runs in, and from those it changes to.
  std::filesystem::create_directories(folder + "/sub/tools");
  std::ofstream(folder + "/sub/tools/cat") << "#!/bin/sh\n";
  EXPECT_TRUE(trust.judge(sha256("a"), here_, command)->is_trusted);
  EXPECT_FALSE(trust.judge(sha256("a"), here_, {"sub", {}, {"cat"}})->is_trusted);
  EXPECT_FALSE(trust.judge(sha256("a"), here_, {"", {"sub", "cat"}})->is_trusted);
}

// Enforces: G21
TEST_F(trust_file, sees_what_is_named_from_the_home_folder) {
  const std::string folder = std::filesystem::canonical(here_).string();
  TrustFile trust = open({.home = folder + "/home"});
  ports::Binding seen = trust.look(here_, {}).value();
  ASSERT_TRUE(trust.add({sha256("a"), "a", {1}, std::move(seen.project), {}}));
  std::filesystem::create_directory(folder + "/home");
  std::ofstream(folder + "/home/x.sh") << "true\n";
  std::ofstream(folder + "/y.sh") << "true\n";
  for (const NamedFiles& each :
       {NamedFiles{"", {"~/x.sh"}}, {"", {"~/../y.sh"}}, {"", {"~", "x.sh"}}}) {
    EXPECT_FALSE(trust.judge(sha256("a"), here_, each)->is_trusted) << each.words.front();
  }
}

TEST_F(trust_file, tells_projects_apart_by_when_they_were_made_or_by_their_device) {
  const ports::Project one{.path = "/p", .device = 1, .inode = 2, .made_ns = 3};
  ports::Project other = one;
  other.device = 9;  // as after another start of the machine
  EXPECT_TRUE(ports::is_same(one, other));
  other.made_ns = 4;
  EXPECT_FALSE(ports::is_same(one, other));
  other.made_ns = 0;
  EXPECT_FALSE(ports::is_same(one, other));
  other.device = 1;
  EXPECT_TRUE(ports::is_same(one, other));
  other.inode = 7;
  EXPECT_FALSE(ports::is_same(one, other));
  other = one;
  other.path = "/q";
  EXPECT_FALSE(ports::is_same(one, other));
}

TEST_F(trust_file, processes_lose_nothing_of_each_other) {
  for (int i = 0; i < 4; ++i) {
    if (::fork() != 0) continue;
    bool good = true;
    for (int k = 0; k < 10; ++k) good = open().add(unbound(cat(i, '-', k))) && good;
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
    const auto trusted = open().judge(sha256("a"), here_);
    ASSERT_FALSE(trusted) << mode;
    EXPECT_EQ(trusted.error().code, Code::ENVIRONMENT);
    EXPECT_FALSE(open().add(workflow("b")));
  }
}

TEST_F(trust_file, counts_for_nothing_when_it_is_a_link_or_no_file) {
  ASSERT_TRUE(open().add(workflow("a")));
  std::filesystem::rename(path_, folder_.path("elsewhere"));
  std::filesystem::create_symlink(folder_.path("elsewhere"), path_);
  EXPECT_FALSE(open().judge(sha256("a"), here_));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_FALSE(open().judge(sha256("a"), here_));
}

TEST_F(trust_file, counts_for_nothing_when_it_is_damaged) {
  ASSERT_TRUE(open().add(workflow("a")));
  const std::string whole = content();
  const auto code_with = [&](std::string_view text) {
    std::ofstream(path_) << text;
    return open().judge(sha256("a"), here_).error().code;
  };
  EXPECT_EQ(code_with(whole.substr(0, whole.size() - 3)), Code::STORE_CORRUPT);
  EXPECT_EQ(code_with(""), Code::STORE_CORRUPT);
  EXPECT_EQ(code_with("{}"), Code::STORE_CORRUPT);
  EXPECT_EQ(code_with(R"({"version":1,"workflows":[{"hash":"xyz","id":"a","since":1}]})"),
            Code::STORE_CORRUPT);
  EXPECT_EQ(code_with(R"({"version":1,"workflows":[],"all":true})"), Code::STORE_CORRUPT);
  for (const char* project : {"1", R"({"path":"/","device":"1","inode":"2"})",
                              R"({"path":"/","device":1,"inode":"2","made_ns":"3"})",
                              R"({"path":"/","device":"-1","inode":"2","made_ns":"3"})",
                              R"({"path":"/","device":"1","inode":"2","made_ns":"3x"})"}) {
    EXPECT_EQ(code_with(cat(R"({"version":2,"workflows":[{"hash":")", sha256("a").hex(),
                            R"(","id":"a","since":1,"files":[],"project":)", project, "}]}")),
              Code::STORE_CORRUPT)
        << project;
  }
  EXPECT_EQ(code_with(R"({"version":3,"workflows":[]})"), Code::STORE_NEWER);
}

// Enforces: G9
TEST_F(trust_file, has_a_bound_on_its_size_and_entries) {
  TrustList list;
  for (std::size_t i = 0; i < limits::trusted_workflows_max; ++i) {
    ASSERT_TRUE(list.add(unbound(cat("workflow-", i))));
  }
  EXPECT_EQ(TrustList::parse(list.print())->all().size(), limits::trusted_workflows_max);
  EXPECT_EQ(list.add(unbound("one more")).error().code, Code::LIMIT_EXCEEDED);
  std::string text = list.print();
  text.resize(limits::trust_file_bytes_max, ' ');
  EXPECT_TRUE(TrustList::parse(text));
  EXPECT_FALSE(TrustList::parse(text + ' '));
  // What could not be read again is not written.
  TrustFile file = open();
  ASSERT_TRUE(file.add(workflow("a")));
  TrustedWorkflow large = workflow("b");
  large.files.push_back({std::string(limits::trust_file_bytes_max, 'x'), sha256("")});
  EXPECT_EQ(file.add(large).error().code, Code::LIMIT_EXCEEDED);
  EXPECT_EQ(file.list()->size(), 1u);
}

TEST_F(trust_file, without_a_place_trusts_nothing) {
  TrustFile none("");
  EXPECT_FALSE(none.judge(sha256("a"), here_)->is_trusted);
  EXPECT_EQ(none.add(workflow("a")).error().code, Code::ENVIRONMENT);
}

}  // namespace
}  // namespace baton::contract
