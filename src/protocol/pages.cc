#include "protocol/pages.h"

#include "base/core/sha256.h"
#include "base/text/base64.h"
#include "base/text/text.h"

namespace baton::protocol {
namespace {

/// Tells a cursor of ours from anything else that is base64. A made-up one gets a page of
/// what they may see anyway, so it needs no key.
std::string tag_of(std::string_view list, std::string_view name) {
  constexpr std::size_t tag_digits = 16;
  return sha256(cat("cursor\n", list, '\n', name)).hex().substr(0, tag_digits);
}

}  // namespace

std::expected<std::string, RpcError> cursor_of(std::string_view list, const json::Object& params) {
  const json::Value* const given = params.find("cursor");
  if (given == nullptr || given->is_null()) return {};
  const std::string* const cursor = given->if_string();
  if (cursor == nullptr) return std::unexpected(bad_cursor());
  if (cursor->empty()) return {};
  const auto text = from_base64(*cursor);
  const std::size_t space = text ? text->find(' ') : std::string::npos;
  if (space == std::string::npos) return std::unexpected(bad_cursor());
  std::string name = text->substr(space + 1);
  if (text->substr(0, space) != tag_of(list, name)) return std::unexpected(bad_cursor());
  return name;
}

RpcError bad_cursor() {
  return invalid_params("This list did not issue the cursor. Leave it out to start again.");
}

std::string cursor_after(std::string_view list, std::string_view name) {
  return to_base64(cat(tag_of(list, name), ' ', name));
}

}  // namespace baton::protocol
