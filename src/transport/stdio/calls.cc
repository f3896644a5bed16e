#include "transport/stdio/calls.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::transport {
namespace {

// After this long without a call the watcher sleeps, so that an idle server sleeps.
constexpr int quiet_ticks_max = 100;

constexpr std::size_t calls_max = limits::calls_in_flight_max + limits::read_ahead_calls_max;

std::unexpected<protocol::RpcError> unanswered(std::string message) {
  return std::unexpected(protocol::RpcError{protocol::RpcCode::internal_error, std::move(message)});
}

std::expected<json::Value, protocol::RpcError> outcome_of(protocol::Response response) {
  if (!response.is_error) return std::move(response.body);
  const json::Value* const said = response.body.find("message");
  const std::string* const text = said == nullptr ? nullptr : said->if_string();
  return unanswered(text == nullptr ? "an error without a message" : *text);
}

}  // namespace

struct Calls::Call final : protocol::CallHost {
  Call(protocol::Work given, std::size_t size, Calls& of, std::shared_ptr<BatchReply> part_of)
      : work(std::move(given)), bytes(size), calls(of), batch(std::move(part_of)) {}

  bool cancelled() const override { return unwanted.load(); }
  void send(std::string_view line) override {
    calls.output_.write_line(std::string(line), &unwanted);
  }
  std::expected<json::Value, protocol::RpcError> ask(std::string_view method,
                                                     json::Object params) override {
    return calls.ask(*this, method, std::move(params));
  }
  void close_stream() override {}

  protocol::Work work;
  std::size_t bytes;
  Calls& calls;
  std::shared_ptr<BatchReply> batch;  // null: answered by a line of its own
  bool may_hold = false;              // its answer may wait for those of the next calls
  bool is_finished = false;           // answered; guarded by Calls::mutex_
  std::atomic<bool> unwanted = false;
};

struct Calls::Question {
  const Call& call;
  std::optional<protocol::Response> answer = {};
};

Calls::Calls(const Output::Ends& ends, int wake_fd, std::int64_t answer_ms)
    : output_(ends), wake_fd_(wake_fd), answer_ms_(answer_ms) {}

Calls::~Calls() { close(wake_fd_); }

void Calls::clear_wake() const {
  std::uint64_t count = 0;
  // Not blocking: the descriptor was opened so, and nothing to read is fine.
  [[maybe_unused]] const ssize_t got = read(wake_fd_, &count, sizeof count);
}

bool Calls::room() {
  const std::lock_guard lock(mutex_);
  const bool room = unfinished_.size() < calls_max + questions_.size() &&
                    unfinished_bytes_ < limits::unfinished_call_bytes_max;
  reader_waits_ = !room;
  return room;
}

bool Calls::idle() {
  const std::lock_guard lock(mutex_);
  const bool idle = unfinished_.empty() && carried_on_.empty();
  reader_waits_ = !idle;
  return idle;
}

bool Calls::begin_reading(std::function<void()> read) {
  const std::lock_guard lock(mutex_);
  read_ = std::move(read);
  is_unread_ = true;
  return grow();
}

Calls::Start Calls::start(protocol::Work work, std::size_t bytes, std::shared_ptr<BatchReply> batch,
                          bool here) {
  std::unique_lock lock(mutex_);
  if (unfinished_.contains(work.id)) return Start::id_in_use;
  const bool may_run_here = batch == nullptr && queue_.empty();
  const bool watched = may_run_here && here && watch();
  const bool handed_on = may_run_here && !watched && hand_on();
  // The reading thread runs nothing from the queue, so there must be another one.
  if (!watched && !handed_on && queue_.size() >= waiting_workers_) grow();
  if (workers_.size() < 2) return Start::no_thread;
  auto call = std::make_shared<Call>(std::move(work), bytes, *this, std::move(batch));
  if (watched) return run_watched(call, lock);
  note(call);
  if (handed_on) {
    lock.unlock();
    // Without the lock, which the one that wakes wants next.
    available_.notify_one();
    output_.flush();
    lock.lock();
    run(call, lock);
    return Start::handed_on;
  }
  queue_.push_back(std::move(call));
  available_.notify_one();
  return Start::started;
}

/// Whether a watcher observes the reader while it runs a call.
bool Calls::watch() {
  if (waiting_workers_ == 0 && !grow()) return false;
  if (!ticking_) {
    ticking_ = true;
    quiet_ticks_ = 0;
    patience_ms_ = limits::call_patience_ms;
  }
  // The last one may have taken the reading over, and those who wait for work do not look.
  if (!has_watcher_) available_.notify_one();
  return true;
}

/// What the one that watches does each time its wait is over: takes the reading over from a
/// call that has run all that time.
void Calls::tick() {
  const bool overdue = watched_ != nullptr && watched_last_ == seen_last_;
  const bool quiet = watched_ == nullptr && watched_last_ == seen_last_;
  if (overdue) {
    // One that continues after its answer is not in flight any more.
    if (!watched_->is_finished) note(watched_);
    watched_ = nullptr;
    is_unread_ = true;
  }
  // While one quick call follows another, to look after them often would cost more than they do.
  patience_ms_ = overdue || quiet ? limits::call_patience_ms
                                  : std::min(2 * patience_ms_, limits::stream_patience_ms);
  quiet_ticks_ = quiet ? quiet_ticks_ + 1 : 0;
  seen_last_ = watched_last_;
  if (quiet_ticks_ > quiet_ticks_max) ticking_ = false;
}

/// From now on it can be cancelled, and counts.
void Calls::note(const std::shared_ptr<Call>& call) {
  unfinished_.emplace(call->work.id, call);
  unfinished_bytes_ += call->bytes;
}

/// The reader runs a call and reads on after it, unless that was taken over meanwhile.
Calls::Start Calls::run_watched(const std::shared_ptr<Call>& call,
                                std::unique_lock<std::mutex>& lock) {
  // Not noted unless it is taken over: no other thread asks for it before.
  ++watched_last_;
  watched_ = call;
  call->may_hold = true;
  execute(call, lock);
  if (watched_ == call) {
    watched_ = nullptr;
    return Start::started;
  }
  if (reader_waits_) wake_reader();
  lock.unlock();
  output_.flush();
  return Start::handed_on;
}

/// Whether another thread takes the reading over.
bool Calls::hand_on() {
  if (waiting_workers_ == 0 && !grow()) return false;
  is_unread_ = true;
  return true;
}

bool Calls::in_flight(const protocol::RequestId& id) {
  const std::lock_guard lock(mutex_);
  return unfinished_.contains(id);
}

/// Threads that wait for a person, or go on after an answer, keep none of the others' places.
std::size_t Calls::workers_max() const {
  return std::min(calls_max, limits::workers_max + questions_.size() + carried_on_.size());
}

/// One more thread, if there may be: as many as run calls, and one that reads.
bool Calls::grow() {
  if (workers_.size() > workers_max()) return false;
  try {
    workers_.emplace_back([self = shared_from_this()] { self->work(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void Calls::cancel(const protocol::RequestId& id) {
  const std::lock_guard lock(mutex_);
  const auto found = unfinished_.find(id);
  if (found == unfinished_.end()) return;
  found->second->unwanted.store(true);
  heard_.notify_all();
}

void Calls::answered(protocol::Response response) {
  const std::lock_guard lock(mutex_);
  const auto found = questions_.find(response.id);
  if (found == questions_.end()) return;
  found->second->answer = std::move(response);
  heard_.notify_all();
}

std::expected<json::Value, protocol::RpcError> Calls::ask(const Call& call, std::string_view method,
                                                          json::Object params) {
  Question question{call};
  std::unique_lock lock(mutex_);
  const protocol::RequestId id = cat("baton:", ++asked_);
  questions_.emplace(id, &question);
  if (!queue_.empty() && waiting_workers_ == 0) grow();
  lock.unlock();
  output_.write_line(protocol::encode_request(id, method, std::move(params)), &call.unwanted);
  lock.lock();
  heard_.wait_for(lock, std::chrono::milliseconds(answer_ms_),
                  [&] { return question.answer || call.cancelled() || deaf_; });
  questions_.erase(id);
  if (question.answer) return outcome_of(std::move(*question.answer));
  const std::string_view why = call.cancelled() ? "the call was cancelled" : "no answer came";
  if (!deaf_) {
    lock.unlock();
    output_.write_line(
        protocol::encode_notification("notifications/cancelled",
                                      {{"requestId", protocol::to_json(id)}, {"reason", why}}),
        nullptr);
  }
  return unanswered(std::string(why));
}

void Calls::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (queue_.empty() && !is_unread_ && !closing_) {
      ++waiting_workers_;
      if (ticking_ && !has_watcher_) {
        has_watcher_ = true;
        if (available_.wait_for(lock, std::chrono::milliseconds(patience_ms_)) ==
            std::cv_status::timeout) {
          tick();
        }
        has_watcher_ = false;
      } else {
        available_.wait(lock);
      }
      --waiting_workers_;
    }
    if (is_unread_ && !closing_) {
      is_unread_ = false;
      lock.unlock();
      output_.flush();
      read_();
      lock.lock();
      continue;
    }
    if (queue_.empty()) return;
    const std::shared_ptr<Call> call = std::move(queue_.front());
    queue_.pop_front();
    run(call, lock);
  }
}

/// Runs a call without a watcher, and tells a reader that waits for room.
void Calls::run(const std::shared_ptr<Call>& call, std::unique_lock<std::mutex>& lock) {
  execute(call, lock);
  if (reader_waits_) wake_reader();
}

void Calls::wake_reader() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = write(wake_fd_, &one, sizeof one);
}

/// The call is answered: its id is free, and what it counted for is given back.
void Calls::finish(const std::shared_ptr<Call>& call) {
  call->is_finished = true;
  if (watched_ == call) return;
  unfinished_bytes_ -= call->bytes;
  unfinished_.erase(call->work.id);
}

void Calls::answer(const Call& call, std::string line) {
  if (!call.batch) {
    if (line.empty()) return;
    if (call.may_hold) {
      output_.hold_line(line, &call.unwanted);
    } else {
      output_.write_line(std::move(line), &call.unwanted);
    }
  } else if (line.empty() || call.cancelled()) {
    call.batch->drop();
  } else {
    call.batch->give(line);
  }
}

/// Gives the lock back for the time of the call.
void Calls::execute(const std::shared_ptr<Call>& call, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  protocol::Outcome outcome;
  if (!call->cancelled()) outcome = call->work.run(*call);
  if (outcome.then) {
    // Before the call is finished, so that idle() never misses it.
    lock.lock();
    carried_on_.insert(call);
    if (!queue_.empty() && waiting_workers_ == 0) grow();
    lock.unlock();
  }
  answer(*call, std::move(outcome.line));
  lock.lock();
  finish(call);
  if (!outcome.then) return;
  lock.unlock();
  output_.flush();
  carry_on(call, outcome.then);
  lock.lock();
}

/// Cancelling a request does not touch the task it became; only the end of the server does.
void Calls::carry_on(const std::shared_ptr<Call>& call,
                     const std::function<void(const protocol::CallHost&)>& rest) {
  {
    const std::lock_guard lock(mutex_);
    call->unwanted.store(deaf_);
  }
  rest(*call);
  const std::lock_guard lock(mutex_);
  carried_on_.erase(call);
}

void Calls::hang_up() {
  const std::lock_guard lock(mutex_);
  deaf_ = true;
  for (const auto& call : carried_on_) call->unwanted.store(true);
  heard_.notify_all();
}

void Calls::join() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  available_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

void Calls::abandon() {
  output_.end();
  const std::lock_guard lock(mutex_);
  closing_ = true;
  for (auto& [id, call] : unfinished_) call->unwanted.store(true);
  for (std::thread& worker : workers_) worker.detach();
  workers_.clear();
  available_.notify_all();
  heard_.notify_all();
}

}  // namespace baton::transport
