#include "protocol_load.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "base/core/result.h"
#include "base/text/text.h"

extern char** environ;

namespace baton::bench {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

/// The integer after `"id":`, wherever a server puts it; 0 for a notification.
std::size_t id_of(std::string_view line) {
  const std::size_t at = line.find("\"id\":");
  std::size_t id = 0;
  if (at == std::string_view::npos) return id;
  std::from_chars(line.data() + at + 5, line.data() + line.size(), id);
  return id;
}

/// Whether `text` is one whole response, by length or by chunks.
bool is_whole(std::string_view text) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) return false;
  std::size_t length = text.find("ontent-Length: ");
  if (length == std::string_view::npos || length > head) length = text.find("ontent-length: ");
  if (length != std::string_view::npos && length < head) {
    std::size_t size = 0;
    std::from_chars(text.data() + length + 15, text.data() + head, size);
    return text.size() >= head + 4 + size;
  }
  return text.ends_with("\r\n0\r\n\r\n");
}

std::size_t read_some(int descriptor, std::string& to) {
  char chunk[64u << 10];
  const ssize_t got = ::read(descriptor, chunk, sizeof chunk);
  ASSERT(got > 0);
  to.append(chunk, static_cast<std::size_t>(got));
  return static_cast<std::size_t>(got);
}

}  // namespace

Child::Child(std::vector<std::string> command, std::vector<std::string> environment) {
  int in[2];
  int out[2];
  ASSERT(::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  for (char** each = environ; *each != nullptr; ++each) environment.emplace_back(*each);
  ASSERT(::posix_spawnp(&pid_, command[0].c_str(), &actions, nullptr, pointers(command).data(),
                        pointers(environment).data()) == 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
  ::fcntl(from_, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  ::close(to_);
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
  ::close(from_);
}

void Child::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = ::write(to_, bytes.data(), bytes.size());
    ASSERT(put > 0);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::string Child::read_line() {
  std::size_t end = 0;
  while ((end = buffer_.find('\n')) == std::string::npos) read_more(buffer_);
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

void Child::read_more(std::string& to) const {
  char chunk[64u << 10];
  ssize_t got = 0;
  // Without sleeping: how fast the system wakes this client is no figure of the server's.
  while ((got = ::read(from_, chunk, sizeof chunk)) < 0 && errno == EAGAIN) sched_yield();
  ASSERT(got > 0);
  to.append(chunk, static_cast<std::size_t>(got));
}

double Child::cpu_us() const {
  std::ifstream file(cat("/proc/", pid_, "/stat"));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // After the name, which may hold anything: the 12th and 13th are user and system time.
  std::string_view rest = std::string_view(text).substr(text.rfind(')') + 2);
  for (int i = 0; i < 11; ++i) rest.remove_prefix(rest.find(' ') + 1);
  const std::size_t space = rest.find(' ');
  const std::string_view system = rest.substr(space + 1, rest.find(' ', space + 1) - space - 1);
  const std::int64_t ticks =
      parse_int(rest.substr(0, space)).value_or(0) + parse_int(system).value_or(0);
  return static_cast<double>(ticks) * 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double Child::resident_kb() const {
  std::ifstream status(cat("/proc/", pid_, "/status"));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("VmRSS:")) continue;
    const std::size_t first = line.find_first_of("0123456789");
    return static_cast<double>(
        parse_int(line.substr(first, line.find(' ', first) - first)).value_or(0));
  }
  return 0;
}

Load load_stdio(Child& child, std::size_t count, std::size_t in_flight, const CallText& call) {
  std::vector<double> sent(count + 1);
  std::vector<double> took;
  took.reserve(count);
  std::size_t next = 1;
  std::vector<std::string> lines(count + 1);
  for (std::size_t id = 1; id <= count; ++id) lines[id] = call(id) + '\n';
  std::string together;
  const auto send_next = [&](std::size_t calls) {
    together.clear();
    const std::size_t first = next;
    for (; calls > 0 && next <= count; --calls) together += lines[next++];
    child.send(together);
    const double now = now_us();
    for (std::size_t id = first; id < next; ++id) sent[id] = now;
  };
  const double start = now_us();
  send_next(in_flight);
  std::string answers;
  while (took.size() < count) {
    child.read_more(answers);
    const double now = now_us();
    std::size_t begin = 0;
    std::size_t answered = 0;
    for (std::size_t end = 0; (end = answers.find('\n', begin)) != std::string::npos;) {
      const std::size_t id = id_of(std::string_view(answers).substr(begin, end - begin));
      begin = end + 1;
      if (id == 0) continue;
      took.push_back(now - sent[id]);
      ++answered;
    }
    answers.erase(0, begin);
    send_next(answered);
  }
  return {spread_of(std::move(took)), (now_us() - start) / 1e6};
}

int connect_to(int port) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<std::uint16_t>(port));
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(made, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0) return made;
  ::close(made);
  return -1;
}

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ASSERT(put > 0);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::string post_text(const HttpTarget& target, std::string_view body) {
  return cat(
      "POST /mcp HTTP/1.1\r\nHost: localhost:", target.port,
      "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n",
      target.headers, "Content-Length: ", body.size(), "\r\n\r\n", body);
}

std::string read_response(int socket) {
  std::string text;
  while (!is_whole(text)) read_some(socket, text);
  return text;
}

Load load_http(const HttpTarget& target, std::size_t count, std::size_t in_flight,
               const CallText& call) {
  struct Lane {
    std::string answer = {};
    double sent = 0;
  };
  std::vector<pollfd> sockets;
  for (std::size_t i = 0; i < in_flight; ++i) {
    sockets.push_back({connect_to(target.port), POLLIN, 0});
    ASSERT(sockets.back().fd >= 0);
  }
  std::vector<Lane> lanes(in_flight);
  std::vector<double> took;
  std::size_t next = 1;
  const auto send_next = [&](std::size_t lane) {
    send_all(sockets[lane].fd, post_text(target, call(next++)));
    lanes[lane].answer.clear();
    lanes[lane].sent = now_us();
  };
  const double start = now_us();
  for (std::size_t lane = 0; lane < in_flight; ++lane) send_next(lane);
  while (took.size() < count) {
    ASSERT(::poll(sockets.data(), sockets.size(), 30'000) > 0);
    for (std::size_t lane = 0; lane < in_flight; ++lane) {
      if (sockets[lane].revents == 0) continue;
      read_some(sockets[lane].fd, lanes[lane].answer);
      if (!is_whole(lanes[lane].answer)) continue;
      took.push_back(now_us() - lanes[lane].sent);
      if (next <= count) send_next(lane);
    }
  }
  const double seconds = (now_us() - start) / 1e6;
  for (const pollfd& each : sockets) ::close(each.fd);
  return {spread_of(std::move(took)), seconds};
}

}  // namespace baton::bench
