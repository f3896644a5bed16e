// sub_agents: a hundred sub-agents carry out the tasks of one step through eight real servers on
// one store, which are killed again and again. Every task must be settled exactly once, no more may
// hold a lease at a time than the step allows, and the run must end as if nothing had happened.
//
//   sub_agents [--baton PATH] [--agents N] [--servers N] [--seed N]
//
// Each server has its own share of the agents, with one call out each. It is killed after some
// answers, at a random moment of the next ones; its successor gets every unanswered call again.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "run/graph/task_board.h"
#include "support/options.h"
#include "support/server.h"
#include "verbs/store/verify.h"

namespace baton::crash {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::int64_t max_parallel = 24;
constexpr int steps_per_task = 4;
constexpr milliseconds wait(5);  // of an agent that is told to wait

std::string workflow_text(std::int64_t agents) {
  json::Array items;
  for (std::int64_t i = 0; i < agents; ++i) items.emplace_back(i);
  json::Array steps;
  for (int i = 0; i < steps_per_task; ++i) {
    steps.push_back(json::Object{{"id", cat("part", i)}, {"prompt", cat("Do part ", i, '.')}});
  }
  steps.push_back(json::Object{{"id", "note"},
                               {"type", "state_update"},
                               {"path", "raw.done"},
                               {"operation", "append"},
                               {"value", "{{ item }}"}});
  return json::print(
      json::Object{{"id", "spread"},
                   {"default_state", json::Object{{"raw", json::Object{{"done", json::Array()}}}}},
                   {"state_schema", json::Object{{"raw", json::Object{{"done", "array"}}}}},
                   {"steps", json::Array{json::Object{{"id", "work"},
                                                      {"type", "parallel_foreach"},
                                                      {"items", std::move(items)},
                                                      {"max_parallel", max_parallel},
                                                      {"steps", std::move(steps)}},
                                         json::Object{{"id", "report"}, {"prompt", "Report."}}}}});
}

/// Carries out one task, a call at a time. What it was not answered it sends again.
class Agent {
 public:
  Agent(std::string run, std::string task) : run_(std::move(run)), task_(std::move(task)) {}

  bool is_done() const { return is_done_; }
  bool is_waiting(Clock::time_point now) const { return now < wait_until_; }

  Call next() const {
    json::Object arguments{{"workflow_id", run_},
                           {"sub_agent_context", json::Object{{"task_id", task_}}}};
    if (step_.empty()) return {"workflow_get_next_step", std::move(arguments)};
    arguments.set("step_id", step_);
    arguments.set("result", cat("did ", step_));
    return {"workflow_step_complete", std::move(arguments)};
  }

  /// Why the answer breaks a promise, or nothing.
  std::optional<std::string> take(const Answer& answer) {
    if (answer.code == "STORE_BUSY" || answer.code == "TOKEN_SESSION_LOCKED") return std::nullopt;
    if (answer.is_error()) return cat(task_, ": ", answer.text);
    if (!step_.empty()) {
      const json::Value* success = answer.structured.find("success");
      if (success == nullptr || *success != json::Value(true)) {
        return cat(task_, ": ", step_, " did not pass: ", answer.result);
      }
      step_.clear();
      ++completed_;
      return std::nullopt;
    }
    const json::Value* step = answer.structured.find("step");
    if (step == nullptr) return cat(task_, ": no step: ", answer.result);
    const json::Value* id = step->find("id");
    if (step->is_null()) {
      is_done_ = true;
      if (completed_ != steps_per_task) return cat(task_, ": over after ", completed_, " steps");
    } else if (step->find("type") != nullptr && *step->find("type") == json::Value("wait_step")) {
      wait_until_ = Clock::now() + wait;
    } else {
      step_ = *id->if_string();
    }
    return std::nullopt;
  }

 private:
  std::string run_;
  std::string task_;
  std::string step_;  // to be completed; empty: to be asked for
  int completed_ = 0;
  Clock::time_point wait_until_;
  bool is_done_ = false;
};

struct Tally {
  std::int64_t kills = 0;
  std::int64_t answers = 0;
  std::int64_t sent_again = 0;
  std::vector<std::string> violations;
};

/// One server after the other, and the agents that use them.
class Lane {
 public:
  Lane(ServerSetup setup, std::vector<Agent> agents, std::uint64_t seed)
      : setup_(std::move(setup)), agents_(std::move(agents)), random_(seed) {}

  Tally run() {
    while (!is_over() && tally_.violations.empty()) {
      const Result<void> lived = one_life();
      if (!lived) tally_.violations.push_back(lived.error().message);
    }
    return std::move(tally_);
  }

 private:
  bool is_over() const {
    return std::ranges::all_of(agents_, [](const Agent& agent) { return agent.is_done(); });
  }

  void send_due(Server& server) {
    const auto now = Clock::now();
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      const bool is_out = std::ranges::any_of(out_, [&](const auto& o) { return o.second == i; });
      if (is_out || agents_[i].is_done() || agents_[i].is_waiting(now)) continue;
      if (const auto id = server.send(agents_[i].next())) out_[*id] = i;
    }
  }

  Result<void> one_life() {
    const auto server = TRY(Server::start(setup_));
    tally_.sent_again += std::ssize(out_);
    out_.clear();
    std::int64_t left = 1 + static_cast<std::int64_t>(random_() % 25);
    while (left > 0 && !is_over()) {
      send_due(*server);
      const Server::Heard heard = TRY(server->hear(10));
      if (heard.heard == Child::Heard::end) break;
      if (heard.heard == Child::Heard::nothing_yet) continue;
      TRY(take(heard));
      --left;
    }
    const Server::Heard last = TRY(server->hear(static_cast<int>(random_() % 4)));
    if (last.heard == Child::Heard::line) TRY(take(last));
    server->child().kill();
    ++tally_.kills;
    // What is in the pipe counts as said.
    while (true) {
      const auto heard = server->hear(0);
      if (!heard || heard->heard != Child::Heard::line) return {};
      TRY(take(*heard));
    }
  }

  Result<void> take(const Server::Heard& heard) {
    const auto found = out_.find(heard.id);
    if (found == out_.end()) return fail(Code::NOT_FOUND, "an answer to no call");
    Agent& agent = agents_[found->second];
    out_.erase(found);
    ++tally_.answers;
    if (auto problem = agent.take(heard.answer)) tally_.violations.push_back(*std::move(problem));
    return {};
  }

  const ServerSetup setup_;
  std::vector<Agent> agents_;
  std::map<std::int64_t, std::size_t> out_;  // the agent of each call that is out
  std::mt19937_64 random_;
  Tally tally_;
};

/// What the log says happened to the tasks.
std::vector<std::string> check_log(ports::EventReader& store, const RunId& run,
                                   std::int64_t agents) {
  std::vector<std::string> problems;
  const auto row = MUST(store.run(run));
  std::map<std::string, int> settled;
  std::optional<run::TaskBoard> board;
  run::Seq after;
  while (true) {
    const auto commits = MUST(store.log(row->session, after, 1'000));
    if (commits.empty()) break;
    for (const run::Commit& commit : commits) {
      const auto events = MUST(run::decode_events(commit.body));
      for (const run::Event& event : events) {
        if (const auto* lease = std::get_if<run::TaskLeased>(&event); lease && !board) {
          board.emplace(lease->node, static_cast<std::size_t>(agents), max_parallel);
        }
        const auto* end = std::get_if<run::TaskSettled>(&event);
        if (end == nullptr) continue;
        ++settled[end->task];
        if (end->status != run::TaskStatus::completed)
          problems.push_back(cat(end->task, " failed"));
      }
      if (!board) continue;
      board->take(commit.at, events);
      if (board->live(commit.at) > max_parallel) problems.emplace_back("too many work at once");
    }
    after = commits.back().seq;
  }
  if (std::ssize(settled) != agents) problems.push_back(cat(settled.size(), " tasks are settled"));
  for (const auto& [task, times] : settled) {
    if (times != 1) problems.push_back(cat(task, " is settled ", times, " times"));
  }
  const verbs::VerifyReport report = MUST(verbs::verify(store));
  problems.insert(problems.end(), report.problems.begin(), report.problems.end());
  return problems;
}

/// The run is at its report step, with what every task wrote, once.
Result<std::vector<std::string>> check_run(const ServerSetup& setup, const std::string& run,
                                           std::int64_t agents) {
  std::vector<std::string> problems;
  const auto server = TRY(Server::start(setup));
  const Answer next = TRY(server->call({"workflow_get_next_step", {{"workflow_id", run}}}));
  const json::Value* step = next.structured.find("step");
  if (step == nullptr || step->find("id") == nullptr ||
      *step->find("id") != json::Value("report")) {
    problems.push_back(cat("the run does not stand at its report: ", next.result));
  }
  const Answer state = TRY(server->call(
      {"workflow_state_read", {{"workflow_id", run}, {"paths", json::Array{"raw.done"}}}}));
  const json::Value* values = state.structured.find("state");
  const json::Value* done = values == nullptr ? nullptr : values->find("raw.done");
  std::set<std::int64_t> items;
  if (done != nullptr && done->is_array()) {
    for (const json::Value& each : *done->if_array()) items.insert(*each.if_int());
    if (std::ssize(*done->if_array()) != agents)
      problems.emplace_back("something is written twice");
  }
  if (std::ssize(items) != agents) problems.push_back(cat(items.size(), " tasks have written"));
  TRY(server->end());
  return problems;
}

int run_all(const std::string& binary, std::int64_t agents, std::int64_t servers,
            std::int64_t seed) {
  Scratch scratch;
  const Place place = MUST(make_place(scratch.path()));  // the scratch folder is ours
  std::ofstream(place.workflows() / "spread.json") << workflow_text(agents);
  const ServerSetup setup{.binary = binary,
                          .place = place,
                          .wrapper = {},
                          .environment = {},
                          .options = {"--surface", "atomic"}};
  std::string run;
  {
    const auto server = MUST(Server::start(setup));
    run = MUST(server->call({"workflow_start", {{"workflow", "spread"}}})).field("workflow_id");
    MUST(server->end());
  }
  std::vector<Tally> tallies(static_cast<std::size_t>(servers));
  {
    std::vector<std::jthread> running;
    for (std::int64_t lane = 0; lane < servers; ++lane) {
      std::vector<Agent> own;
      for (std::int64_t i = lane; i < agents; i += servers) {
        own.emplace_back(run, run::task_id("work", static_cast<std::size_t>(i)));
      }
      running.emplace_back([&, lane, own = std::move(own)]() mutable {
        tallies[static_cast<std::size_t>(lane)] =
            Lane(setup, std::move(own), static_cast<std::uint64_t>(seed * 1'000 + lane)).run();
      });
    }
  }
  Tally all;
  for (const Tally& each : tallies) {
    all.kills += each.kills;
    all.answers += each.answers;
    all.sent_again += each.sent_again;
    all.violations.insert(all.violations.end(), each.violations.begin(), each.violations.end());
  }
  if (all.violations.empty()) all.violations = MUST(check_run(setup, run, agents));
  if (all.violations.empty()) {
    const auto store = MUST(adapters::SqliteStore::open(place.db().string()));
    all.violations = check_log(*store, MUST(RunId::parse(run)), agents);
  }
  for (const std::string& violation : all.violations) {
    std::fprintf(stderr, "sub_agents: %s\n", violation.c_str());
  }
  if (!all.violations.empty()) scratch.keep();
  std::puts(json::print(json::Object{{"test", "sub_agents"},
                                     {"seed", seed},
                                     {"agents", agents},
                                     {"servers", servers},
                                     {"kills", all.kills},
                                     {"answers", all.answers},
                                     {"sentAgain", all.sent_again},
                                     {"violations", std::ssize(all.violations)}})
                .c_str());
  return all.violations.empty() ? 0 : 1;
}

}  // namespace
}  // namespace baton::crash

int main(int argc, char** argv) {
  const auto options =
      baton::crash::Options::read(argc, argv, {"baton", "agents", "servers", "seed"});
  if (!options) return 2;
  return baton::crash::run_all(baton::crash::baton_binary(*options), options->number("agents", 100),
                               options->number("servers", 8), options->number("seed", 1));
}
