#include "workflow/text/js_lexer.h"

#include <vector>

#include "base/core/limits.h"

namespace baton::workflow {
namespace {

constexpr std::size_t npos = std::string_view::npos;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::string_view long_punctuation[] = {
    "=>", "?.", "...", "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "??"};

/// Words after which a slash begins a regular expression.
bool wants_value(std::string_view word) {
  return word == "return" || word == "typeof" || word == "in" || word == "of" || word == "case" ||
         word == "delete" || word == "void" || word == "instanceof" || word == "new";
}

}  // namespace

bool is_js_name_char(char c, bool first) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || byte >= 0x80 ||
         (!first && is_digit(c));
}

bool JsLexer::skip_space() {
  while (at_ < code_.size()) {
    const std::string_view rest = code_.substr(at_);
    if (rest.starts_with("//")) {
      const std::size_t end = rest.find('\n');
      // A comment would swallow the end of the expression that it is in.
      if (end == npos) return false;
      at_ += end;
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/", 2);
      if (end == npos) return false;
      at_ += end + 2;
    } else if (rest.front() == ' ' || rest.front() == '\t' || rest.front() == '\n' ||
               rest.front() == '\r') {
      ++at_;
    } else {
      return true;
    }
  }
  return true;
}

/// Behind the closing quote of the string that begins at `from`, or npos.
std::size_t JsLexer::end_of_string(std::size_t from) const {
  const char quote = code_[from];
  for (std::size_t i = from + 1; i < code_.size(); ++i) {
    if (code_[i] == '\\') {
      ++i;
    } else if (code_[i] == quote) {
      return i + 1;
    } else if (code_[i] == '\n') {
      return npos;
    }
  }
  return npos;
}

/// Behind a template literal. Its substitutions may hold strings and further literals.
std::size_t JsLexer::end_of_template(std::size_t from) const {
  std::vector<char> open = {'`'};  // '`' in a literal, '{' in a substitution
  for (std::size_t i = from + 1; i < code_.size(); ++i) {
    const char c = code_[i];
    if (open.back() == '`') {
      if (c == '\\') {
        ++i;
      } else if (c == '`') {
        open.pop_back();
        if (open.empty()) return i + 1;
      } else if (c == '$' && i + 1 < code_.size() && code_[i + 1] == '{') {
        open.push_back('{');
        ++i;
      }
      continue;
    }
    // Code that looks into nested literals reads each once for every literal around it.
    if (open.size() > limits::workflow_depth_max) return npos;
    if (c == '\'' || c == '"') {
      const std::size_t end = end_of_string(i);
      if (end == npos) return npos;
      i = end - 1;
    } else if (c == '`') {
      open.push_back('`');
    } else if (c == '{') {
      open.push_back('{');
    } else if (c == '}') {
      open.pop_back();
      // The first entry is the literal itself, which only a backquote closes.
      if (open.empty()) return npos;
    }
  }
  return npos;
}

/// Behind a regular expression and its flags, or npos when the line ends before it does.
std::size_t JsLexer::end_of_regex(std::size_t from) const {
  bool in_class = false;
  for (std::size_t i = from + 1; i < code_.size(); ++i) {
    const char c = code_[i];
    if (c == '\n') return npos;
    if (c == '\\') {
      ++i;
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    } else if (c == '/' && !in_class) {
      ++i;
      while (i < code_.size() && is_js_name_char(code_[i], false)) ++i;
      return i;
    }
  }
  return npos;
}

JsToken JsLexer::token(JsToken::Kind kind, std::size_t end) {
  JsToken out{kind, code_.substr(at_, end - at_), at_};
  if (end == npos) {
    out = {JsToken::Kind::broken, code_.substr(at_), at_};
    at_ = code_.size();
    return out;
  }
  at_ = end;
  return out;
}

std::optional<JsToken> JsLexer::next() {
  if (!skip_space()) return token(JsToken::Kind::broken, npos);
  if (at_ >= code_.size()) return std::nullopt;
  const char c = code_[at_];
  if (c == '\'' || c == '"' || c == '`') {
    value_before_ = true;
    return token(JsToken::Kind::string, c == '`' ? end_of_template(at_) : end_of_string(at_));
  }
  if (is_js_name_char(c, true)) {
    std::size_t end = at_;
    while (end < code_.size() && is_js_name_char(code_[end], false)) ++end;
    const JsToken out = token(JsToken::Kind::word, end);
    value_before_ = !wants_value(out.text);
    return out;
  }
  if (is_digit(c)) {
    std::size_t end = at_;
    while (end < code_.size() && (is_js_name_char(code_[end], false) || code_[end] == '.')) ++end;
    value_before_ = true;
    return token(JsToken::Kind::number, end);
  }
  if (c == '/' && !value_before_) {
    value_before_ = true;
    return token(JsToken::Kind::regex, end_of_regex(at_));
  }
  value_before_ = c == ')' || c == ']' || c == '}';
  for (const std::string_view each : long_punctuation) {
    if (code_.substr(at_).starts_with(each)) {
      return token(JsToken::Kind::punctuation, at_ + each.size());
    }
  }
  return token(JsToken::Kind::punctuation, at_ + 1);
}

}  // namespace baton::workflow
