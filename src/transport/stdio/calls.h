#pragma once
// Calls: the threads of a server and the requests they run, from being read until they are
// answered, and what continues after an answer.
//
// One of the threads reads. It runs the call it has read itself, so that no call waits for a thread
// to wake. Another one reads on at once when the call writes and more is waiting, so that commits
// are shared; else only when the call outlasts limits::call_patience_ms, or in a stream of quick
// ones limits::stream_patience_ms, which a thread that has nothing else to do watches. start,
// cancel, answered and room are the reading thread's alone. Threads share the Calls by shared_ptr,
// so that those left behind at the end never touch freed memory.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "protocol/server.h"
#include "transport/stdio/batch_reply.h"
#include "transport/stdio/output.h"

namespace baton::transport {

class Calls : public std::enable_shared_from_this<Calls> {
 public:
  /// A client that is asked has `answer_ms`.
  Calls(const Output::Ends& ends, int wake_fd, std::int64_t answer_ms);
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  Output& output() { return output_; }

  /// Lets a thread call `read`, and another one each time the reading was handed on. False: the
  /// machine allows no thread. REQUIRES: `read` can be called until nothing reads any more.
  bool begin_reading(std::function<void()> read);

  /// Readable after something finished while the reader waited. clear_wake() before looking again.
  int wake_fd() const { return wake_fd_; }
  void clear_wake() const;

  /// Whether one more message may be read. When not, the next finished call wakes the reader. A
  /// call that waits for the client takes no room, because the answer has to be read.
  bool room();

  /// Whether nothing is left to run. When something is, the next finished call wakes the reader.
  bool idle();

  enum class Start : std::uint8_t { started, handed_on, id_in_use, no_thread };
  /// `bytes` is the length of the message, counted until the call is finished. `batch`, where the
  /// answer belongs to one, may be null. `here`: it need not run beside what is read next. After
  /// `started` an answer may be held back in output(): flush it before waiting. After `handed_on`
  /// the call has run, and another thread has been reading since: the caller must return without a
  /// look at what the reader owns. Calls of a batch are never handed on.
  Start start(protocol::Work work, std::size_t bytes, std::shared_ptr<BatchReply> batch, bool here);

  bool in_flight(const protocol::RequestId& id);

  /// After this nothing is sent for `id`; a call that has not begun never runs.
  void cancel(const protocol::RequestId& id);

  /// Hands the client's answer to the call that asked; others are dropped.
  void answered(protocol::Response response);

  /// No answer will come any more: calls that wait for one go on without it, and what was to go on
  /// after its answer is told that the server ends.
  void hang_up();

  /// Ends the workers. REQUIRES: idle().
  void join();

  /// Cancels everything and leaves the workers to themselves. REQUIRES: hang_up() came before.
  void abandon();

 private:
  struct Call;
  struct Question;

  void work();
  bool hand_on();
  bool watch();
  void tick();
  Start run_watched(const std::shared_ptr<Call>& call, std::unique_lock<std::mutex>& lock);
  void run(const std::shared_ptr<Call>& call, std::unique_lock<std::mutex>& lock);
  void note(const std::shared_ptr<Call>& call);
  void execute(const std::shared_ptr<Call>& call, std::unique_lock<std::mutex>& lock);
  void answer(const Call& call, std::string line);
  void carry_on(const std::shared_ptr<Call>& call,
                const std::function<void(const protocol::CallHost&)>& rest);
  void finish(const std::shared_ptr<Call>& call);
  void wake_reader() const;
  bool grow();
  std::size_t workers_max() const;
  std::expected<json::Value, protocol::RpcError> ask(const Call& call, std::string_view method,
                                                     json::Object params);

  Output output_;
  int wake_fd_;
  std::int64_t answer_ms_;
  std::mutex mutex_;
  std::condition_variable available_;
  std::condition_variable heard_;  // an answer, or the end of waiting for one
  std::deque<std::shared_ptr<Call>> queue_;
  std::map<protocol::RequestId, std::shared_ptr<Call>> unfinished_;
  std::map<protocol::RequestId, Question*> questions_;  // owned by the threads that wait
  std::int64_t asked_ = 0;
  std::size_t unfinished_bytes_ = 0;
  std::set<std::shared_ptr<Call>> carried_on_;  // what runs after its answer
  std::function<void()> read_;
  bool is_unread_ = false;          // the reading waits for a thread
  std::shared_ptr<Call> watched_;   // the call the reader runs itself, not noted; null: none
  std::uint64_t watched_last_ = 0;  // its number; they count up
  std::uint64_t seen_last_ = 0;     // what that was at the last tick
  std::int64_t patience_ms_ = limits::call_patience_ms;  // from tick to tick
  int quiet_ticks_ = 0;                                  // since a call was last watched
  bool ticking_ = false;                                 // a watcher is needed
  bool has_watcher_ = false;                             // and it is watching
  std::size_t waiting_workers_ = 0;
  std::vector<std::thread> workers_;
  bool reader_waits_ = false;
  bool closing_ = false;
  bool deaf_ = false;
};

}  // namespace baton::transport
