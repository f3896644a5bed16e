#include "verbs/workflow/check_scripts.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::verbs {
namespace {

using state::ScriptFault;
using state::ScriptProblem;
using workflow::Compilation;
using workflow::Diagnostic;
using workflow::FoundExpression;
using workflow::Severity;
using workflow::SourcePlace;

std::string_view without_space(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The offset of a place in its text.
std::size_t offset_of(std::string_view text, const SourcePlace& place) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < place.line; ++line) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    at = end + 1;
  }
  for (std::uint32_t column = 1; column < place.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) ++at;
  }
  return at;
}

/// Where a place of the code is in the file. A file may indent, fold or escape its text,
/// so the code's lines are searched one after another; what is not found is placed where the whole
/// expression does.
SourcePlace place_of(const FoundExpression& found, const ScriptProblem& problem,
                     const workflow::Sources& sources) {
  if (found.at.file >= sources.size() || problem.line == 0) return found.at;
  const std::string_view text = sources[found.at.file].text;
  std::size_t at = offset_of(text, found.at);
  std::string_view rest = found.code;
  for (std::size_t line = 1;; ++line) {
    const std::string_view whole = rest.substr(0, rest.find('\n'));
    const std::string_view piece = without_space(whole);
    const std::size_t there = text.find(piece, at);
    if (there == std::string_view::npos) return found.at;
    if (line == problem.line) {
      const auto indent = static_cast<std::size_t>(piece.data() - whole.data());
      const std::size_t in_piece = problem.column > indent ? problem.column - 1 - indent : 0;
      workflow::PlaceCursor cursor(text, found.at.file);
      SourcePlace place = cursor.at(there);
      place.column += static_cast<std::uint32_t>(std::min(in_piece, piece.size()));
      return place;
    }
    at = there + piece.size();
    if (whole.size() == rest.size()) return found.at;
    rest.remove_prefix(whole.size() + 1);
  }
}

Diagnostic diagnostic_of(const FoundExpression& found, const ScriptProblem& problem,
                         const Compilation& compilation) {
  // Texts written for WorkRail may hold braces that never were expressions.
  const bool is_error = compilation.dialect != workflow::Dialect::workrail &&
                        problem.fault != ScriptFault::unavailable;
  return {Code::WORKFLOW_BAD_EXPRESSION, is_error ? Severity::error : Severity::warning,
          place_of(found, problem, compilation.findings.sources),
          cat(found.is_transform ? "this transform is" : "this expression is",
              " not JavaScript: ", problem.message),
          problem.hint};
}

}  // namespace

void check_scripts(ports::ScriptHost& host, Compilation& compilation) {
  std::vector<const FoundExpression*> judged;
  std::vector<state::Script> scripts;
  for (const FoundExpression& each : compilation.expressions) {
    if (each.is_path) continue;
    judged.push_back(&each);
    scripts.push_back(
        {each.code,
         each.is_transform ? state::ScriptForm::transform : state::ScriptForm::expression,
         {}});
  }
  const auto problems = host.check(scripts);
  auto& diagnostics = compilation.findings.diagnostics;
  for (std::size_t at = 0; at < problems.size(); ++at) {
    if (!problems[at]) continue;
    if (diagnostics.size() >= limits::workflow_diagnostics_max) {
      ++compilation.findings.left_out;
    } else {
      diagnostics.push_back(diagnostic_of(*judged[at], *problems[at], compilation));
    }
    if (compilation.dialect != workflow::Dialect::workrail &&
        problems[at]->fault != ScriptFault::unavailable) {
      compilation.pinned.reset();
    }
  }
  std::ranges::stable_sort(diagnostics, {}, &Diagnostic::at);
}

}  // namespace baton::verbs
