#include "surface/page.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::surface {

Result<std::size_t> first_of_page(const std::optional<std::string>& cursor, std::size_t entries,
                                  std::string_view tool) {
  if (!cursor || cursor->empty()) return 0;
  const auto number = parse_int(*cursor);
  if (!number || *number < 0) {
    return fail(Code::INVALID_INPUT, cat("cursor: not one that ", tool, " gave"),
                "leave it out to begin at the first page");
  }
  return std::min(entries, static_cast<std::size_t>(*number));
}

bool Page::add(json::Object entry, std::string_view line) {
  const std::size_t bytes = json::print(entry).size() + line.size();
  if (bytes > bytes_left_ && !entries.empty()) return false;
  bytes_left_ -= std::min(bytes, bytes_left_);
  entries.emplace_back(std::move(entry));
  text += line;
  return true;
}

}  // namespace baton::surface
