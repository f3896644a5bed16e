#include "transport/http/http_server.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
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

void echo(const HttpRequest& request, const std::shared_ptr<Exchange>& exchange) {
  exchange->respond({200, {{"X-Path", std::string(request.path())}}, request.body});
}

class StoppedClock final : public ports::Clock {
 public:
  WallMs wall() override { return {784'111'777'000}; }
  MonoMs mono() override { return {0}; }
};

/// A handler that hands its exchanges to the test.
class Desk {
 public:
  HttpHandler handler() {
    return [this](const HttpRequest&, std::shared_ptr<Exchange> exchange) {
      const MutexLock lock(mutex_);
      exchanges_.push_back(std::move(exchange));
      arrived_.notify_all();
    };
  }

  std::shared_ptr<Exchange> take() {
    const MutexLock lock(mutex_);
    const auto has_one = [this]() REQUIRES(mutex_) { return !exchanges_.empty(); };
    EXPECT_TRUE(arrived_.wait_for(mutex_, wait, has_one));
    if (exchanges_.empty()) return nullptr;
    auto out = std::move(exchanges_.front());
    exchanges_.erase(exchanges_.begin());
    return out;
  }

 private:
  Mutex mutex_;
  Condition arrived_;
  std::vector<std::shared_ptr<Exchange>> exchanges_ GUARDED_BY(mutex_);
};

TEST(http_server, answers_several_requests_on_one_connection) {
  const RunningServer server(echo);
  HttpClient client = server.connect();
  for (const std::string body : {"one", "", "three"}) {
    client.request("POST", "/mcp/x?y", "", body);
    const Answer answer = client.read();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("x-path"), "/mcp/x");
    EXPECT_EQ(answer.body, body);
  }
}

TEST(http_server, answers_requests_that_were_sent_ahead_in_order) {
  const RunningServer server(echo);
  HttpClient client = server.connect();
  for (const char* body : {"one", "two", "three"}) client.request("POST", "/mcp", "", body);
  for (const char* body : {"one", "two", "three"}) EXPECT_EQ(client.read().body, body);
}

TEST(http_server, routes_by_prefix_at_a_slash) {
  const RunningServer server(echo);
  for (const char* target : {"/", "/mcpx", "/other", "*"}) {
    HttpClient client = server.connect();
    client.request("GET", target);
    EXPECT_EQ(client.read().status, 404) << target;
    EXPECT_TRUE(client.ended());
  }
}

TEST(http_server, takes_a_whole_url_as_the_target_if_it_names_this_server) {
  const RunningServer server(echo);
  HttpClient client = server.connect();
  client.request("POST", "http://localhost:1234/mcp/x?y", "", "body");
  const Answer answer = client.read();
  EXPECT_EQ(answer.header("x-path"), "/mcp/x");
  EXPECT_EQ(answer.body, "body");
  client.request("GET", "http://evil.example/mcp");
  EXPECT_EQ(client.read().status, 403);
  for (const char* target : {"http://localhost", "http://localhost?/mcp", "ftp://localhost/mcp"}) {
    HttpClient other = server.connect();
    other.request("GET", target);
    EXPECT_EQ(other.read().status, 404) << target;
  }
}

TEST(http_server, says_when_it_answers_if_it_has_a_clock) {
  EXPECT_EQ(http_date({784'111'777'000}), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date({0}), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date({-1}), "Wed, 31 Dec 1969 23:59:59 GMT");
  EXPECT_EQ(http_date({1'709'164'800'000}), "Thu, 29 Feb 2024 00:00:00 GMT");
  StoppedClock clock;
  const RunningServer server(echo, {.clock = &clock});
  HttpClient client = server.connect();
  client.request("POST", "/mcp");
  EXPECT_EQ(client.read().header("date"), "Sun, 06 Nov 1994 08:49:37 GMT");
  client.request("GET", "/other");
  EXPECT_EQ(client.read().header("date"), "Sun, 06 Nov 1994 08:49:37 GMT");
  const RunningServer timeless(echo);
  HttpClient other = timeless.connect();
  other.request("POST", "/mcp");
  EXPECT_EQ(other.read().header("date"), "");
}

TEST(http_server, ends_the_connection_when_the_client_asks_for_it) {
  const RunningServer server(echo);
  HttpClient client = server.connect();
  client.request("POST", "/mcp", "Connection: close\r\n", "bye");
  const Answer answer = client.read();
  EXPECT_EQ(answer.body, "bye");
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_TRUE(client.ended());
}

TEST(http_server, answers_head_without_a_body) {
  const RunningServer server([](const HttpRequest&, const std::shared_ptr<Exchange>& exchange) {
    exchange->respond({200, {}, "body"});
  });
  HttpClient client = server.connect();
  client.request("HEAD", "/mcp");
  EXPECT_EQ(client.read_head().header("content-length"), "4");
  client.request("GET", "/mcp");
  EXPECT_EQ(client.read().body, "body");
}

TEST(http_server, tells_a_waiting_client_to_send_its_body) {
  const RunningServer server(echo);
  HttpClient client = server.connect();
  client.send(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_head().status, 100);
  client.send("ok");
  EXPECT_EQ(client.read().body, "ok");
  client.request("POST", "/mcp", "Expect: tea\r\n");
  EXPECT_EQ(client.read().status, 417);
}

TEST(http_server, refuses_by_the_head_before_the_body_comes) {
  const RunningServer server(echo, {}, Guard({}, std::make_shared<BearerSecret>("s3cret")));
  const std::string_view head = " /mcp HTTP/1.1\r\nContent-Length: 1000000\r\n";
  HttpClient stranger = server.connect();
  stranger.send(cat("POST", head, "Host: evil.example\r\n\r\n"));
  EXPECT_EQ(stranger.read().status, 403);
  HttpClient page = server.connect();
  page.send(cat("POST", head, "Host: localhost\r\nOrigin: http://evil.example\r\n\r\n"));
  EXPECT_EQ(page.read().status, 403);
  HttpClient unknown = server.connect();
  unknown.send(cat("POST", head, "Host: localhost\r\n\r\n"));
  const Answer answer = unknown.read();
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.header("www-authenticate"), "Bearer realm=\"baton\"");
  EXPECT_TRUE(unknown.ended());
}

TEST(http_server, the_caller_is_checked_before_the_size_of_the_body) {
  const RunningServer server(echo, {.bounds = {.body_bytes_max = 1'000}},
                             Guard({}, std::make_shared<BearerSecret>("s3cret")));
  const auto ask = [&](std::string_view headers) {
    HttpClient client = server.connect();
    client.send(cat("POST /mcp HTTP/1.1\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n",
                    headers, "\r\n"));
    return client.read().status;
  };
  EXPECT_EQ(ask("Host: evil.example\r\n"), 403);
  EXPECT_EQ(ask("Host: localhost\r\n"), 401);
  EXPECT_EQ(ask("Host: localhost\r\nAuthorization: Bearer s3cret\r\n"), 413);
}

TEST(http_server, a_refused_client_that_is_still_sending_can_read_why) {
  const RunningServer server(echo, {.bounds = {.body_bytes_max = 1'000}});
  HttpClient client = server.connect();
  EXPECT_TRUE(client.request("POST", "/mcp", "", std::string(500'000, 'x')));
  EXPECT_EQ(client.read().status, 413);
}

TEST(http_server, writes_a_stream_piece_by_piece) {
  Desk desk;
  const RunningServer server(desk.handler());
  HttpClient client = server.connect();
  client.request("GET", "/mcp");
  const auto exchange = desk.take();
  exchange->start_stream({200, {{"Content-Type", "text/event-stream"}}});
  EXPECT_EQ(client.read_head().header("content-type"), "text/event-stream");
  for (const char* piece : {"a", "bc", "def"}) {
    EXPECT_TRUE(exchange->write(piece));
    EXPECT_EQ(client.read_chunk(), piece);
  }
  exchange->finish();
  EXPECT_EQ(client.read_chunk(), std::nullopt);
  client.request("GET", "/mcp");
  desk.take()->respond({.status = 204});
  EXPECT_EQ(client.read().status, 204);
}

TEST(http_server, a_stream_for_http_1_0_ends_with_its_connection) {
  const RunningServer server([](const HttpRequest&, const std::shared_ptr<Exchange>& exchange) {
    exchange->start_stream({});
    exchange->write("all");
    exchange->finish();
  });
  HttpClient client = server.connect();
  client.send("GET /mcp HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read().body, "all");
  EXPECT_TRUE(client.ended());
}

TEST(http_server, keeps_a_quiet_stream_alive) {
  Desk desk;
  const RunningServer server(desk.handler(), {.keep_alive_ms = 5});
  HttpClient client = server.connect();
  client.request("GET", "/mcp");
  const auto exchange = desk.take();
  exchange->start_stream({.keep_alive = ":\n\n"});
  EXPECT_EQ(client.read_head().status, 200);
  EXPECT_EQ(client.read_chunk(), ":\n\n");
  EXPECT_EQ(client.read_chunk(), ":\n\n");
}

TEST(http_server, tells_the_handler_that_its_client_is_gone) {
  Desk desk;
  const RunningServer server(desk.handler());
  for (const bool streaming : {false, true}) {
    HttpClient client = server.connect();
    client.request("GET", "/mcp");
    const auto exchange = desk.take();
    if (streaming) exchange->start_stream({});
    std::promise<void> gone;
    exchange->on_closed([&] { gone.set_value(); });
    client.close();
    EXPECT_EQ(gone.get_future().wait_for(wait), std::future_status::ready);
    EXPECT_TRUE(exchange->closed());
    // Repeated for a late request.
    bool late = false;
    exchange->on_closed([&] { late = true; });
    EXPECT_TRUE(late);
    EXPECT_TRUE(!streaming || !exchange->write("nobody reads this"));
  }
}

TEST(http_server, an_answered_exchange_is_not_told_of_the_end) {
  Desk desk;
  RunningServer server(desk.handler());
  HttpClient client = server.connect();
  client.request("GET", "/mcp");
  const auto exchange = desk.take();
  bool told = false;
  exchange->on_closed([&] { told = true; });
  exchange->respond({});
  EXPECT_EQ(client.read().status, 200);
  client.close();
  server.stop();
  EXPECT_FALSE(told);
}

TEST(http_server, a_dropped_exchange_is_answered) {
  const RunningServer server([](const HttpRequest&, const std::shared_ptr<Exchange>&) {});
  HttpClient client = server.connect();
  client.request("GET", "/mcp");
  EXPECT_EQ(client.read().status, 500);
}

TEST(http_server, a_reader_that_is_too_slow_is_cut_off) {
  Desk desk;
  const RunningServer server(desk.handler(), {.backlog_bytes_max = 1'000});
  HttpClient client = server.connect();
  client.request("GET", "/mcp");
  const auto exchange = desk.take();
  exchange->start_stream({});
  std::promise<void> gone;
  exchange->on_closed([&] { gone.set_value(); });
  // The system takes some megabytes; what it does not take is at most the backlog and one piece.
  const std::string piece(100'000, 'x');
  std::size_t written = 0;
  while (exchange->write(piece) && written < 10'000) ++written;
  EXPECT_LT(written, 1'000u);
  EXPECT_EQ(gone.get_future().wait_for(wait), std::future_status::ready);
}

TEST(http_server, one_piece_may_be_larger_than_the_backlog) {
  Desk desk;
  const RunningServer server(desk.handler(), {.backlog_bytes_max = 10});
  HttpClient client = server.connect();
  client.request("GET", "/mcp");
  const auto exchange = desk.take();
  exchange->start_stream({});
  EXPECT_TRUE(exchange->write(std::string(3'000'000, 'x')));
  exchange->finish();
  EXPECT_EQ(client.read().body.size(), 3'000'000u);
}

TEST(http_server, ends_what_arrives_too_slowly) {
  const RunningServer server(echo, {.head_ms = 20, .body_ms = 20, .idle_ms = 20, .linger_ms = 20});
  HttpClient silent = server.connect();
  EXPECT_TRUE(silent.ended());
  HttpClient slow_head = server.connect();
  slow_head.send("POST /mcp HT");
  EXPECT_EQ(slow_head.read().status, 408);
  EXPECT_TRUE(slow_head.ended());
  HttpClient slow_body = server.connect();
  slow_body.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhel");
  EXPECT_EQ(slow_body.read().status, 408);
}

TEST(http_server, ends_a_client_that_takes_nothing) {
  Desk desk;
  const RunningServer server(desk.handler(), {.write_ms = 20});
  HttpClient client = server.connect();
  client.request("GET", "/mcp");
  const auto exchange = desk.take();
  std::promise<void> gone;
  exchange->start_stream({});
  exchange->on_closed([&] { gone.set_value(); });
  exchange->write(std::string(50'000'000, 'x'));
  EXPECT_EQ(gone.get_future().wait_for(wait), std::future_status::ready);
}

TEST(http_server, bodies_of_all_connections_are_bounded_together) {
  const RunningServer server(echo, {.unread_bodies_bytes_max = 10'000});
  const std::string_view head =
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n";
  HttpClient first = server.connect();
  first.send(cat(head, std::string(8'000, 'a')));
  // The first one's bytes are counted before the second one's, whichever is read first.
  HttpClient second = server.connect();
  second.send(cat(head, std::string(8'000, 'b')));
  const bool first_refused = [&] {
    pollfd either[] = {{first.descriptor(), POLLIN, 0}, {second.descriptor(), POLLIN, 0}};
    EXPECT_EQ(poll(either, 2, 10'000), 1);
    return either[0].revents != 0;
  }();
  HttpClient& refused = first_refused ? first : second;
  HttpClient& other = first_refused ? second : first;
  EXPECT_EQ(refused.read().status, 503);
  refused.close();
  other.send(std::string(1'000, 'c'));
  EXPECT_EQ(other.read().body.size(), 9'000u);
}

TEST(http_server, bounds_are_the_limits_unless_told_otherwise) {
  const HttpOptions options;
  EXPECT_EQ(options.connections_max, limits::http_connections_max);
  EXPECT_EQ(options.unread_bodies_bytes_max, limits::http_unread_bodies_bytes_max);
  EXPECT_EQ(options.heads_bytes_max, limits::http_heads_bytes_max);
  EXPECT_EQ(options.peer_heads_bytes_max, limits::http_peer_heads_bytes_max);
  EXPECT_EQ(options.backlog_bytes_max, limits::http_backlog_bytes_max);
  EXPECT_EQ(options.unsent_bytes_max, limits::http_unsent_bytes_max);
  EXPECT_EQ(options.head_ms, limits::http_head_ms_max);
  EXPECT_EQ(options.body_ms, limits::http_body_ms_max);
  EXPECT_EQ(options.idle_ms, limits::http_idle_ms_max);
  EXPECT_EQ(options.write_ms, limits::http_write_ms_max);
  EXPECT_EQ(options.linger_ms, limits::http_linger_ms_max);
  EXPECT_EQ(options.keep_alive_ms, limits::http_keep_alive_ms);
}

TEST(http_server, the_longest_idle_connection_makes_room_for_a_new_one) {
  const RunningServer server(echo, {.connections_max = 3});
  std::vector<HttpClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(server.connect());
    clients.back().request("POST", "/mcp", "", "x");
    EXPECT_EQ(clients.back().read().status, 200);
  }
  clients[0].request("POST", "/mcp", "", "again");
  EXPECT_EQ(clients[0].read().status, 200);
  HttpClient fourth = server.connect();
  fourth.request("POST", "/mcp", "", "x");
  EXPECT_EQ(fourth.read().status, 200);
  EXPECT_TRUE(clients[1].ended());
  clients[0].request("POST", "/mcp", "", "still here");
  EXPECT_EQ(clients[0].read().body, "still here");
}

TEST(http_server, busy_connections_are_not_ended_for_new_ones) {
  Desk desk;
  const RunningServer server(desk.handler(), {.connections_max = 1});
  HttpClient busy = server.connect();
  busy.request("GET", "/mcp");
  const auto exchange = desk.take();
  HttpClient second = server.connect();
  EXPECT_TRUE(second.ended());
  exchange->respond({.body = "served"});
  EXPECT_EQ(busy.read().body, "served");
}

TEST(http_server, stopping_waits_for_answers_and_ends_streams) {
  Desk desk;
  std::shared_ptr<Exchange> stream;
  RunningServer server(desk.handler(), {}, open_guard(), {}, [&stream] {
    stream->write("bye");
    stream->finish();
  });
  HttpClient idle = server.connect();
  HttpClient reader = server.connect();
  reader.request("GET", "/mcp");
  stream = desk.take();
  stream->start_stream({});
  EXPECT_EQ(reader.read_head().status, 200);
  HttpClient caller = server.connect();
  caller.request("GET", "/mcp");
  const auto call = desk.take();
  server.server().stop();
  EXPECT_EQ(reader.read_chunk(), "bye");
  EXPECT_TRUE(idle.ended());
  call->respond({.body = "done"});
  const Answer answer = caller.read();
  EXPECT_EQ(answer.body, "done");
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_TRUE(server.stop());
}

TEST(http_server, stopping_does_not_wait_for_ever) {
  Desk desk;
  RunningServer server(desk.handler(), {.head_ms = 20, .drain_ms = 20});
  HttpClient caller = server.connect();
  caller.request("GET", "/mcp");
  const auto call = desk.take();
  EXPECT_FALSE(server.stop());
  // After the server is gone, an exchange does nothing.
  call->respond({.body = "too late"});
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/baton-http-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return cat(path_, '/', name); }

 private:
  std::string path_;
};

TEST(http_server, listens_on_a_unix_socket_of_its_owner_alone) {
  const Folder folder;
  const ListenAddress address{.host = {}, .path = folder / "s"};
  {
    const RunningServer server(echo, {}, open_guard(), address);
    struct stat info{};
    ASSERT_EQ(stat(address.path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    HttpClient client = server.connect();
    client.request("POST", "/mcp", "", "hello");
    EXPECT_EQ(client.read().body, "hello");
    // A second server does not take the address from a living one.
    const auto second = HttpServer::listen(address, {}, open_guard(), {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Code::ENVIRONMENT);
  }
  EXPECT_FALSE(std::filesystem::exists(address.path));
}

TEST(http_server, takes_the_place_of_a_dead_socket_and_of_nothing_else) {
  const Folder folder;
  const ListenAddress address{.host = {}, .path = folder / "s"};
  const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  address.path.copy(name.sun_path, sizeof name.sun_path - 1);
  ASSERT_EQ(bind(dead, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  close(dead);
  EXPECT_TRUE(HttpServer::listen(address, {}, open_guard(), {}));
  const ListenAddress file{.host = {}, .path = folder / "file"};
  fclose(fopen(file.path.c_str(), "w"));
  EXPECT_FALSE(HttpServer::listen(file, {}, open_guard(), {}));
  EXPECT_TRUE(std::filesystem::exists(file.path));
}

TEST(http_server, an_address_in_use_is_an_error) {
  RunningServer server(echo);
  const auto second = HttpServer::listen(server.server().address(), {}, open_guard(), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::ENVIRONMENT);
}

TEST(http_server, a_thousand_slow_connections_do_not_hinder_others) {
  RunningServer server(echo);
  std::vector<HttpClient> slow;
  for (int i = 0; i < 1'000; ++i) {
    slow.push_back(server.connect());
    ASSERT_TRUE(slow.back().is_open());
    slow.back().send(i % 2 == 0 ? "" : "POST /mcp HTTP/1.1\r\nHost: localh");
  }
  HttpClient client = server.connect();
  for (int round = 0; round < 10; ++round) {
    for (HttpClient& each : slow) each.send("X");
    client.request("POST", "/mcp", "", "served");
    EXPECT_EQ(client.read().body, "served");
  }
}

}  // namespace
}  // namespace baton::transport
