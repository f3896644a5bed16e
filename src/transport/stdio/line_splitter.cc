#include "transport/stdio/line_splitter.h"

#include <algorithm>

namespace baton::transport {

void LineSplitter::feed(std::string_view bytes) {
  buffer_.erase(0, start_);
  scanned_ -= start_;
  start_ = 0;
  buffer_ += bytes;
}

std::optional<LineSplitter::Line> LineSplitter::next() {
  const std::size_t end = buffer_.find('\n', std::max(scanned_, start_));
  if (end != std::string::npos) return take(end - start_, end - start_ + 1);
  scanned_ = buffer_.size();
  // One byte over the limit is a carriage return at best, so it is kept.
  if (skipping_ || buffered_bytes() > line_bytes_max_ + 1) {
    skipping_ = true;
    buffer_.clear();
    start_ = scanned_ = 0;
  }
  if (!ended_ || (buffered_bytes() == 0 && !skipping_)) return std::nullopt;
  return take(buffered_bytes(), buffered_bytes());
}

std::optional<LineSplitter::Line> LineSplitter::take(std::size_t length, std::size_t step) {
  std::string_view text = std::string_view(buffer_).substr(start_, length);
  if (text.ends_with('\r')) text.remove_suffix(1);
  start_ += step;
  scanned_ = start_;
  if (skipping_ || text.size() > line_bytes_max_) {
    skipping_ = false;
    return Line{{}, true};
  }
  return Line{text, false};
}

}  // namespace baton::transport
