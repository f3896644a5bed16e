// The order monitor from outside: what the server writes, and when, as strace saw it.

#include <fstream>
#include <map>

#include "base/text/text.h"
#include "support/walk.h"

namespace baton::crash {
namespace {

std::vector<std::string> traced(const std::filesystem::path& trace) {
  return {
      "strace", "-f", "-qq",          "-y", "-s",
      "80",     "-o", trace.string(), "-e", "trace=write,writev,pwrite64,pwritev,fdatasync,fsync"};
}

/// One moment of a system call. A call that another thread's interrupts has two: its begin and its
/// end; any other has both in one.
struct Moment {
  std::string call;
  std::string arguments;
  bool is_begin = false;
  bool is_end = false;
  bool succeeded = false;
};

class Trace {
 public:
  explicit Trace(const std::filesystem::path& path) : file_(path) {}

  std::optional<Moment> next() {
    for (std::string line; std::getline(file_, line);) {
      const std::size_t space = line.find(' ');
      if (space == std::string::npos) continue;
      const std::string thread = line.substr(0, space);
      const std::string rest = line.substr(line.find_first_not_of(' ', space));
      if (auto moment = read(thread, rest)) return moment;
    }
    return std::nullopt;
  }

 private:
  std::optional<Moment> read(const std::string& thread, const std::string& text) {
    constexpr std::string_view resumed = "<... ";
    Moment moment;
    moment.succeeded = text.find(") = -") == std::string::npos;
    if (text.starts_with(resumed)) {
      moment = begun_[thread];
      moment.succeeded = text.find(" = -1 ") == std::string::npos;
      moment.is_begin = false;
      moment.is_end = true;
      return moment;
    }
    const std::size_t open = text.find('(');
    if (open == std::string::npos) return std::nullopt;
    moment.call = text.substr(0, open);
    moment.arguments = text.substr(open + 1);
    moment.is_begin = true;
    moment.is_end = !text.ends_with("<unfinished ...>");
    if (!moment.is_end) begun_[thread] = moment;
    return moment;
  }

  std::ifstream file_;
  std::map<std::string, Moment> begun_;
};

bool is_sync(const Moment& moment) { return moment.call == "fsync" || moment.call == "fdatasync"; }

bool is_of_log(const Moment& moment) {
  return moment.arguments.find("runs.db-wal>") < moment.arguments.find(',');
}

bool is_sync_of_log(const Moment& moment) { return is_sync(moment) && is_of_log(moment); }

bool is_answer(const Moment& moment) {
  return !is_sync(moment) && moment.arguments.find("\"{\\\"jsonrpc\\\"") != std::string::npos;
}

/// What the monitor found.
struct Order {
  int answers = 0;
  int answers_too_early = 0;
  int syncs = 0;  // of the log's file
  int syncs_of_others = 0;
};

/// For a client that has one call out at a time, and only calls that are recorded: before each
/// answer the log's file was written, then synced, and not written again.
class Monitor {
 public:
  Order watch(Trace& trace) {
    while (const auto moment = trace.next()) see(*moment);
    return order_;
  }

 private:
  void see(const Moment& moment) {
    const bool is_log = is_of_log(moment);
    if (is_sync(moment)) {
      if (!moment.is_end || !moment.succeeded) return;
      is_log ? ++order_.syncs : ++order_.syncs_of_others;
      if (is_log && is_written_) is_synced_ = true;
      if (is_log) is_written_ = false;
      return;
    }
    if (!moment.is_begin) return;
    if (is_log) {
      is_written_ = true;
      is_synced_ = false;
      return;
    }
    if (!is_answer(moment)) return;
    ++order_.answers;
    if (!is_synced_) ++order_.answers_too_early;
    is_synced_ = false;
  }

  bool is_written_ = false;  // and not synced since
  bool is_synced_ = false;   // written and then synced since the last answer
  Order order_;
};

// Enforces: G1
TEST(order, no_answer_leaves_before_the_sync_of_its_commit_returned) {
  Scratch scratch;
  const std::filesystem::path trace_path = scratch.path() / "trace";
  Walk walk(MUST(make_place(scratch.path())));  // the scratch folder is ours
  walk.start(traced(trace_path));
  int calls = 0;
  for (int run = 0; run < 5; ++run) {
    Answer answer = MUST(walk.server().call(start_call()));
    ++calls;
    for (int step = 0; step < workflow_steps; ++step) {
      answer = MUST(walk.server().call(advance_call(answer.field("ackToken"), "Done.")));
      ASSERT_EQ(answer.code, "") << answer.text;
      ++calls;
    }
  }
  walk.end();
  Trace trace(trace_path);
  const Order order = Monitor().watch(trace);
  EXPECT_EQ(order.answers, calls);
  EXPECT_EQ(order.answers_too_early, 0);
  std::printf("order: %d commits one by one, %d syncs of the log, %d of other files\n", calls,
              order.syncs, order.syncs_of_others);
}

// A killed server may leave commits that are written but not synced, and the next one finds them.
// Enforces: G1
TEST(order, what_a_killed_server_left_is_synced_before_it_is_answered_from) {
  Scratch scratch;
  const std::filesystem::path trace_path = scratch.path() / "trace";
  Walk walk(MUST(make_place(scratch.path())));  // the scratch folder is ours
  walk.start();
  walk.go_on(8);
  walk.kill();
  walk.start(traced(trace_path));
  walk.expect_reads_work();
  walk.end();
  Trace trace(trace_path);
  int syncs = 0;
  int answers = 0;
  while (const auto moment = trace.next()) {
    if (moment->is_end && moment->succeeded && is_sync_of_log(*moment)) ++syncs;
    if (moment->is_begin && is_answer(*moment)) {
      ++answers;
      EXPECT_GT(syncs, 0);
    }
  }
  EXPECT_GT(answers, 3);
}

/// Eight calls out at a time share syncs.
TEST(order, commits_at_the_same_time_share_syncs) {
  constexpr std::size_t clients = 8;
  constexpr int advances = 200;
  Scratch scratch;
  const std::filesystem::path trace_path = scratch.path() / "trace";
  Walk walk(MUST(make_place(scratch.path())));  // the scratch folder is ours
  walk.start(traced(trace_path));
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < clients; ++i) {
    tokens.push_back(MUST(walk.server().call(start_call())).field("ackToken"));
  }
  std::map<std::int64_t, std::size_t> out;
  int sent = 0;
  const auto send = [&](std::size_t client) {
    if (sent == advances) return;
    ++sent;
    out[*walk.server().send(advance_call(tokens[client], "Done."))] = client;
  };
  for (std::size_t i = 0; i < clients; ++i) send(i);
  while (!out.empty()) {
    const Server::Heard heard = MUST(walk.server().hear(answer_wait_ms_max));
    ASSERT_EQ(heard.heard, Child::Heard::line);
    ASSERT_EQ(heard.answer.code, "") << heard.answer.text;
    const std::size_t client = out.extract(heard.id).mapped();
    tokens[client] = heard.answer.field("ackToken");
    send(client);
  }
  walk.end();
  Trace trace(trace_path);
  const Order order = Monitor().watch(trace);
  EXPECT_LT(order.syncs, advances + static_cast<int>(clients));
  std::printf("order: %d commits of 8 clients, %d syncs of the log, %d of other files\n",
              advances + static_cast<int>(clients), order.syncs, order.syncs_of_others);
}

}  // namespace
}  // namespace baton::crash
