#include "protocol/features/resource.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

/// scheme ":" something, by RFC 3986.
bool has_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == uri.size()) return false;
  const std::string_view scheme = uri.substr(0, colon);
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return letter(scheme[0]) && std::ranges::all_of(scheme, [&](char c) {
           return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
         });
}

Result<void> check(const ResourceInfo& info, const ResourceHandler& read) {
  const auto wrong = [&](std::string_view what) {
    return fail(Code::INTERNAL, cat("resource '", info.uri, "' has no ", what));
  };
  if (!has_scheme(info.uri)) return wrong("scheme");
  if (info.name.empty()) return wrong("name");
  if (info.description.empty()) return wrong("description");
  if (info.description.size() > limits::tool_description_bytes_max) {
    return wrong("description within its limit");
  }
  if (!read) return wrong("handler");
  return {};
}

}  // namespace

RpcError resource_not_found(std::string_view uri) {
  return {RpcCode::resource_not_found,
          cat("There is no resource ", in_quotes(uri), ". resources/list shows what exists."),
          json::Object{{"uri", shown(uri)}}};
}

Result<ResourceTable> ResourceTable::make(std::vector<Resource> resources,
                                          std::vector<ResourceTemplate> templates,
                                          ResourceLister lister) {
  ResourceTable table;
  std::set<std::string> uris;
  const auto once = [&uris](const std::string& uri) -> Result<void> {
    if (uris.insert(uri).second) return {};
    return fail(Code::INTERNAL, cat("two resources have the URI ", uri));
  };
  for (Resource& resource : resources) {
    TRY(check(resource.info, resource.read));
    TRY(once(resource.info.uri));
    table.resources_.push_back(std::move(resource));
  }
  for (ResourceTemplate& entry : templates) {
    TRY(check(entry.info, entry.read));
    TRY(once(entry.info.uri));
    UriTemplate pattern = TRY(UriTemplate::parse(entry.info.uri));
    table.templates_.push_back({std::move(entry), std::move(pattern)});
  }
  table.lister_ = std::move(lister);
  return table;
}

std::optional<ResourceTable::Found> ResourceTable::find(std::string_view uri) const {
  for (const Resource& resource : resources_) {
    if (resource.info.uri == uri) return Found{&resource.read};
  }
  for (const CheckedTemplate& each : templates_) {
    if (auto variables = each.pattern.match(uri)) {
      return Found{&each.entry.read, std::move(*variables)};
    }
  }
  return std::nullopt;
}

}  // namespace baton::protocol
