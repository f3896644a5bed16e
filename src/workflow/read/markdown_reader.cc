#include "base/text/text.h"
#include "base/text/utf8.h"
#include "workflow/read/read.h"

namespace baton::workflow {
namespace {

/// Takes the next line off `text`, its end included. Empty only at the end of the text.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
  const std::string_view line = text.substr(0, length);
  text.remove_prefix(length);
  return line;
}

bool is_fence(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  return last != std::string_view::npos && line.substr(0, last + 1) == "---";
}

}  // namespace

std::optional<SyntaxNode> read_markdown(std::string_view text, std::uint32_t file,
                                        Diagnostics& diagnostics) {
  SourcePlace start;
  start.file = file;
  if (const auto bad = utf8::first_invalid(text)) {
    diagnostics.error(Code::WORKFLOW_SYNTAX, PlaceCursor(text, file).at(*bad),
                      "the text is not UTF-8 here");
    return std::nullopt;
  }
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  if (!is_fence(take_line(rest))) {
    diagnostics.error(Code::WORKFLOW_SYNTAX, start, "the file does not begin with front matter",
                      "start it with a line ---, then keys in YAML, then another line ---");
    return std::nullopt;
  }
  SourcePlace first = start;
  first.line = 2;
  const std::string_view from = rest;
  SourcePlace body_at = first;
  for (;;) {
    const std::string_view line = take_line(rest);
    ++body_at.line;
    if (is_fence(line)) {
      const auto length = static_cast<std::size_t>(line.data() - from.data());
      auto node = read_yaml(from.substr(0, length), first, diagnostics);
      if (!node) return std::nullopt;
      if (node->is_null()) node = SyntaxNode::object(start);
      if (!node->is_object()) {
        diagnostics.error(Code::WORKFLOW_WRONG_TYPE, node->at, "front matter must be keys");
        return std::nullopt;
      }
      if (const std::string_view body = trimmed(rest); !body.empty()) {
        if (const SyntaxNode* taken = node->find("body")) {
          diagnostics.error(Code::WORKFLOW_DUPLICATE_KEY, taken->key_at,
                            "\"body\" is the text below the front matter",
                            "remove the key or the text");
        }
        node->set("body", SyntaxNode::of_text(std::string(body), body_at));
      }
      return node;
    }
    if (line.empty()) {
      diagnostics.error(Code::WORKFLOW_SYNTAX, start, "the front matter has no end",
                        "end it with a line ---");
      return std::nullopt;
    }
  }
}

}  // namespace baton::workflow
