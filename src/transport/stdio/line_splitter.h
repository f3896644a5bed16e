#pragma once
// LineSplitter: bytes in, lines out, memory bounded by one line and one chunk. A line longer than
// the limit is dropped as it arrives and reported once, when it ends.
//
// Owned by the reader; not thread-safe.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace baton::transport {

class LineSplitter {
 public:
  explicit LineSplitter(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  struct Line {
    std::string_view text;   // without its end of line; valid until the next call
    bool oversized = false;  // then `text` is empty
  };

  void feed(std::string_view bytes);

  /// After the last byte: text without a line feed is a line too.
  void end_input() { ended_ = true; }

  std::optional<Line> next();

  /// Whether another line is whole already.
  bool has_line() const { return buffer_.find('\n', start_) != std::string::npos; }

  std::size_t buffered_bytes() const { return buffer_.size() - start_; }

 private:
  std::optional<Line> take(std::size_t length, std::size_t step);

  std::size_t line_bytes_max_;
  std::string buffer_;
  std::size_t start_ = 0;    // of the first line not yet given out
  std::size_t scanned_ = 0;  // no line feed before this
  bool skipping_ = false;    // the first line is oversized and its beginning is gone
  bool ended_ = false;
};

}  // namespace baton::transport
