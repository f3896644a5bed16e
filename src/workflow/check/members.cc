#include "workflow/check/members.h"

#include <algorithm>

#include "workflow/text/js_lexer.h"

namespace baton::workflow {
namespace {

constexpr std::string_view of_lists[] = {
    "length",        "at",        "concat",      "copyWithin",
    "entries",       "every",     "fill",        "filter",
    "find",          "findIndex", "findLast",    "findLastIndex",
    "flat",          "flatMap",   "forEach",     "includes",
    "indexOf",       "join",      "keys",        "lastIndexOf",
    "map",           "pop",       "push",        "reduce",
    "reduceRight",   "reverse",   "shift",       "slice",
    "some",          "sort",      "splice",      "toReversed",
    "toSorted",      "toSpliced", "toString",    "unshift",
    "values",        "with",      "constructor", "hasOwnProperty",
    "toLocaleString"};
constexpr std::string_view of_texts[] = {"length",
                                         "at",
                                         "charAt",
                                         "charCodeAt",
                                         "codePointAt",
                                         "concat",
                                         "endsWith",
                                         "includes",
                                         "indexOf",
                                         "isWellFormed",
                                         "lastIndexOf",
                                         "localeCompare",
                                         "match",
                                         "matchAll",
                                         "normalize",
                                         "padEnd",
                                         "padStart",
                                         "repeat",
                                         "replace",
                                         "replaceAll",
                                         "search",
                                         "slice",
                                         "split",
                                         "startsWith",
                                         "substr",
                                         "substring",
                                         "toLowerCase",
                                         "toString",
                                         "toUpperCase",
                                         "trim",
                                         "trimEnd",
                                         "trimStart",
                                         "trimLeft",
                                         "trimRight",
                                         "valueOf",
                                         "constructor",
                                         "toLocaleLowerCase",
                                         "toLocaleUpperCase",
                                         "toWellFormed",
                                         "hasOwnProperty"};
constexpr std::string_view of_numbers[] = {"toFixed",       "toString", "toPrecision",
                                           "toExponential", "valueOf",  "constructor",
                                           "toLocaleString"};
constexpr std::string_view of_flags[] = {"toString", "valueOf", "constructor"};

}  // namespace

std::span<const std::string_view> members_of_type(std::string_view type) {
  if (type == "array") return of_lists;
  if (type == "string") return of_texts;
  if (type == "number" || type == "integer") return of_numbers;
  if (type == "boolean") return of_flags;
  return {};
}

NameChain chain_at(std::string_view code) {
  NameChain out;
  while (out.count < std::size(out.names) && !code.empty() && is_js_name_char(code[0], true)) {
    std::size_t end = 1;
    while (end < code.size() && is_js_name_char(code[end], false)) ++end;
    out.names[out.count++] = code.substr(0, end);
    code.remove_prefix(end);
    if (code.starts_with("?.")) {
      code.remove_prefix(2);
    } else if (code.starts_with('.')) {
      code.remove_prefix(1);
    } else {
      break;
    }
  }
  return out;
}

std::size_t assignment_in(std::string_view code) {
  JsLexer lexer(code);
  while (const auto token = lexer.next()) {
    if (token->kind != JsToken::Kind::punctuation || token->text != "=") continue;
    constexpr std::string_view around = "=!<>+-*/%&|^?";
    const char before = token->at == 0 ? ' ' : code[token->at - 1];
    const char behind = token->at + 1 < code.size() ? code[token->at + 1] : ' ';
    if (!around.contains(before) && behind != '=' && behind != '>') return token->at;
  }
  return std::string_view::npos;
}

}  // namespace baton::workflow
