#pragma once
// Blocks of content and questions to a client that the protocol carries and Baton never sends. Only
// tests include this.

#include "protocol/call.h"
#include "protocol/features/content.h"

namespace baton::protocol {

// Data is base64 text.
inline json::Object image_content(std::string data, std::string mime_type) {
  return {{"type", "image"}, {"data", std::move(data)}, {"mimeType", std::move(mime_type)}};
}

inline json::Object audio_content(std::string data, std::string mime_type) {
  return {{"type", "audio"}, {"data", std::move(data)}, {"mimeType", std::move(mime_type)}};
}

inline json::Object resource_content(json::Object contents) {
  return {{"type", "resource"}, {"resource", std::move(contents)}};
}

inline json::Object resource_link(std::string uri, std::string name, std::string description,
                                  std::string mime_type) {
  json::Object out{{"type", "resource_link"}, {"uri", std::move(uri)}, {"name", std::move(name)}};
  if (!description.empty()) out.append_new("description", std::move(description));
  if (!mime_type.empty()) out.append_new("mimeType", std::move(mime_type));
  return out;
}

inline json::Object blob_contents(std::string uri, std::string mime_type, std::string data) {
  return {{"uri", std::move(uri)}, {"mimeType", std::move(mime_type)}, {"blob", std::move(data)}};
}

inline InputRequest elicit_url(std::string message, std::string url, std::string elicitation_id) {
  return {"elicitation/create",
          {{"mode", "url"},
           {"message", std::move(message)},
           {"url", std::move(url)},
           {"elicitationId", std::move(elicitation_id)}}};
}

inline InputRequest sample(json::Object params) {
  return {"sampling/createMessage", std::move(params)};
}

inline InputRequest list_roots() { return {"roots/list", {}}; }

}  // namespace baton::protocol
