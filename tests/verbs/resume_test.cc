// Finding runs again: what resume offers, to which caller, and that it writes nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "support/world.h"
#include "surface/tokens.h"
#include "verbs/run/resume.h"
#include "verbs/run/revoke.h"
#include "verbs/store/fill_search_index.h"
#include "verbs/store/gc.h"

namespace baton::testing {
namespace {

using surface::SignedReply;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using verbs::Resumed;
using verbs::ResumeRequest;

/// Repositories that a test makes up.
struct FakeRepositories final : ports::RepositoryReader {
  ports::RepositoryState look(const std::string& folder) override {
    ++looks;
    const auto found = states.find(folder);
    return found == states.end() ? ports::RepositoryState{} : found->second;
  }
  bool has_file(const std::string&, std::string_view) override { return false; }
  std::map<std::string, ports::RepositoryState> states;
  int looks = 0;
};

Resumed resumed(World& world, const ResumeRequest& request) {
  const engine::Engine engine = world.engine();
  auto found = verbs::resume(engine.reading(), *engine.search, engine.repositories, world.principal,
                             request);
  EXPECT_TRUE(found) << found.error().message;
  return found ? *std::move(found) : Resumed{};
}

std::vector<RunId> runs(const Resumed& found) {
  std::vector<RunId> out;
  for (const verbs::ResumedRun& each : found.candidates) out.push_back(each.row.run);
  return out;
}

SignedReply start(World& world, const std::string& goal,
                  std::optional<std::string> workspace = std::nullopt) {
  engine::Engine engine = world.engine();
  return surface::start(engine, world.principal, {"demo", goal, {}, {}, std::move(workspace)})
      .value();
}

TEST(resume, of_an_empty_store_finds_nothing) {
  World world;
  const Resumed found = resumed(world, {.query = "anything"});
  EXPECT_THAT(found.candidates, IsEmpty());
  EXPECT_EQ(found.eligible, 0);
}

// Enforces: G6
TEST(resume, gives_a_token_for_the_tip_and_writes_nothing) {
  World world;
  const SignedReply first = start(world, "mend the login");
  const SignedReply second = world.advance(*first.ack_token, "Found the redirect.").value();
  const run::CommitNo last = world.last_commit();
  const Resumed found = resumed(world, {});
  ASSERT_THAT(found.candidates, SizeIs(1));
  EXPECT_EQ(found.candidates[0].tip.id, second.reply.state.node);
  EXPECT_EQ(found.candidates[0].snippet, "Found the redirect.");
  EXPECT_THAT(found.candidates[0].why, ElementsAre(run::Match::recency));
  EXPECT_EQ(found.eligible, 1);
  EXPECT_EQ(world.last_commit(), last);
  const std::string token =
      surface::sign_node(world.engine().reading(), world.principal, found.candidates[0].tip)
          .value();
  EXPECT_EQ(token, second.state_token);
  EXPECT_EQ(world.rehydrate(token).value().ack_token, second.ack_token);
}

TEST(resume, finds_by_words_wherever_they_were_written) {
  World world;
  const SignedReply login = start(world, "mend the login");
  (void)world.advance(*login.ack_token, "Cookie lost in redirect.\nÜber-Fehler.").value();
  const SignedReply other = start(world, "write docs");
  EXPECT_EQ(runs(resumed(world, {.query = "REDIRECT login"})).front(), login.reply.run);
  const Resumed found = resumed(world, {.query = "über"});
  EXPECT_EQ(runs(found).front(), login.reply.run);
  EXPECT_EQ(found.candidates[0].snippet, "[...]\nÜber-Fehler.");
  EXPECT_EQ(runs(resumed(world, {.query = "docs"})).front(), other.reply.run);
  EXPECT_EQ(resumed(world, {.query = "docs"}).candidates[0].snippet, "write docs");
}

TEST(resume, finds_by_id_first) {
  World world;
  const SignedReply one = start(world, "one");
  const SignedReply two = start(world, "two");
  EXPECT_EQ(runs(resumed(world, {.query = cat("two ", one.reply.run.text())})).front(),
            one.reply.run);
  EXPECT_EQ(runs(resumed(world, {.query = one.reply.session.text()})).front(), one.reply.run);
}

TEST(resume, new_commits_are_found_by_an_index_that_was_filled_before) {
  World world;
  const SignedReply first = start(world, "one");
  EXPECT_THAT(resumed(world, {.query = "heron"}).candidates[0].why,
              ElementsAre(run::Match::recency));
  (void)world.advance(*first.ack_token, "A heron.").value();
  EXPECT_THAT(resumed(world, {.query = "heron"}).candidates[0].why, ElementsAre(run::Match::notes));
}

TEST(resume, an_index_of_another_log_is_rebuilt) {
  World here(1);
  (void)start(here, "heron");
  World there(2);
  const SignedReply own = start(there, "egret");
  (void)resumed(here, {});
  // The store's file was replaced by another; the index beside it is still the old one's.
  const engine::Engine engine = there.engine();
  const auto found = verbs::resume(engine.reading(), here.search, nullptr, there.principal,
                                   {.query = "egret heron"})
                         .value();
  EXPECT_THAT(runs(found), ElementsAre(own.reply.run));
  EXPECT_EQ(found.eligible, 1);
}

TEST(resume, removed_sessions_are_forgotten) {
  World world;
  const SignedReply old = start(world, "heron");
  (void)resumed(world, {});
  world.manual_clock.advance_ms(100LL * 86'400'000);
  const SignedReply fresh = start(world, "egret");
  engine::Engine engine = world.engine();
  ASSERT_THAT(verbs::gc(engine, {.quiet_days = 90}).value().removed, SizeIs(1));
  const Resumed found = resumed(world, {.query = "heron"});
  EXPECT_THAT(runs(found), ElementsAre(fresh.reply.run));
  EXPECT_EQ(found.eligible, 1);
}

TEST(resume, a_session_removed_behind_the_index_is_noticed) {
  World world;
  const SignedReply old = start(world, "heron");
  const SignedReply kept = start(world, "egret");
  (void)resumed(world, {});
  world.purge(old.reply.session);
  const Resumed found = resumed(world, {.query = "heron"});
  EXPECT_THAT(runs(found), ElementsAre(kept.reply.run));
  EXPECT_EQ(found.eligible, 1);
}

TEST(resume, the_last_session_of_the_log_may_be_removed) {
  World world;
  const SignedReply kept = start(world, "egret");
  const SignedReply gone = start(world, "heron");
  (void)resumed(world, {});
  world.purge(gone.reply.session);
  EXPECT_THAT(runs(resumed(world, {})), ElementsAre(kept.reply.run));
}

// Enforces: G8
TEST(resume, runs_whose_tokens_were_revoked_are_not_offered) {
  World world;
  const SignedReply one = start(world, "heron");
  engine::Engine engine = world.engine();
  ASSERT_TRUE(verbs::revoke(engine, *world.store.run(one.reply.run).value()));
  EXPECT_THAT(resumed(world, {.query = one.reply.run.text()}).candidates, IsEmpty());
}

// Enforces: G8
TEST(resume, each_principal_finds_its_own_runs) {
  World world;
  const SignedReply mine = start(world, "heron");
  world.principal.name = "ann@idp";
  const SignedReply hers = start(world, "heron");
  EXPECT_THAT(runs(resumed(world, {.query = mine.reply.run.text()})), ElementsAre(hers.reply.run));
  world.principal.name = "local";
  EXPECT_THAT(runs(resumed(world, {.query = "heron"})), ElementsAre(mine.reply.run));
}

TEST(resume, repositories_are_observed_at_the_start_and_found_by) {
  World world;
  FakeRepositories repositories;
  world.repositories = &repositories;
  repositories.states["/w/app"] = {"/w", "feature/x", std::string(40, 'a')};
  repositories.states["/w/lib"] = {"/w", "feature/x", std::string(40, 'a')};
  const SignedReply app = start(world, "one", "/w/app");
  const SignedReply plain = start(world, "two", "/elsewhere");
  EXPECT_EQ(runs(resumed(world, {.git_branch = "feature/x"})).front(), app.reply.run);
  EXPECT_EQ(runs(resumed(world, {.git_head_sha = std::string(12, 'a')})).front(), app.reply.run);
  const Resumed scoped = resumed(world, {.workspace_path = "/w/lib"});
  EXPECT_THAT(runs(scoped), ElementsAre(app.reply.run));
  EXPECT_THAT(scoped.candidates[0].why, ElementsAre(run::Match::head_sha, run::Match::branch));
  EXPECT_EQ(scoped.elsewhere, 1);
  EXPECT_THAT(resumed(world, {.workspace_path = "/nowhere"}).candidates, IsEmpty());
}

TEST(resume, without_a_workspace_no_repository_is_read) {
  World world;
  FakeRepositories repositories;
  world.repositories = &repositories;
  (void)start(world, "one");
  (void)resumed(world, {.query = "one"});
  EXPECT_EQ(repositories.looks, 0);
}

TEST(resume, mistakes_are_named) {
  World world;
  const engine::Engine engine = world.engine();
  const auto ask = [&](const ResumeRequest& request) {
    return code_of(verbs::resume(engine.reading(), *engine.search, nullptr, {}, request));
  };
  EXPECT_EQ(ask({.limit = 0}), "INVALID_INPUT");
  EXPECT_EQ(ask({.limit = 1}), "ok");
  EXPECT_EQ(ask({.limit = limits::resume_candidates_max}), "ok");
  EXPECT_EQ(ask({.limit = limits::resume_candidates_max + 1}), "INVALID_INPUT");
  EXPECT_EQ(ask({.query = std::string(limits::search_query_bytes_max, 'q')}), "ok");
  EXPECT_EQ(ask({.query = std::string(limits::search_query_bytes_max + 1, 'q')}), "LIMIT_EXCEEDED");
  EXPECT_EQ(ask({.workspace_path = "relative"}), "INVALID_INPUT");
  EXPECT_EQ(ask({.workspace_path = "/" + std::string(limits::workspace_path_bytes_max, 'x')}),
            "INVALID_INPUT");
}

// Enforces: G9
TEST(resume, searches_for_notes_back_to_a_bound) {
  World world(1, limits::resume_walk_nodes_max + 3);
  SignedReply reply = start(world, "the goal");
  reply = world.advance(*reply.ack_token, "the notes").value();
  for (std::size_t i = 1; i < limits::resume_walk_nodes_max; ++i) {
    reply = world.advance(*reply.ack_token, "").value();
  }
  EXPECT_EQ(resumed(world, {}).candidates[0].snippet, "the notes");
  (void)world.advance(*reply.ack_token, "").value();
  EXPECT_EQ(resumed(world, {}).candidates[0].snippet, "the goal");
}

/// Counts how often something is taken in.
struct CountingIndex final : ports::SearchIndex {
  Result<ports::IndexMark> mark() override { return inner.mark(); }
  std::shared_ptr<void> claim(std::int64_t wait_ms) override { return inner.claim(wait_ms); }
  Result<void> add(const ports::IndexMark& after,
                   std::span<const ports::SearchCommit> commits) override {
    ++adds;
    return inner.add(after, commits);
  }
  Result<void> forget(const SessionId& session) override { return inner.forget(session); }
  Result<void> clear() override { return inner.clear(); }
  Result<void> find(std::span<const std::string> words, run::FoundRuns& out) override {
    return inner.find(words, out);
  }
  adapters::MemorySearch inner;
  int adds = 0;
};

// Enforces: G9
TEST(resume, an_old_log_is_taken_in_by_batches_of_bounded_size) {
  // The log is read by pages; a page with too many words is a batch of its own.
  constexpr std::size_t page = limits::log_page_commits;
  for (const bool is_long : {false, true}) {
    World world;
    SignedReply reply = start(world, "goal");
    std::string notes;
    const std::size_t words = verbs::batch_words / (page - 1) - (is_long ? 0 : 2);
    for (std::size_t i = 0; i < words; ++i) notes += cat('w', i, ' ');
    for (std::size_t i = 0; i < page; ++i) {
      reply = world.checkpoint(*reply.checkpoint_token, notes).value();
    }
    CountingIndex index;
    const engine::Engine engine = world.engine();
    ASSERT_TRUE(verbs::fill_search_index(engine.reading(), index));
    EXPECT_EQ(index.adds, is_long ? 2 : 1);
    EXPECT_EQ(index.mark().value().commit, world.last_commit());
  }
}

// --- a thousand sessions -------------------------------------------------------------------------

constexpr std::array<std::string_view, 10> areas = {"login",       "billing", "search",  "upload",
                                                    "export",      "account", "mailing", "calendar",
                                                    "translation", "backup"};
constexpr std::array<std::string_view, 10> troubles = {"crashes when the list is empty",
                                                       "is slow on the first request",
                                                       "loses the cookie after a redirect",
                                                       "shows the wrong time zone",
                                                       "rounds the amount down",
                                                       "ignores the second page",
                                                       "hangs without a network",
                                                       "leaks file handles",
                                                       "forgets the chosen language",
                                                       "sends every message twice"};
constexpr std::array<std::string_view, 10> places = {
    "on Firefox",       "in the nightly build", "for guests",       "behind a proxy",
    "on Windows",       "with large files",     "after an upgrade", "in the test suite",
    "on small screens", "at midnight"};

TEST(resume, a_persons_words_find_the_right_run_among_a_thousand) {
  World world;
  std::vector<RunId> ids;
  for (std::size_t n = 0; n < 1'000; ++n) {
    const std::string_view area = areas[n % 10];
    const std::string_view trouble = troubles[n / 10 % 10];
    const std::string_view place = places[n / 100];
    const SignedReply first = start(world, cat("The ", area, ' ', trouble));
    ids.push_back(first.reply.run);
    (void)world.advance(*first.ack_token, cat("I looked into it. It happens ", place, ".")).value();
  }
  struct Asked {
    std::string words;
    std::size_t run;
  };
  const auto nth = [](std::size_t area, std::size_t trouble, std::size_t place) {
    return area + 10 * trouble + 100 * place;
  };
  const std::vector<Asked> questions = {
      {"login cookie redirect firefox", nth(0, 2, 0)},
      {"Where were we with the billing amount that rounds down, behind a proxy?", nth(1, 4, 3)},
      {"that calendar thing with the wrong TIME ZONE at midnight", nth(7, 3, 9)},
      {"please go on with the upload that hangs without a network on windows", nth(3, 6, 4)},
      {"backup leaks file handles nightly", nth(9, 7, 1)},
      {"the translation forgets the language for guests, remember?", nth(8, 8, 2)}};
  for (const Asked& asked : questions) {
    const Resumed found = resumed(world, {.query = asked.words});
    ASSERT_THAT(found.candidates, SizeIs(5)) << asked.words;
    EXPECT_EQ(found.candidates[0].row.run, ids[asked.run])
        << asked.words << "\nfound: " << found.candidates[0].row.goal << "\n"
        << found.candidates[0].snippet;
    EXPECT_EQ(found.eligible, 1'000);
  }
}

}  // namespace
}  // namespace baton::testing
