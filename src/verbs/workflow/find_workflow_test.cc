#include "verbs/workflow/find_workflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"

namespace baton::verbs {
namespace {

using ::testing::HasSubstr;

class Listed final : public ports::WorkflowSource {
 public:
  Result<std::vector<ports::WorkflowFile>> all() override { return files; }
  Result<std::vector<ports::WorkflowFile>> named(std::string_view name) override {
    std::vector<ports::WorkflowFile> out;
    for (const ports::WorkflowFile& file : files) {
      if (file.path.ends_with(cat('/', name, ".json"))) out.push_back(file);
    }
    return out;
  }
  void read(ports::WorkflowFile&) override {}
  Result<std::vector<ports::WorkflowFile>> find(const ports::WantedText& wanted) override {
    std::vector<ports::WorkflowFile> out;
    for (const ports::WorkflowFile& each : beside) {
      if (wanted.kind != ports::WantedText::Kind::rules && each.path.ends_with(wanted.name)) {
        out.push_back(each);
      }
    }
    return out;
  }
  std::vector<ports::WorkflowFile> files;
  std::vector<ports::WorkflowFile> beside;
};

ports::WorkflowFile file(std::string_view source, std::string_view path, std::string_view id,
                         std::string_view name = "n") {
  return {std::string(source),
          std::string(path),
          cat(R"({"id":")", id, R"(","name":")", name, R"(","steps":[{"id":"a","prompt":"p"}]})"),
          {},
          {}};
}

TEST(find_workflow, higher_source_wins) {
  Listed source;
  source.files = {file("project", "p/x.json", "x", "ours"), file("user", "u/x.json", "x", "mine")};
  EXPECT_EQ(find_workflow(source, "x").value().workflow.name, "ours");
  const auto listed = list_workflows(source, nullptr).value();
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0].source, "project");
  EXPECT_EQ(listed[0].hidden_by, "");
  EXPECT_EQ(listed[1].hidden_by, "p/x.json");
}

TEST(find_workflow, file_of_another_name_is_found_by_its_id) {
  Listed source;
  source.files = {file("project", "p/other.json", "x")};
  EXPECT_EQ(find_workflow(source, "x").value().workflow.id, "x");
  // The name of a file alone makes no workflow.
  EXPECT_EQ(find_workflow(source, "other").error().code, Code::WORKFLOW_NOT_FOUND);
}

TEST(find_workflow, broken_file_of_that_name_is_an_error_and_others_do_not_matter) {
  Listed source;
  source.files = {file("project", "p/good.json", "good"), {"project", "p/bad.json", "{", {}, {}}};
  EXPECT_EQ(find_workflow(source, "bad").error().code, Code::WORKFLOW_INVALID);
  EXPECT_TRUE(find_workflow(source, "good"));
  source.files[1] = {"project", "p/bad.json", "", "permission denied", {}};
  EXPECT_THAT(find_workflow(source, "bad").error().message, HasSubstr("permission denied"));
}

TEST(find_workflow, nearest_name_is_suggested) {
  Listed source;
  source.files = {file("project", "p/deploy.json", "deploy")};
  const auto missing = find_workflow(source, "deplyo");
  EXPECT_EQ(missing.error().code, Code::WORKFLOW_NOT_FOUND);
  EXPECT_THAT(missing.error().message, HasSubstr("\"deploy\""));
}

TEST(find_workflow, an_invalid_name_never_reaches_the_source) {
  Listed source;
  for (const std::string_view name : {"", "../x", "a/b", "a b"}) {
    EXPECT_EQ(find_workflow(source, name).error().code, Code::INVALID_INPUT) << name;
  }
}

TEST(list_workflows, good_ones_by_name_and_broken_ones_last) {
  Listed source;
  source.files = {{"user", "u/a.json", "[]", {}, {}},
                  file("user", "u/z.json", "z"),
                  file("user", "u/b.json", "b")};
  const auto listed = list_workflows(source, nullptr).value();
  ASSERT_EQ(listed.size(), 3u);
  EXPECT_EQ(listed[0].id, "b");
  EXPECT_EQ(listed[1].id, "z");
  EXPECT_FALSE(listed[2].problem.empty());
  EXPECT_THAT(listed[2].problem, HasSubstr("must be an object"));
}

TEST(list_workflows, many_files_are_listed_as_few_are) {
  // Enough for several threads; each file must keep its own name, hash and reason.
  constexpr std::size_t count = 200;
  Listed source;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string id = cat("w", 1'000 + i);
    source.files.push_back(i % 7 == 3
                               ? ports::WorkflowFile{"user", cat("u/", id), "[]", {}, {}}
                               : file("user", cat("u/", id, ".json"), id, cat("name of ", id)));
  }
  const auto listed = list_workflows(source, nullptr).value();
  ASSERT_EQ(listed.size(), count);
  std::size_t broken = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!listed[i].problem.empty()) {
      EXPECT_THAT(listed[i].problem, HasSubstr(listed[i].path));
      ++broken;
      continue;
    }
    EXPECT_TRUE(i == 0 || listed[i - 1].id < listed[i].id) << i;
    EXPECT_EQ(listed[i].name, cat("name of ", listed[i].id));
    EXPECT_EQ(listed[i].path, cat("u/", listed[i].id, ".json"));
    EXPECT_EQ(listed[i].hash, find_workflow(source, listed[i].id).value().hash.hex());
  }
  EXPECT_EQ(broken, 29u);
}

}  // namespace
}  // namespace baton::verbs
