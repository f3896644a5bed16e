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

EvidenceCheck check(std::span<const Requirement> requirements, const Baseline& baseline,
                    std::span<const Seen> seen, Holds holds = nullptr) {
  const json::Array no_artifacts;
  return check_evidence(
      requirements, baseline,
      {.seen = seen, .artifacts = no_artifacts, .holds = std::move(holds), .workflow = "flow"});
}

Seen seen_as(Seen::Kind kind) {
  Seen out;
  out.kind = kind;
  return out;
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
            "HEAD has a new commit.\n"
            "The commit abcdef0 exists.\n"
            "`make test` ends with 2.\n"
            "`./check` ends with 0.\n"
            "output.artifacts has one of kind report with at least 10 bytes that fits "
            "{\"type\":\"object\"}.\n"
            "This is true: raw.done.\n");
}

TEST(evidence, a_script_is_the_program_of_its_interpreter_unless_the_step_writes_it) {
  const auto looked_at = [](std::string_view text) {
    std::string out;
    for (const Look& each : baseline_looks(read(text))) out += cat(each.what, ' ');
    return out;
  };
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["sh", "check.sh", "x"]}}])"), "check.sh ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["/usr/bin/python3", "t/a.py"]}}])"), "t/a.py ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["./sh", "check.sh"]}}])"), "./sh ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["sh", "-c", "exit"]}}])"), "");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["sh", "/opt/check.sh"]}}])"), "");
  EXPECT_EQ(
      looked_at(R"([{"command": {"argv": ["pytest", "a.py"]}}, {"command": {"argv": ["sh"]}}])"),
      "");
  EXPECT_EQ(
      looked_at(R"([{"file_exists": "check.sh"}, {"command": {"argv": ["sh", "check.sh"]}}])"), "");
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
  const auto found = check(requirements, {}, {&head, 1});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].pointer.value, "git_commit_exists (none)");
}

TEST(evidence, without_a_baseline_nothing_counts_as_changed) {
  Seen file;
  file.kind = Seen::Kind::file;
  file.bytes = 3;
  file.digest = sha256("abc");
  const auto requirements = read(R"([{"file_changed": "c"}])");
  EXPECT_EQ(check(requirements, {}, {&file, 1}).findings.size(), 1u);
  const Baseline absent = baseline_of(baseline_looks(requirements), std::vector<Seen>(1));
  EXPECT_TRUE(check(requirements, absent, {&file, 1}).findings.empty());
}

TEST(evidence, a_state_is_asked_for_as_a_condition) {
  const auto requirements = read(R"([{"state": "raw.done"}])");
  std::string asked;
  const auto when = [&](bool answer) {
    return check(requirements, {}, {}, [&](const json::Value& condition) {
      asked = json::print(condition);
      return answer;
    });
  };
  EXPECT_TRUE(when(true).findings.empty());
  EXPECT_EQ(asked, R"({"js":"raw.done"})");
  const EvidenceCheck broken = when(false);
  ASSERT_EQ(broken.findings.size(), 1u);
  EXPECT_EQ(broken.findings[0].message, "expected that this is true: raw.done; found: it is false");
  EXPECT_FALSE(broken.entries[0].is_met);
}

TEST(evidence, without_a_workspace_the_way_out_is_told) {
  const auto requirements = read(all_kinds);
  const std::vector<Seen> nowhere(closing_looks(requirements, {}).size(),
                                  seen_as(Seen::Kind::no_workspace));
  const EvidenceCheck found =
      check(requirements, {}, nowhere, [](const json::Value&) { return true; });
  ASSERT_EQ(found.findings.size(), 8u);
  for (const Finding& each : found.findings) {
    if (each.pointer.value == "artifact report") continue;
    if (each.pointer.value == "git_commit_exists abcdef0") {
      EXPECT_EQ(each.message,
                "expected the commit abcdef0 in the repository of the workspace; found: nothing: "
                "the run has no workspace to look at");
    }
    EXPECT_TRUE(each.fix.contains("workspacePath")) << each.pointer.value;
  }
}

TEST(evidence, in_a_rehearsal_what_is_looked_for_is_taken_for_granted) {
  const auto requirements = read(all_kinds);
  const std::vector<Seen> granted(closing_looks(requirements, {}).size(),
                                  seen_as(Seen::Kind::assumed));
  const EvidenceCheck found =
      check(requirements, {}, granted, [](const json::Value&) { return true; });
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].pointer.value, "artifact report");
}

TEST(evidence, a_command_that_may_not_be_run_names_who_can_let_it) {
  const auto requirements = read(R"([{"command": {"argv": ["make"]}}])");
  const Seen untrusted = seen_as(Seen::Kind::untrusted);
  const EvidenceCheck found = check(requirements, {}, {&untrusted, 1});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_TRUE(found.findings[0].fix.contains("`baton trust flow`")) << found.findings[0].fix;
}

TEST(evidence, what_could_not_be_opened_before_is_not_changed) {
  const auto requirements = read(R"([{"file_changed": "c"}])");
  Seen file = seen_as(Seen::Kind::file);
  file.bytes = 3;
  file.digest = sha256("abc");
  for (const Seen::Kind kind : {Seen::Kind::other, Seen::Kind::no_workspace}) {
    const Baseline before{{Look::Kind::file, "c", seen_as(kind)}};
    EXPECT_EQ(check(requirements, before, {&file, 1}).findings.size(), 1u);
  }
  for (const Seen::Kind kind : {Seen::Kind::nothing, Seen::Kind::folder, Seen::Kind::link}) {
    const Baseline before{{Look::Kind::file, "c", seen_as(kind)}};
    EXPECT_TRUE(check(requirements, before, {&file, 1}).findings.empty());
  }
}

TEST(evidence, what_was_kept_says_what_it_said) {
  StepEvidence evidence{"check", *json::parse(all_kinds), {}};
  evidence.baseline = baseline_of(baseline_looks(read(all_kinds)), std::vector<Seen>(3));
  evidence.baseline[0].seen.kind = Seen::Kind::file;
  evidence.baseline[0].seen.bytes = 3;
  evidence.baseline[0].seen.digest = sha256("abc");
  evidence.baseline[1].seen.kind = Seen::Kind::commit;
  evidence.baseline[1].seen.commit = "0123456";
  evidence.baseline[1].seen.tips = {"1234567"};
  EXPECT_EQ(*step_evidence_from_json(to_json(evidence)), evidence);
  json::Object unreadable = to_json(evidence);
  unreadable.set("requirements", json::Array{json::Object{{"file_exists", 1}}});
  EXPECT_EQ(step_evidence_from_json(unreadable).error().code, Code::STORE_CORRUPT);
}

}  // namespace
}  // namespace baton::run
