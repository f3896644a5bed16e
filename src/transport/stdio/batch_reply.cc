#include "transport/stdio/batch_reply.h"

#include "base/text/text.h"

namespace baton::transport {

void BatchReply::give(std::string_view line) {
  const std::lock_guard lock(mutex_);
  lines_ += cat(lines_.empty() ? "" : ",", line);
  count_down();
}

void BatchReply::drop() {
  const std::lock_guard lock(mutex_);
  count_down();
}

void BatchReply::count_down() {
  if (--missing_ > 0 || lines_.empty()) return;
  output_.write_line(cat('[', lines_, ']'), nullptr);
}

}  // namespace baton::transport
