#include "workflow/check/diagnostic.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::workflow {

std::string_view name_of(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

void Diagnostics::error(Code code, const SourcePlace& at, std::string message, std::string hint) {
  ++errors_;
  add({code, Severity::error, at, std::move(message), std::move(hint)});
}

void Diagnostics::warning(Code code, const SourcePlace& at, std::string message, std::string hint) {
  add({code, Severity::warning, at, std::move(message), std::move(hint)});
}

void Diagnostics::set_dialect(std::uint32_t file, Dialect dialect) {
  if (dialects_.size() <= file) dialects_.resize(file + 1, Dialect::native);
  dialects_[file] = dialect;
}

Dialect Diagnostics::dialect_at(const SourcePlace& at) const {
  return at.file < dialects_.size() ? dialects_[at.file] : Dialect::native;
}

void Diagnostics::error_unless(Dialect tolerant, Code code, const SourcePlace& at,
                               std::string message, std::string hint) {
  if (dialect_at(at) == tolerant) {
    warning(code, at, std::move(message), std::move(hint));
  } else {
    error(code, at, std::move(message), std::move(hint));
  }
}

bool Diagnostics::is_full() const { return all_.size() >= limits::workflow_diagnostics_max; }

void Diagnostics::add(Diagnostic diagnostic) {
  if (is_full()) {
    ++left_out_;
    return;
  }
  // They quote the file, which may be hostile to the reader.
  diagnostic.message = utf8::as_line(diagnostic.message);
  diagnostic.hint = utf8::as_line(diagnostic.hint);
  // A routine used twice is checked twice, and says the same twice.
  if (std::ranges::find(all_, diagnostic) == all_.end()) all_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> out = all_;
  std::ranges::stable_sort(out, {}, &Diagnostic::at);
  return out;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const auto near = nearest(word, candidates);
  return near ? cat("did you mean \"", *near, "\"?") : std::string();
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return did_you_mean(word, views);
}

std::string either_of(std::span<const std::string_view> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += cat('"', words[i], '"');
  }
  return out;
}

}  // namespace baton::workflow
