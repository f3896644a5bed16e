// The engine's figures: `./dev bench engine [--report]`.
//
// engine_bench DIR BINARY [--long] [--only GROUP]
//     DIR must be on a real disk. Groups: latency, runs, processes, depth, rehydrate, cold, resume,
//     size, spawn, stdio, syncs.
// engine_bench --child PATH COUNT     one of several processes that share a store
// engine_bench --raw PATH             raw commits of what comes in, line by line

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "adapters/store/sqlite/search_index.h"
#include "base/text/text.h"
#include "bench.h"
#include "engine.h"
#include "raw_store.h"
#include "stdio_client.h"
#include "surface/tokens.h"
#include "verbs/run/resume.h"

extern char** environ;

namespace baton::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t rounds = 5;
constexpr std::size_t samples = 2'000;

/// Advances a run of many steps, beginning a new one when it is done.
class Walker {
 public:
  explicit Walker(BenchEngine& bench) : bench_(bench), at_(bench.start(steps, prompt_bytes)) {}

  void step() {
    if (!at_.ack_token) at_ = bench_.start(steps, prompt_bytes);
    at_ = bench_.advance(at_, outputs_.next());
  }
  const surface::SignedReply& at() const { return at_; }

 private:
  static constexpr std::size_t steps = 1'000;
  BenchEngine& bench_;
  surface::SignedReply at_;
  Outputs outputs_;
};

struct Base {
  Spread raw;
  Spread advance;
  std::size_t body_bytes = 0;  // of a commit
};

Base measure_latency(const fs::path& dir, Report& report) {
  BenchEngine bench((dir / "latency.db").string());
  Walker walker(bench);
  walker.step();
  const std::string body = commit_body(bench);
  RawStore raw((dir / "raw.db").string());
  std::vector<double> p50, p99, rate, raw_p50;
  Base base;
  base.body_bytes = body.size();
  for (std::size_t i = 0; i < rounds; ++i) {
    base.raw = measure(samples, [&] { raw.commit(body); });
    base.advance = measure(samples, [&] { walker.step(); });
    p50.push_back(base.advance.p50 / base.raw.p50);
    p99.push_back(base.advance.p99 / base.advance.p50);
    rate.push_back(base.advance.per_second() / base.raw.per_second());
    raw_p50.push_back(base.raw.p50);
  }
  report.note("raw commit of the same bytes, p50", median(raw_p50), "us");
  report.note("advance as a verb, p50", base.advance.p50, "us");
  report.add("advance p50 / raw p50", median(p50), "x", "<= 2", median(p50) <= 2);
  report.add("advance p99 / its p50, checkpoints included", median(p99), "x", "<= 5",
             median(p99) <= 5);
  report.add("one run, advances/s / raw commits/s", median(rate), "x", ">= 0.5",
             median(rate) >= 0.5);
  return base;
}

double rate_with_threads(BenchEngine& bench, std::size_t threads, std::size_t each) {
  std::vector<std::unique_ptr<Walker>> walkers;
  for (std::size_t i = 0; i < threads; ++i) walkers.push_back(std::make_unique<Walker>(bench));
  const double start = now_us();
  {
    std::vector<std::jthread> pool;
    for (auto& walker : walkers) {
      pool.emplace_back([&walker, each] {
        for (std::size_t i = 0; i < each; ++i) walker->step();
      });
    }
  }
  return static_cast<double>(threads * each) / ((now_us() - start) / 1e6);
}

void measure_many_runs(const fs::path& dir, const Base& base, Report& report) {
  BenchEngine bench((dir / "many.db").string());
  std::vector<double> against_raw, against_one;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double one = rate_with_threads(bench, 1, samples / 2);
    const double many = rate_with_threads(bench, 16, samples / 4);
    against_one.push_back(many / one);
    against_raw.push_back(many / base.raw.per_second());
  }
  report.add("16 runs at once / raw commits/s", median(against_raw), "x", ">= 1.5",
             median(against_raw) >= 1.5);
  report.add("16 runs at once / one run", median(against_one), "x", ">= 2",
             median(against_one) >= 2);
}

struct Pipe {
  Pipe() { ASSERT(pipe2(ends, O_CLOEXEC) == 0); }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_writing() {
    close(ends[1]);
    ends[1] = -1;
  }
  int ends[2] = {-1, -1};
};

/// Advances by several processes on one store, each with one run, in total per second. The clock
/// starts when all have opened the store and begun their run.
double rate_with_processes(const std::string& self, const std::string& path, std::size_t processes,
                           std::size_t each) {
  Pipe go;
  Pipe ready;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, go.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ready.ends[1], STDOUT_FILENO);
  std::vector<std::string> words = {self, "--child", path, cat(each)};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::vector<pid_t> children(processes);
  for (pid_t& child : children) {
    ASSERT(posix_spawn(&child, self.c_str(), &actions, nullptr, pointers.data(), environ) == 0);
  }
  posix_spawn_file_actions_destroy(&actions);
  char byte = 0;
  for (std::size_t i = 0; i < processes; ++i) ASSERT(read(ready.ends[0], &byte, 1) == 1);
  const double start = now_us();
  go.close_writing();
  for (const pid_t child : children) {
    int status = 0;
    ASSERT(waitpid(child, &status, 0) == child && status == 0);
  }
  return static_cast<double>(processes * each) / ((now_us() - start) / 1e6);
}

void measure_processes(const fs::path& dir, const std::string& self, Report& report) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::string path = (dir / cat("shared", i, ".db")).string();
    {
      BenchEngine bench(path);
    }
    const double one = rate_with_processes(self, path, 1, samples);
    const double many = rate_with_processes(self, path, 8, samples / 4);
    ratios.push_back(many / one);
  }
  report.add("8 processes on one file / one process", median(ratios), "x", ">= 0.6",
             median(ratios) >= 0.6);
}

void measure_depth(const fs::path& dir, std::size_t depth, Report& report) {
  BenchEngine bench((dir / "deep.db").string());
  surface::SignedReply at = bench.start(depth + samples, 16);
  Outputs outputs;
  std::size_t made = 0;
  const auto step = [&] {
    at = bench.advance(at, outputs.next());
    ++made;
  };
  for (int i = 0; i < 10; ++i) step();
  const Spread early = measure(samples, step);
  while (made < depth) step();
  const Spread late = measure(std::min<std::size_t>(samples, 500), step);
  report.add(cat("step ", depth, " / step 10, p50"), late.p50 / early.p50, "x", "<= 1.2",
             late.p50 / early.p50 <= 1.2);
  // A fresh process knows nothing: what it costs to come back to a deep node.
  const double start = now_us();
  BenchEngine cold((dir / "deep.db").string());
  MUST(surface::rehydrate(cold.engine().reading(), {}, at.state_token));
  report.note(cat("open the store and rehydrate at step ", depth, ", cold"), now_us() - start,
              "us");
}

void measure_rehydrate(const fs::path& dir, const Base& base, Report& report) {
  BenchEngine bench((dir / "latency.db").string());
  Walker walker(bench);
  walker.step();
  const auto before = MUST(bench.store().last_commit());
  const Spread spread = measure(samples, [&] {
    MUST(surface::rehydrate(bench.engine().reading(), {}, walker.at().state_token));
  });
  const auto after = MUST(bench.store().last_commit());
  report.add("rehydrate p50 / raw p50", spread.p50 / base.raw.p50, "x", "<= 0.5",
             spread.p50 / base.raw.p50 <= 0.5);
  report.add("commits made by rehydrating", static_cast<double>(after.value - before.value), "",
             "0", after == before);
}

/// What it costs a process that knows nothing to come back to a run, with all that is checked on
/// the way: the store is open, the caches are empty.
void measure_cold(const fs::path& dir, const Base& base, Report& report) {
  constexpr std::size_t steps = 1'000;
  constexpr std::size_t times = 50;
  BenchEngine bench((dir / "cold.db").string());
  Outputs outputs;
  surface::SignedReply shallow = bench.start(steps + 1, 16);
  for (int i = 0; i < 10; ++i) shallow = bench.advance(shallow, outputs.next());
  surface::SignedReply deep = bench.start(steps + 1, 16);
  for (std::size_t i = 0; i < steps; ++i) deep = bench.advance(deep, outputs.next());
  const auto cold = [&](const surface::SignedReply& at) {
    bench.forget();
    MUST(surface::rehydrate(bench.engine().reading(), {}, at.state_token));
  };
  std::vector<double> against_raw, against_shallow;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Spread few = measure(times, [&] { cold(shallow); });
    const Spread many = measure(times, [&] { cold(deep); });
    against_raw.push_back(many.p50 / base.raw.p50);
    against_shallow.push_back(many.p50 / few.p50);
  }
  report.note("rehydrate at step 1,000, cold, p50 / raw p50", median(against_raw), "x");
  report.add("rehydrate cold, step 1,000 / step 10, p50", median(against_shallow), "x", "<= 3",
             median(against_shallow) <= 3);
}

/// Microseconds until all of `calls` calls at once are answered by an index that is filled for
/// them.
double cold_resume(BenchEngine& bench, const std::string& path, std::size_t calls) {
  for (const char* part : {".search", ".search-wal", ".search-shm"}) fs::remove(path + part);
  adapters::SqliteSearch index(path);
  const double start = now_us();
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 0; i < calls; ++i) {
      pool.emplace_back(
          [&] { MUST(verbs::resume(bench.engine().reading(), index, nullptr, {}, {})); });
    }
  }
  return now_us() - start;
}

void measure_resume(const fs::path& dir, Report& report) {
  constexpr std::size_t commits = 5'000;
  const std::string path = (dir / "resume.db").string();
  BenchEngine bench(path);
  Walker walker(bench);
  for (std::size_t i = 0; i < commits; ++i) walker.step();
  std::vector<double> ratios, alone;
  for (std::size_t i = 0; i < rounds; ++i) {
    alone.push_back(cold_resume(bench, path, 1));
    ratios.push_back(cold_resume(bench, path, 64) / alone.back());
  }
  report.note(cat("resume without an index, ", commits, " commits"), median(alone), "us");
  report.add("64 resumes at once without an index / one", median(ratios), "x", "<= 1.3",
             median(ratios) <= 1.3);
}

void measure_size(const fs::path& dir, Report& report) {
  constexpr std::size_t steps = 5'000;
  const fs::path path = dir / "size.db";
  {
    BenchEngine bench(path.string());
    Walker walker(bench);
    for (std::size_t i = 0; i < steps; ++i) walker.step();
  }
  const double each = static_cast<double>(fs::file_size(path)) / steps;
  report.add("bytes per step / payload", each / payload_bytes, "x", "<= 2",
             each / payload_bytes <= 2);
}

// --- through stdio ------------------------------------------------------------------------------

std::string text_of(const json::Object& reply, std::string_view key) {
  const json::Value* value = reply.find(key);
  return value != nullptr && value->is_string() ? *value->if_string() : std::string();
}

void write_workflow(const fs::path& folder) {
  fs::create_directories(folder);
  json::Array steps;
  for (std::size_t i = 0; i < 900; ++i) {
    steps.emplace_back(json::Object{{"id", cat("s", i)}, {"prompt", filler(prompt_bytes, i)}});
  }
  std::ofstream(folder / "bench.json")
      << json::print(json::Object{{"id", "bench"}, {"steps", steps}});
  steps.resize(10);
  std::ofstream(folder / "short.json")
      << json::print(json::Object{{"id", "short"}, {"steps", std::move(steps)}});
}

std::vector<std::string> server(const std::string& binary, const fs::path& dir,
                                const std::string& store) {
  return {binary, "serve", "--db", (dir / store).string(), "--workflows", (dir / "flows").string()};
}

/// The workload through the real server.
class StdioWalker {
 public:
  explicit StdioWalker(StdioClient& client) : client_(client) {
    for (std::size_t salt = 0; salt < 64; ++salt) {
      outputs_.push_back(json::Object{
          {"notesMarkdown", filler(notes_bytes, salt)},
          {"artifacts", json::Array{json::Object{{"kind", "report"},
                                                 {"text", filler(artifact_bytes, salt + 64)}}}}});
    }
    start();
  }

  /// Microseconds from the first byte sent to the last received: what the server and the pipes
  /// take, without the client's own work.
  double step() {
    if (ack_.empty()) start();
    const std::string line = client_.line_of(
        "continue_workflow", {{"ackToken", ack_}, {"output", outputs_[++made_ % outputs_.size()]}});
    const double start = now_us();
    const std::string reply = client_.exchange(line);
    const double took = now_us() - start;
    ack_ = text_of(client_.result_of(reply), "ackToken");
    return took;
  }

 private:
  void start() {
    ack_ = text_of(client_.call("start_workflow", {{"workflowId", "bench"}}), "ackToken");
  }

  StdioClient& client_;
  std::vector<json::Object> outputs_;
  std::string ack_;
  std::size_t made_ = 0;
};

std::int64_t resident_kb(pid_t pid) {
  std::ifstream status(cat("/proc/", pid, "/status"));
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmRSS:")) {
      const std::size_t first = line.find_first_of("0123456789");
      return parse_int(line.substr(first, line.find(' ', first) - first)).value_or(0);
    }
  }
  return 0;
}

/// Raw commits behind pipes: a process that commits each line it reads and sends it back.
int run_raw(const std::string& path) {
  RawStore raw(path);
  std::string line;
  char chunk[65536];
  for (ssize_t got = 0; (got = read(STDIN_FILENO, chunk, sizeof chunk)) > 0;) {
    line.append(chunk, static_cast<std::size_t>(got));
    if (!line.ends_with('\n')) continue;
    raw.commit(line);
    ASSERT(write(STDOUT_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    line.clear();
  }
  return 0;
}

void measure_stdio(const fs::path& dir, const std::string& self, const std::string& binary,
                   std::size_t advances, const Base& base, Report& report) {
  StdioClient client(server(binary, dir, "stdio.db"));
  StdioClient piped_raw({self, "--raw", (dir / "piped.db").string()});
  const std::string bytes = filler(base.body_bytes, 7) + "\n";
  StdioWalker walker(client);
  // As in the rounds of the verb, which the median is taken of: the prompts are stored already.
  for (std::size_t i = 0; i < samples; ++i) walker.step();
  std::vector<double> against_raw, against_piped;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Spread raw = measure(samples / 4, [&] { piped_raw.exchange(bytes); });
    std::vector<double> took;
    for (std::size_t i = 0; i < samples / 4; ++i) took.push_back(walker.step());
    const Spread spread = spread_of(std::move(took));
    against_raw.push_back(spread.p50 / base.raw.p50);
    against_piped.push_back(spread.p50 / raw.p50);
  }
  report.add("advance through stdio p50 / raw p50", median(against_raw), "x", "<= 2",
             median(against_raw) <= 2);
  report.add("the same / raw p50 through stdio", median(against_piped), "x", "<= 2",
             median(against_piped) <= 2);
  for (std::size_t i = samples + rounds * (samples / 4); i < advances; ++i) walker.step();
  const double megabytes = static_cast<double>(resident_kb(client.pid())) / 1024;
  report.add(cat("resident memory after ", advances, " advances"), megabytes, "MB", "< 40",
             megabytes < 40);
}

void measure_spawn(const fs::path& dir, const std::string& binary, Report& report) {
  std::vector<double> samples_us;
  for (int i = 0; i < 50; ++i) {
    const double start = now_us();
    StdioClient client(server(binary, dir, "spawn.db"));
    client.call("start_workflow", {{"workflowId", "short"}});
    samples_us.push_back(now_us() - start);
  }
  const Spread spread = spread_of(std::move(samples_us));
  report.add("spawn to first start_workflow reply, p50", spread.p50 / 1000, "ms", "< 15",
             spread.p50 < 15'000);
}

/// Syncs of the whole server over `advances`, counted from outside.
void measure_syncs(const fs::path& dir, const std::string& binary, std::size_t advances,
                   Report& report) {
  const std::string trace = (dir / "syncs").string();
  std::vector<std::string> command = {"strace", "-f", "-o", trace, "-e", "trace=fsync,fdatasync"};
  for (std::string& word : server(binary, dir, "syncs.db")) command.push_back(std::move(word));
  {
    StdioClient client(std::move(command));
    StdioWalker walker(client);
    for (std::size_t i = 0; i < advances; ++i) walker.step();
  }
  std::ifstream lines(trace);
  std::string line;
  std::size_t syncs = 0;
  while (std::getline(lines, line)) {
    if (line.find("sync(") != std::string::npos) ++syncs;
  }
  const double each = static_cast<double>(syncs) / static_cast<double>(advances);
  report.add(cat("syncs per advance over ", advances), each, "", "<= 1.05", each <= 1.05);
}

struct Options {
  bool is_long = false;
  std::string only;  // one group of figures; empty: all
};

int run(const std::string& self, const fs::path& dir, const std::string& binary,
        const Options& options) {
  Report report;
  const auto wanted = [&](std::string_view group) {
    return options.only.empty() || options.only == group;
  };
  const std::size_t many = options.is_long ? 100'000 : 10'000;
  write_workflow(dir / "flows");
  const Base base = measure_latency(dir, report);  // the others are compared with it
  if (wanted("runs")) measure_many_runs(dir, base, report);
  if (wanted("processes")) measure_processes(dir, self, report);
  if (wanted("depth")) measure_depth(dir, many, report);
  if (wanted("rehydrate")) measure_rehydrate(dir, base, report);
  if (wanted("cold")) measure_cold(dir, base, report);
  if (wanted("resume")) measure_resume(dir, report);
  if (wanted("size")) measure_size(dir, report);
  if (wanted("spawn")) measure_spawn(dir, binary, report);
  if (wanted("stdio")) measure_stdio(dir, self, binary, many, base, report);
  if (wanted("syncs")) measure_syncs(dir, binary, 10'000, report);
  return report.finish(dir.string());
}

int run_child(const std::string& path, std::size_t count) {
  BenchEngine bench(path);
  Walker walker(bench);
  // One byte says that this one is ready; the end of the input that all are.
  char byte = 0;
  ASSERT(write(STDOUT_FILENO, &byte, 1) == 1 && read(STDIN_FILENO, &byte, 1) == 0);
  for (std::size_t i = 0; i < count; ++i) walker.step();
  return 0;
}

}  // namespace
}  // namespace baton::bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() == 4 && words[1] == "--child") {
    return baton::bench::run_child(words[2], static_cast<std::size_t>(*baton::parse_int(words[3])));
  }
  if (words.size() == 3 && words[1] == "--raw") return baton::bench::run_raw(words[2]);
  if (words.size() < 3) {
    std::fprintf(stderr, "usage: engine_bench DIR BINARY [--long] [--only GROUP]\n");
    return 2;
  }
  baton::bench::Options options;
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (words[i] == "--long") options.is_long = true;
    if (words[i] == "--only" && i + 1 < words.size()) options.only = words[i + 1];
  }
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  return baton::bench::run(self, words[1], words[2], options);
}
