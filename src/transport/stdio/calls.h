#pragma once
// Calls: the requests that run off the reading thread, from being read until they are answered.
//
// start, cancel, room and the end are the reader's alone. Workers share the Calls by shared_ptr, so
// that those left behind at the end never touch freed memory.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "protocol/server.h"
#include "transport/stdio/output.h"

namespace baton::transport {

class Calls : public std::enable_shared_from_this<Calls> {
 public:
  Calls(int out_fd, int stop_fd, int wake_fd);
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  Output& output() { return output_; }

  /// Readable after something finished while the reader waited. clear_wake() before looking again.
  int wake_fd() const { return wake_fd_; }
  void clear_wake() const;

  /// Whether one more message may be read. When not, the next finished call wakes the reader.
  bool room();

  /// Whether nothing is left to run. When something is, the next finished call wakes the reader.
  bool idle();

  enum class Start : std::uint8_t { started, id_in_use, no_thread };
  /// `bytes` is the length of the message, counted until the call is finished.
  Start start(protocol::Work work, std::size_t bytes);

  /// After this nothing is sent for `id`; a call that has not begun never runs.
  void cancel(const protocol::RequestId& id);

  /// Ends the workers. REQUIRES: idle().
  void join();

  /// Cancels everything and leaves the workers to themselves.
  void abandon();

 private:
  struct Call;

  void work();
  void execute(Call& call);
  bool grow();

  Output output_;
  int wake_fd_;
  std::mutex mutex_;
  std::condition_variable available_;
  std::deque<std::shared_ptr<Call>> queue_;
  std::map<protocol::RequestId, std::shared_ptr<Call>> unfinished_;
  std::size_t unfinished_bytes_ = 0;
  std::size_t waiting_workers_ = 0;
  std::vector<std::thread> workers_;
  bool reader_waits_ = false;
  bool closing_ = false;
};

}  // namespace baton::transport
