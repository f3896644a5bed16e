#pragma once
// Pages of a list that may be longer than one result: a cursor is the number of the first entry.

#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/json/json.h"

namespace baton::surface {

/// The number that `cursor` names, at most `entries`; 0 without one. INVALID_INPUT for anything
/// that `tool` did not give.
Result<std::size_t> first_of_page(const std::optional<std::string>& cursor, std::size_t entries,
                                  std::string_view tool);

/// Gathers the entries of one page until its bytes, fields and text together, are used up. The
/// first always fits.
class Page {
 public:
  explicit Page(std::size_t bytes_max) : bytes_left_(bytes_max) {}

  /// False: it did not fit and is not in.
  bool add(json::Object entry, std::string_view text);

  json::Array entries;
  std::string text;

 private:
  std::size_t bytes_left_;
};

}  // namespace baton::surface
