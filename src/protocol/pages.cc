#include "protocol/pages.h"

#include "base/text.h"

namespace baton::protocol {
namespace {

constexpr std::string_view prefix = "after:";

}  // namespace

std::expected<std::string, RpcError> cursor_of(const json::Object& params) {
  const json::Value* const given = params.find("cursor");
  if (given == nullptr || given->is_null()) return {};
  const std::string* const cursor = given->if_string();
  if (cursor == nullptr) return std::unexpected(bad_cursor());
  if (cursor->empty()) return {};
  if (!cursor->starts_with(prefix) || cursor->size() == prefix.size()) {
    return std::unexpected(bad_cursor());
  }
  return cursor->substr(prefix.size());
}

RpcError bad_cursor() {
  return invalid_params("The cursor is not one that this list gave. Leave it out to start again.");
}

std::string cursor_after(std::string_view name) { return cat(prefix, name); }

}  // namespace baton::protocol
