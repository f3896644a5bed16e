// kill_loop: kills the real server again and again and sees that nothing it said was untrue.
//
//   kill_loop [--baton PATH] [--kills N] [--seed N] [--lanes N]
//
// Each lane has a store and, one life after the other, a server on it, used by eight clients with
// one call out each. Half of the lives end at a random moment, half on a write to the store's
// files, up to 300 us after it. A reply in the pipe was given, even if the server died after it.
// The next life gets every unanswered call again. Every fifty lives, and at the end, the store is
// read and compared with what the clients were told.

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/text/text.h"
#include "support/options.h"
#include "support/store_check.h"

namespace baton::crash {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr std::size_t clients_per_server = 8;
constexpr std::int64_t kills_per_store = 250;
constexpr std::int64_t kills_per_check = 50;

struct Tally {
  std::int64_t kills = 0;
  std::int64_t kills_on_write = 0;
  std::int64_t acknowledged = 0;
  std::int64_t sent_again = 0;
  std::int64_t answers_repeated = 0;
  std::int64_t checks = 0;
  std::int64_t in_flight = 0;
  std::int64_t in_flight_recorded = 0;
  std::vector<std::string> violations;

  void add(const Tally& other) {
    kills += other.kills;
    kills_on_write += other.kills_on_write;
    acknowledged += other.acknowledged;
    sent_again += other.sent_again;
    answers_repeated += other.answers_repeated;
    checks += other.checks;
    in_flight += other.in_flight;
    in_flight_recorded += other.in_flight_recorded;
    violations.insert(violations.end(), other.violations.begin(), other.violations.end());
  }
};

/// When a life ends: so long after the n-th answer (0: after the start), or after the n-th write.
struct Plan {
  bool is_on_write = false;
  std::int64_t count = 0;
  microseconds delay{0};
};

Plan draw_plan(std::mt19937_64& dice) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(dice() % n); };
  if (below(2) == 0) return {true, 1 + below(60), microseconds(below(301))};
  if (below(8) == 0) return {false, 0, microseconds(below(15'000))};
  return {false, 1 + below(40), microseconds(below(3'000))};
}

/// Counts writes to the files of a store.
class WriteWatch {
 public:
  explicit WriteWatch(const Place& place) : fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    ASSERT(inotify_add_watch(fd_.get(), place.folder.c_str(), IN_MODIFY) >= 0);
  }

  int fd() const { return fd_.get(); }

  /// How many were seen since the last call.
  std::int64_t take() {
    std::int64_t count = 0;
    alignas(inotify_event) char room[16384];
    for (;;) {
      const ssize_t got = read(fd_.get(), room, sizeof room);
      if (got <= 0) return count;
      for (ssize_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(room + at);
        if (std::string_view(event->name).starts_with("runs.db")) ++count;
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      }
    }
  }

 private:
  Fd fd_;
};

class Lane {
 public:
  Lane(std::string binary, std::uint64_t seed) : binary_(std::move(binary)), random_(seed) {}

  Tally run(std::int64_t kills, const std::atomic<bool>& is_stopped) {
    while (tally_.kills < kills && tally_.violations.empty() && !is_stopped) {
      one_store(std::min(kills_per_store, kills - tally_.kills), is_stopped);
    }
    return std::move(tally_);
  }

 private:
  void violated(std::string what) { tally_.violations.push_back(std::move(what)); }

  void one_store(std::int64_t kills, const std::atomic<bool>& is_stopped) {
    Scratch scratch;
    place_ = MUST(make_place(scratch.path()));  // the scratch folder is ours
    WriteWatch watch(place_);
    clients_.clear();
    for (std::size_t i = 0; i < clients_per_server; ++i) {
      clients_.emplace_back(random_(), cat("client ", i));
    }
    for (std::int64_t i = 1; i <= kills && tally_.violations.empty() && !is_stopped; ++i) {
      const Result<void> lived = one_life(draw_plan(random_), watch);
      if (!lived) violated(lived.error().message);
      if (i % kills_per_check == 0) check();
    }
    if (tally_.violations.empty()) {
      const Result<void> lived = last_life();
      if (!lived) violated(lived.error().message);
      check();
    }
    for (const RunClient& client : clients_) {
      tally_.acknowledged += std::ssize(client.acked());
      tally_.answers_repeated += client.answers_repeated();
    }
    if (tally_.violations.empty()) return;
    scratch.keep();
    violated(cat("the store is kept in ", scratch.path().string()));
  }

  Result<void> send_from(Server& server, std::size_t client) {
    if (clients_[client].has_call_out()) ++tally_.sent_again;
    const auto id = server.send(clients_[client].next());
    if (!id) return fail(Code::NOT_FOUND, "the server stopped reading before it was killed");
    waiting_[*id] = client;
    return {};
  }

  /// The client that was answered, if a whole answer is there.
  Result<std::optional<std::size_t>> hear(Server& server, int wait_ms) {
    const Server::Heard heard = TRY(server.hear(wait_ms));
    if (heard.heard == Child::Heard::end) is_at_end_ = true;
    if (heard.heard != Child::Heard::line) return std::nullopt;
    const auto found = waiting_.find(heard.id);
    if (found == waiting_.end()) return fail(Code::INVALID_JSON, "an answer to no call of ours");
    const std::size_t client = found->second;
    waiting_.erase(found);
    if (const auto problem = clients_[client].take(heard.answer)) {
      return fail(Code::INTERNAL, *problem);
    }
    return client;
  }

  Result<std::unique_ptr<Server>> begin_life() {
    waiting_.clear();
    is_at_end_ = false;
    auto server = TRY(Server::start({binary_, place_, {}, {}}));
    for (std::size_t i = 0; i < clients_.size(); ++i) TRY(send_from(*server, i));
    return server;
  }

  // Enforces: G1, G2, G22
  Result<void> one_life(const Plan& plan, WriteWatch& watch) {
    watch.take();
    const auto server = TRY(begin_life());
    TRY(live(*server, plan, watch));
    server->child().kill();
    ++tally_.kills;
    if (plan.is_on_write) ++tally_.kills_on_write;
    while (!is_at_end_) TRY(hear(*server, answer_wait_ms_max));
    server->child().wait();
    return {};
  }

  Result<void> live(Server& server, const Plan& plan, WriteWatch& watch) {
    std::int64_t answers = 0;
    std::int64_t writes = 0;
    std::optional<Clock::time_point> end;
    if (!plan.is_on_write && plan.count == 0) end = Clock::now() + plan.delay;
    for (;;) {
      while (const auto client = TRY(hear(server, 0))) {
        ++answers;
        if (!plan.is_on_write && answers == plan.count) end = Clock::now() + plan.delay;
        TRY(send_from(server, *client));
      }
      if (is_at_end_) return fail(Code::NOT_FOUND, "the server ended before it was killed");
      if (end && Clock::now() >= *end) return {};
      TRY(wait_for_more(server, watch, end));
      writes += watch.take();
      if (!plan.is_on_write || writes < plan.count) continue;
      const auto until = Clock::now() + plan.delay;
      while (Clock::now() < until) continue;
      return {};
    }
  }

  static Result<void> wait_for_more(Server& server, const WriteWatch& watch,
                                    std::optional<Clock::time_point> end) {
    pollfd waiting[] = {{server.child().out(), POLLIN, 0}, {watch.fd(), POLLIN, 0}};
    timespec room{answer_wait_ms_max / 1000, 0};
    if (end) {
      const auto left = std::max(*end - Clock::now(), Clock::duration(0));
      room = {0, std::chrono::nanoseconds(left).count()};
    }
    if (ppoll(waiting, 2, &room, nullptr) == 0 && !end) {
      return fail(Code::NOT_FOUND, "no answer and no write within a minute");
    }
    return {};
  }

  /// No server is killed any more: every open call is answered.
  Result<void> last_life() {
    const auto server = TRY(begin_life());
    while (!waiting_.empty()) {
      const auto client = TRY(hear(*server, answer_wait_ms_max));
      if (!client) return fail(Code::NOT_FOUND, "the last server did not answer every call");
    }
    return server->end();
  }

  void check() {
    Held held;
    for (const RunClient& client : clients_) held.add(client);
    const StoreCheck checked = check_store(place_.db(), held);
    ++tally_.checks;
    tally_.in_flight += std::ssize(held.in_flight);
    tally_.in_flight_recorded += checked.in_flight_recorded;
    for (const std::string& problem : checked.problems) violated(problem);
  }

  const std::string binary_;
  std::mt19937_64 random_;
  Place place_;
  std::vector<RunClient> clients_;
  std::map<std::int64_t, std::size_t> waiting_;  // the client of each call that is out
  bool is_at_end_ = false;
  Tally tally_;
};

int run_all(const std::string& binary, std::int64_t kills, std::int64_t seed, std::int64_t lanes) {
  const auto begin = Clock::now();
  std::vector<Tally> tallies(static_cast<std::size_t>(lanes));
  std::atomic<bool> is_stopped = false;
  {
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < tallies.size(); ++i) {
      const auto share = kills / lanes + (static_cast<std::int64_t>(i) < kills % lanes ? 1 : 0);
      running.emplace_back([&, i, share] {
        tallies[i] =
            Lane(binary, static_cast<std::uint64_t>(seed) * 1'000 + i).run(share, is_stopped);
        if (!tallies[i].violations.empty()) is_stopped = true;
      });
    }
  }
  Tally all;
  for (const Tally& tally : tallies) all.add(tally);
  for (const std::string& violation : all.violations) {
    std::fprintf(stderr, "kill_loop: %s\n", violation.c_str());
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin);
  const json::Object report{{"test", "kill_loop"},
                            {"seed", seed},
                            {"kills", all.kills},
                            {"killsOnWrite", all.kills_on_write},
                            {"acknowledged", all.acknowledged},
                            {"sentAgain", all.sent_again},
                            {"answersRepeated", all.answers_repeated},
                            {"storeChecks", all.checks},
                            {"inFlightAtChecks", all.in_flight},
                            {"ofThemRecorded", all.in_flight_recorded},
                            {"seconds", seconds.count()},
                            {"violations", std::ssize(all.violations)}};
  std::puts(json::print(report).c_str());
  if (all.violations.empty()) return 0;
  std::fprintf(stderr, "again: kill_loop --kills %lld --seed %lld --lanes %lld --baton %s\n",
               static_cast<long long>(kills), static_cast<long long>(seed),
               static_cast<long long>(lanes), binary.c_str());
  return 1;
}

}  // namespace
}  // namespace baton::crash

int main(int argc, char** argv) {
  const auto options = baton::crash::Options::read(argc, argv, {"baton", "kills", "seed", "lanes"});
  if (!options) return 2;
  return baton::crash::run_all(baton::crash::baton_binary(*options), options->number("kills", 500),
                               options->number("seed", 1), options->number("lanes", 2));
}
