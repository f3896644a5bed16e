// Clients that send what no client should, slowly, in masses or on purpose: each is refused or
// ended, no part of it runs, and others are served.

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <future>

#include "base/core/thread_safety.h"
#include "transport/http/testing/running_server.h"

namespace baton::transport {
namespace {

using testing::Answer;
using testing::HttpClient;
using testing::open_guard;
using testing::RunningServer;

// Far longer than anything here takes, and the test fails when it passes.
constexpr auto wait = std::chrono::seconds(10);

/// Answers with the body and remembers the paths that were asked for.
class Paths {
 public:
  HttpHandler handler() {
    return [this](const HttpRequest& request, const std::shared_ptr<Exchange>& exchange) {
      {
        const MutexLock lock(mutex_);
        all_.emplace_back(request.path());
      }
      exchange->respond({.body = request.body});
    };
  }

  std::vector<std::string> take() {
    const MutexLock lock(mutex_);
    return std::exchange(all_, {});
  }

 private:
  Mutex mutex_;
  std::vector<std::string> all_ GUARDED_BY(mutex_);
};

struct Attack {
  const char* what;
  int status;
  std::string_view head;  // what follows the request's own line and Host
  std::string_view body = {};
};

constexpr std::string_view chunked = "Transfer-Encoding: chunked\r\n";

// What could be read in two ways, or is not HTTP at all.
constexpr Attack attacks[] = {
    {"an unknown coding", 501, "Transfer-Encoding: foo\r\n"},
    {"identity, which is no coding any more", 501, "Transfer-Encoding: identity\r\n"},
    {"a coding before chunked", 501, "Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"},
    {"the same on two lines", 501, "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"},
    {"a coding that only looks like chunked", 501, "Transfer-Encoding: xchunked\r\n"},
    {"chunked that is not the last", 400, "Transfer-Encoding: chunked, gzip\r\n"},
    {"chunked twice", 400, "Transfer-Encoding: chunked, chunked\r\n"},
    {"chunked on two lines", 400, "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"},
    {"chunked with a parameter", 400, "Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n"},
    {"an empty coding", 400, "Transfer-Encoding:\r\n"},
    {"a coding that is missing", 400, "Transfer-Encoding: chunked,\r\n"},
    {"a quoted coding", 400, "Transfer-Encoding: \"chunked\"\r\n"},
    {"a coding after a vertical tab", 400, "Transfer-Encoding: \vchunked\r\n"},
    {"a coding and a length", 400, "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"},
    {"a length and a coding", 400, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"},
    {"a length and an unknown coding", 400, "Content-Length: 5\r\nTransfer-Encoding: foo\r\n"},
    {"two lengths", 400, "Content-Length: 5\r\nContent-Length: 6\r\n"},
    {"one length twice", 400, "Content-Length: 0\r\nContent-Length: 0\r\n"},
    {"a list of lengths", 400, "Content-Length: 0, 0\r\n"},
    {"a length with a sign", 400, "Content-Length: +0\r\n"},
    {"a negative length", 400, "Content-Length: -1\r\n"},
    {"a length in hex", 400, "Content-Length: 0x0\r\n"},
    {"no length", 400, "Content-Length:\r\n"},
    {"a length past 64 bits", 400, "Content-Length: 18446744073709551616\r\n"},
    {"a blank before the colon", 400, "Content-Length : 0\r\n"},
    {"a folded line", 400, "Authorization: Bearer\r\n secret\r\n"},
    {"a first line that is folded", 400, " X: y\r\n"},
    {"a folded length", 400, "Content-Length:\r\n\t5\r\n"},
    {"a line feed alone", 400, "X: y\nContent-Length: 5\r\n"},
    {"a line feed at the end of a head", 400, "X: y\r\n\n"},
    {"a carriage return alone", 400, "X: y\rContent-Length: 5\r\n"},
    {"a NUL", 400, {"X: \0\r\n", 6}},
    {"a control character", 400, "X: \x01\r\n"},
    {"a deletion", 400, "X: \x7f\r\n"},
    {"a field without a name", 400, ": x\r\n"},
    {"a field without a colon", 400, "X\r\n"},
    {"a chunk without a size", 400, chunked, "\r\n\r\n"},
    {"a chunk's size in words", 400, chunked, "five\r\nhello\r\n0\r\n\r\n"},
    {"a chunk's size with a prefix", 400, chunked, "0x5\r\nhello\r\n0\r\n\r\n"},
    {"a chunk's size with a sign", 400, chunked, "+5\r\nhello\r\n0\r\n\r\n"},
    {"a chunk's size of too many digits", 400, chunked, "00000000000000005\r\nhello\r\n0\r\n\r\n"},
    {"a blank before a chunk's size", 400, chunked, " 5\r\nhello\r\n0\r\n\r\n"},
    {"a blank after a chunk's size", 400, chunked, "5 \r\nhello\r\n0\r\n\r\n"},
    {"junk after a chunk's size", 400, chunked, "5 junk\r\nhello\r\n0\r\n\r\n"},
    {"an extension without a name", 400, chunked, "5;\r\nhello\r\n0\r\n\r\n"},
    {"an extension that is not closed", 400, chunked, "5;a=\"b\r\nhello\r\n0\r\n\r\n"},
    {"a line feed in an extension", 400, chunked, "5;a\nhello\r\n0\r\n\r\n"},
    {"a line feed after a size", 400, chunked, "5\nhello\r\n0\r\n\r\n"},
    {"a carriage return in an extension", 400, chunked, "5;a\rb\r\nhello\r\n0\r\n\r\n"},
    {"a chunk that is longer than its size", 400, chunked, "5\r\nhelloXX\r\n0\r\n\r\n"},
    {"a line feed after a chunk", 400, chunked, "5\r\nhello\n0\r\n\r\n"},
    {"a chunk larger than any body", 413, chunked, "ffffffffffffffff\r\nhello"},
    {"a trailer without a colon", 400, chunked, "0\r\njunk\r\n\r\n"},
    {"a trailer with a blank before its colon", 400, chunked, "0\r\nA : b\r\n\r\n"},
    {"a folded trailer", 400, chunked, "0\r\nA: b\r\n c\r\n\r\n"},
    {"a line feed in a trailer", 400, chunked, "0\r\nA: b\n\r\n\r\n"},
    {"a line feed at the end of a body", 400, chunked, "0\r\n\n"},
    {"a body that is packed", 415, "Content-Encoding: gzip\r\nContent-Length: 5\r\n", "hello"},
    {"one packed twice", 415,
     "Content-Encoding: identity\r\nContent-Encoding: br\r\nContent-Length: 5\r\n", "hello"},
    {"a second expectation", 417, "Expect: 100-continue\r\nExpect: tea\r\nContent-Length: 5\r\n"},
};

constexpr std::string_view smuggled = "GET /mcp/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST(hostile_client, what_can_be_read_in_two_ways_is_refused_and_nothing_after_it_runs) {
  Paths paths;
  RunningServer server(paths.handler());
  for (const Attack& attack : attacks) {
    HttpClient client = server.connect();
    client.send(cat("POST /mcp HTTP/1.1\r\nHost: localhost\r\n", attack.head, "\r\n", attack.body,
                    smuggled));
    const Answer answer = client.read();
    EXPECT_EQ(answer.status, attack.status) << attack.what;
    EXPECT_EQ(answer.header("connection"), "close") << attack.what;
    EXPECT_TRUE(client.ended()) << attack.what;
    EXPECT_EQ(paths.take(), std::vector<std::string>{}) << attack.what;
  }
}

TEST(hostile_client, what_can_be_read_in_two_ways_is_refused_byte_by_byte_too) {
  Paths paths;
  RunningServer server(paths.handler());
  for (const Attack& attack : attacks) {
    HttpClient client = server.connect();
    const std::string bytes = cat("POST /mcp HTTP/1.1\r\nHost: localhost\r\n", attack.head, "\r\n",
                                  attack.body, smuggled);
    for (const char& c : bytes) {
      if (!client.send({&c, 1})) break;
    }
    EXPECT_EQ(client.read().status, attack.status) << attack.what;
    EXPECT_TRUE(client.ended()) << attack.what;
    EXPECT_EQ(paths.take(), std::vector<std::string>{}) << attack.what;
  }
}

TEST(hostile_client, a_request_begins_with_its_method_target_and_version) {
  Paths paths;
  RunningServer server(paths.handler());
  for (const std::string_view line :
       {"POST  /mcp HTTP/1.1\r\n", "POST /mcp  HTTP/1.1\r\n", "POST /mcp HTTP/1.1 \r\n",
        "POST\t/mcp HTTP/1.1\r\n", "POST /mcp\r\n", "POST /mcp HTTP/1.1\n",
        "POST /m cp HTTP/1.1\r\n", "POST /mcp http/1.1\r\n", "POST /mcp HTTP/2.0\r\n",
        "POST /mcp HTTP/1.10\r\n", "P(ST /mcp HTTP/1.1\r\n", "\r\n\r\nPOST /mcp HTTP/1.1\r\n",
        " POST /mcp HTTP/1.1\r\n", "POST /mcp\x01 HTTP/1.1\r\n", "POST /mcp HTTP/1.1\r\r\n"}) {
    HttpClient client = server.connect();
    client.send(cat(line, "Host: localhost\r\nContent-Length: 0\r\n\r\n", smuggled));
    EXPECT_EQ(client.read().status, 400) << line;
    EXPECT_TRUE(client.ended()) << line;
    EXPECT_EQ(paths.take(), std::vector<std::string>{}) << line;
  }
}

TEST(hostile_client, http_1_0_has_no_codings_and_no_interim_answers) {
  Paths paths;
  RunningServer server(paths.handler());
  const auto ask = [&](std::string_view headers) {
    HttpClient client = server.connect();
    client.send(cat("POST /mcp HTTP/1.0\r\nHost: localhost\r\n", headers));
    return client.read().status;
  };
  EXPECT_EQ(ask("Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(ask("Expect: 100-continue\r\nContent-Length: 2\r\n\r\nok"), 200);
}

TEST(hostile_client, what_is_well_formed_is_served_and_so_is_what_follows_it) {
  Paths paths;
  RunningServer server(paths.handler());
  HttpClient client = server.connect();
  client.send(
      cat("POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: Chunked\r\n"
          "Content-Encoding: identity\r\n\r\n",
          "5;a=\"b;c\" ; d\r\nhello\r\n0;last\r\nA: b\r\nC:\r\n\r\n", smuggled));
  EXPECT_EQ(client.read().body, "hello");
  EXPECT_EQ(client.read().status, 200);
  EXPECT_EQ(paths.take(), (std::vector<std::string>{"/mcp", "/mcp/smuggled"}));
}

// --- Masses -------------------------------------------------------------------------------------

/// A head of `size` bytes that is not complete.
std::string half_head(std::size_t size) {
  std::string head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ";
  return head.append(size - head.size(), 'x');
}

/// How many of the clients have been told something, as soon as `count` have.
std::size_t wait_told(const std::vector<HttpClient>& clients, std::size_t count) {
  std::vector<pollfd> watched;
  for (const HttpClient& each : clients) watched.push_back({each.descriptor(), POLLIN, 0});
  const auto end = std::chrono::steady_clock::now() + wait;
  std::size_t told = 0;
  while (told < count && std::chrono::steady_clock::now() < end) {
    poll(watched.data(), watched.size(), 100);
    told = static_cast<std::size_t>(
        std::ranges::count_if(watched, [](const pollfd& each) { return each.revents != 0; }));
  }
  return told;
}

Answer ask(HttpClient client) {
  client.request("POST", "/mcp", "", "served");
  return client.read();
}

// Enforces: G9
TEST(hostile_client, as_many_heads_are_unfinished_as_the_bound_says) {
  Paths paths;
  RunningServer server(paths.handler(), {.peer_heads_bytes_max = 4'000});
  std::vector<HttpClient> within;
  for (int i = 0; i < 4; ++i) {
    within.push_back(server.connect());
    within.back().send(half_head(1'000));
  }
  EXPECT_EQ(ask(server.connect()).body, "served");
  for (HttpClient& each : within) {
    each.send("\r\n\r\n");
    EXPECT_EQ(each.read().status, 200);
  }
  std::vector<HttpClient> beyond;
  for (int i = 0; i < 5; ++i) {
    beyond.push_back(server.connect());
    beyond.back().send(half_head(1'000));
  }
  EXPECT_EQ(wait_told(beyond, 1), 1u);
}

// Enforces: G9
TEST(hostile_client, masses_of_unfinished_heads_keep_no_request_of_the_same_address_out) {
  Paths paths;
  RunningServer server(paths.handler(), {.peer_heads_bytes_max = 4'000});
  std::vector<HttpClient> flood;
  for (int i = 0; i < 100; ++i) {
    flood.push_back(server.connect());
    flood.back().send(half_head(1'000));
    if (i % 10 == 0) {
      EXPECT_EQ(ask(server.connect()).body, "served");
    }
  }
  EXPECT_EQ(wait_told(flood, 96), 96u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ask(server.connect()).body, "served");
  std::size_t refused = 0;
  for (HttpClient& each : flood) {
    if (each.readable(0)) refused += each.read().status == 503 ? 1 : 0;
  }
  EXPECT_EQ(refused, 96u);
}

// Enforces: G9
TEST(hostile_client, a_flood_from_many_addresses_does_not_cost_a_slow_client_its_head) {
  Paths paths;
  RunningServer server(paths.handler(), {.heads_bytes_max = 4'000, .peer_heads_bytes_max = 2'000});
  HttpClient slow = server.connect();
  slow.send(half_head(500));
  std::vector<HttpClient> flood;
  for (const char* from : {"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"}) {
    for (int i = 0; i < 5; ++i) {
      flood.push_back(server.connect(from));
      flood.back().send(half_head(1'000));
    }
  }
  // Three of them fit beside the slow one.
  EXPECT_EQ(wait_told(flood, 17), 17u);
  slow.send("\r\n\r\n");
  EXPECT_EQ(slow.read().status, 200);
}

TEST(hostile_client, a_refused_one_keeps_nothing_while_it_lingers) {
  Paths paths;
  RunningServer server(
      paths.handler(),
      {.unread_bodies_bytes_max = 3'000, .peer_heads_bytes_max = 3'000, .linger_ms = 3'600'000});
  std::vector<HttpClient> refused;
  for (int i = 0; i < 10; ++i) {
    refused.push_back(server.connect());
    refused.back().send(cat(half_head(2'000), "\r\nContent-Length: x\r\n\r\n"));
    EXPECT_EQ(refused.back().read().status, 400);
  }
  EXPECT_EQ(ask(server.connect()).body, "served");
}

TEST(hostile_client, one_that_was_never_let_in_makes_room_before_one_that_was) {
  Paths paths;
  RunningServer server(paths.handler(), {.connections_max = 3},
                       Guard({}, std::make_shared<BearerSecret>("s3cret")));
  const std::string_view secret = "Authorization: Bearer s3cret\r\n";
  HttpClient known = server.connect();
  known.request("POST", "/mcp", secret, "one");
  EXPECT_EQ(known.read().body, "one");
  HttpClient first = server.connect();
  HttpClient second = server.connect();
  second.send("POST");
  HttpClient late = server.connect();
  late.request("POST", "/mcp", secret, "late");
  EXPECT_EQ(late.read().body, "late");
  EXPECT_TRUE(first.ended());
  known.request("POST", "/mcp", secret, "two");
  EXPECT_EQ(known.read().body, "two");
}

// --- Slow readers -------------------------------------------------------------------------------

/// Streams that the test writes to.
class Streams {
 public:
  HttpHandler handler() {
    return [this](const HttpRequest&, std::shared_ptr<Exchange> exchange) {
      exchange->start_stream({});
      arrived_.set_value(std::move(exchange));
    };
  }

  std::shared_ptr<Exchange> open(HttpClient& client) {
    arrived_ = {};
    auto arrived = arrived_.get_future();
    client.request("GET", "/mcp");
    EXPECT_EQ(arrived.wait_for(wait), std::future_status::ready);
    return arrived.get();
  }

 private:
  std::promise<std::shared_ptr<Exchange>> arrived_;
};

// Enforces: G9
TEST(hostile_client, of_those_that_do_not_read_the_one_that_waits_longest_is_ended) {
  // The system takes some megabytes of each answer.
  const std::string answer(50'000'000, 'x');
  Streams streams;
  RunningServer server(streams.handler(), {.unsent_bytes_max = 60'000'000});
  HttpClient first = server.connect();
  const auto to_first = streams.open(first);
  HttpClient second = server.connect();
  const auto to_second = streams.open(second);
  std::promise<void> gone;
  to_first->on_closed([&] { gone.set_value(); });
  to_first->write(answer);
  to_second->write(answer);
  to_second->finish();
  EXPECT_EQ(gone.get_future().wait_for(wait), std::future_status::ready);
  EXPECT_EQ(second.read().body.size(), answer.size());
}

}  // namespace
}  // namespace baton::transport
