#include "verbs/workflow/find_workflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

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

/// Keeps texts, and counts how many it was given.
class Notebook final : public ports::AuxStore {
 public:
  void count(std::string_view, std::int64_t) override {}
  void record(ports::CallRecord) override {}
  Result<std::int64_t> counter(std::string_view) override { return 0; }
  Result<std::vector<ports::CallRecord>> calls(std::size_t) override { return {}; }
  void remember(std::string key, std::string text) override {
    ++written;
    const auto [place, is_new] = texts.emplace(std::move(key), text);
    EXPECT_TRUE(!is_strict || is_new || place->second == text) << "a key's text changed";
  }
  std::optional<std::string> remembered(std::string_view key) override {
    const auto found = texts.find(key);
    return found == texts.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::string, std::string, std::less<>> texts;
  int written = 0;
  bool is_strict = true;
};

std::vector<std::string> hashes_in(Listed& source, Notebook& notes) {
  std::vector<std::string> out;
  const auto listed = MUST(list_workflows(source, &notes));
  const auto compiled = MUST(list_workflows(source, nullptr));
  for (std::size_t i = 0; i < listed.size(); ++i) {
    EXPECT_EQ(listed[i].hash, compiled[i].hash);
    EXPECT_EQ(listed[i].problem, compiled[i].problem);
    EXPECT_EQ(listed[i].path, compiled[i].path);
    out.push_back(listed[i].hash);
  }
  return out;
}

TEST(list_workflows, a_file_without_a_stamp_is_compiled_once_as_long_as_all_it_needs_is_the_same) {
  Listed source;
  source.files = {{"bundled",
                   "bundled/a.json",
                   R"({"id":"a","steps":[{"id":"s","type":"include_workflow","workflow":"b"}]})",
                   {},
                   {}},
                  file("bundled", "bundled/b.json", "b"),
                  {"bundled", "bundled/c.json", "[]", {}, {}}};
  Notebook notes;
  const auto first = hashes_in(source, notes);
  const int once = notes.written;
  EXPECT_GT(once, 3);
  EXPECT_EQ(hashes_in(source, notes), first);
  EXPECT_EQ(notes.written, once);
  // What a workflow needs has changed, and it has not.
  source.files[1] = file("bundled", "bundled/b.json", "b", "another name");
  source.files[1].text = R"({"id":"b","name":"n","steps":[{"id":"a","prompt":"another prompt"}]})";
  const auto second = hashes_in(source, notes);
  EXPECT_NE(second[0], first[0]);
  EXPECT_NE(second[1], first[1]);
  EXPECT_GT(notes.written, once);
  // And back: everything is known.
  const int twice = notes.written;
  source.files[1] = file("bundled", "bundled/b.json", "b");
  EXPECT_EQ(hashes_in(source, notes), first);
  EXPECT_EQ(notes.written, twice);
}

TEST(list_workflows, what_was_remembered_wrongly_is_compiled_again) {
  Listed source;
  source.files = {file("bundled", "bundled/b.json", "b")};
  Notebook notes;
  const auto first = hashes_in(source, notes);
  for (const char* wrong : {"", "[]", R"({"asks":9,"name":"","from":""})", R"({"asks":"x"})"}) {
    for (auto& [key, text] : notes.texts) text = wrong;
    Notebook spoilt;
    spoilt.texts = notes.texts;
    spoilt.is_strict = false;
    const auto listed = MUST(list_workflows(source, &spoilt));
    EXPECT_EQ(listed.front().hash, first.front()) << wrong;
  }
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
