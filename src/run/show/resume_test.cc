// Origin: 004-53

#include "run/show/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"
#include "base/text/search.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <class IdType>
IdType id(std::uint8_t n) {
  IdType out;
  out.bytes[15] = n;
  return out;
}

FoundRun found(std::uint8_t n, std::int64_t last) {
  FoundRun run;
  run.run = id<RunId>(n);
  run.session = id<SessionId>(n);
  run.workflow_id = "user.demo";
  run.workflow_name = "Demo";
  run.last = {last};
  return run;
}

std::vector<std::uint8_t> order(const std::vector<ResumeCandidate>& candidates) {
  std::vector<std::uint8_t> out;
  for (const ResumeCandidate& each : candidates) out.push_back(each.run.run.bytes[15]);
  return out;
}

std::vector<ResumeCandidate> ranked(const ResumeQuestion& question,
                                    const std::vector<FoundRun>& runs, std::size_t most = 5) {
  ResumeRanking ranking(question, most);
  std::vector<std::int64_t> with(question.words.size());
  for (const FoundRun& run : runs) {
    for (std::size_t i = 0; i < with.size(); ++i) with[i] += run.words >> i & 1;
  }
  ranking.begin(std::ssize(runs), with);
  for (const FoundRun& run : runs) ranking.add(run);
  return std::move(ranking).best();
}

TEST(resume, tiers_come_in_their_order) {
  ResumeQuestion question;
  question.runs = {id<RunId>(1)};
  question.head_sha = "0123456789abcdef0123456789abcdef01234567";
  question.branch = "feature/login";
  question.words = {"login"};
  // Each is newer than the one that must come before it.
  std::vector<FoundRun> runs;
  for (std::uint8_t n = 1; n <= 6; ++n) runs.push_back(found(n, n));
  runs[1].around.head_sha = question.head_sha;
  runs[2].around.branch = "feature/login";
  runs[3].words = 1;
  runs[4].workflow_id = "user.login";
  const auto best = ranked(question, runs, 6);
  EXPECT_THAT(order(best), ElementsAre(1, 2, 3, 4, 5, 6));
  std::vector<std::string_view> why;
  for (const ResumeCandidate& each : best) why.push_back(name_of(each.why.front()));
  EXPECT_THAT(why, ElementsAre("id", "head_sha", "branch", "notes", "workflow", "recency"));
}

TEST(resume, ties_are_settled_by_the_latest_commit_and_then_by_session) {
  EXPECT_THAT(order(ranked({}, {found(1, 10), found(2, 30), found(3, 20)})), ElementsAre(2, 3, 1));
  EXPECT_THAT(order(ranked({}, {found(2, 7), found(1, 7)})), ElementsAre(1, 2));
}

TEST(resume, a_second_reason_counts_among_equals) {
  ResumeQuestion question;
  question.branch = "main";
  question.words = {"login"};
  std::vector<FoundRun> runs = {found(1, 1), found(2, 2)};
  for (FoundRun& run : runs) run.around.branch = "main";
  runs[0].words = 1;
  const auto best = ranked(question, runs);
  EXPECT_THAT(order(best), ElementsAre(1, 2));
  EXPECT_THAT(best.front().why, ElementsAre(Match::branch, Match::notes));
}

TEST(resume, branches_match_when_one_begins_with_the_other) {
  ResumeQuestion question;
  question.branch = "feature/login";
  std::vector<FoundRun> runs = {found(1, 4), found(2, 3), found(3, 2), found(4, 1)};
  runs[0].around.branch = "fix/login";
  runs[1].around.branch = "feature";
  runs[2].around.branch = "feature/login-2";
  runs[3].around.branch = "feature/login";
  const auto best = ranked(question, runs);
  EXPECT_THAT(order(best), ElementsAre(4, 2, 3, 1));
  EXPECT_THAT(best.back().why, ElementsAre(Match::recency));
}

TEST(resume, short_digests_are_enough_from_seven_characters_on) {
  ResumeQuestion question;
  std::vector<FoundRun> runs = {found(1, 1), found(2, 2)};
  runs[0].around.head_sha = "0123456789abcdef0123456789abcdef01234567";
  runs[1].around.head_sha = "fedcba";
  question.head_sha = runs[0].around.head_sha.substr(0, limits::git_sha_chars_min);
  EXPECT_THAT(order(ranked(question, runs)), ElementsAre(1, 2));
  question.head_sha.pop_back();
  EXPECT_THAT(order(ranked(question, runs)), ElementsAre(2, 1));
}

TEST(resume, words_are_not_drowned_by_a_branch) {
  ResumeQuestion question;
  question.branch = "main";
  question.words = {"payment", "retry"};
  std::vector<FoundRun> runs;
  for (std::uint8_t n = 1; n <= 20; ++n) {
    runs.push_back(found(n, n));
    runs.back().around.branch = "main";
  }
  runs[3].around.branch = "pay";
  runs[3].words = 0b11;
  EXPECT_THAT(order(ranked(question, runs)), ElementsAre(20, 19, 18, 17, 4));
}

TEST(resume, rare_words_weigh_more_than_common_ones) {
  ResumeQuestion question;
  question.words = {"the", "in", "of", "heron"};
  std::vector<FoundRun> runs;
  for (std::uint8_t n = 1; n <= 64; ++n) {
    runs.push_back(found(n, n));
    runs.back().words = 0b0111;
  }
  runs[9].words = 0b1000;
  const auto best = ranked(question, runs);
  EXPECT_EQ(order(best).front(), 10);
  EXPECT_THAT(best.front().why, ElementsAre(Match::some_words));
  EXPECT_THAT(best.back().why, ElementsAre(Match::recency))
      << "words that are everywhere say nothing";
}

TEST(resume, a_workspace_is_a_folder_and_what_is_in_its_repository) {
  ResumeQuestion question;
  question.workspace = "/w/app";
  question.repo_root = "/w";
  std::vector<FoundRun> runs;
  for (const std::string path : {"/w/app", "/w/app/src", "/w", "/w/lib", "/w2/app", "", "/"}) {
    runs.push_back(found(static_cast<std::uint8_t>(runs.size() + 1), 100 - std::ssize(runs)));
    runs.back().around.workspace = path;
  }
  EXPECT_THAT(order(ranked(question, runs, 9)), ElementsAre(1, 2, 3, 4, 7));
  question.repo_root.clear();
  EXPECT_THAT(order(ranked(question, runs, 9)), ElementsAre(1, 2, 3, 7))
      << "above counts, beside does not";
  question.sessions = {id<SessionId>(5)};
  EXPECT_EQ(order(ranked(question, runs, 9)).front(), 5) << "who is named is found anywhere";
  ResumeRanking ranking(question, 5);
  ranking.begin(7, {});
  for (const FoundRun& run : runs) ranking.add(run);
  EXPECT_EQ(ranking.eligible(), 5);
  EXPECT_EQ(ranking.elsewhere(), 2);
}

// Enforces: G8
TEST(resume, runs_of_another_principal_are_not_offered) {
  ResumeQuestion question;
  question.principal = "ann@idp";
  std::vector<FoundRun> runs = {found(1, 1), found(2, 2)};
  runs[0].around.principal = "ann@idp";
  question.runs = {id<RunId>(2)};
  EXPECT_THAT(order(ranked(question, runs)), ElementsAre(1));
  question.principal = "local";
  EXPECT_THAT(order(ranked(question, runs)), ElementsAre(2));
}

TEST(resume, a_query_holds_ids_and_words) {
  ResumeQuestion question;
  const std::string run = id<RunId>(1).text();
  const std::string session = id<SessionId>(2).text();
  read_query(cat("The login, (", run, ") and \"", session, "\" - LOGIN again"), question);
  EXPECT_THAT(question.runs, ElementsAre(id<RunId>(1)));
  EXPECT_THAT(question.sessions, ElementsAre(id<SessionId>(2)));
  EXPECT_THAT(question.words, ElementsAre("the", "login", "and", "again"));
}

// Enforces: G9
TEST(resume, a_query_counts_up_to_its_limit_of_words) {
  std::string query;
  for (std::size_t i = 0; i <= limits::search_words_max; ++i) query += cat('w', i, ' ');
  ResumeQuestion question;
  read_query(query, question);
  EXPECT_EQ(question.words.size(), limits::search_words_max);
  // As many as there are bits to count them in.
  FoundRun run = found(1, 1);
  run.words = (std::uint64_t{1} << limits::search_words_max) - 1;
  EXPECT_THAT(ranked(question, {run}).front().why, ElementsAre(Match::notes));
}

RC_GTEST_PROP(resume, the_order_of_looking_changes_nothing, ()) {
  ResumeQuestion question;
  question.branch = "main";
  question.words = {"a", "b"};
  std::vector<FoundRun> runs;
  const auto count = *rc::gen::inRange<std::uint8_t>(0, 30);
  for (std::uint8_t n = 0; n < count; ++n) {
    runs.push_back(found(n, *rc::gen::inRange(1, 5)));
    runs.back().words = *rc::gen::inRange<std::uint64_t>(0, 4);
    if (*rc::gen::arbitrary<bool>()) runs.back().around.branch = "main";
  }
  const auto before = order(ranked(question, runs));
  std::ranges::reverse(runs);
  RC_ASSERT(order(ranked(question, runs)) == before);
  RC_ASSERT(before.size() == std::min<std::size_t>(count, 5));
}

TEST(resume, a_snippet_begins_at_the_words_found) {
  EXPECT_EQ(snippet_of("One.\nTwo.\nThree.", {"two"}), "[...]\nTwo.\nThree.");
  EXPECT_EQ(snippet_of("One.\nTwo.", {"one"}), "One.\nTwo.");
  EXPECT_EQ(snippet_of("One.\nTwo.", {"four"}), "One.\nTwo.");
  EXPECT_EQ(snippet_of("", {"one"}), "");
  const std::string fits(limits::resume_snippet_bytes_max, 'x');
  EXPECT_EQ(snippet_of(fits, {}), fits);
  EXPECT_LE(snippet_of(fits + "x", {}).size(), fits.size());
  EXPECT_TRUE(snippet_of(fits + "x", {}).ends_with("[TRUNCATED]"));
  EXPECT_LE(snippet_of("a\n" + fits + " b", {"b"}).size(), fits.size());
}

// --- what a commit lets a run be found by --------------------------------------------------------

TEST(searchable, words_are_those_of_goal_notes_and_artifacts) {
  const RunId run = id<RunId>(1);
  const std::vector<Event> events = {
      RunStarted{run, "demo", {}, "Mend the Login"},
      NodeOutputAppended{run, {}, Notes{"login über\nalles"}},
      NodeOutputAppended{
          run,
          {},
          Artifact{{}, json::Object{{"kind", "x.finding"}, {"list", json::Array{"Deep", 3}}}}}};
  const Searchable found = searchable(events);
  EXPECT_THAT(found.words,
              ElementsAre("alles", "deep", "finding", "login", "mend", "the", "x", "über"));
  EXPECT_EQ(found.run, run);
  EXPECT_EQ(found.started->workflow_id, "demo");
}

TEST(searchable, surroundings_are_what_was_observed) {
  const RunId run = id<RunId>(1);
  std::vector<Event> events = {RunStarted{run, "demo", {}, ""}};
  EXPECT_EQ(searchable(events).around, RunSurroundings{});
  EXPECT_THAT(searchable(events).words, IsEmpty());
  events.push_back(ObservationRecorded{run, ObservationKey::workspace_path, "/w/app"});
  events.push_back(ObservationRecorded{run, ObservationKey::repo_root, "/w"});
  events.push_back(ObservationRecorded{run, ObservationKey::git_branch, "main"});
  events.push_back(ObservationRecorded{run, ObservationKey::git_head_sha, "abc"});
  events.push_back(ObservationRecorded{run, ObservationKey::principal, "ann@idp"});
  EXPECT_EQ(searchable(events).around, (RunSurroundings{"/w/app", "/w", "main", "abc", "ann@idp"}));
}

TEST(searchable, tasks_of_clients_are_of_no_run) {
  const std::vector<Event> events = {SessionCreated{}, McpTaskChanged{}};
  EXPECT_EQ(searchable(events).run, std::nullopt);
  EXPECT_EQ(searchable(events).started, std::nullopt);
}

}  // namespace
}  // namespace baton::run
