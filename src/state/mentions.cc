#include "state/mentions.h"

#include <algorithm>

#include "workflow/text/js_lexer.h"

namespace baton::state {
namespace {

using workflow::JsLexer;
using workflow::JsToken;
using Kind = JsToken::Kind;

class Collector {
 public:
  /// Reads up to the end, or to the brace that closes what was opened before. How much was read.
  std::size_t code(std::string_view text) {
    JsLexer lexer(text);
    std::size_t depth = 0;
    std::vector<JsToken> tokens;
    std::string_view rest;
    std::size_t end = text.size();
    while (const auto token = lexer.next()) {
      if (token->kind == Kind::broken) {
        rest = token->text;
        break;
      }
      if (token->text == "{") ++depth;
      if (token->text == "}" && depth-- == 0) {
        end = token->at;
        break;
      }
      tokens.push_back(*token);
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) one(tokens, i);
    words(rest);
    return end;
  }

  std::vector<Mention> found;

 private:
  static bool is(const std::vector<JsToken>& tokens, std::size_t i, std::string_view text) {
    return i < tokens.size() && tokens[i].kind == Kind::punctuation && tokens[i].text == text;
  }

  void one(const std::vector<JsToken>& tokens, std::size_t i) {
    if (tokens[i].kind == Kind::string && tokens[i].text.starts_with('`')) {
      literal(tokens[i].text);
      return;
    }
    if (tokens[i].kind != Kind::word) return;
    if (i > 0 && (is(tokens, i - 1, ".") || is(tokens, i - 1, "?."))) return;
    const bool is_key =
        i > 0 && (is(tokens, i - 1, "{") || is(tokens, i - 1, ",")) && is(tokens, i + 1, ":");
    if (is_key) return;
    const bool has_property = (is(tokens, i + 1, ".") || is(tokens, i + 1, "?.")) &&
                              i + 2 < tokens.size() && tokens[i + 2].kind == Kind::word;
    found.push_back({tokens[i].text, has_property ? tokens[i + 2].text : std::string_view()});
  }

  /// Everything that looks like a name in a text that cannot be read.
  void words(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t begin = at;
      while (at < text.size() && workflow::is_js_name_char(text[at], at == begin)) ++at;
      if (at > begin) found.push_back({text.substr(begin, at - begin), {}});
    }
  }

  void literal(std::string_view text) {
    for (std::size_t at = 1; at < text.size(); ++at) {
      if (text[at] == '\\') {
        ++at;
      } else if (text.substr(at).starts_with("${")) {
        at += 2;
        at += code(text.substr(at));
      }
    }
  }
};

}  // namespace

std::vector<Mention> mentions_of(std::string_view code) {
  Collector collector;
  // What an unmatched brace ends is not code, but no name in it may be missed.
  while (!code.empty()) {
    const std::size_t read = collector.code(code);
    code.remove_prefix(std::min(code.size(), read + 1));
  }
  return std::move(collector.found);
}

}  // namespace baton::state
