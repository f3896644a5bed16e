#include "state/script.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::state {
namespace {

// Of strict code; in order.
constexpr std::string_view reserved[] = {
    "arguments", "await",      "break",   "case",    "catch",      "class",     "const",
    "continue",  "debugger",   "default", "delete",  "do",         "else",      "enum",
    "eval",      "export",     "extends", "false",   "finally",    "for",       "function",
    "if",        "implements", "import",  "in",      "instanceof", "interface", "let",
    "new",       "null",       "package", "private", "protected",  "public",    "return",
    "static",    "super",      "switch",  "this",    "throw",      "true",      "try",
    "typeof",    "undefined",  "var",     "void",    "while",      "with",      "yield"};

Code code_of(ScriptFault fault) {
  switch (fault) {
    case ScriptFault::syntax: return Code::SCRIPT_SYNTAX;
    case ScriptFault::thrown: return Code::SCRIPT_FAILED;
    case ScriptFault::not_json:
    case ScriptFault::undefined: return Code::SCRIPT_NOT_JSON;
    case ScriptFault::inexact: return Code::NUMBER_INEXACT;
    case ScriptFault::time:
    case ScriptFault::memory:
    case ScriptFault::stack:
    case ScriptFault::size: return Code::SCRIPT_LIMIT;
    case ScriptFault::unavailable: return Code::ENVIRONMENT;
    case ScriptFault::busy: return Code::SCRIPT_BUSY;
  }
  return Code::INTERNAL;
}

/// The line of a problem, or the script's first one, short enough for a message.
std::string shown(std::string_view source, std::size_t line) {
  for (std::size_t at = 1; at < line && source.contains('\n'); ++at) {
    source.remove_prefix(source.find('\n') + 1);
  }
  source = source.substr(0, source.find('\n'));
  while (source.starts_with(' ')) source.remove_prefix(1);
  if (source.size() <= limits::script_shown_bytes_max) return std::string(source);
  return cat(utf8::prefix(source, limits::script_shown_bytes_max), "...");
}

}  // namespace

ScriptSeed derived(const ScriptSeed& draw, std::string_view place) {
  // FNV-1a of the place, then the finalizer of SplitMix64: near places get far seeds.
  std::uint64_t mixed = draw.seed ^ 0xcbf29ce484222325u;
  for (const char c : place) {
    mixed = (mixed ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return {draw.now, mixed ^ (mixed >> 31)};
}

bool is_script_name(std::string_view name) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || static_cast<unsigned char>(c) >= 0x80;
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::ranges::all_of(name, is_part) && !std::ranges::binary_search(reserved, name);
}

Error error_of(const ScriptProblem& problem, std::string_view source) {
  std::string message = problem.message;
  if (problem.line > 0) message += cat(" at line ", problem.line, ", column ", problem.column);
  message += cat(", in `", shown(source, problem.line), '`');
  return Error::make(code_of(problem.fault), std::move(message), problem.hint);
}

}  // namespace baton::state
