#include "base/schema/uri.h"

#include <charconv>

namespace baton::schema {
namespace {

/// A URI cut in its parts; each keeps its delimiter, so that "has none" is "is empty".
struct Parts {
  std::string_view scheme;     // "https:"
  std::string_view authority;  // "//host"
  std::string_view path;
  std::string_view query;     // "?..."
  std::string_view fragment;  // "#..."
};

bool is_scheme_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '-' || c == '.';
}

Parts split(std::string_view uri) {
  const auto take = [&uri](std::size_t count) {
    const std::string_view part = uri.substr(0, count);
    uri.remove_prefix(part.size());
    return part;
  };
  Parts parts;
  std::size_t colon = 0;
  while (colon < uri.size() && is_scheme_char(uri[colon])) ++colon;
  if (colon > 0 && colon < uri.size() && uri[colon] == ':') parts.scheme = take(colon + 1);
  if (uri.starts_with("//")) {
    const std::size_t end = uri.find_first_of("/?#", 2);
    parts.authority = take(end == std::string_view::npos ? uri.size() : end);
  }
  parts.path = take(std::min(uri.find_first_of("?#"), uri.size()));
  parts.query = take(std::min(uri.find('#'), uri.size()));
  parts.fragment = uri;
  return parts;
}

/// "." and ".." resolved, as far as there is something to go up from.
std::string without_dot_segments(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, end);  // with its leading '/', if any
    const bool last = end == path.size();
    path.remove_prefix(end);
    if (segment == "/." || segment == ".") {
      if (last) out += '/';
    } else if (segment == "/.." || segment == "..") {
      out.erase(out.find_last_of('/') == std::string::npos ? 0 : out.find_last_of('/'));
      if (last) out += '/';
    } else {
      out += segment;
    }
  }
  return out;
}

std::string merged_path(const Parts& base, std::string_view path) {
  if (!base.authority.empty() && base.path.empty()) return std::string("/").append(path);
  const std::size_t slash = base.path.rfind('/');
  const std::string_view folder =
      slash == std::string_view::npos ? std::string_view() : base.path.substr(0, slash + 1);
  return std::string(folder).append(path);
}

std::string joined(const Parts& origin, std::string_view path, std::string_view query,
                   std::string_view fragment) {
  std::string out(origin.scheme);
  out += origin.authority;
  out += path;
  out += query;
  if (fragment.size() > 1) out += fragment;
  return out;
}

}  // namespace

std::string resolve_uri(std::string_view base_text, std::string_view reference) {
  const Parts base = split(base_text);
  const Parts ref = split(reference);
  if (!ref.scheme.empty() || base_text.empty()) {
    return joined(ref, ref.path, ref.query, ref.fragment);
  }
  if (!ref.authority.empty()) {
    const Parts origin{base.scheme, ref.authority, {}, {}, {}};
    return joined(origin, without_dot_segments(ref.path), ref.query, ref.fragment);
  }
  if (ref.path.empty()) {
    return joined(base, base.path, ref.query.empty() ? base.query : ref.query, ref.fragment);
  }
  const std::string path =
      ref.path.starts_with('/') ? std::string(ref.path) : merged_path(base, ref.path);
  return joined(base, without_dot_segments(path), ref.query, ref.fragment);
}

std::pair<std::string_view, std::string_view> split_fragment(std::string_view uri) {
  const std::size_t hash = uri.find('#');
  if (hash == std::string_view::npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && text.size() - i > 2) {
      const char* digits = text.data() + i + 1;
      if (std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
        out += static_cast<char>(byte);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace baton::schema
