#include "run/evidence.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/text.h"

namespace baton::run {
namespace {

std::vector<Requirement> read(std::string_view text) {
  const auto read = read_evidence(*json::parse(text));
  return read ? *read : std::vector<Requirement>();
}

constexpr std::string_view all_kinds = R"([
  {"file_exists": "a"}, {"file_contains": {"path": "b", "pattern": "x+"}}, {"file_changed": "c"},
  {"git_commit_exists": true}, {"git_commit_exists": "abcdef0"},
  {"command": {"argv": ["make", "test"], "exit": 2}}, {"command": {"argv": ["./check"]}},
  {"artifact": {"type": "report", "min_bytes": 10, "schema": {"type": "object"}}},
  {"state": "raw.done"}])";

TEST(evidence, each_kind_is_named_and_described) {
  std::string names;
  for (const Requirement& each : read(all_kinds)) names += cat(name_of(each), '\n');
  EXPECT_EQ(names,
            "file_exists a\nfile_contains b\nfile_changed c\ngit_commit_exists\ngit_commit_exists "
            "abcdef0\ncommand make test\ncommand ./check\nartifact report\nstate raw.done\n");
  std::string text;
  for (const std::string& each : describe_evidence(read(all_kinds))) text += cat(each, '\n');
  EXPECT_EQ(text,
            "The file a is not empty.\n"
            "A part of the file b matches x+.\n"
            "The file c says something else than before the step.\n"
            "HEAD is a new commit.\n"
            "The commit abcdef0 exists.\n"
            "`make test` ends with 2.\n"
            "`./check` ends with 0.\n"
            "output.artifacts has one of kind report with at least 10 bytes that fits "
            "{\"type\":\"object\"}.\n"
            "This is true: raw.done.\n");
}

TEST(evidence, before_the_step_only_what_can_be_compared_is_looked_at) {
  std::string looks;
  for (const Look& each : baseline_looks(read(all_kinds))) {
    looks += cat(each.kind == Look::Kind::file ? "file " : "commit ", each.what, '\n');
  }
  EXPECT_EQ(looks, "file c\ncommit \nfile ./check\n");
  EXPECT_EQ(baseline_looks(read(R"([{"file_changed": "c"}, {"file_changed": "c"}])")).size(), 1u);
}

TEST(evidence, what_a_value_made_something_else_is_refused) {
  for (const std::string_view text :
       {"{}", "[{}]", R"([{"file_exists": 1}])", R"([{"git_commit_exists": false}])",
        R"([{"command": {"argv": []}}])", R"([{"command": {"argv": [""]}}])",
        R"([{"artifact": {}}])"}) {
    EXPECT_EQ(read_evidence(*json::parse(text)).error().code, Code::INVALID_INPUT) << text;
  }
}

// Enforces: G9
TEST(evidence, of_one_step_is_bounded) {
  json::Array list(limits::evidence_per_step_max, json::Object{{"file_exists", "a"}});
  EXPECT_EQ(read_evidence(list)->size(), limits::evidence_per_step_max);
  list.push_back(list.front());
  EXPECT_EQ(read_evidence(list).error().code, Code::LIMIT_EXCEEDED);
}

TEST(evidence, a_commit_that_came_to_nothing_is_not_any_commit) {
  const auto requirements = read(R"([{"git_commit_exists": ""}])");
  Seen head;
  head.kind = Seen::Kind::commit;
  head.commit = "0123456789012345678901234567890123456789";
  const auto check = check_evidence(requirements, {}, {&head, 1}, {}, nullptr);
  ASSERT_EQ(check.findings.size(), 1u);
  EXPECT_EQ(check.findings[0].pointer.value, "git_commit_exists (none)");
}

TEST(evidence, without_a_baseline_nothing_counts_as_changed) {
  Seen file;
  file.kind = Seen::Kind::file;
  file.bytes = 3;
  file.digest = sha256("abc");
  const auto requirements = read(R"([{"file_changed": "c"}])");
  EXPECT_EQ(check_evidence(requirements, {}, {&file, 1}, {}, nullptr).findings.size(), 1u);
  const Baseline absent = baseline_of(baseline_looks(requirements), std::vector<Seen>(1));
  EXPECT_TRUE(check_evidence(requirements, absent, {&file, 1}, {}, nullptr).findings.empty());
}

TEST(evidence, a_state_is_asked_for_as_a_condition) {
  const auto requirements = read(R"([{"state": "raw.done"}])");
  std::string asked;
  const auto check = [&](bool answer) {
    return check_evidence(requirements, {}, {}, {}, [&](const json::Value& condition) {
      asked = json::print(condition);
      return answer;
    });
  };
  EXPECT_TRUE(check(true).findings.empty());
  EXPECT_EQ(asked, R"({"js":"raw.done"})");
  const EvidenceCheck broken = check(false);
  ASSERT_EQ(broken.findings.size(), 1u);
  EXPECT_EQ(broken.findings[0].message, "expected that this is true: raw.done; found: it is false");
  EXPECT_FALSE(broken.entries[0].is_met);
}

TEST(evidence, an_event_says_what_it_said) {
  EvidenceRecorded event;
  event.step = "check";
  event.baseline = baseline_of(baseline_looks(read(all_kinds)), std::vector<Seen>(3));
  event.baseline[0].seen.kind = Seen::Kind::file;
  event.baseline[0].seen.bytes = 3;
  event.baseline[0].seen.digest = sha256("abc");
  event.baseline[1].seen.kind = Seen::Kind::commit;
  event.baseline[1].seen.commit = "0123456";
  event.entries.push_back({"file_exists a", true, "a file of 3 bytes", sha256("abc")});
  event.entries.push_back({"state raw.done", false, "it is false", std::nullopt});
  EXPECT_EQ(*evidence_from_json(to_json(event)), event);
  EXPECT_EQ(evidence_from_json(json::Object{{"run", 1}}).error().code, Code::STORE_CORRUPT);
  EXPECT_EQ(baseline_from_json(json::Array{json::Object{{"look", "star"}}}).error().code,
            Code::STORE_CORRUPT);
}

}  // namespace
}  // namespace baton::run
