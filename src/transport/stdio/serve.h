#pragma once
// MCP over standard input and output: one message per line, replies in completion order.
//
// One thread reads: it decodes, answers what is quick, and hears cancellations and the answers to
// what running calls ask. A call it runs itself, after another thread has taken the reading over.
// Calls run on up to limits::workers_max threads, started when needed. Bounded everywhere: the
// length of a line, the calls in flight, the bytes read ahead.
//
// The end comes with the end of input, with `stop_fd` becoming readable, or when no one reads the
// output any more. Calls in flight then have `drain_ms` to finish and be answered; the rest are
// told that they are cancelled and left behind. That breaks no promise: what was committed is
// durable, what was not is as if never sent. A client that has hung up and does not read gets no
// more time than that, whichever thread waits for it to read.

#include <cstdint>

#include "base/core/limits.h"
#include "base/core/result.h"
#include "protocol/server.h"
#include "transport/hub.h"

namespace baton::transport {

struct StdioOptions {
  int in_fd = 0;
  int out_fd = 1;    // when 1, it is moved aside first: see move_stdout_aside
  int stop_fd = -1;  // readable means stop; see StopSignals. -1: none
  std::string principal = "local";
  std::int64_t drain_ms = limits::drain_ms_max;
  std::int64_t answer_ms = limits::client_answer_ms_max;  // for a client that is asked
  Hub* hub = nullptr;  // of the changes that the client hears of; null: none
};

enum class ServeEnd : std::uint8_t {
  drained,             // no thread of the server is left
  calls_still_running  // the caller must leave by _exit: handlers still run on their threads
};

/// Serves until the end. Fails only when the descriptors cannot be used at all.
Result<ServeEnd> serve_stdio(const protocol::Server& server, const StdioOptions& options);

/// Keeps stray prints out of the protocol: gives the real output a private descriptor, which it
/// returns, and lets descriptor 1 mean standard error from then on. Call it before anything else
/// may print; pass the descriptor as `out_fd`.
Result<int> move_stdout_aside();

/// While it lives, SIGTERM and SIGINT make fd() readable instead of killing the process, and
/// SIGPIPE is ignored. At most one at a time, made on the main thread. Children started meanwhile
/// inherit the ignored SIGPIPE unless their starter resets it.
class StopSignals {
 public:
  static Result<StopSignals> install();
  StopSignals(StopSignals&& other) noexcept;
  StopSignals& operator=(StopSignals&&) = delete;
  ~StopSignals();

  int fd() const { return read_fd_; }

 private:
  explicit StopSignals(int read_fd) : read_fd_(read_fd) {}
  int read_fd_ = -1;
};

}  // namespace baton::transport
