#pragma once
// Free text that is gathered line by line. A value; any thread.

#include <string>
#include <string_view>
#include <utility>

namespace baton::plan {

/// Lines of free text: from the first to the last that is not blank.
class TextBlock {
 public:
  void add(std::string_view line, bool blank) {
    if (blank) {
      if (!text_.empty()) blanks_.append("\n").append(line);
      return;
    }
    if (!text_.empty()) text_.append(blanks_).append("\n");
    blanks_.clear();
    text_.append(line);
  }
  bool empty() const { return text_.empty(); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string blanks_;
};

}  // namespace baton::plan
