#include "protocol/features/content.h"

#include <utility>

#include "base/text/text.h"

namespace baton::protocol {
namespace {

std::string_view text_of(const json::Object& block, std::string_view key) {
  const json::Value* const found = block.find(key);
  const std::string* const text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string_view{} : std::string_view(*text);
}

}  // namespace

json::Array to_json(const std::vector<Icon>& icons) {
  json::Array out;
  for (const Icon& icon : icons) {
    json::Object each{{"src", icon.src}};
    if (!icon.mime_type.empty()) each.append_new("mimeType", icon.mime_type);
    if (!icon.sizes.empty()) {
      json::Array sizes;
      for (const std::string& size : icon.sizes) sizes.emplace_back(size);
      each.append_new("sizes", std::move(sizes));
    }
    if (!icon.theme.empty()) each.append_new("theme", icon.theme);
    out.emplace_back(std::move(each));
  }
  return out;
}

json::Object to_json(const Annotations& annotations, Version version) {
  json::Object out;
  if (!annotations.audience.empty()) {
    json::Array audience;
    for (const std::string& each : annotations.audience) audience.emplace_back(each);
    out.append_new("audience", std::move(audience));
  }
  if (annotations.priority) out.append_new("priority", *annotations.priority);
  if (!annotations.last_modified.empty() && version >= Version::v2025_06_18) {
    out.append_new("lastModified", annotations.last_modified);
  }
  return out;
}

json::Object text_content(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

json::Object text_contents(std::string uri, std::string mime_type, std::string text) {
  json::Object out{{"uri", std::move(uri)}};
  if (!mime_type.empty()) out.append_new("mimeType", std::move(mime_type));
  out.append_new("text", std::move(text));
  return out;
}

json::Object fit_content(json::Object block, Version version) {
  const std::string_view type = text_of(block, "type");
  if (type == "audio" && version < Version::v2025_03_26) {
    return text_content(cat("[audio, ", text_of(block, "mimeType"), "]"));
  }
  if (type == "resource_link" && version < Version::v2025_06_18) {
    const std::string_view about = text_of(block, "description");
    return text_content(cat(text_of(block, "name"), ": ", text_of(block, "uri"),
                            about.empty() ? "" : " (", about, about.empty() ? "" : ")"));
  }
  return block;
}

}  // namespace baton::protocol
