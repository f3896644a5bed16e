#include "workflow/read/other_kind.h"

#include <algorithm>

#include "base/text/text.h"
#include "workflow/read/read.h"

namespace baton::workflow {
namespace {

bool is_below(std::string_view path, std::string_view folder) {
  return cat('/', path).find(cat('/', folder, '/')) != std::string::npos;
}

/// An entry of a list that says where workflows are.
bool is_entry(const SyntaxNode& node) {
  const bool has_steps = node.has("steps") || node.has("prompt") || node.has("type");
  return node.is_object() && node.has("name") && node.has("path") && !has_steps;
}

bool is_index(const SyntaxNode& root) {
  const SyntaxNode* list = root.is_array() ? &root : root.find("workflows");
  return list != nullptr && list->is_array() && !list->children.empty() &&
         std::ranges::all_of(list->children, is_entry);
}

}  // namespace

std::string_view other_kind(const SourceText& source) {
  Diagnostics ignored;
  const auto root = read_source(source, 0, ignored);
  if (!root) return {};
  if (is_index(*root)) return "an index of workflows";
  for (const std::string_view key : {"steps", "phases", "workflow", "templateCall"}) {
    if (root->has(key)) return {};
  }
  const bool names_schema = root->text_of("$schema").find("json-schema.org") != std::string::npos;
  if (names_schema || (root->text_of("type") == "object" && root->has("properties"))) {
    return "a schema";
  }
  if (!source.name.ends_with(".md")) return {};
  if (root->has("globs") || root->has("alwaysApply") || is_below(source.name, "rules")) {
    return "a rule";
  }
  return is_below(source.name, "agents") ? "a persona" : std::string_view();
}

}  // namespace baton::workflow
