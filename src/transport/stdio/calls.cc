#include "transport/stdio/calls.h"

#include <unistd.h>

#include <system_error>

#include "base/limits.h"

namespace baton::transport {

struct Calls::Call final : protocol::CallHost {
  Call(protocol::Work given, std::size_t size, Output& to)
      : work(std::move(given)), bytes(size), output(to) {}

  bool cancelled() const override { return unwanted.load(); }
  void send(std::string_view line) override { output.write_line(std::string(line), &unwanted); }

  std::expected<json::Value, protocol::RpcError> ask(std::string_view, json::Object) override {
    return std::unexpected(protocol::RpcError{});
  }
  void close_stream() override {}

  protocol::Work work;
  std::size_t bytes;
  Output& output;
  std::atomic<bool> unwanted = false;
};

Calls::Calls(int out_fd, int stop_fd, int wake_fd) : output_(out_fd, stop_fd), wake_fd_(wake_fd) {}

Calls::~Calls() { close(wake_fd_); }

void Calls::clear_wake() const {
  std::uint64_t count = 0;
  // Not blocking: the descriptor was opened so, and nothing to read is fine.
  [[maybe_unused]] const ssize_t got = read(wake_fd_, &count, sizeof count);
}

bool Calls::room() {
  const std::lock_guard lock(mutex_);
  constexpr std::size_t calls_max = limits::calls_in_flight_max + limits::read_ahead_calls_max;
  const bool room =
      unfinished_.size() < calls_max && unfinished_bytes_ < limits::unfinished_call_bytes_max;
  reader_waits_ = !room;
  return room;
}

bool Calls::idle() {
  const std::lock_guard lock(mutex_);
  reader_waits_ = !unfinished_.empty();
  return unfinished_.empty();
}

Calls::Start Calls::start(protocol::Work work, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (unfinished_.contains(work.id)) return Start::id_in_use;
  if (queue_.size() >= waiting_workers_ && !grow()) return Start::no_thread;
  auto call = std::make_shared<Call>(std::move(work), bytes, output_);
  unfinished_.emplace(call->work.id, call);
  unfinished_bytes_ += bytes;
  queue_.push_back(std::move(call));
  available_.notify_one();
  return Start::started;
}

/// One more worker, if there may be; false when there is none at all.
bool Calls::grow() {
  if (workers_.size() >= limits::workers_max) return true;
  try {
    workers_.emplace_back([self = shared_from_this()] { self->work(); });
  } catch (const std::system_error&) {
    return !workers_.empty();
  }
  return true;
}

void Calls::cancel(const protocol::RequestId& id) {
  const std::lock_guard lock(mutex_);
  const auto found = unfinished_.find(id);
  if (found != unfinished_.end()) found->second->unwanted.store(true);
}

void Calls::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (queue_.empty() && !closing_) {
      ++waiting_workers_;
      available_.wait(lock);
      --waiting_workers_;
    }
    if (queue_.empty()) return;
    const std::shared_ptr<Call> call = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    execute(*call);
    lock.lock();
    unfinished_bytes_ -= call->bytes;
    unfinished_.erase(call->work.id);
    if (reader_waits_) {
      const std::uint64_t one = 1;
      [[maybe_unused]] const ssize_t put = write(wake_fd_, &one, sizeof one);
    }
  }
}

void Calls::execute(Call& call) {
  if (call.cancelled()) return;
  protocol::Outcome outcome = call.work.run(call);
  output_.write_line(std::move(outcome.line), &call.unwanted);
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
  const std::lock_guard lock(mutex_);
  closing_ = true;
  for (auto& [id, call] : unfinished_) call->unwanted.store(true);
  for (std::thread& worker : workers_) worker.detach();
  workers_.clear();
  available_.notify_all();
}

}  // namespace baton::transport
