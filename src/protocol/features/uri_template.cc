#include "protocol/features/uri_template.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::protocol {
namespace {

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::unexpected<Error> bad(std::string_view text, std::string_view why) {
  return fail(Code::INTERNAL, cat("'", text, "' is not a template that can be matched: ", why));
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (!utf8::is_valid(out)) return std::nullopt;
  return out;
}

Result<UriTemplate> UriTemplate::parse(std::string_view text) {
  UriTemplate out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t open = rest.find('{');
    if (open > 0) {
      const std::string_view literal = rest.substr(0, open);
      if (literal.contains('}')) return bad(text, "a brace closes nothing");
      out.parts_.push_back({false, std::string(literal)});
      rest.remove_prefix(literal.size());
      continue;
    }
    const std::size_t close = rest.find('}');
    if (close == std::string_view::npos) return bad(text, "a brace is not closed");
    const std::string_view name = rest.substr(1, close - 1);
    if (!is_variable_name(name)) return bad(text, "an expression is not one plain variable");
    if (!out.parts_.empty() && out.parts_.back().variable) {
      return bad(text, "two variables are adjacent");
    }
    for (const std::string_view known : out.variables()) {
      if (known == name) return bad(text, "a variable is repeated");
    }
    out.parts_.push_back({true, std::string(name)});
    rest.remove_prefix(close + 1);
  }
  return out;
}

std::optional<json::Object> UriTemplate::match(std::string_view uri) const {
  json::Object found;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (!part.variable) {
      if (!uri.starts_with(part.text)) return std::nullopt;
      uri.remove_prefix(part.text.size());
      continue;
    }
    // A variable ends where the literal after it begins for the first time.
    const std::size_t bound = std::min(uri.find_first_of("/?#"), uri.size());
    std::size_t end = bound;
    if (i + 1 < parts_.size()) {
      end = uri.find(parts_[i + 1].text, 1);
      if (end == std::string_view::npos || end > bound) return std::nullopt;
    }
    if (end == 0) return std::nullopt;
    auto value = percent_decode(uri.substr(0, end));
    if (!value) return std::nullopt;
    found.append_new(part.text, std::move(*value));
    uri.remove_prefix(end);
  }
  if (!uri.empty()) return std::nullopt;
  return found;
}

std::vector<std::string_view> UriTemplate::variables() const {
  std::vector<std::string_view> names;
  for (const Part& part : parts_) {
    if (part.variable) names.push_back(part.text);
  }
  return names;
}

}  // namespace baton::protocol
