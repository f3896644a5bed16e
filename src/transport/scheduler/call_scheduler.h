#pragma once
// CallScheduler: the threads of a server and the calls they run, from being read until they are
// answered, and what continues after an answer. stdio and HTTP each have one.
//
//                    cancel(): it never runs
//              +---------------------------------------+
//              |                                       v          no rest
//  start() -> QUEUED --------> RUNNING ------------> ANSWERED ---------------> FINISHED
//    |          a thread is    ^  |  ^    answer()     |                          ^
//    |          free           |  |  |                 | as a task                |
//    |                  ask()  |  |  |                 v                          |
//    |                         |  |  | outlasts      CONTINUES -----------------+
//    |                         |  v  | patience_ms   (its slot is free)
//    |                      WAITING  |
//    |            (its slot is free) |
//    +------------------------> ON THE READER ------> ANSWERED
//      the fast path: it is not listed; only the watcher sees it, and lists it when it outlasts
//      limits::call_patience_ms (it may be WAITING by then): from there another thread reads on
//
// A call that is cancelled while it runs or waits runs on to its end, and its answer is dropped.
// WAITING ends with the client's answer, with the call's cancellation, with hang_up(), in time, or
// at once when the question cannot be sent. A call that waits for scripts (ports/call_slot.h)
// frees its slot in the same way until they are done. What CONTINUES ignores its client's
// cancellation and is told only of the end of the server. finish() drops what is still QUEUED
// without an answer. start() refuses a call whose id is in use, and one that no thread could run.
//
// Ownership: the scheduler shares a call with its transport from start() until it is finished.
// Threads share the scheduler by shared_ptr, so that those left behind at the end never touch freed
// memory.
//
// Threads: any thread may call any function, but for start() on a reader, room() and idle(), and
// none of the scheduler's own calls finish(), which joins them. One mutex guards everything and is
// held for short looks at tables and to start a thread; a call, its answer and a question are run
// and sent without it. Of a scheduler with a reader one thread reads: it runs the call it has read
// itself, so that no call waits for a thread to wake. Another one reads on at once where the
// transport says so, else when the call outlasts limits::call_patience_ms, or in a stream of quick
// ones limits::stream_patience_ms, which a thread without work watches.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "base/core/limits.h"
#include "base/core/thread_safety.h"
#include "ports/call_slot.h"
#include "protocol/server.h"
#include "transport/scheduler/reader_watch.h"
#include "transport/scheduler/scheduled_call.h"

namespace baton::transport {

/// The refusal of a request whose id is that of another one in flight.
protocol::RpcError id_in_use();

class CallScheduler : public std::enable_shared_from_this<CallScheduler>, private ports::CallSlot {
 public:
  struct Bounds {
    std::size_t threads_max;  // that run calls, or read
    std::size_t aside_max;    // and as many more as calls have freed their slots, up to this
    std::size_t calls_max;    // queued or running; those that freed their slots do not count
    std::size_t bytes_max;    // of their messages
    std::int64_t answer_ms = limits::client_answer_ms_max;  // for a client that is asked
  };
  explicit CallScheduler(const Bounds& bounds) : bounds_(bounds) {}
  CallScheduler(const CallScheduler&) = delete;
  CallScheduler& operator=(const CallScheduler&) = delete;

  // --- The reader, where one of the threads reads ---

  struct Reader {
    std::function<void()> read;  // returns at the end, and after start() said handed_on
    std::function<void()> wake = [] {
    };  // called when a call finished that room() or idle() waited for
  };
  /// Lets a thread call `read`, and another one each time the reading was handed on. False: the
  /// machine allows no thread. Once, before anything else. REQUIRES: `read` can be called until
  /// nothing reads any more.
  bool begin_reading(Reader reader);

  /// Whether one more message may be read. When not, the next finished call wakes the reader. A
  /// call that waits for its client takes no room, because the answer has to be read.
  bool room(std::size_t bytes = 1);

  /// Whether nothing is left to run. When something is, the next finished call wakes the reader.
  bool idle();

  // --- Calls ---

  enum class Where : std::uint8_t {
    worker,      // a thread that reads nothing
    new_reader,  // this one, which reads; another one reads on at once
    reader       // this one, which reads on after it
  };
  enum class Start : std::uint8_t { started, handed_on, id_in_use, no_thread };
  /// After `handed_on` the call has run, and another thread has been reading since: the caller must
  /// return without a look at what the reader owns. Where the call cannot run as `where` says it
  /// waits for a worker.
  Start start(std::shared_ptr<ScheduledCall> call, Where where = Where::worker);

  /// The id of a part of a call that runs its parts itself. False when it is in use. REQUIRES:
  /// release(), while both are there.
  bool start_part(std::shared_ptr<ScheduledCall> part);

  /// The id is free from now on. It is after the answer at the latest. REQUIRES: the call runs, or
  /// is a part.
  void release(ScheduledCall& call);

  // --- Clients ---

  std::uint64_t add_client() { return ++clients_; }
  bool in_flight(const ScheduledCall::Key& key);
  bool has_calls(std::uint64_t client);

  /// After this nothing is sent for the call; one that has not begun never runs.
  void cancel(const ScheduledCall::Key& key);
  void cancel(ScheduledCall& call);
  void cancel_client(std::uint64_t client);

  /// Hands the client's answer to the call that asked; others are dropped.
  void answered(std::uint64_t client, protocol::Response response);

  // --- The end ---

  /// No answer will come any more: calls that wait for one continue without it.
  void hang_up();

  /// What continues after its answer is told that the server ends.
  void end_tasks();

  /// The same, and cancels every call.
  void cancel_all();

  /// Waits until nothing is left to run, at most `ms`; then ends the threads. False when something
  /// still ran: it is cancelled and left behind with its thread, and what had not begun is dropped.
  bool finish(std::int64_t ms);

 private:
  friend class ScheduledCall;
  using Shared = std::shared_ptr<ScheduledCall>;
  using Answer = std::expected<json::Value, protocol::RpcError>;
  struct Question {
    std::optional<protocol::Response> answer = {};
  };
  /// Each holds what those before it hold.
  enum class Phase : std::uint8_t {
    serving,
    deaf,    // no answer comes any more
    ending,  // nothing may continue after its answer
    closed   // nothing is started, and threads without work end
  };

  ScheduledCall::Standing& standing(ScheduledCall& call) REQUIRES(mutex_) { return call.standing_; }
  bool is_idle() const REQUIRES(mutex_) { return in_flight_ == 0 && tasks_.empty(); }
  /// How many slots are freed: by calls that wait for their client or for the work of other
  /// threads, and by tasks.
  std::size_t slots_aside() const REQUIRES(mutex_) {
    return std::min(bounds_.aside_max, questions_.size() + stepped_aside_ + tasks_.size());
  }

  void free_slot() override;
  void take_slot() override;

  void enter(Phase phase) REQUIRES(mutex_) { phase_ = std::max(phase_, phase); }
  void list(const Shared& call) REQUIRES(mutex_);
  void finish_call(ScheduledCall& call) REQUIRES(mutex_);
  void cancel_tasks() REQUIRES(mutex_);
  void cancel_calls() REQUIRES(mutex_);

  bool watch() REQUIRES(mutex_);
  bool hand_on() REQUIRES(mutex_);
  Start run_on_reader(const Shared& call) REQUIRES(mutex_);
  void execute(const Shared& call) REQUIRES(mutex_);
  void go_on(const Shared& call, const protocol::WorkResult& outcome) REQUIRES(mutex_);
  Answer ask(ScheduledCall& call, std::string_view method, json::Object params);

  void work();
  void wait_for_work() REQUIRES(mutex_);
  bool grow() REQUIRES(mutex_);
  bool grow_for_queue() REQUIRES(mutex_) { return queue_.size() > waiting_threads_ && grow(); }
  bool leave() REQUIRES(mutex_);

  const Bounds bounds_;
  std::atomic<std::uint64_t> clients_ = 0;
  Reader reader_;  // constant after begin_reading()

  Mutex mutex_;
  Condition available_;  // a call in the queue, reading to be taken over, a call to watch, the end
  Condition heard_;      // an answer, or the end of waiting for one
  Condition finished_;   // nothing is left to run
  std::deque<Shared> queue_ GUARDED_BY(mutex_);
  std::map<ScheduledCall::Key, Shared> calls_ GUARDED_BY(mutex_);  // not answered
  std::size_t in_flight_ GUARDED_BY(mutex_) = 0;                   // of them, without parts
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;                       // of their messages
  std::set<Shared> tasks_ GUARDED_BY(mutex_);  // what continues after its answer
  // By the key of the request of ours; owned by the threads that wait.
  std::map<ScheduledCall::Key, Question*> questions_ GUARDED_BY(mutex_);
  std::int64_t asked_ GUARDED_BY(mutex_) = 0;
  std::size_t stepped_aside_ GUARDED_BY(mutex_) = 0;  // calls that wait for the work of others

  std::map<std::thread::id, std::thread> threads_ GUARDED_BY(mutex_);
  std::size_t waiting_threads_ GUARDED_BY(mutex_) = 0;
  ReaderWatch watch_ GUARDED_BY(mutex_);
  bool is_unread_ GUARDED_BY(mutex_) = false;  // the reading waits for a thread
  bool reader_waits_ GUARDED_BY(mutex_) = false;
  Phase phase_ GUARDED_BY(mutex_) = Phase::serving;
};

}  // namespace baton::transport
