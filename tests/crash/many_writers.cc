// many_writers: eight processes of four threads each work on one store at once.
//
//   many_writers [--mode apart|together] [--advances N] [--seed N] [--processes N]
//
// apart: every thread walks runs of its own. together: every thread walks the same runs, step by
// step with the same tokens, half of the time with notes of its own, now and then takes a
// checkpoint of the run first, and now and then forks with the token that the notice of a
// redelivery brings. Checkpoints of the file are forced throughout.
//
// Each process writes down what it was told. Afterwards all of it must be in the log, each attempt
// once and where it belongs after those before it, every user of a token must have been told
// the same, and the file must be sound.

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>

#include "adapters/crypto/crypto_signer.h"
#include "adapters/files/workflow_files.h"
#include "adapters/os/system.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "support/options.h"
#include "support/store_check.h"
#include "surface/tokens.h"
#include "verbs/run/start_run.h"

namespace baton::crash {
namespace {

constexpr std::int64_t threads_per_process = 4;
constexpr std::int64_t advances_per_file_checkpoint = 100;
constexpr int tries_max = 200;  // of a call that finds the store busy

// --- one engine on the shared file --------------------------------------------------------------

struct World {
  explicit World(const Place& place)
      : keys(cat(place.db().string(), ".keys")),
        signer(keys),
        workflows({{"extra", place.workflows().string(), true}}) {}

  Result<void> open(const Place& place) {
    TRY(keys.create_if_missing(entropy));
    store = TRY(adapters::SqliteStore::open(place.db().string()));
    checked = std::make_unique<engine::CheckedStore>(*store, caches);
    return {};
  }
  engine::Engine engine() { return {*checked, workflows, signer, clock, entropy, ids, caches}; }

  adapters::SystemClock clock;
  adapters::OsEntropy entropy;
  adapters::KeyFile keys;
  adapters::CryptoSigner signer;
  adapters::WorkflowFiles workflows;
  engine::IdSource ids{clock, entropy};
  engine::Caches caches;
  std::unique_ptr<adapters::SqliteStore> store;
  std::unique_ptr<engine::CheckedStore> checked;
};

bool is_worth_trying_again(const Error& error) {
  return error.code == Code::STORE_BUSY || error.code == Code::TOKEN_SESSION_LOCKED;
}

template <class F>
auto persistently(std::atomic<std::int64_t>& busy, F&& call) {
  auto result = call();
  for (int i = 0; i < tries_max && !result && is_worth_trying_again(result.error()); ++i) {
    ++busy;
    result = call();
  }
  return result;
}

Result<surface::SignedReply> start(World& world, std::atomic<std::int64_t>& busy) {
  engine::Engine engine = world.engine();
  verbs::StartRequest request;
  request.workflow_id = workflow_id;
  return persistently(busy, [&] { return surface::start(engine, {}, request); });
}

Result<surface::SignedReply> advance(World& world, const std::string& token, std::string notes,
                                     std::atomic<std::int64_t>& busy) {
  engine::Engine engine = world.engine();
  surface::AttemptRequest request;
  request.token = token;
  request.input.notes = std::move(notes);
  // As a surface that does not fork by itself: else the threads would soon walk branches of their
  // own and no longer compete.
  request.other = run::OtherInput::notice;
  return persistently(busy, [&] { return surface::advance(engine, {}, request); });
}

Result<surface::SignedReply> checkpoint(World& world, const std::string& token, std::string notes,
                                        std::atomic<std::int64_t>& busy) {
  engine::Engine engine = world.engine();
  surface::AttemptRequest request;
  request.token = token;
  request.input.notes = std::move(notes);
  return persistently(busy, [&] { return surface::checkpoint(engine, {}, request); });
}

/// What every client that sends the same token must be told; one with other notes gets more.
std::string told(const surface::SignedReply& reply) {
  return cat(reply.state_token, ' ', reply.ack_token.value_or("-"), ' ',
             reply.checkpoint_token.value_or("-"), ' ', reply.reply.run.text());
}

// --- a process of many --------------------------------------------------------------------------

/// Lines that the parent reads: "run ID", "told TOKEN STATE ACK CHK RUN", "busy N".
class Writer {
 public:
  Writer(const Place& place, const Options& options)
      : place_(place),
        world_(place),
        process_(options.number("process", 0)),
        advances_(options.number("advances", 0)),
        seed_(static_cast<std::uint64_t>(options.number("seed", 1))),
        is_together_(options.text("mode") == "together") {}

  Result<void> run() {
    TRY(world_.open(place_));
    std::vector<std::string> first;
    for (std::string line; std::getline(std::cin, line) && line != "go";) first.push_back(line);
    std::vector<Result<void>> ends(threads_per_process);
    {
      std::vector<std::jthread> running;
      for (std::size_t i = 0; i < ends.size(); ++i) {
        running.emplace_back([&, i] { ends[i] = is_together_ ? together(i, first) : apart(i); });
      }
    }
    for (const Result<void>& end : ends) TRY(end);
    std::puts(cat("busy ", busy_.load()).c_str());
    return {};
  }

 private:
  Result<void> apart(std::size_t thread) {
    std::string ack;
    for (std::int64_t i = 0; i < advances_; ++i) {
      if (ack.empty()) {
        const surface::SignedReply reply = TRY(start(world_, busy_));
        say(cat("run ", reply.reply.run.text()));
        ack = *reply.ack_token;
      }
      const surface::SignedReply reply = TRY(advance(world_, ack, notes(thread, ack), busy_));
      say(cat("told ", ack, ' ', told(reply)));
      ack = reply.ack_token.value_or("");
      if (thread == 0 && i % advances_per_file_checkpoint == 0) force_checkpoint(i);
    }
    return {};
  }

  /// `first`: the first token of each run.
  Result<void> together(std::size_t thread, const std::vector<std::string>& first) {
    std::mt19937_64 dice(seed_ + static_cast<std::uint64_t>(process_) * 100 + thread);
    std::int64_t count = 0;
    for (std::string ack : first) {
      std::string save;  // the checkpoint token beside the ack
      while (!ack.empty()) {
        if (!save.empty() && dice() % 8 == 0) {
          const auto saved = TRY(checkpoint(world_, save, notes(thread, save), busy_));
          say(cat("told ", save, ' ', told(saved)));
        }
        // With the same notes all clients send the same call; with others, one is first.
        std::string words = dice() % 2 == 0 ? cat("did ", ack) : notes(thread, ack);
        const surface::SignedReply reply = TRY(advance(world_, ack, std::move(words), busy_));
        say(cat("told ", ack, ' ', told(reply)));
        if (reply.notice && dice() % 64 == 0) {
          const std::string& fork = reply.notice->ack_token;
          const auto forked = TRY(advance(world_, fork, notes(thread, fork), busy_));
          say(cat("told ", fork, ' ', told(forked)));
        }
        ack = reply.ack_token.value_or("");
        save = reply.checkpoint_token.value_or("");
        if (thread == 0 && ++count % advances_per_file_checkpoint == 0) force_checkpoint(count);
      }
    }
    return {};
  }

  std::string notes(std::size_t thread, const std::string& ack) const {
    return cat("process ", process_, " thread ", thread, " did ", ack);
  }

  /// By a connection of its own, in every way SQLite has, one after the other.
  void force_checkpoint(std::int64_t turn) const {
    constexpr int ways[] = {SQLITE_CHECKPOINT_PASSIVE, SQLITE_CHECKPOINT_FULL,
                            SQLITE_CHECKPOINT_RESTART, SQLITE_CHECKPOINT_TRUNCATE};
    sqlite3* db = nullptr;
    if (sqlite3_open(place_.db().c_str(), &db) == SQLITE_OK) {
      // Busy is an answer too: the others were in the way.
      sqlite3_wal_checkpoint_v2(
          db, nullptr,
          ways[static_cast<std::size_t>(turn / advances_per_file_checkpoint + process_) %
               std::size(ways)],
          nullptr, nullptr);
    }
    sqlite3_close(db);
  }

  void say(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    std::puts(line.c_str());
  }

  const Place place_;
  World world_;
  const std::int64_t process_;
  const std::int64_t advances_;  // by each thread, when apart
  const std::uint64_t seed_;
  const bool is_together_;
  std::atomic<std::int64_t> busy_ = 0;
  std::mutex mutex_;  // guards standard output
};

int be_one_of_many(const Options& options) {
  const Result<void> done = Writer(Place{options.text("folder"), {}}, options).run();
  if (done) return 0;
  std::fprintf(stderr, "many_writers: %s: %s\n", std::string(name_of(done.error().code)).c_str(),
               done.error().message.c_str());
  return 1;
}

// --- the parent ---------------------------------------------------------------------------------

struct Findings {
  std::map<std::string, std::string> told;  // what the first user of a token was told
  std::vector<std::string> runs;
  std::int64_t calls = 0;
  std::int64_t busy = 0;
  std::vector<std::string> violations;

  void hear(std::string_view line) {
    const std::size_t space = line.find(' ');
    const std::string_view rest = line.substr(space + 1);
    if (line.starts_with("run ")) runs.emplace_back(rest);
    if (line.starts_with("busy ")) busy += parse_int(rest).value_or(0);
    if (!line.starts_with("told ")) return;
    ++calls;
    const std::string token(rest.substr(0, rest.find(' ')));
    const std::string_view what = rest.substr(token.size() + 1);
    const auto [first, is_new] = told.emplace(token, what);
    if (is_new || first->second == what) return;
    violations.push_back(cat(token, " was answered with ", first->second, " and with ", what));
  }
};

/// Several runs that were not advanced yet: their ids and first tokens.
Result<std::vector<std::string>> start_shared_runs(const Place& place, std::int64_t count,
                                                   Findings& findings) {
  World world(place);
  TRY(world.open(place));
  std::atomic<std::int64_t> busy = 0;
  std::vector<std::string> tokens;
  for (std::int64_t i = 0; i < count; ++i) {
    const surface::SignedReply reply = TRY(start(world, busy));
    findings.runs.push_back(reply.reply.run.text());
    tokens.push_back(*reply.ack_token);
  }
  return tokens;
}

struct Size {
  std::string mode;
  std::int64_t advances = 0;
  std::int64_t seed = 1;
  std::int64_t processes = 8;
};

Result<void> run_children(const Place& place, const Size& size,
                          const std::vector<std::string>& tokens, Findings& findings) {
  std::vector<std::unique_ptr<Child>> children;
  const std::int64_t share = size.advances / (size.processes * threads_per_process);
  for (std::int64_t i = 0; i < size.processes; ++i) {
    Command command;
    command.words = {"/proc/self/exe",      "--mode",     size.mode, "--folder",
                     place.folder.string(), "--process",  cat(i),    "--seed",
                     cat(size.seed),        "--advances", cat(share)};
    command.errors = place.log;
    children.push_back(TRY(Child::start(command)));
    for (const std::string& token : tokens) children.back()->write_line(token);
  }
  for (const auto& child : children) child->write_line("go");
  std::vector<std::jthread> readers;
  std::vector<std::vector<std::string>> lines(children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    readers.emplace_back([&, i] {
      for (;;) {
        const Child::Line line = children[i]->read_line(answer_wait_ms_max);
        if (line.heard == Child::Heard::line) lines[i].push_back(line.text);
        if (line.heard == Child::Heard::end) return;
        if (line.heard == Child::Heard::nothing_yet) children[i]->kill();  // it hangs
      }
    });
  }
  readers.clear();
  for (std::size_t i = 0; i < children.size(); ++i) {
    for (const std::string& line : lines[i]) findings.hear(line);
    const int status = children[i]->wait();
    if (status != 0) findings.violations.push_back(cat("process ", i, " ended with ", status));
  }
  return {};
}

// Enforces: G22, G5
Result<StoreCheck> run_once(const Place& place, const Size& size, Findings& findings) {
  std::vector<std::string> tokens;
  if (size.mode == "together") {
    const std::int64_t runs = std::max<std::int64_t>(1, size.advances / workflow_steps);
    tokens = TRY(start_shared_runs(place, runs, findings));
  }
  TRY(run_children(place, size, tokens, findings));
  Held held;
  held.runs = findings.runs;
  for (const auto& [token, what] : findings.told) {
    held.acked.push_back({token, what.substr(0, what.find(' ')), {}});
  }
  return check_store(place.db(), held);
}

void print_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) std::fprintf(stderr, "%s\n", line.c_str());
}

int run_all(const Size& size) {
  const auto begin = std::chrono::steady_clock::now();
  Scratch scratch;
  const Place place = MUST(make_place(scratch.path()));  // the scratch folder is ours
  Findings findings;
  const Result<StoreCheck> checked = run_once(place, size, findings);
  if (!checked) findings.violations.push_back(checked.error().message);
  const StoreCheck check = checked.value_or(StoreCheck{});
  for (const std::string& problem : check.problems) findings.violations.push_back(problem);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
  const json::Object report{{"test", "many_writers"},
                            {"mode", size.mode},
                            {"seed", size.seed},
                            {"processes", size.processes},
                            {"calls", findings.calls},
                            {"advances", check.attempts},
                            {"busy", findings.busy},
                            {"seconds", seconds.count()},
                            {"violations", std::ssize(findings.violations)}};
  std::puts(json::print(report).c_str());
  if (findings.violations.empty()) return 0;
  for (const std::string& violation : findings.violations) {
    std::fprintf(stderr, "many_writers: %s\n", violation.c_str());
  }
  print_file(place.log);
  scratch.keep();
  std::fprintf(stderr, "the store is kept in %s\nagain: %s\n", scratch.path().c_str(),
               cat("many_writers --mode ", size.mode, " --advances ", size.advances, " --seed ",
                   size.seed, " --processes ", size.processes)
                   .c_str());
  return 1;
}

}  // namespace
}  // namespace baton::crash

int main(int argc, char** argv) {
  using baton::crash::Options;
  const auto options =
      Options::read(argc, argv, {"mode", "advances", "seed", "processes", "folder", "process"});
  if (!options) return 2;
  if (!options->text("folder").empty()) return baton::crash::be_one_of_many(*options);
  return baton::crash::run_all({options->text("mode", "apart"), options->number("advances", 20'000),
                                options->number("seed", 1), options->number("processes", 8)});
}
