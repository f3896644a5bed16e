#pragma once
// A small load client for MCP servers: the real program as a child process, spoken to by pipes or
// by HTTP, a fixed number of calls in flight. One thread; it measures from the last byte of a
// request given to the system until the last byte of the answer read. By pipes, the calls that
// follow on the answers of one read are sent together, and answers are awaited awake.

#include <sys/types.h>

#include <string>
#include <vector>

#include "bench.h"

namespace baton::bench {

/// A program that is started with pipes and ended with its life.
class Child {
 public:
  explicit Child(std::vector<std::string> command, std::vector<std::string> environment = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  int input() const { return to_; }
  int output() const { return from_; }
  void send(std::string_view bytes) const;
  std::string read_line();
  /// Appends what comes next.
  void read_more(std::string& to) const;

  double cpu_us() const;  // used so far, all threads
  double resident_kb() const;

 private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string buffer_;
};

struct Load {
  Spread latency;
  double seconds = 0;
  double per_second() const { return static_cast<double>(latency.count) / seconds; }
};

/// The text of the call with this id.
using CallText = std::function<std::string(std::size_t id)>;

/// `count` calls, `in_flight` at a time, each a line on the child's standard input.
Load load_stdio(Child& child, std::size_t count, std::size_t in_flight, const CallText& call);

/// Where HTTP requests go and what headers they carry, as whole lines.
struct HttpTarget {
  int port = 0;
  std::string headers = {};
};

/// The same over as many connections as there are calls in flight.
Load load_http(const HttpTarget& target, std::size_t count, std::size_t in_flight,
               const CallText& call);

/// An open connection to 127.0.0.1, or -1.
int connect_to(int port);
void send_all(int socket, std::string_view bytes);
std::string post_text(const HttpTarget& target, std::string_view body);
/// One whole response.
std::string read_response(int socket);

}  // namespace baton::bench
