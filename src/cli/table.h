#pragma once
// Text in columns, for people.

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

}  // namespace baton::cli
