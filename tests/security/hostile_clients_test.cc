// The real server and clients that do not do their part: they do not read, they do not finish what
// they send. It ends in time, and others are served.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/core/limits.h"
#include "base/text/text.h"
#include "support/server.h"
#include "transport/http/testing/http_client.h"
#include "verbs/store/verify.h"

namespace baton::security {
namespace {

using transport::testing::HttpClient;

// Far longer than the drain and the exit may take, on any machine; a server that is still there
// then would be there for ever.
constexpr int patience_ms = static_cast<int>(20 * (limits::drain_ms_max + limits::exit_ms_max));

class hostile_clients : public ::testing::Test {
 protected:
  hostile_clients() : place_(MUST(crash::make_place(scratch_.path()))) {}

  std::unique_ptr<crash::Server> serve(std::vector<std::string> options = {}) {
    return MUST(crash::Server::start({.binary = std::getenv("BATON_BINARY"),
                                      .place = place_,
                                      .wrapper = {},
                                      .environment = {},
                                      .options = std::move(options)}));
  }

  /// The exit code, if the process ends by itself.
  static std::optional<int> exit_of(crash::Child& child) {
    const auto process = static_cast<int>(syscall(SYS_pidfd_open, child.pid(), 0));
    pollfd watched{process, POLLIN, 0};
    const bool has_ended = poll(&watched, 1, patience_ms) == 1;
    close(process);
    return has_ended ? std::optional(child.wait()) : std::nullopt;
  }

  /// The client asks for more than the pipe back to it holds, and reads nothing. What it asks fits
  /// into that and the pipe to the server, so that the client itself does not wait.
  static void ask_and_read_nothing(crash::Child& child) {
    for (int i = 1'000; i < 3'000; ++i) {
      ASSERT_TRUE(child.write_line(cat(R"({"jsonrpc":"2.0","id":)", i, R"(,"method":"ping"})")));
    }
    // Pages of a full pipe are at least half full here.
    const int room = fcntl(child.out(), F_GETPIPE_SZ);
    pollfd nothing{-1, 0, 0};
    for (int unread = 0; unread < room / 2 - 4'096; poll(&nothing, 1, 1)) {
      ASSERT_EQ(ioctl(child.out(), FIONREAD, &unread), 0);
    }
  }

  /// A run whose start was acknowledged before anything went wrong.
  static std::string begin(crash::Server& server) {
    const crash::Answer started = MUST(server.call(crash::start_call()));
    EXPECT_EQ(started.code, "") << started.text;
    return started.field("stateToken");
  }

  /// It is there for the next server, and the store is sound.
  void expect_kept(const std::string& state) {
    const auto server = serve();
    EXPECT_EQ(MUST(server->call(crash::look_call(state))).code, "");
    EXPECT_TRUE(server->end().has_value());
    const auto store = MUST(adapters::SqliteStore::open(place_.db().string()));
    EXPECT_TRUE(MUST(verbs::verify(*store)).ok());
  }

  /// Where a server that was started with --http says that it listens.
  static transport::ListenAddress address_of(crash::Child& child) {
    const std::string line = child.read_line(crash::answer_wait_ms_max).text;
    const std::size_t colon = std::min(line.rfind(':'), line.size());
    const auto port = parse_int(line.substr(colon + 1, line.rfind('/') - colon - 1));
    EXPECT_TRUE(port) << line;
    return {.port = static_cast<std::uint16_t>(port.value_or(0))};
  }

  crash::Scratch scratch_;
  crash::Place place_;
};

// Enforces: G9
TEST_F(hostile_clients, one_that_hangs_up_without_reading_does_not_keep_the_server) {
  const auto server = serve();
  const std::string state = begin(*server);
  ask_and_read_nothing(server->child());
  server->child().close_input();
  EXPECT_EQ(exit_of(server->child()), 0);
  expect_kept(state);
}

// Enforces: G9
TEST_F(hostile_clients, one_that_does_not_read_does_not_keep_a_stopped_server) {
  for (const bool hangs_up : {false, true}) {
    const auto server = serve();
    const std::string state = begin(*server);
    ask_and_read_nothing(server->child());
    if (hangs_up) server->child().close_input();
    ASSERT_EQ(::kill(server->child().pid(), SIGTERM), 0);
    EXPECT_EQ(exit_of(server->child()), 0);
    expect_kept(state);
  }
}

// Enforces: G9
TEST_F(hostile_clients, one_that_makes_its_pipe_smaller_does_not_keep_the_server) {
  const auto server = serve();
  const std::string state = begin(*server);
  // A write of what an empty pipe took at the start does not end now.
  ASSERT_GT(fcntl(server->child().out(), F_SETPIPE_SZ, 4'096), 0);
  for (int i = 1'000; i < 1'600; ++i) {
    ASSERT_TRUE(
        server->child().write_line(cat(R"({"jsonrpc":"2.0","id":)", i, R"(,"method":"ping"})")));
  }
  server->child().close_input();
  EXPECT_EQ(exit_of(server->child()), 0);
  expect_kept(state);
}

// Enforces: G9
TEST_F(hostile_clients, many_calls_of_one_run_whose_script_loops_keep_no_other_run_waiting) {
  std::ofstream(place_.workflows() / "loops.yaml")
      << "id: loops\ndefault_state: {raw: {a: 0}}\nstate_schema:\n  raw: {a: integer}\n"
         "  computed:\n    z: {from: raw.a, on_error: ignore,\n"
         "        transform: 'if (input > 0) { while (true) {} } return 1'}\n"
         "steps:\n  - {id: a, prompt: x}\n";
  const auto server = serve({"--surface", "all"});
  const crash::Answer run = MUST(server->call({"workflow_start", {{"workflow", "loops"}}}));
  const std::string id = run.field("workflow_id");
  ASSERT_NE(id, "") << run.text;
  constexpr int calls = 60;
  for (int i = 1; i <= calls; ++i) {
    const json::Value update =
        json::Object{{"path", "raw.a"}, {"operation", "set"}, {"value", std::int64_t{i}}};
    ASSERT_TRUE(server->send(
        {"workflow_state_update", {{"workflow_id", id}, {"updates", json::Array{update}}}}));
  }
  const auto honest = server->send(crash::start_call());
  ASSERT_TRUE(honest);
  // Each script that is let in loops for a second. Only calls that were sent away, and those that
  // ended while the server read the others, are answered before.
  int done = 0;
  int refused = 0;
  for (;;) {
    const auto heard = MUST(server->hear(crash::answer_wait_ms_max));
    ASSERT_EQ(heard.heard, crash::Child::Heard::line);
    if (heard.id == *honest) {
      EXPECT_EQ(heard.answer.code, "") << heard.answer.text;
      break;
    }
    ++(heard.answer.code == "SCRIPT_BUSY" ? refused : done);
  }
  EXPECT_LE(done, static_cast<int>(limits::script_jobs_per_run_max));
  EXPECT_GT(refused, 0);
}

// Enforces: G9
TEST_F(hostile_clients, one_that_does_not_read_the_log_does_not_keep_the_server) {
  place_.log = scratch_.path() / "log";
  ASSERT_EQ(mkfifo(place_.log.c_str(), 0600), 0);
  const crash::Fd log(open(place_.log.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  const auto server = serve({"--verbose"});
  const std::string state = begin(*server);
  // What the server says at its end finds no room.
  while (write(log.get(), "x", 1) == 1) continue;
  server->child().close_input();
  EXPECT_EQ(exit_of(server->child()), 0);
  place_.log = scratch_.path() / "errors";
  expect_kept(state);
}

// Enforces: G9
TEST_F(hostile_clients, unfinished_heads_without_the_secret_block_no_other_client) {
  constexpr rlim_t connections = 4'300;
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  ASSERT_GT(files.rlim_cur, connections + 100) << "the machine allows too few open files";

  const auto server = serve({"--http", "127.0.0.1:0"});
  const transport::ListenAddress address = address_of(server->child());
  std::string secret;
  std::ifstream(place_.db().string() + ".http-token") >> secret;
  ASSERT_NE(secret, "");
  std::string head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ";
  head.append(limits::http_head_bytes_max - 200 - head.size(), 'x');
  // Together more than all that the server keeps of the bodies of honest clients.
  ASSERT_GT(connections * head.size(), limits::http_unread_bodies_bytes_max);
  std::vector<HttpClient> flood;
  for (rlim_t i = 0; i < connections; ++i) {
    flood.emplace_back(address);
    ASSERT_TRUE(flood.back().is_open());
    flood.back().send(head);
  }
  for (int i = 0; i < 20; ++i) {
    HttpClient honest(address);
    honest.request("POST", "/mcp",
                   cat("Authorization: Bearer ", secret,
                       "\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                       "Mcp-Method: server/discover\r\n"),
                   R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{)"
                   R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                   R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
    EXPECT_EQ(honest.read().status, 200) << i;
  }
  ASSERT_EQ(::kill(server->child().pid(), SIGTERM), 0);
  EXPECT_EQ(exit_of(server->child()), 0);
}

TEST_F(hostile_clients, an_operator_is_warned_when_others_can_reach_the_server) {
  for (const bool is_loopback : {false, true}) {
    place_.log = scratch_.path() / (is_loopback ? "loopback" : "any");
    const auto server = serve({"--http", is_loopback ? "127.0.0.1:0" : "0.0.0.0:0"});
    address_of(server->child());
    ASSERT_EQ(::kill(server->child().pid(), SIGTERM), 0);
    EXPECT_EQ(exit_of(server->child()), 0);
    std::ifstream file(place_.log);
    const std::string errors((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(errors.contains("can be reached from other machines"), !is_loopback) << errors;
  }
}

}  // namespace
}  // namespace baton::security
