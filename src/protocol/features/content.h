#pragma once
// Content blocks of results and prompts, with icons and annotations, as JSON. Made in the newest
// form; fit_content() brings a block to what an older revision knows.
//
// Values only; no owner, any thread.

#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "protocol/version.h"

namespace baton::protocol {

struct Icon {
  std::string src;  // https: or data:
  std::string mime_type = {};
  std::vector<std::string> sizes = {};  // "48x48" or "any"
  std::string theme = {};               // "light", "dark" or empty
};

json::Array to_json(const std::vector<Icon>& icons);

struct Annotations {
  std::vector<std::string> audience = {};  // "user", "assistant"
  std::optional<double> priority = {};     // 0 to 1
  std::string last_modified = {};          // RFC 3339

  bool empty() const { return audience.empty() && !priority && last_modified.empty(); }
};

json::Object to_json(const Annotations& annotations, Version version);

json::Object text_content(std::string text);

/// The contents of a resource, as resources/read and embedded resources carry them.
json::Object text_contents(std::string uri, std::string mime_type, std::string text);

/// `block` as `version` knows it; one it does not know becomes text that says what it was.
json::Object fit_content(json::Object block, Version version);

}  // namespace baton::protocol
