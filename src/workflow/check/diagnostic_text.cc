#include "workflow/check/diagnostic_text.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/json/json.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::workflow {
namespace {

using json::Array;
using json::Object;

constexpr std::array<std::string_view, 4> names = {"text", "json", "sarif", "github"};

/// Of a source line, around the place.
constexpr std::size_t shown_before_chars = 80;
constexpr std::size_t shown_bytes_max = 160;

const std::string& file_of(const Diagnostic& diagnostic, const Sources& sources) {
  ASSERT(diagnostic.at.file < sources.size());
  return sources[diagnostic.at.file].name;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

/// What is before a column, which counts characters from 1. REQUIRES: `line` is UTF-8.
std::string_view before(std::string_view line, std::uint32_t column) {
  std::size_t end = 0;
  for (; column > 1 && end < line.size(); --column) {
    ++end;
    while (end < line.size() && is_continuation(line[end])) ++end;
  }
  return line.substr(0, end);
}

/// The line and below it a caret. Tabs stay tabs in both, so that the caret is at its place; what
/// is escaped moves the caret by the length of its escape.
std::string excerpt(const SourcePlace& at, std::string_view text) {
  std::string_view line = line_of(text, at.line);
  if (const auto bad = utf8::first_invalid(line)) line = line.substr(0, *bad);
  std::uint32_t column = at.column;
  while (column > shown_before_chars && !line.empty()) {
    line.remove_prefix(before(line, 2).size());
    --column;
  }
  line = utf8::prefix(line, shown_bytes_max);
  const std::string shown = printable(line);
  if (shown.empty()) return {};
  std::string pad;
  for (const char c : printable(before(line, column))) {
    if (!is_continuation(c)) pad += c == '\t' ? '\t' : ' ';
  }
  return cat("  ", shown, "\n  ", pad, "^\n");
}

Object json_of(const Diagnostic& diagnostic, const Sources& sources) {
  Object out{{"code", name_of(diagnostic.code)},     {"severity", name_of(diagnostic.severity)},
             {"file", file_of(diagnostic, sources)}, {"line", diagnostic.at.line},
             {"column", diagnostic.at.column},       {"message", diagnostic.message}};
  if (!diagnostic.hint.empty()) out.set("hint", diagnostic.hint);
  return out;
}

std::string print_text(std::span<const Findings> all) {
  std::string out;
  for (const Findings& findings : all) {
    for (const Diagnostic& diagnostic : findings.diagnostics) {
      out += text_of(diagnostic, findings.sources);
    }
    if (findings.left_out > 0) out += cat("... and ", findings.left_out, " more\n");
  }
  return out;
}

std::string print_json(std::span<const Findings> all) {
  Array list;
  std::size_t left_out = 0;
  for (const Findings& findings : all) {
    for (const Diagnostic& diagnostic : findings.diagnostics) {
      list.emplace_back(json_of(diagnostic, findings.sources));
    }
    left_out += findings.left_out;
  }
  return json::print_pretty(Object{{"diagnostics", std::move(list)},
                                   {"leftOut", static_cast<std::int64_t>(left_out)}}) +
         "\n";
}

Object sarif_result(const Diagnostic& diagnostic, const Sources& sources) {
  const std::string message = diagnostic.hint.empty()
                                  ? diagnostic.message
                                  : cat(diagnostic.message, " (", diagnostic.hint, ")");
  const Object region{{"startLine", diagnostic.at.line}, {"startColumn", diagnostic.at.column}};
  const Object location{{"artifactLocation", Object{{"uri", file_of(diagnostic, sources)}}},
                        {"region", region}};
  return Object{{"ruleId", name_of(diagnostic.code)},
                {"level", name_of(diagnostic.severity)},
                {"message", Object{{"text", message}}},
                {"locations", Array{Object{{"physicalLocation", location}}}}};
}

std::string print_sarif(std::span<const Findings> all) {
  Array results;
  std::set<Code> codes;
  for (const Findings& findings : all) {
    for (const Diagnostic& diagnostic : findings.diagnostics) {
      results.emplace_back(sarif_result(diagnostic, findings.sources));
      codes.insert(diagnostic.code);
    }
  }
  Array rules;
  for (const CodeInfo& info : all_codes()) {
    if (!codes.contains(info.code)) continue;
    rules.emplace_back(
        Object{{"id", info.name}, {"shortDescription", Object{{"text", info.meaning}}}});
  }
  const Object driver{{"name", "baton"}, {"rules", std::move(rules)}};
  const Object run{{"tool", Object{{"driver", driver}}},
                   {"columnKind", "unicodeCodePoints"},
                   {"results", std::move(results)}};
  return json::print_pretty(Object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                   {"version", "2.1.0"},
                                   {"runs", Array{run}}}) +
         "\n";
}

/// As GitHub's workflow commands want values: percent signs and line ends escaped.
std::string escaped(std::string_view text, bool in_property) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '%': out += "%25"; break;
      case '\r': out += "%0D"; break;
      case '\n': out += "%0A"; break;
      case ':': out += in_property ? "%3A" : ":"; break;
      case ',': out += in_property ? "%2C" : ","; break;
      default: out += c;
    }
  }
  return out;
}

std::string print_github(std::span<const Findings> all) {
  std::string out;
  for (const Findings& findings : all) {
    for (const Diagnostic& diagnostic : findings.diagnostics) {
      const std::string text = diagnostic.hint.empty()
                                   ? diagnostic.message
                                   : cat(diagnostic.message, "\n", diagnostic.hint);
      out += cat("::", name_of(diagnostic.severity),
                 " file=", escaped(file_of(diagnostic, findings.sources), true),
                 ",line=", diagnostic.at.line, ",col=", diagnostic.at.column,
                 ",title=", name_of(diagnostic.code), "::", escaped(text, false), '\n');
    }
  }
  return out;
}

}  // namespace

std::optional<DiagnosticForm> diagnostic_form(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<DiagnosticForm>(found - names.begin());
}

std::span<const std::string_view> diagnostic_form_names() { return names; }

std::string short_text_of(const Diagnostic& diagnostic, const Sources& sources) {
  std::string out =
      cat(file_of(diagnostic, sources), ':', diagnostic.at.line, ':', diagnostic.at.column, ": ",
          name_of(diagnostic.severity), ' ', name_of(diagnostic.code), ": ", diagnostic.message);
  if (!diagnostic.hint.empty()) out += cat(" (", diagnostic.hint, ')');
  return out;
}

std::string text_of(const Diagnostic& diagnostic, const Sources& sources) {
  std::string out = cat(printable_line(file_of(diagnostic, sources)), ':', diagnostic.at.line, ':',
                        diagnostic.at.column, ": ", name_of(diagnostic.severity), ' ',
                        name_of(diagnostic.code), ": ", diagnostic.message, '\n');
  out += excerpt(diagnostic.at, sources[diagnostic.at.file].text);
  if (!diagnostic.hint.empty()) out += cat("  hint: ", diagnostic.hint, '\n');
  return out;
}

std::string print(std::span<const Findings> all, DiagnosticForm form) {
  switch (form) {
    case DiagnosticForm::text: return print_text(all);
    case DiagnosticForm::json: return print_json(all);
    case DiagnosticForm::sarif: return print_sarif(all);
    case DiagnosticForm::github: break;
  }
  return print_github(all);
}

}  // namespace baton::workflow
