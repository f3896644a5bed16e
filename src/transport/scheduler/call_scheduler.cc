#include "transport/scheduler/call_scheduler.h"

#include <chrono>
#include <limits>
#include <system_error>
#include <utility>

#include "base/text/text.h"

namespace baton::transport {
namespace {

using protocol::RpcCode;
using protocol::RpcError;

std::unexpected<RpcError> unanswered(std::string message) {
  return std::unexpected(RpcError{RpcCode::internal_error, std::move(message)});
}

std::expected<json::Value, RpcError> outcome_of(protocol::Response response) {
  if (!response.is_error) return std::move(response.body);
  const json::Value* const said = response.body.find("message");
  const std::string* const text = said == nullptr ? nullptr : said->if_string();
  return unanswered(text == nullptr ? "an error without a message" : *text);
}

/// Before every key of the client.
ScheduledCall::Key first_key(std::uint64_t client) {
  static_assert(std::is_same_v<std::variant_alternative_t<0, protocol::RequestId>, std::int64_t>);
  return {client, std::numeric_limits<std::int64_t>::min()};
}

}  // namespace

RpcError id_in_use() {
  return {RpcCode::invalid_request, "A request with this id is still being answered."};
}

std::expected<json::Value, RpcError> ScheduledCall::ask(std::string_view method,
                                                        json::Object params) {
  return scheduler_.ask(*this, method, std::move(params));
}

// --- The reader ---------------------------------------------------------------------------------

bool CallScheduler::begin_reading(Reader reader) {
  reader_ = std::move(reader);
  const MutexLock lock(mutex_);
  is_unread_ = true;
  return grow();
}

bool CallScheduler::room(std::size_t bytes) {
  const MutexLock lock(mutex_);
  // A task without a slot of its own counts for a call.
  const bool room = in_flight_ + tasks_.size() < bounds_.calls_max + slots_aside() &&
                    bytes_ + bytes <= bounds_.bytes_max;
  reader_waits_ = !room;
  return room;
}

bool CallScheduler::idle() {
  const MutexLock lock(mutex_);
  const bool idle = is_idle();
  reader_waits_ = !idle;
  return idle;
}

/// Whether a thread watches the reader while it runs a call.
bool CallScheduler::watch() {
  if (waiting_threads_ == 0 && !grow()) return false;
  watch_.wake();
  // The last watcher may have taken the reading over, and those who wait for work do not look.
  if (watch_.needs_watcher()) available_.notify_one();
  return true;
}

/// Whether another thread takes the reading over.
bool CallScheduler::hand_on() {
  if (waiting_threads_ == 0 && !grow()) return false;
  is_unread_ = true;
  return true;
}

/// The reader runs a call and reads on after it, unless that was taken over meanwhile.
CallScheduler::Start CallScheduler::run_on_reader(const Shared& call) {
  // Not listed unless it is taken over: no other thread asks for it before.
  watch_.begin(call);
  call->is_on_reader_ = true;
  execute(call);
  return watch_.end(call) ? Start::started : Start::handed_on;
}

// --- Calls --------------------------------------------------------------------------------------

CallScheduler::Start CallScheduler::start(Shared call, Where where) {
  MutexLock lock(mutex_);
  if (calls_.contains(call->key())) return Start::id_in_use;
  const bool may_run_here = where != Where::worker && queue_.empty();
  const bool watched = may_run_here && where == Where::reader && watch();
  const bool handed_on = may_run_here && !watched && hand_on();
  if (!watched && !handed_on && queue_.size() >= waiting_threads_) grow();
  // The reading thread runs nothing from the queue, so there must be another one.
  const std::size_t threads_min = reader_.read ? 2 : 1;
  if (phase_ == Phase::closed || threads_.size() < threads_min) return Start::no_thread;
  if (watched) return run_on_reader(call);
  list(call);
  if (handed_on) {
    lock.unlock();
    // Without the lock, which the one that wakes wants next.
    available_.notify_one();
    lock.lock();
    execute(call);
    return Start::handed_on;
  }
  queue_.push_back(std::move(call));
  available_.notify_one();
  return Start::started;
}

bool CallScheduler::start_part(Shared part) {
  const MutexLock lock(mutex_);
  if (calls_.contains(part->key())) return false;
  standing(*part).is_part = true;
  list(part);
  return true;
}

/// From now on it can be cancelled, and counts.
void CallScheduler::list(const Shared& call) {
  ScheduledCall::Standing& here = standing(*call);
  here.is_listed = true;
  calls_.emplace(call->key(), call);
  if (here.is_part) return;
  ++in_flight_;
  bytes_ += call->bytes_;
}

/// The call is answered: its id is free, and what it counted for is given back.
void CallScheduler::finish_call(ScheduledCall& call) {
  ScheduledCall::Standing& here = standing(call);
  here.is_answered = true;
  if (!std::exchange(here.is_listed, false)) return;
  calls_.erase(call.key());
  if (here.is_part) return;
  --in_flight_;
  bytes_ -= call.bytes_;
}

void CallScheduler::release(ScheduledCall& call) {
  const MutexLock lock(mutex_);
  finish_call(call);
}

/// Gives the lock back for the time of the call.
void CallScheduler::execute(const Shared& call) {
  mutex_.unlock();
  protocol::WorkResult outcome;
  if (!call->cancelled()) {
    const ports::HeldSlot slot(*this);
    outcome = call->run();
  }
  if (outcome.then) {
    // Before the call is finished, so that idle() never misses it, and before the client knows, so
    // that its next call finds the slot free.
    const MutexLock lock(mutex_);
    tasks_.insert(call);
    grow_for_queue();
  }
  call->answer(outcome);
  mutex_.lock();
  finish_call(*call);
  if (outcome.then) go_on(call, outcome);
  if (reader_waits_) reader_.wake();
  if (is_idle()) finished_.notify_all();
}

/// Cancelling a request does not touch the task it became; only the end of the server does.
void CallScheduler::go_on(const Shared& call, const protocol::WorkResult& outcome) {
  standing(*call).goes_on = true;
  call->cancelled_.store(phase_ >= Phase::ending);
  if (reader_waits_) reader_.wake();  // its slot is free
  mutex_.unlock();
  outcome.then(*call);
  mutex_.lock();
  tasks_.erase(call);
}

// --- Clients ------------------------------------------------------------------------------------

bool CallScheduler::in_flight(const ScheduledCall::Key& key) {
  const MutexLock lock(mutex_);
  return calls_.contains(key);
}

bool CallScheduler::has_calls(std::uint64_t client) {
  const MutexLock lock(mutex_);
  const auto first = calls_.lower_bound(first_key(client));
  return first != calls_.end() && first->first.client == client;
}

void CallScheduler::cancel(const ScheduledCall::Key& key) {
  const MutexLock lock(mutex_);
  const auto found = calls_.find(key);
  if (found == calls_.end()) return;
  found->second->cancelled_.store(true);
  heard_.notify_all();
}

void CallScheduler::cancel(ScheduledCall& call) {
  const MutexLock lock(mutex_);
  if (standing(call).goes_on) return;
  call.cancelled_.store(true);
  heard_.notify_all();
}

void CallScheduler::cancel_client(std::uint64_t client) {
  const MutexLock lock(mutex_);
  for (auto each = calls_.lower_bound(first_key(client));
       each != calls_.end() && each->first.client == client; ++each) {
    each->second->cancelled_.store(true);
  }
  heard_.notify_all();
}

void CallScheduler::answered(std::uint64_t client, protocol::Response response) {
  const MutexLock lock(mutex_);
  const auto found = questions_.find({client, response.id});
  if (found == questions_.end()) return;
  found->second->answer = std::move(response);
  heard_.notify_all();
}

CallScheduler::Answer CallScheduler::ask(ScheduledCall& call, std::string_view method,
                                         json::Object params) {
  Question question;
  MutexLock lock(mutex_);
  const ScheduledCall::Key key{call.key().client, cat("baton:", ++asked_)};
  questions_.emplace(key, &question);
  grow_for_queue();
  if (reader_waits_) reader_.wake();  // there is room now, and the answer has to be read
  lock.unlock();
  std::expected<void, RpcError> told;
  const bool is_sent = !call.cancelled();
  if (is_sent) told = call.tell(protocol::encode_request(key.id, method, std::move(params)));
  lock.lock();
  heard_.wait_for(mutex_, std::chrono::milliseconds(told ? bounds_.answer_ms : 0),
                  [&]() REQUIRES(mutex_) {
                    return question.answer || call.cancelled() || phase_ >= Phase::deaf;
                  });
  questions_.erase(key);
  const bool hears = phase_ < Phase::deaf;
  lock.unlock();
  if (!told) return std::unexpected(std::move(told.error()));
  if (question.answer) return outcome_of(std::move(*question.answer));
  const std::string_view why = call.cancelled() ? "the call was cancelled" : "no answer came";
  if (hears && is_sent) {
    static_cast<void>(call.tell(protocol::encode_notification(
        "notifications/cancelled",
        {{"requestId", protocol::to_json(key.id)}, {"reason", std::string(why)}})));
  }
  return unanswered(std::string(why));
}

void CallScheduler::free_slot() {
  const MutexLock lock(mutex_);
  ++stepped_aside_;
  grow_for_queue();
  if (reader_waits_) reader_.wake();
}

void CallScheduler::take_slot() {
  const MutexLock lock(mutex_);
  --stepped_aside_;
}

// --- Threads ------------------------------------------------------------------------------------

/// One more thread, if there may be.
bool CallScheduler::grow() {
  const std::size_t threads_max = bounds_.threads_max + slots_aside();
  if (phase_ == Phase::closed || threads_.size() >= threads_max) return false;
  try {
    std::thread thread([self = shared_from_this()] { self->work(); });
    const std::thread::id id = thread.get_id();
    threads_.emplace(id, std::move(thread));
  } catch (const std::system_error&) {
    return false;  // those there are must do
  }
  return true;
}

/// Whether this thread only replaced one that has its slot back. Those that are left run or
/// wait for work, so nothing of it is forgotten.
bool CallScheduler::leave() {
  if (threads_.size() <= bounds_.threads_max + slots_aside()) return false;
  const auto self = threads_.find(std::this_thread::get_id());
  if (self == threads_.end()) return false;
  self->second.detach();
  threads_.erase(self);
  return true;
}

void CallScheduler::work() {
  const MutexLock lock(mutex_);
  for (;;) {
    wait_for_work();
    if (is_unread_ && phase_ != Phase::closed) {
      is_unread_ = false;
      mutex_.unlock();
      reader_.read();
      mutex_.lock();
    } else if (!queue_.empty()) {
      Shared call = std::move(queue_.front());
      queue_.pop_front();
      execute(call);
      mutex_.unlock();
      // A call may ask the scheduler for something when it is dropped.
      call = nullptr;
      mutex_.lock();
    } else {
      return;
    }
    if (leave()) return;
  }
}

/// One of the threads that wait watches the reader while it runs a call.
void CallScheduler::wait_for_work() {
  while (queue_.empty() && !is_unread_ && phase_ != Phase::closed) {
    ++waiting_threads_;
    if (watch_.needs_watcher()) {
      watch_.set_watcher(true);
      if (!available_.wait_for(mutex_, std::chrono::milliseconds(watch_.patience_ms()))) {
        if (const Shared overdue = watch_.tick()) {
          // One that continues after its answer is not in flight any more.
          if (!standing(*overdue).is_answered) list(overdue);
          is_unread_ = true;
        }
      }
      watch_.set_watcher(false);
    } else {
      available_.wait(mutex_);
    }
    --waiting_threads_;
  }
}

// --- The end ------------------------------------------------------------------------------------

void CallScheduler::hang_up() {
  const MutexLock lock(mutex_);
  enter(Phase::deaf);
  heard_.notify_all();
}

void CallScheduler::cancel_tasks() {
  enter(Phase::ending);
  for (const Shared& call : tasks_) call->cancelled_.store(true);
  heard_.notify_all();
}

void CallScheduler::cancel_calls() {
  cancel_tasks();
  for (const auto& [key, call] : calls_) call->cancelled_.store(true);
}

void CallScheduler::end_tasks() {
  const MutexLock lock(mutex_);
  cancel_tasks();
}

void CallScheduler::cancel_all() {
  const MutexLock lock(mutex_);
  cancel_calls();
}

bool CallScheduler::finish(std::int64_t ms) {
  // Dropped without the lock.
  std::deque<Shared> queue;
  std::map<ScheduledCall::Key, Shared> calls;
  MutexLock lock(mutex_);
  const bool drained = finished_.wait_for(mutex_, std::chrono::milliseconds(ms),
                                          [this]() REQUIRES(mutex_) { return is_idle(); });
  if (!drained) cancel_calls();
  enter(Phase::closed);
  queue.swap(queue_);
  calls.swap(calls_);
  auto threads = std::exchange(threads_, {});
  lock.unlock();
  available_.notify_all();
  for (auto& [id, thread] : threads) {
    if (drained) {
      thread.join();
    } else {
      thread.detach();
    }
  }
  return drained;
}

}  // namespace baton::transport
