#include "adapters/files/workflow_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;
using Kind = ports::WantedText::Kind;

/// A scratch folder that goes away with the test.
class WorkflowFilesTest : public ::testing::Test {
 protected:
  WorkflowFilesTest() {
    std::string name = (fs::temp_directory_path() / "baton-files-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~WorkflowFilesTest() override { fs::remove_all(root_); }

  void write(const std::string& name, std::string_view text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }

  WorkflowFiles files(std::vector<BundledText> bundled = {}) {
    return WorkflowFiles(
        {{"extra", (root_ / "a").string(), true}, {"user", (root_ / "b").string(), false}},
        std::move(bundled));
  }

  std::string shown(const std::vector<ports::WorkflowFile>& list) {
    std::string out;
    for (const ports::WorkflowFile& file : list) {
      const std::string path = file.path.starts_with("bundled/")
                                   ? file.path
                                   : fs::path(file.path).lexically_relative(root_).string();
      out += cat(out.empty() ? "" : " ", file.source, ':', path);
    }
    return out;
  }

  fs::path root_;
};

TEST_F(WorkflowFilesTest, lists_every_format_by_source_and_name_and_reads_nothing) {
  write("a/z.yaml", "x");
  write("a/a.json", "x");
  write("a/sub/m.md", "x");
  write("a/README.md", "x");
  write("a/a.test.yaml", "x");
  write("a/schema.json", "x");
  write("a/notes.txt", "x");
  write("a/agents/p.md", "x");
  write("a/sub/rules/r.md", "x");
  write("a/rules/w.yaml", "x");
  write("a/.hidden.yaml", "x");
  write("b/u.yml", "x");
  WorkflowFiles source = files({{"workflows/baton.x.yaml", "text"}, {"agents/p.md", "p"}});
  const auto all = source.all().value();
  EXPECT_EQ(shown(all),
            "bundled:bundled/workflows/baton.x.yaml extra:a/a.json extra:a/rules/w.yaml "
            "extra:a/sub/m.md extra:a/z.yaml user:b/u.yml");
  for (const ports::WorkflowFile& file : all) EXPECT_EQ(file.text, "");
}

TEST_F(WorkflowFilesTest, changes_are_seen_at_the_next_question) {
  write("a/x.yaml", "one");
  WorkflowFiles source = files();
  ports::WorkflowFile before = source.named("x").value().at(0);
  source.read(before);
  EXPECT_EQ(before.text, "one");
  write("a/x.yaml", "other");
  ports::WorkflowFile after = source.named("x").value().at(0);
  source.read(after);
  EXPECT_EQ(after.text, "other");
  EXPECT_NE(after.stamp, before.stamp);
  fs::remove(root_ / "a/x.yaml");
  EXPECT_TRUE(source.named("x").value().empty());
  source.read(after);
  EXPECT_NE(after.problem, "");
}

TEST_F(WorkflowFilesTest, links_and_paths_lead_nowhere) {
  write("secret.yaml", "secret");
  write("a/x.yaml", "x");
  fs::create_symlink(root_ / "secret.yaml", root_ / "a/link.yaml");
  fs::create_directory_symlink(root_, root_ / "a/up");
  WorkflowFiles source = files();
  auto all = source.all().value();
  for (ports::WorkflowFile& file : all) {
    source.read(file);
    EXPECT_EQ(file.text.find("secret"), std::string::npos) << file.path;
  }
  ports::WorkflowFile crafted{"extra", (root_ / "a/../secret.yaml").string(), {}, {}, {}};
  source.read(crafted);
  EXPECT_EQ(crafted.text, "");
  EXPECT_NE(crafted.problem, "");
  const std::string from = (root_ / "a/x.yaml").string();
  const std::string absolute = (root_ / "secret.yaml").string();
  for (const std::string& name :
       std::vector<std::string>{"../secret.yaml", "up/secret.yaml", "link.yaml", absolute}) {
    const auto found = source.find({Kind::beside, name, from}).value();
    for (const ports::WorkflowFile& file : found) {
      EXPECT_EQ(file.text, "") << name;
    }
  }
}

/// A project with a secret beside it.
class ProjectFilesTest : public WorkflowFilesTest {
 protected:
  ProjectFilesTest() {
    write("private/x.yaml", "secret");
    write("private/reviewer.md", "secret");
    write("private/bindings.json", "secret");
    write("private/workflows/x.yaml", "secret");
    write("private/agents/reviewer.md", "secret");
    write("private/rules/one.md", "secret");
    fs::create_directory(root_ / "project");
  }

  WorkflowFiles source() const {
    const std::string project = (root_ / "project").string();
    return WorkflowFiles({{"extra", project + "/content/workflows", false, project},
                          {"project", project + "/.baton/workflows", false, project}});
  }
  void link(const std::string& to, const std::string& at) {
    fs::create_directories((root_ / at).parent_path());
    fs::create_symlink(root_ / to, root_ / at);
  }

  /// Everything that a project can be asked for.
  std::string all_texts() {
    WorkflowFiles files = source();
    std::string out;
    const auto add = [&](Result<std::vector<ports::WorkflowFile>> found) {
      if (!found) return;
      for (ports::WorkflowFile& file : *found) {
        if (!file.is_read) files.read(file);
        out += file.text;
      }
    };
    add(files.all());
    add(files.named("x"));
    const std::string from = (root_ / "project/.baton/workflows/w.yaml").string();
    for (const auto& [kind, name] :
         std::vector<std::pair<Kind, std::string>>{{Kind::persona, "reviewer"},
                                                   {Kind::rules, ""},
                                                   {Kind::bindings, ""},
                                                   {Kind::beside, "x.yaml"},
                                                   {Kind::beside, "sub/x.yaml"}}) {
      add(files.find({kind, name, from}));
      add(files.find({kind, name, (root_ / "project/elsewhere/w.yaml").string()}));
    }
    return out;
  }
};

// Enforces: G19
TEST_F(ProjectFilesTest, nothing_outside_is_read_through_a_link_at_any_level) {
  for (const auto& [to, at] : std::vector<std::pair<std::string, std::string>>{
           {"private", "project/.baton"},
           {"private", "project/content"},
           {"private/workflows", "project/.baton/workflows"},
           {"private/workflows", "project/content/workflows"},
           {"private/workflows", "project/.baton/workflows/workflows"},
           {"private/workflows", "project/.baton/workflows/sub"},
           {"private/x.yaml", "project/.baton/workflows/x.yaml"},
           {"private/agents", "project/.baton/agents"},
           {"private/agents", "project/.baton/workflows/agents"},
           {"private/agents", "project/agents"},
           {"private/agents", "project/elsewhere/agents"},
           {"private/reviewer.md", "project/.baton/agents/reviewer.md"},
           {"private/rules", "project/.baton/rules"},
           {"private/rules", "project/rules"},
           {"private/rules/one.md", "project/.baton/rules/one.md"},
           {"private/bindings.json", "project/.baton/bindings.json"}}) {
    fs::remove_all(root_ / "project");
    fs::create_directory(root_ / "project");
    write("project/.git/HEAD", "");
    link(to, at);
    if (!fs::exists(root_ / "project/.baton/workflows")) {
      std::error_code ignored;  // where .baton itself is the link
      if (!fs::is_symlink(root_ / "project/.baton")) {
        fs::create_directories(root_ / "project/.baton/workflows", ignored);
      }
    }
    EXPECT_EQ(all_texts().find("secret"), std::string::npos) << at << " to " << to;
  }
}

TEST_F(ProjectFilesTest, a_linked_folder_is_listed_with_its_reason_and_hides_nothing_else) {
  link("private/workflows", "project/.baton/workflows");
  write("project/content/workflows/y.yaml", "y");
  const auto all = source().all().value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].problem, "");
  EXPECT_THAT(all[1].problem, ::testing::HasSubstr("a symbolic link"));
  EXPECT_TRUE(source().named("x").value().empty());
  EXPECT_TRUE(source().find({Kind::rules, "", "bundled/w.yaml"}).value().empty());
  EXPECT_TRUE(source().find({Kind::persona, "reviewer", "bundled/w.yaml"}).value().empty());
  link("private/agents", "project/.baton/agents");
  EXPECT_FALSE(source().find({Kind::persona, "reviewer", "bundled/w.yaml"}));
}

TEST_F(ProjectFilesTest, the_projects_own_texts_are_read) {
  write("project/.baton/workflows/x.yaml", "own ");
  write("project/.baton/workflows/sub/x.yaml", "part ");
  write("project/.baton/agents/reviewer.md", "persona ");
  write("project/.baton/rules/one.md", "rule ");
  write("project/.baton/bindings.json", "bound ");
  const std::string texts = all_texts();
  for (const char* each : {"own ", "part ", "persona ", "rule ", "bound "}) {
    EXPECT_NE(texts.find(each), std::string::npos) << each;
  }
}

TEST_F(ProjectFilesTest, a_folder_that_the_user_named_may_be_a_link) {
  link("private", "mine");
  WorkflowFiles files({{"user", (root_ / "mine/workflows").string(), false}});
  EXPECT_EQ(files.named("x").value().size(), 1u);
  EXPECT_EQ(files.find({Kind::persona, "reviewer", "bundled/w.yaml"}).value().at(0).text, "secret");
}

TEST_F(WorkflowFilesTest, personas_rules_and_imports_are_found_beside) {
  write("a/workflows/w.yaml", "x");
  write("a/workflows/shared/part.yaml", "part");
  write("a/agents/reviewer.md", "ours");
  write("a/rules/one.md", "1");
  WorkflowFiles source = files({{"agents/reviewer.md", "bundled"}, {"rules/two.md", "2"}});
  const std::string from = (root_ / "a/workflows/w.yaml").string();
  // A checkout that holds a folder of workflows is taken for that folder.
  EXPECT_EQ(shown(source.named("w").value()), "extra:a/workflows/w.yaml");
  const auto persona = source.find({Kind::persona, "reviewer", from}).value();
  ASSERT_EQ(persona.size(), 2u);
  EXPECT_EQ(persona[0].text, "ours");
  EXPECT_EQ(persona[1].text, "bundled");
  EXPECT_EQ(source.find({Kind::rules, "", from}).value().size(), 2u);
  EXPECT_EQ(source.find({Kind::beside, "shared/part.yaml", from}).value().at(0).text, "part");
  EXPECT_TRUE(source.find({Kind::persona, "../x", from}).value().empty());
  // Also of a file outside every source, in its own folder.
  write("c/agents/reviewer.md", "c's");
  const std::string alone = (root_ / "c/w.yaml").string();
  EXPECT_EQ(source.find({Kind::persona, "reviewer", alone}).value().at(0).text, "c's");
}

TEST_F(WorkflowFilesTest, folder_that_must_exist_is_missed) {
  EXPECT_EQ(files().all().error().code, Code::ENVIRONMENT);
}

// Enforces: G9
TEST_F(WorkflowFilesTest, one_byte_too_many_is_read_and_no_more) {
  write("a/x.yaml", std::string(limits::workflow_bytes_max + 100, 'x'));
  WorkflowFiles source = files();
  ports::WorkflowFile file = source.named("x").value().at(0);
  source.read(file);
  EXPECT_EQ(file.text.size(), limits::workflow_bytes_max + 1);
}

// Enforces: G9
TEST(workflow_files, of_a_folder_are_taken_up_to_their_limit) {
  std::string pattern = (std::filesystem::temp_directory_path() / "baton-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  for (std::size_t i = 0; i < limits::workflow_files_max; ++i) {
    std::ofstream(folder / cat(i, ".json")) << "{}";
  }
  std::ofstream(folder / "notes.txt") << "is none of them";
  WorkflowFiles files({{"extra", folder.string(), true}});
  const auto all = files.all();
  ASSERT_TRUE(all.has_value()) << all.error().message;
  EXPECT_EQ(all->size(), limits::workflow_files_max);
  std::ofstream(folder / "more.json") << "{}";
  EXPECT_EQ(files.all().error().code, Code::LIMIT_EXCEEDED);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace baton::adapters
