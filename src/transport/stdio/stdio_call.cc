#include "transport/stdio/stdio_call.h"

#include "base/text/text.h"

namespace baton::transport {

void BatchReply::give(std::string_view line) {
  const MutexLock lock(mutex_);
  lines_ += cat(lines_.empty() ? "" : ",", line);
  count_down();
}

void BatchReply::drop() {
  const MutexLock lock(mutex_);
  count_down();
}

void BatchReply::count_down() {
  if (--missing_ > 0 || lines_.empty()) return;
  output_->write_line(cat('[', lines_, ']'), nullptr);
}

void StdioCall::send(std::string_view line) {
  output_->write_line(std::string(line), &cancellation());
}

protocol::WorkResult StdioCall::run() {
  // The answers that wait for the next ones need not wait for this one.
  if (!is_on_reader()) output_->flush();
  return work_.run(*this);
}

void StdioCall::answer(protocol::WorkResult& outcome) {
  if (batch_) {
    if (outcome.line.empty() || cancelled()) return batch_->drop();
    return batch_->give(outcome.line);
  }
  if (outcome.line.empty()) return;
  // The answers of quick calls go out together; the reader flushes them before it waits.
  if (is_on_reader() && !outcome.then) {
    output_->hold_line(outcome.line, &cancellation());
  } else {
    output_->write_line(std::move(outcome.line), &cancellation());
  }
}

std::expected<void, protocol::RpcError> StdioCall::tell(std::string line) {
  output_->write_line(std::move(line), nullptr);
  return {};
}

}  // namespace baton::transport
