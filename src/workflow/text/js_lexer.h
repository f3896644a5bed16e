#pragma once
// A lexer of JavaScript, as far as one is needed to find where an expression ends and which names
// it uses. It never fails: what it cannot read is one broken token. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

namespace baton::workflow {

struct JsToken {
  enum class Kind : std::uint8_t { word, number, string, regex, punctuation, broken };
  Kind kind = Kind::broken;
  std::string_view text;
  std::size_t at = 0;
};

bool is_js_name_char(char c, bool first);

class JsLexer {
 public:
  explicit JsLexer(std::string_view code) : code_(code) {}

  /// The next token; comments and space are stepped over. Nothing at the end. A template literal
  /// is one string token, its substitutions included.
  std::optional<JsToken> next();

 private:
  bool skip_space();  // false at a comment without end
  std::size_t end_of_string(std::size_t from) const;
  std::size_t end_of_template(std::size_t from) const;
  std::size_t end_of_regex(std::size_t from) const;
  JsToken token(JsToken::Kind kind, std::size_t end);

  std::string_view code_;
  std::size_t at_ = 0;
  bool value_before_ = false;  // a slash divides then; else it begins a regular expression
};

}  // namespace baton::workflow
