#pragma once
// URI references as `$id` and `$ref` use them (RFC 3986, section 5). Pure text; nothing is looked
// up, decoded or checked beyond the split into parts.

#include <string>
#include <string_view>
#include <utility>

namespace baton::schema {

/// `reference` resolved against `base`. An empty base leaves the reference as it is.
std::string resolve_uri(std::string_view base, std::string_view reference);

/// The part before '#', and the part after it ("" when there is none).
std::pair<std::string_view, std::string_view> split_fragment(std::string_view uri);

/// Percent-escapes replaced by their bytes; a malformed escape stays as it is.
std::string percent_decoded(std::string_view text);

}  // namespace baton::schema
