#include "run/show/references.h"

#include <span>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

using json::Value;

std::span<const Value> declared(const workflow::CompiledWorkflow& workflow) {
  const Value* list = workflow.declared.find("references");
  if (list == nullptr) return {};
  return *list->if_array();
}

const std::string& text_in(const Value& reference, std::string_view key) {
  return *reference.find(key)->if_string();
}

}  // namespace

std::string references_text(const workflow::CompiledWorkflow& workflow, std::string_view prompt) {
  std::string out;
  for (const Value& each : declared(workflow)) {
    const std::string begin = cat("- ", text_in(each, "title"), " (", text_in(each, "source"));
    if (prompt.contains(begin)) continue;
    const bool is_followed = *each.find("authoritative")->if_bool();
    out += cat(out.empty() ? "## References\n\n" : "", begin, is_followed ? ", authoritative" : "",
               ")\n");
  }
  return utf8::truncate(out, limits::recap_references_bytes_max);
}

std::vector<Reference> workspace_references(const workflow::CompiledWorkflow& workflow) {
  std::vector<Reference> out;
  for (const Value& each : declared(workflow)) {
    const Value* base = each.find("resolveFrom");
    if (base != nullptr && *base->if_string() == "package") continue;
    out.push_back({text_in(each, "title"), text_in(each, "source")});
  }
  return out;
}

}  // namespace baton::run
