// What an append costs beside one raw row of the same bytes, committed the same way (WAL, FULL).
//
//   store_bench [folder]    the folder must be on a real disk; default: the current one
//
// Prints one `name value unit` a line. The two are measured in turns, so that a busy disk hits
// both.

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "adapters/sqlite/sqlite_store.h"
#include "base/text.h"

namespace baton {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int samples = 2'000;
constexpr int page_samples = 100;
constexpr int threads = 16;
constexpr int per_thread = 250;
constexpr std::size_t notes_bytes = 1'200;  // makes a commit of about 2 kB

double since_us(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

void say(const char* name, double value, const char* unit) {
  std::printf("%-28s %10.2f %s\n", name, value, unit);
}

template <class Id>
Id id_of(std::uint64_t high, std::uint64_t low) {
  Id id;
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[7 - i] = static_cast<std::uint8_t>(high >> (8 * i));
    id.bytes[15 - i] = static_cast<std::uint8_t>(low >> (8 * i));
  }
  return id;
}

/// One run that goes forward step by step.
class Walker {
 public:
  Walker(ports::EventStore& store, std::uint64_t number) : store_(store), number_(number) {
    ports::Append append;
    append.session = id_of<SessionId>(number_, 0);
    append.dedupe_key = "start";
    append.events.emplace_back(run::SessionCreated{});
    append.events.emplace_back(run::RunStarted{id_of<RunId>(number_, 0), "bench", {}, "goal"});
    append.events.emplace_back(node());
    send(std::move(append));
  }

  void advance() {
    const NodeId from = at_;
    ports::Append append;
    append.session = id_of<SessionId>(number_, 0);
    append.dedupe_key = cat("advance:", from.text(), ":0:0");
    run::NodeCreated next = node();
    next.parent = from;
    append.events.emplace_back(next);
    append.events.emplace_back(run::EdgeCreated{next.run, from, next.node});
    run::AdvanceRecorded recorded;
    recorded.run = next.run;
    recorded.node = from;
    recorded.to = next.node;
    recorded.step = "step";
    append.events.emplace_back(std::move(recorded));
    run::NodeOutputAppended output;
    output.run = next.run;
    output.node = next.node;
    output.payload = run::Notes{notes_};
    append.events.emplace_back(std::move(output));
    send(std::move(append));
  }

  const std::string& last_body() const { return body_; }

 private:
  run::NodeCreated node() {
    run::NodeCreated out;
    out.run = id_of<RunId>(number_, 0);
    out.node = id_of<NodeId>(number_, ++count_);
    out.open_steps = {"step"};
    at_ = out.node;
    return out;
  }

  void send(ports::Append append) {
    append.expected = run::Seq{seq_++};
    // The bench has no use for a store that refuses.
    const ports::AppendOutcome outcome = MUST(store_.append(std::move(append)));
    body_ = std::get<ports::Appended>(outcome).commit.body;
  }

  ports::EventStore& store_;
  std::uint64_t number_;
  std::uint64_t count_ = 0;
  std::int64_t seq_ = 0;
  NodeId at_;
  std::string notes_ = std::string(notes_bytes, 'n');
  std::string body_;
};

/// One table, one row a commit: the least that keeps these bytes.
class Raw {
 public:
  explicit Raw(const std::string& path) {
    ASSERT(sqlite3_open(path.c_str(), &db_) == SQLITE_OK);
    run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;"
        "CREATE TABLE raw(no INTEGER PRIMARY KEY, body TEXT) STRICT");
    ASSERT(sqlite3_prepare_v2(db_, "INSERT INTO raw(body) VALUES(?1)", -1, &insert_, nullptr) ==
           SQLITE_OK);
  }
  ~Raw() {
    sqlite3_finalize(insert_);
    sqlite3_close(db_);
  }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;

  void commit(const std::string& body) {
    sqlite3_bind_text(insert_, 1, body.data(), static_cast<int>(body.size()), nullptr);
    ASSERT(sqlite3_step(insert_) == SQLITE_DONE);
    sqlite3_reset(insert_);
  }

 private:
  void run(const char* statements) {
    ASSERT(sqlite3_exec(db_, statements, nullptr, nullptr, nullptr) == SQLITE_OK);
  }

  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

double file_bytes(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 ? static_cast<double>(found.st_size) : 0;
}

void bench_start(const std::string& folder) {
  const std::string path = folder + "/start.db";
  for (const char* name : {"open_new_to_first_append", "open_old_to_first_append"}) {
    const auto start = Clock::now();
    const auto store = MUST(adapters::SqliteStore::open(path));
    const Walker walker(*store, name[5] == 'n' ? 1 : 2);
    say(name, since_us(start) / 1000, "ms");
  }
}

void bench_single(const std::string& folder) {
  const std::string path = folder + "/store.db";
  auto store = MUST(adapters::SqliteStore::open(path));
  Raw raw(folder + "/raw.db");
  Walker walker(*store, 1);
  walker.advance();
  std::vector<double> appends;
  std::vector<double> rows;
  for (int i = 1; i <= samples; ++i) {
    const auto start = Clock::now();
    walker.advance();
    const auto middle = Clock::now();
    raw.commit(walker.last_body());
    rows.push_back(since_us(middle));
    appends.push_back(since_us(start) - rows.back());
    if (i == page_samples) {
      const double frames = (file_bytes(path + "-wal") - 32) / (4096 + 24);
      say("pages_per_append", frames / (page_samples + 2), "pages");
    }
  }
  say("body", static_cast<double>(walker.last_body().size()), "bytes");
  say("raw_p50", percentile(rows, 0.5), "us");
  say("raw_p99", percentile(rows, 0.99), "us");
  say("append_p50", percentile(appends, 0.5), "us");
  say("append_p99", percentile(appends, 0.99), "us");
  say("append_to_raw_p50", percentile(appends, 0.5) / percentile(rows, 0.5), "x");

  const auto start = Clock::now();
  for (int i = 0; i < samples; ++i) {
    const auto row = MUST(store->node_by_id(id_of<NodeId>(1, static_cast<std::uint64_t>(i) + 1)));
    ASSERT(row.has_value());
  }
  say("node_by_id", since_us(start) / samples, "us");
  store.reset();
  say("bytes_per_step", file_bytes(path) / samples, "bytes");
}

void bench_threads(const std::string& folder) {
  const auto store = MUST(adapters::SqliteStore::open(folder + "/threads.db"));
  std::vector<Walker> walkers;
  for (std::uint64_t t = 1; t <= threads; ++t) walkers.emplace_back(*store, t);
  const auto before = store->counts();
  const auto start = Clock::now();
  std::vector<std::thread> running;
  for (Walker& walker : walkers) {
    running.emplace_back([&] {
      for (int i = 0; i < per_thread; ++i) walker.advance();
    });
  }
  for (std::thread& thread : running) thread.join();
  const double us = since_us(start);
  const auto after = store->counts();
  say("threads16_appends", threads * per_thread / us * 1e6, "1/s");
  say("threads16_group",
      static_cast<double>(after.appends - before.appends) /
          static_cast<double>(after.groups - before.groups),
      "appends");
}

}  // namespace
}  // namespace baton

int main(int argc, char** argv) {
  const std::string parent = argc > 1 ? argv[1] : ".";
  const std::string folder = parent + "/store_bench.tmp";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  baton::bench_start(folder);
  baton::bench_single(folder);
  baton::bench_threads(folder);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  baton::say("rss_max", static_cast<double>(usage.ru_maxrss) / 1024, "MiB");
  std::filesystem::remove_all(folder);
  return 0;
}
