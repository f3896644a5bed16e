// The protocol's figures: calls per second, latency and CPU of the server of tests/conformance,
// beside the official example server (@modelcontextprotocol/server-everything) in the same run; the
// start and memory of `baton serve`.
//
//   protocol_bench DIR BATON [--long] [--clients FOLDER] [--only GROUP]
//
// Groups: start, memory, stdio, http, slow.

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/core/result.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "protocol_load.h"

namespace baton::bench {
namespace {

struct Setup {
  std::string dir;
  std::string baton;
  std::string clients = "build/e2e";
  std::string only = {};  // one group of figures; empty: all
  std::size_t calls = 2'000;
  std::size_t rounds = 1;  // over stdio, whose figures jump with where the system puts processes

  std::string node() const { return clients + "/node_modules/.bin/node"; }
  std::string store() const { return cat(dir, "/protocol.db"); }
  std::vector<std::string> serve() const { return {baton, "serve", "--db", store()}; }
  std::vector<std::string> fixtures() const {
    const std::string folder = baton.substr(0, baton.rfind('/'));
    return {cat(folder, "/tests/conformance/fixture_server"), cat(dir, "/fixtures.db")};
  }
  std::vector<std::string> http_fixtures() const {
    std::vector<std::string> command = fixtures();
    command.emplace_back("--http");
    return command;
  }
  std::vector<std::string> everything(std::string transport) const {
    return {node(), clients + "/node_modules/@modelcontextprotocol/server-everything/dist/index.js",
            std::move(transport)};
  }
};

constexpr std::string_view initialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"bench","version":"0"}}})";
constexpr std::string_view initialized =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

CallText calling(std::string tool, std::string arguments) {
  return [tool = std::move(tool), arguments = std::move(arguments)](std::size_t id) {
    return cat(R"({"jsonrpc":"2.0","id":)", id, R"(,"method":"tools/call","params":{"name":")",
               tool, R"(","arguments":)", arguments, "}}");
  };
}

const CallText our_call = calling("test_simple_text", "{}");
const CallText their_call = calling("echo", R"({"message":"hello"})");

struct Measured {
  Load load;
  double cpu_us = 0;  // of the server, for each call
};

void shake_hands(Child& child) {
  child.send(cat(initialize, '\n'));
  while (child.read_line().find("protocolVersion") == std::string::npos) continue;
  child.send(cat(initialized, '\n'));
}

Measured over_stdio(Child& child, std::size_t count, std::size_t in_flight, const CallText& call) {
  load_stdio(child, count / 4 + in_flight, in_flight, call);
  const double before = child.cpu_us();
  const Load load = load_stdio(child, count, in_flight, call);
  return {load, (child.cpu_us() - before) / static_cast<double>(count)};
}

Measured over_http(Child& child, const HttpTarget& target, std::size_t count, std::size_t in_flight,
                   const CallText& call) {
  load_http(target, count / 4 + in_flight, in_flight, call);
  const double before = child.cpu_us();
  const Load load = load_http(target, count, in_flight, call);
  return {load, (child.cpu_us() - before) / static_cast<double>(count)};
}

/// A session, as the headers that its requests carry.
HttpTarget open_session(int port) {
  HttpTarget target{.port = port};
  const int socket = connect_to(port);
  send_all(socket, post_text(target, initialize));
  const std::string answer = read_response(socket);
  std::size_t at = answer.find("cp-session-id: ");
  if (at == std::string::npos) at = answer.find("cp-Session-Id: ");
  ASSERT(at != std::string::npos);
  const std::string id = answer.substr(at + 15, answer.find('\r', at) - at - 15);
  target.headers = cat("Mcp-Session-Id: ", id, "\r\nMCP-Protocol-Version: 2025-11-25\r\n");
  send_all(socket, post_text(target, initialized));
  read_response(socket);
  ::close(socket);
  return target;
}

int port_of(Child& child) {
  const std::string line = child.read_line();
  const std::size_t colon = line.rfind(':');
  return static_cast<int>(
      parse_int(line.substr(colon + 1, line.rfind('/') - colon - 1)).value_or(0));
}

/// Both servers in turn at one depth; each figure is the median of the rounds.
struct Rounds {
  std::vector<Measured> ours;
  std::vector<Measured> theirs;

  double middle(const std::function<double(const Measured&, const Measured&)>& figure) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < ours.size(); ++i) all.push_back(figure(ours[i], theirs[i]));
    return median(std::move(all));
  }
};

void compare(std::string_view transport, std::size_t in_flight, const Rounds& rounds,
             Report& report) {
  const std::string where = cat(transport, ", ", in_flight, " in flight: ");
  const auto note = [&](std::string_view what, std::string_view unit, const auto& figure) {
    report.note(cat(where, what), rounds.middle(figure), std::string(unit));
  };
  using Side = const Measured&;
  note("calls/s", "/s", [](Side our, Side) { return our.load.per_second(); });
  note("calls/s of server-everything", "/s", [](Side, Side its) { return its.load.per_second(); });
  const double ratio = rounds.middle(
      [](Side our, Side its) { return our.load.per_second() / its.load.per_second(); });
  report.add(cat(where, "calls/s, ours / theirs"), ratio, "x", ">= 5", ratio >= 5);
  note("p50", "us", [](Side our, Side) { return our.load.latency.p50; });
  const double tail =
      rounds.middle([](Side our, Side its) { return our.load.latency.p99 / its.load.latency.p50; });
  report.add(cat(where, "our p99 / their p50"), tail, "x", "< 1", tail < 1);
  note("server CPU per call", "us", [](Side our, Side) { return our.cpu_us; });
  note("the same of server-everything", "us", [](Side, Side its) { return its.cpu_us; });
}

constexpr std::size_t depths[] = {1, 8, 64};

/// One server alone, at every depth: another one that was busy a moment ago would still tidy up.
std::vector<Measured> alone_over_stdio(std::vector<std::string> command, std::size_t count,
                                       const CallText& call) {
  Child child(std::move(command));
  shake_hands(child);
  std::vector<Measured> out;
  for (const std::size_t depth : depths) out.push_back(over_stdio(child, count, depth, call));
  return out;
}

void measure_stdio(const Setup& setup, Report& report) {
  Rounds rounds[std::size(depths)];
  for (std::size_t round = 0; round < setup.rounds; ++round) {
    const auto theirs = alone_over_stdio(setup.everything("stdio"), setup.calls, their_call);
    const auto ours = alone_over_stdio(setup.fixtures(), setup.calls * 4, our_call);
    for (std::size_t i = 0; i < std::size(depths); ++i) {
      rounds[i].ours.push_back(ours[i]);
      rounds[i].theirs.push_back(theirs[i]);
    }
  }
  for (std::size_t i = 0; i < std::size(depths); ++i) {
    compare("stdio", depths[i], rounds[i], report);
  }
}

void measure_http(const Setup& setup, Report& report) {
  constexpr int their_port = 39'517;
  Child ours(setup.http_fixtures());
  Child theirs(setup.everything("streamableHttp"), {cat("PORT=", their_port)});
  const HttpTarget our_target = open_session(port_of(ours));
  int probe = -1;
  while ((probe = connect_to(their_port)) < 0) std::this_thread::yield();
  ::close(probe);
  const HttpTarget their_target = open_session(their_port);
  for (const std::size_t depth : depths) {
    const Measured their = over_http(theirs, their_target, setup.calls, depth, their_call);
    const Measured our = over_http(ours, our_target, setup.calls * 4, depth, our_call);
    compare("HTTP", depth, {{our}, {their}}, report);
  }
}

constexpr std::string_view modern_meta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

void measure_start(const Setup& setup, Report& report) {
  std::vector<double> ours;
  std::vector<double> theirs;
  for (int i = 0; i < 20; ++i) {
    double start = now_us();
    {
      Child child(setup.serve());
      child.send(cat(R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{)",
                     modern_meta, "}}\n"));
      child.read_line();
      ours.push_back(now_us() - start);
    }
    start = now_us();
    Child node({setup.node(), "-e", "0"});
    char end = 0;
    // Its output ends when it does.
    pollfd output{node.output(), POLLIN, 0};
    ASSERT(::poll(&output, 1, -1) == 1 && ::read(node.output(), &end, 1) == 0);
    theirs.push_back(now_us() - start);
  }
  report.note("spawn to the first discover, p50", median(ours) / 1e3, "ms");
  report.note("node -e 0, p50", median(theirs) / 1e3, "ms");
  const double ratio = median(ours) / median(theirs);
  report.add("spawn to the first discover / node -e 0", ratio, "x", "< 1", ratio < 1);
}

void measure_memory(const Setup& setup, Report& report) {
  std::vector<std::string> command = setup.serve();
  command.insert(command.end(), {"--http", "127.0.0.1:0"});
  Child child(std::move(command));
  const int port = port_of(child);
  std::string secret;
  std::ifstream(setup.store() + ".http-token") >> secret;
  const HttpTarget target{.port = port,
                          .headers = cat("Authorization: Bearer ", secret,
                                         "\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                                         "Mcp-Method: subscriptions/listen\r\n")};
  const double idle = child.resident_kb();
  report.add("resident memory, idle", idle / 1024, "MB", "< 20", idle < 20 * 1024);
  constexpr std::size_t streams = 1'000;
  std::vector<int> sockets;
  for (std::size_t i = 0; i < streams; ++i) {
    sockets.push_back(connect_to(port));
    send_all(sockets.back(),
             post_text(target, cat(R"({"jsonrpc":"2.0","id":)", i,
                                   R"(,"method":"subscriptions/listen","params":{"notifications":)"
                                   R"({"toolsListChanged":true},)",
                                   modern_meta, "}}")));
    std::string answer;
    char chunk[4'096];
    while (answer.find("acknowledged") == std::string::npos) {
      const ssize_t got = ::read(sockets.back(), chunk, sizeof chunk);
      ASSERT(got > 0);
      answer.append(chunk, static_cast<std::size_t>(got));
    }
  }
  const double each = (child.resident_kb() - idle) / static_cast<double>(streams);
  report.add("memory per idle stream at 1,000", each, "KB", "< 8", each < 8);
  for (const int socket : sockets) ::close(socket);
}

void measure_slow_call(const Setup& setup, Report& report) {
  Child child(setup.http_fixtures());
  const HttpTarget target = open_session(port_of(child));
  const std::size_t count = setup.calls * 4;
  const Measured alone = over_http(child, target, count, 8, our_call);
  const int slow = connect_to(target.port);
  send_all(slow, post_text(target, calling("slow_compute", R"({"seconds":60})")(1'000'000)));
  const Measured beside = over_http(child, target, count, 8, our_call);
  ::close(slow);
  const double ratio = beside.load.latency.p99 / alone.load.latency.p99;
  report.add("p99 beside a slow call / without it, HTTP, 8 in flight", ratio, "x", "<= 2",
             ratio <= 2);
}

int run(int argc, char** argv) {
  Setup setup{.dir = argv[1], .baton = argv[2]};
  for (int i = 3; i < argc; ++i) {
    if (std::strcmp(argv[i], "--long") == 0) {
      setup.calls = 10'000;
      setup.rounds = 7;
    }
    if (std::strcmp(argv[i], "--clients") == 0 && i + 1 < argc) setup.clients = argv[++i];
    if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) setup.only = argv[++i];
  }
  Report report;
  const auto wanted = [&](std::string_view group) {
    return setup.only.empty() || setup.only == group;
  };
  if (wanted("start")) measure_start(setup, report);
  if (wanted("memory")) measure_memory(setup, report);
  if (wanted("stdio")) measure_stdio(setup, report);
  if (wanted("http")) measure_http(setup, report);
  if (wanted("slow")) measure_slow_call(setup, report);
  return report.finish(setup.dir);
}

}  // namespace
}  // namespace baton::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: protocol_bench DIR BATON [--long] [--clients FOLDER] [--only GROUP]\n");
    return 2;
  }
  return baton::bench::run(argc, argv);
}
