#pragma once
// Text for people: in columns, and lists in words.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace baton::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}

  void add(std::vector<std::string> row);
  bool empty() const { return rows_.size() == 1; }

  /// Columns two spaces apart, as wide as their widest cell; the last one is not padded.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// "a, b or c".
std::string one_of(std::span<const std::string_view> words);

}  // namespace baton::cli
