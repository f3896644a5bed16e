#include "workflow/read/read.h"

#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::workflow {

std::optional<Format> format_of(std::string_view name) {
  if (name.ends_with(".yaml") || name.ends_with(".yml")) return Format::yaml;
  if (name.ends_with(".json")) return Format::json;
  if (name.ends_with(".md")) return Format::markdown;
  return std::nullopt;
}

std::optional<SyntaxNode> read_source(const SourceText& source, std::uint32_t file,
                                      Diagnostics& diagnostics) {
  SourcePlace start;
  start.file = file;
  if (source.text.size() > limits::workflow_bytes_max) {
    diagnostics.error(Code::LIMIT_EXCEEDED, start,
                      cat("the file is larger than ", limits::workflow_bytes_max, " bytes"));
    return std::nullopt;
  }
  const auto format = format_of(source.name);
  if (!format) {
    diagnostics.error(Code::WORKFLOW_SYNTAX, start, "the file name has no known extension",
                      "use .yaml, .yml, .json or .md");
    return std::nullopt;
  }
  switch (*format) {
    case Format::json: return read_json(source.text, file, diagnostics);
    case Format::markdown: return read_markdown(source.text, file, diagnostics);
    case Format::yaml: break;
  }
  return read_yaml(source.text, start, diagnostics);
}

}  // namespace baton::workflow
