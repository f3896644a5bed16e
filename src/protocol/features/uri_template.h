#pragma once
// URI templates by RFC 6570 as far as resources need them: literal text and simple expansions of
// one variable, {name}. Matches a URI back to its variables, percent-decoded.
//
// Values only; no owner, any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/json/json.h"

namespace baton::protocol {

class UriTemplate {
 public:
  /// Fails on operators, several variables in one expression, unbalanced braces, a repeated
  /// variable, and two variables without text between them.
  static Result<UriTemplate> parse(std::string_view text);

  /// The variables of a URI that this template could have expanded to. A variable matches one or
  /// more characters that are neither '/', '?' nor '#'.
  std::optional<json::Object> match(std::string_view uri) const;

  std::vector<std::string_view> variables() const;

 private:
  struct Part {
    bool variable = false;
    std::string text;  // literal text, or the variable's name
  };
  std::vector<Part> parts_;
};

/// `text` with %XX decoded; nothing when an escape is malformed or the bytes are not UTF-8.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace baton::protocol
