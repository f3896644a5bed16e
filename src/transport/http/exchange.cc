#include "transport/http/exchange.h"

#include <utility>

#include "base/core/result.h"

namespace baton::transport {

// Waking is posting a small function to the io thread. It happens under the lock, because close()
// must not return while another thread is about to wake what close() detaches from.

std::shared_ptr<Exchange> Exchange::handle(const std::shared_ptr<Exchange>& exchange) {
  return {exchange.get(), [exchange](Exchange*) { exchange->drop(); }};
}

void Exchange::drop() {
  const MutexLock lock(mutex_);
  if (finished_ || closed_) return;
  finished_ = true;
  if (!answered_) {
    output_.response = text_response(500, "The request was dropped.");
    output_.finished = true;
  } else {
    output_.cut = true;
  }
  if (wake_) wake_();
}

void Exchange::attach(std::function<void()> wake) {
  const MutexLock lock(mutex_);
  wake_ = std::move(wake);
}

void Exchange::respond(HttpResponse response) {
  const MutexLock lock(mutex_);
  ASSERT(!answered_);
  answered_ = finished_ = true;
  if (closed_) return;
  output_.response = std::move(response);
  output_.finished = true;
  if (wake_) wake_();
}

void Exchange::start_stream(StreamHead head) {
  const MutexLock lock(mutex_);
  ASSERT(!answered_);
  answered_ = true;
  if (closed_) return;
  output_.head = std::move(head);
  if (wake_) wake_();
}

bool Exchange::write(std::string_view bytes) {
  const MutexLock lock(mutex_);
  ASSERT(answered_);
  if (closed_ || finished_ || output_.cut) return false;
  const bool idle = output_.empty();
  // One large message may exceed the bound; a second one must wait until it is taken.
  if (output_.bytes.size() >= backlog_bytes_max_) {
    output_.cut = true;
    output_.bytes = {};
  } else {
    output_.bytes += bytes;
  }
  if (idle && wake_) wake_();
  return !output_.cut;
}

void Exchange::finish() {
  const MutexLock lock(mutex_);
  ASSERT(answered_);
  if (std::exchange(finished_, true) || closed_) return;
  output_.finished = true;
  if (wake_) wake_();
}

bool Exchange::closed() const {
  const MutexLock lock(mutex_);
  return closed_;
}

void Exchange::on_closed(std::function<void()> callback) {
  {
    const MutexLock lock(mutex_);
    if (finished_) return;
    if (!closed_) {
      on_closed_ = std::move(callback);
      return;
    }
  }
  callback();
}

Exchange::Output Exchange::take() {
  const MutexLock lock(mutex_);
  return std::exchange(output_, {});
}

void Exchange::keep_alive(std::string_view bytes) {
  const MutexLock lock(mutex_);
  if (closed_ || finished_ || !output_.empty()) return;
  output_.bytes = bytes;
  if (wake_) wake_();
}

void Exchange::close() {
  std::function<void()> callback;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    wake_ = nullptr;
    output_ = {};
    callback = std::exchange(on_closed_, nullptr);
    if (finished_) callback = nullptr;
  }
  if (callback) callback();
}

}  // namespace baton::transport
