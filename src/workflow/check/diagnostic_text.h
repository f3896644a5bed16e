#pragma once
// Diagnostics as text: for people, for programs (JSON), for code scanners (SARIF 2.1.0) and as the
// annotations that GitHub shows beside a change. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "workflow/check/diagnostic.h"

namespace baton::workflow {

enum class DiagnosticForm : std::uint8_t { text, json, sarif, github };

std::optional<DiagnosticForm> diagnostic_form(std::string_view name);
std::span<const std::string_view> diagnostic_form_names();

/// What was found in the files of one compilation.
struct Findings {
  Sources sources;
  std::vector<Diagnostic> diagnostics;
  std::size_t left_out = 0;
};

/// `file:line:column: severity CODE: message`, the line with a caret below it, and the hint.
std::string text_of(const Diagnostic& diagnostic, const Sources& sources);

/// The first lines of text_of, without the source line: what fits into a list or an error.
std::string short_text_of(const Diagnostic& diagnostic, const Sources& sources);

/// All findings in one form. Files are named as in the sources.
std::string print(std::span<const Findings> all, DiagnosticForm form);

}  // namespace baton::workflow
