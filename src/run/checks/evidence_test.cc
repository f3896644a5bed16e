#include "run/checks/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/log/event.h"

namespace baton::run {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Requirement> read(std::string_view text) {
  const auto read = read_evidence(*json::parse(text));
  return read ? *read : std::vector<Requirement>();
}

EvidenceCheck check(std::span<const Requirement> requirements, const Baseline& baseline,
                    std::span<const ProbeResult> seen, Holds holds = nullptr) {
  const json::Array no_artifacts;
  return check_evidence(
      requirements, baseline,
      {.seen = seen, .artifacts = no_artifacts, .holds = std::move(holds), .workflow = "flow"});
}

ProbeResult seen_as(ProbeResult::Kind kind) {
  ProbeResult out;
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
            "The file c has changed since the step began.\n"
            "HEAD has a new commit.\n"
            "The commit abcdef0 exists.\n"
            "`make test` ends with 2.\n"
            "`./check` ends with 0.\n"
            "The artifacts have one of kind report with at least 10 bytes that matches "
            "{\"type\":\"object\"}.\n"
            "This is true: raw.done.\n");
}

TEST(evidence, a_script_is_the_program_of_its_interpreter_unless_the_step_writes_it) {
  const auto looked_at = [](std::string_view text) {
    std::string out;
    for (const Probe& each : baseline_probes(read(text))) {
      if (each.kind == Probe::Kind::file) out += cat(each.what, ' ');
    }
    return out;
  };
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["sh", "check.sh", "x"]}}])"), "check.sh ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["/usr/bin/python3", "t/a.py"]}}])"), "t/a.py ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["./sh", "check.sh"]}}])"), "./sh ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["python3.11", "t/a.py"]}}])"), "t/a.py ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["sh", "--", "check.sh", "x"]}}])"), "check.sh ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["sh", "-eu", "+f", "a.sh", "x", "y"]}}])"),
            "a.sh x ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["bash", "-o", "posix", "a.sh", "x"]}}])"),
            "posix a.sh ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["deno", "run", "--allow-read", "a.ts"]}}])"),
            "a.ts ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["/usr/bin/env", "A=1", "sh", "a.sh"]}}])"),
            "a.sh ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["env", "A=1", "./a.sh", "x"]}}])"), "./a.sh ");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["env"]}}])"), "");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["bash", "-ec", "exit", "a.sh"]}}])"), "");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["python3", "-m", "pytest", "a.py"]}}])"), "");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["node", "--eval", "1", "a.js"]}}])"), "");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["sh", "-", "a.sh"]}}])"), "");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["sh", "-c", "exit"]}}])"), "");
  EXPECT_EQ(looked_at(R"([{"command": {"argv": ["sh", "/opt/check.sh"]}}])"), "");
  EXPECT_EQ(
      looked_at(R"([{"command": {"argv": ["pytest", "a.py"]}}, {"command": {"argv": ["sh"]}}])"),
      "");
  EXPECT_EQ(
      looked_at(R"([{"file_exists": "check.sh"}, {"command": {"argv": ["sh", "check.sh"]}}])"), "");
}

TEST(evidence, before_the_step_only_what_can_be_compared_is_probed) {
  const auto looks = [](std::string_view text) {
    constexpr std::string_view kinds[] = {"file", "commit", "command", "workspace", "repository"};
    std::string out;
    for (const Probe& each : baseline_probes(read(text))) {
      out += cat(kinds[static_cast<std::size_t>(each.kind)], ' ', each.what, '\n');
    }
    return out;
  };
  EXPECT_EQ(looks(all_kinds), "workspace \nfile c\nrepository \ncommit \nfile ./check\n");
  EXPECT_EQ(looks(R"([{"file_changed": "c"}, {"file_changed": "c"}])"), "workspace \nfile c\n");
  EXPECT_EQ(looks(R"([{"git_commit_exists": "abcdef0"}])"), "workspace \nrepository \n");
  EXPECT_EQ(looks(R"([{"state": "raw.done"}, {"artifact": {"type": "report"}}])"), "");
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

TEST(evidence, a_failed_commit_is_not_a_commit) {
  const auto requirements = read(R"([{"git_commit_exists": ""}])");
  ProbeResult head;
  head.kind = ProbeResult::Kind::commit;
  head.commit = "0123456789012345678901234567890123456789";
  const auto found = check(requirements, {}, {&head, 1});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].pointer.value, "git_commit_exists (none)");
}

TEST(evidence, without_a_baseline_nothing_counts_as_changed) {
  ProbeResult file;
  file.kind = ProbeResult::Kind::file;
  file.bytes = 3;
  file.digest = sha256("abc");
  const auto requirements = read(R"([{"file_changed": "c"}])");
  EXPECT_EQ(check(requirements, {}, {&file, 1}).findings.size(), 1u);
  const Baseline absent = baseline_of(baseline_probes(requirements), std::vector<ProbeResult>(2));
  const ProbeResult now[] = {ProbeResult(), file};
  EXPECT_TRUE(check(requirements, absent, now).findings.empty());
}

ProbeResult file_of(std::int64_t bytes, std::optional<std::string_view> text) {
  ProbeResult out = seen_as(ProbeResult::Kind::file);
  out.bytes = bytes;
  if (text) out.digest = sha256(*text);
  return out;
}

/// What is found by one requirement, held against what was seen of it before.
std::string found(std::string_view requirement, const Baseline& before,
                  std::span<const ProbeResult> now) {
  const EvidenceCheck check_ = check(read(requirement), before, now);
  EXPECT_EQ(check_.findings.empty(), check_.entries.at(0).is_met);
  return check_.findings.empty() ? "" : check_.findings[0].message;
}

// Enforces: G15
TEST(evidence, a_file_that_is_too_long_to_be_compared_is_said_to_be_so) {
  const auto changed = [](const ProbeResult& before, const ProbeResult& now) {
    return found(R"([{"file_changed": "c"}])", {{Probe::Kind::file, "c", before}}, {&now, 1});
  };
  EXPECT_THAT(changed(file_of(9, "a"), file_of(9, "a")), HasSubstr("unchanged"));
  EXPECT_EQ(changed(file_of(9, "a"), file_of(9, "b")), "");
  EXPECT_EQ(changed(file_of(9, {}), file_of(8, {})), "");
  // Neither the same nor changed: it was not read to its end, then or now.
  for (const auto& [before, now] :
       {std::pair(file_of(9, {}), file_of(9, {})), std::pair(file_of(9, {}), file_of(9, "a")),
        std::pair(file_of(9, "a"), file_of(9, {}))}) {
    EXPECT_THAT(changed(before, now), HasSubstr("too long to compare"));
    EXPECT_THAT(changed(before, now), Not(HasSubstr("unchanged")));
  }
}

// Enforces: G15
TEST(evidence, a_program_that_is_too_long_to_be_compared_is_not_believed) {
  const ProbeResult now[] = {file_of(9, {}), seen_as(ProbeResult::Kind::ended)};
  const Baseline before{{Probe::Kind::file, "./check", file_of(9, {})}};
  EXPECT_THAT(found(R"([{"command": {"argv": ["./check"]}}])", before, now),
              HasSubstr("./check is too long to compare"));
}

// Enforces: G15
TEST(evidence, of_words_that_may_be_the_script_the_first_file_is_it) {
  const auto judged = [](const ProbeResult& first, const ProbeResult& second) {
    const ProbeResult now[] = {first, second, seen_as(ProbeResult::Kind::ended)};
    const Baseline before{{Probe::Kind::file, "a", file_of(9, "a")},
                          {Probe::Kind::file, "b", file_of(9, "b")}};
    return found(R"([{"command": {"argv": ["sh", "-e", "a", "b"]}}])", before, now);
  };
  const ProbeResult a = file_of(9, "a");
  const ProbeResult b = file_of(9, "b");
  const ProbeResult other = file_of(9, "other");
  EXPECT_EQ(judged(a, b), "");
  EXPECT_EQ(judged(a, other), "");
  EXPECT_THAT(judged(other, b), HasSubstr("a was changed in this step"));
}

ProbeResult place(std::string where) {
  ProbeResult out = seen_as(ProbeResult::Kind::folder);
  out.place = std::move(where);
  return out;
}

// Enforces: G15
TEST(evidence, another_folder_at_the_path_of_the_workspace_proves_nothing) {
  const auto exists = [](const ProbeResult& before, const ProbeResult& now) {
    const ProbeResult seen[] = {now, file_of(9, "a")};
    return found(R"([{"file_exists": "c"}])", {{Probe::Kind::workspace, "", before}}, seen);
  };
  EXPECT_EQ(exists(place("1"), place("1")), "");
  EXPECT_THAT(exists(place("1"), place("2")), HasSubstr("its path is now another folder"));
  EXPECT_THAT(exists(place("1"), seen_as(ProbeResult::Kind::nothing)),
              HasSubstr("is not a folder"));
  EXPECT_THAT(exists(seen_as(ProbeResult::Kind::nothing), place("1")),
              HasSubstr("did not exist when"));
}

// Enforces: G15
TEST(evidence, what_needs_no_workspace_is_proved_wherever_it_is) {
  const auto requirements = read(R"([{"file_exists": "c"}, {"state": "raw.done"}])");
  const ProbeResult seen[] = {place("2"), file_of(9, "a")};
  const EvidenceCheck judged = check(requirements, {{Probe::Kind::workspace, "", place("1")}}, seen,
                                     [](const json::Value&) { return true; });
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].pointer.value, "file_exists c");
}

ProbeResult head_with(std::vector<FreshCommit> fresh) {
  ProbeResult out = seen_as(ProbeResult::Kind::commit);
  out.commit = "c0ffee";
  out.fresh = std::move(fresh);
  return out;
}

const Baseline had_commits{{Probe::Kind::commit, "", seen_as(ProbeResult::Kind::commit)}};
constexpr std::string_view new_commit = R"([{"git_commit_exists": true}])";

// Enforces: G15
TEST(evidence, a_new_commit_has_to_change_something_that_no_old_one_did) {
  const auto fault = [](std::vector<FreshCommit> fresh) {
    const ProbeResult now = head_with(std::move(fresh));
    return found(new_commit, had_commits, {&now, 1});
  };
  const FreshCommit work{"1", "b", {"a"}, ""};
  const FreshCommit empty{"2", "b", {"b"}, ""};
  const FreshCommit merge{"3", "b", {"a", "b"}, ""};
  const FreshCommit amended{"4", "b", {"a"}, "9"};
  const FreshCommit first{"5", "b", {}, ""};
  const FreshCommit empty_first{"6", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", {}, ""};
  for (const FreshCommit& each : {work, first, FreshCommit{"7", "c", {"a", "b"}, ""}}) {
    EXPECT_EQ(fault({each}), "") << each.commit;
    EXPECT_EQ(fault({empty, amended, each}), "") << each.commit;
  }
  EXPECT_THAT(fault({}), HasSubstr("adds nothing to what existed before"));
  for (const FreshCommit& each : {empty, merge, empty_first}) {
    EXPECT_THAT(fault({each}), HasSubstr("c0ffee, which brings no change of its own"))
        << each.commit;
  }
  EXPECT_THAT(fault({empty, merge}), HasSubstr("none of 2 new commits changes a file"));
  EXPECT_THAT(fault({empty, amended}), HasSubstr("4 leaves every file as 9 did"));
}

// Enforces: G15
TEST(evidence, a_repository_that_is_not_as_it_was_proves_no_commit) {
  const auto fault = [](const ProbeResult& before, const ProbeResult& now,
                        std::string_view wanted = new_commit) {
    ProbeResult head = head_with({{"1", "b", {"a"}, ""}});
    head.commit = "abcdef0123";
    head.is_at_head = true;
    const ProbeResult seen[] = {now, head};
    Baseline baseline = had_commits;
    baseline.push_back({Probe::Kind::repository, "", before});
    return found(wanted, baseline, seen);
  };
  const auto with = [](std::optional<std::string_view> alternates,
                       std::optional<std::string_view> shallow) {
    ProbeResult out = place("1");
    if (alternates) out.alternates = sha256(*alternates);
    if (shallow) out.shallow = sha256(*shallow);
    return out;
  };
  const ProbeResult none = seen_as(ProbeResult::Kind::nothing);
  EXPECT_EQ(fault(place("1"), place("1")), "");
  EXPECT_EQ(fault(none, place("1")), "");
  EXPECT_EQ(fault(none, with({}, "x")), "");
  EXPECT_EQ(fault(with("a", "x"), with("a", "x")), "");
  EXPECT_EQ(fault(with("a", "x"), with({}, {})), "");
  constexpr std::string_view named_commit = R"([{"git_commit_exists": "abcdef0"}])";
  for (const std::string_view wanted : {new_commit, named_commit}) {
    EXPECT_THAT(fault(place("1"), place("2"), wanted), HasSubstr("not the same repository"));
    EXPECT_THAT(fault(none, with("a", {}), wanted), HasSubstr("objects/info/alternates"));
    EXPECT_THAT(fault(with("b", {}), with("a", {}), wanted), HasSubstr("alternates"));
    EXPECT_THAT(fault(with({}, {}), with({}, "x"), wanted), HasSubstr(".git/shallow"));
    EXPECT_THAT(fault(with({}, "y"), with({}, "x"), wanted), HasSubstr(".git/shallow"));
    EXPECT_THAT(fault(seen_as(ProbeResult::Kind::other), place("1"), wanted),
                HasSubstr("could not be read when the step began"));
    EXPECT_THAT(fault(place("1"), seen_as(ProbeResult::Kind::other), wanted),
                HasSubstr("cannot be read"));
  }
}

// Enforces: G15
TEST(evidence, a_commit_by_its_digest_counts_where_head_leads_to_it) {
  ProbeResult now = seen_as(ProbeResult::Kind::commit);
  now.commit = "abcdef0123";
  constexpr std::string_view wanted = R"([{"git_commit_exists": "abcdef0"}])";
  EXPECT_THAT(found(wanted, {}, {&now, 1}), HasSubstr("not reachable from HEAD"));
  now.is_at_head = true;
  EXPECT_EQ(found(wanted, {}, {&now, 1}), "");
}

// Enforces: G13, G15
TEST(evidence, a_baseline_of_0_1_0_is_read_and_judged_by_what_it_says) {
  constexpr std::string_view head = "0123456789012345678901234567890123456789";
  constexpr std::string_view tip = "1123456789012345678901234567890123456789";
  const json::Object kept{{"step", "a"},
                          {"requirements", *json::parse(new_commit)},
                          {"baseline", json::Array{json::Object{{"look", "commit"},
                                                                {"what", ""},
                                                                {"seen", "commit"},
                                                                {"commit", head},
                                                                {"tips", json::Array{tip}}}}}};
  const auto evidence = from_json<StepEvidence>(kept);
  ASSERT_TRUE(evidence) << evidence.error().message;
  EXPECT_FALSE(is_newer_than_format_1(evidence->baseline));
  const auto looks = closing_probes(read(new_commit), evidence->baseline);
  ASSERT_EQ(looks.size(), 1u);
  const auto bytes = [](std::string_view hex) {
    const auto decoded = *from_hex(hex);
    return std::string(decoded.begin(), decoded.end());
  };
  EXPECT_EQ(looks[0].known, (CommitSet{20, bytes(tip) + bytes(head), ""}));
  const ProbeResult old = head_with({});
  EXPECT_THAT(found(new_commit, evidence->baseline, {&old, 1}), HasSubstr("adds nothing"));
  const ProbeResult fresh = head_with({{"1", "b", {"a"}, ""}});
  EXPECT_EQ(found(new_commit, evidence->baseline, {&fresh, 1}), "");
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
  const std::vector<ProbeResult> nowhere(closing_probes(requirements, {}).size(),
                                         seen_as(ProbeResult::Kind::no_workspace));
  const EvidenceCheck found =
      check(requirements, {}, nowhere, [](const json::Value&) { return true; });
  ASSERT_EQ(found.findings.size(), 8u);
  for (const Finding& each : found.findings) {
    if (each.pointer.value == "artifact report") continue;
    if (each.pointer.value == "git_commit_exists abcdef0") {
      EXPECT_EQ(each.message,
                "expected the commit abcdef0 in the repository of the workspace; found: nothing: "
                "the run has no workspace");
    }
    EXPECT_TRUE(each.fix.contains("workspace")) << each.pointer.value;
  }
}

TEST(evidence, in_a_rehearsal_evidence_is_assumed) {
  const auto requirements = read(all_kinds);
  const std::vector<ProbeResult> granted(closing_probes(requirements, {}).size(),
                                         seen_as(ProbeResult::Kind::assumed));
  const EvidenceCheck found =
      check(requirements, {}, granted, [](const json::Value&) { return true; });
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].pointer.value, "artifact report");
  const auto looks = baseline_probes(requirements);
  const Baseline before = baseline_of(
      looks, std::vector<ProbeResult>(looks.size(), seen_as(ProbeResult::Kind::assumed)));
  const std::vector<ProbeResult> all(closing_probes(requirements, before).size(),
                                     seen_as(ProbeResult::Kind::assumed));
  EXPECT_EQ(
      check(requirements, before, all, [](const json::Value&) { return true; }).findings.size(),
      1u);
}

TEST(evidence, a_command_that_may_not_be_run_names_who_can_let_it) {
  const auto requirements = read(R"([{"command": {"argv": ["make"]}}])");
  const ProbeResult untrusted = seen_as(ProbeResult::Kind::untrusted);
  const EvidenceCheck found = check(requirements, {}, {&untrusted, 1});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_TRUE(found.findings[0].fix.contains("`baton trust flow`")) << found.findings[0].fix;
}

TEST(evidence, what_could_not_be_opened_before_is_not_changed) {
  const auto requirements = read(R"([{"file_changed": "c"}])");
  ProbeResult file = seen_as(ProbeResult::Kind::file);
  file.bytes = 3;
  file.digest = sha256("abc");
  for (const ProbeResult::Kind kind : {ProbeResult::Kind::other, ProbeResult::Kind::no_workspace}) {
    const Baseline before{{Probe::Kind::file, "c", seen_as(kind)}};
    EXPECT_EQ(check(requirements, before, {&file, 1}).findings.size(), 1u);
  }
  for (const ProbeResult::Kind kind :
       {ProbeResult::Kind::nothing, ProbeResult::Kind::folder, ProbeResult::Kind::link}) {
    const Baseline before{{Probe::Kind::file, "c", seen_as(kind)}};
    EXPECT_TRUE(check(requirements, before, {&file, 1}).findings.empty());
  }
}

TEST(evidence, what_was_kept_says_what_it_said) {
  StepEvidence evidence{"check", *json::parse(all_kinds), {}};
  evidence.baseline = baseline_of(baseline_probes(read(all_kinds)), std::vector<ProbeResult>(5));
  evidence.baseline[0].seen = place("1:2");
  evidence.baseline[1].seen.kind = ProbeResult::Kind::file;
  evidence.baseline[1].seen.bytes = 3;
  evidence.baseline[1].seen.digest = sha256("abc");
  evidence.baseline[2].seen = place("1:3");
  evidence.baseline[2].seen.alternates = sha256("there");
  evidence.baseline[2].seen.shallow = sha256("cut");
  evidence.baseline[3].seen.kind = ProbeResult::Kind::commit;
  evidence.baseline[3].seen.commit = "0123456";
  evidence.baseline[3].seen.tips = {"1234567"};
  evidence.baseline[3].seen.known = CommitSet{20, std::string(40, 'x'), std::string(20, '\0')};
  evidence.baseline[4].seen = seen_as(ProbeResult::Kind::other);
  evidence.baseline[4].seen.said = "it is broken";
  EXPECT_EQ(*from_json<StepEvidence>(to_json(evidence)), evidence);
  for (const std::string_view known :
       {R"({"idBytes":20,"named":"eHh4","others":""})", R"({"idBytes":0,"named":"","others":""})",
        R"({"idBytes":20,"named":"!","others":""})", R"({"idBytes":20,"named":""})"}) {
    const json::Array traces{json::Object{
        {"look", "commit"}, {"what", ""}, {"seen", "nothing"}, {"known", *json::parse(known)}}};
    json::Object damaged = to_json(evidence);
    damaged.set("baseline", traces);
    EXPECT_EQ(from_json<StepEvidence>(damaged).error().code, Code::STORE_CORRUPT) << known;
  }
  json::Object unreadable = to_json(evidence);
  unreadable.set("requirements", json::Array{json::Object{{"file_exists", 1}}});
  EXPECT_EQ(from_json<StepEvidence>(unreadable).error().code, Code::STORE_CORRUPT);
}

}  // namespace
}  // namespace baton::run
