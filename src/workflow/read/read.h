#pragma once
// The readers: YAML, JSON or Markdown with front matter in, one tree of positioned nodes out. Pure
// and bounded; every mistake goes to the diagnostics.

#include <optional>
#include <string_view>

#include "workflow/check/diagnostic.h"
#include "workflow/read/node.h"

namespace baton::workflow {

enum class Format : std::uint8_t { yaml, json, markdown };

/// By the ending of a file's name: .yaml, .yml, .json, .md.
std::optional<Format> format_of(std::string_view name);

/// Reads `source` by its name's ending. Nothing when it cannot be read; the diagnostics say why.
/// A Markdown file is an object of its front matter with its body under "body".
std::optional<SyntaxNode> read_source(const SourceText& source, std::uint32_t file,
                                      Diagnostics& diagnostics);

// The single formats. `first`: where the text begins in its file.
std::optional<SyntaxNode> read_yaml(std::string_view text, const SourcePlace& first,
                                    Diagnostics& diagnostics);
std::optional<SyntaxNode> read_json(std::string_view text, std::uint32_t file,
                                    Diagnostics& diagnostics);
std::optional<SyntaxNode> read_markdown(std::string_view text, std::uint32_t file,
                                        Diagnostics& diagnostics);

}  // namespace baton::workflow
