#pragma once
// Pages of a list. A cursor names its list and the last entry of the page before, so it stays right
// in every process that offers the same entries, and is refused everywhere else. Private to the
// protocol room.

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/methods/methods.h"

namespace baton::protocol {

/// The entry after which the page begins; empty for the first page. Absent, null and empty cursors
/// mean the first page.
std::expected<std::string, RpcError> cursor_of(std::string_view list, const json::Object& params);

RpcError bad_cursor();
std::string cursor_after(std::string_view list, std::string_view name);

/// One page of `entries` as {key: [...], nextCursor?}. `name` and `describe` take an entry.
template <class Entries, class Name, class Describe>
MethodResult page(std::string_view key, const json::Object& params, const Entries& entries,
                  Name name, Describe describe) {
  const auto after = cursor_of(key, params);
  if (!after) return std::unexpected(after.error());
  std::size_t start = 0;
  if (!after->empty()) {
    while (start < entries.size() && name(entries[start]) != *after) ++start;
    if (start == entries.size()) return std::unexpected(bad_cursor());
    ++start;
  }
  const std::size_t end = std::min(entries.size(), start + limits::list_page_items_max);
  json::Array items;
  for (std::size_t i = start; i < end; ++i) items.emplace_back(describe(entries[i]));
  json::Object result;
  result.append_new(std::string(key), std::move(items));
  if (end < entries.size())
    result.append_new("nextCursor", cursor_after(key, name(entries[end - 1])));
  return result;
}

}  // namespace baton::protocol
