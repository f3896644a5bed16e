// A server that is killed while runs with effects fork: every effect is a line in a file, and the
// file never differs from what the receipts in the log say.

#include <poll.h>

#include <fstream>
#include <map>
#include <random>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "run/effects/receipts.h"
#include "support/walk.h"
#include "verbs/store/verify.h"

namespace baton::crash {
namespace {

namespace fs = std::filesystem;

constexpr int rounds = 24;

/// Each step leaves a line with its name; one repeats on forks, one is reused and one asks.
constexpr std::string_view workflow = R"yaml(id: effects
inputs: {mark: {type: string}}
steps:
  - {id: plan, prompt: Plan.}
  - id: again
    type: shell_command
    on_fork: repeat
    command: echo again >> {{ inputs.mark }}
  - id: once
    type: shell_command
    on_fork: reuse
    command: echo once >> {{ inputs.mark }}; sleep 0.02
  - {id: middle, prompt: Go on.}
  - id: ask
    type: shell_command
    command: echo ask >> {{ inputs.mark }}; sleep 0.02
  - {id: end, prompt: End.}
)yaml";

struct Receipts {
  std::map<std::string, int> known;    // they happened
  std::map<std::string, int> unknown;  // they may have happened
};

class EffectKills : public ::testing::Test {
 protected:
  EffectKills() : place_(MUST(make_place(scratch_.path()))), mark_(scratch_.path() / "mark") {
    std::ofstream(place_.workflows() / "effects.yaml") << workflow;
  }

  std::unique_ptr<Server> serve() {
    const char* given = std::getenv("BATON_BINARY");
    return MUST(Server::start({.binary = given == nullptr ? "baton" : given,
                               .place = place_,
                               .wrapper = {},
                               .environment = {"BATON_ALLOW_SHELL=true"},
                               .options = {}}));
  }

  std::map<std::string, int> marks() const {
    std::map<std::string, int> out;
    std::ifstream file(mark_);
    for (std::string line; std::getline(file, line);) ++out[line];
    return out;
  }

  Receipts receipts() {
    const auto store = MUST(adapters::SqliteStore::open(place_.db().string()));
    EXPECT_TRUE(MUST(verbs::verify(*store)).ok());
    run::EffectLedger ledger;
    run::CommitNo after;
    while (true) {
      const auto page = MUST(store->store_log(after, 100));
      if (page.empty()) break;
      for (const run::Commit& commit : page) {
        MUST(ledger.add(MUST(run::decode_events(commit.body)), commit.at));
        after = commit.no;
      }
    }
    Receipts out;
    for (const run::EffectReceipt& each : ledger.receipts()) {
      if (!each.may_hold()) continue;
      const bool is_known = each.end && each.outcome != run::EffectOutcome::unknown;
      ++(is_known ? out.known : out.unknown)[each.step];
    }
    return out;
  }

  Scratch scratch_;
  Place place_;
  fs::path mark_;
};

// Enforces: G30
TEST_F(EffectKills, world_is_what_the_receipts_say_and_nothing_happens_twice_unchosen) {
  std::mt19937 chance(7);
  std::vector<std::string> acks;
  auto server = serve();
  const Answer started = MUST(server->call(
      {"start_workflow",
       {{"workflowId", "effects"}, {"context", json::Object{{"mark", mark_.string()}}}}}));
  ASSERT_EQ(started.code, "") << started.text;
  acks.push_back(started.field("ackToken"));
  pollfd nothing{-1, 0, 0};
  for (int round = 0; round < rounds; ++round) {
    // The first ack is the root's, so that most rounds fork there.
    const std::string ack = chance() % 2 == 0 ? acks.front() : acks[chance() % acks.size()];
    const Call call = advance_call(ack, cat("round ", round));
    if (chance() % 3 == 0) {
      ASSERT_TRUE(server->send(call));
      ::poll(&nothing, 1, static_cast<int>(chance() % 40));
      server->child().kill();
      server = serve();
      continue;
    }
    const Answer answer = MUST(server->call(call));
    ASSERT_EQ(answer.code, "") << answer.text;
    if (const std::string next = answer.field("ackToken"); !next.empty()) acks.push_back(next);
  }
  server->child().kill();
  server.reset();
  const auto happened = marks();
  Receipts said = receipts();
  for (const std::string step : {"again", "once", "ask"}) {
    const int count = happened.contains(step) ? happened.at(step) : 0;
    EXPECT_GE(count, said.known[step]) << step;
    EXPECT_LE(count, said.known[step] + said.unknown[step]) << step;
  }
  EXPECT_LE(said.known["once"] + said.unknown["once"], 1) << "no person chose to repeat it";
  EXPECT_LE(said.known["ask"] + said.unknown["ask"], 1);
  EXPECT_GT(said.known["again"], 1) << "its author lets it repeat";
}

}  // namespace
}  // namespace baton::crash
