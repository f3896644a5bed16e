#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "surface/arguments.h"
#include "surface/page.h"
#include "surface/rail/encode.h"
#include "surface/rail/tools.h"
#include "surface/rail/words.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::surface::rail {
namespace {

using json::Object;
using verbs::ListedWorkflow;

constexpr std::size_t page_entries = 50;
// What one entry shows of texts that an author may make as long as a file.
constexpr std::size_t shown_bytes = 500;
// Room for what is around the entries.
constexpr std::size_t page_bytes = limits::result_bytes_max - 1'024;

std::string shown(std::string_view text) { return utf8::truncate(text, shown_bytes); }

Object entry_json(const ListedWorkflow& entry) {
  if (!entry.problem.empty()) {
    return {{"source", entry.source}, {"path", entry.path}, {"problem", shown(entry.problem)}};
  }
  json::Array tags;
  for (const std::string& tag : entry.tags) tags.emplace_back(tag);
  const bool namespaced = entry.id.find('.') != std::string::npos;
  return {{"workflowId", entry.id},
          {"name", shown(entry.name)},
          {"description", shown(entry.description)},
          {"version", entry.version},
          {"kind", entry.kind},
          {"idStatus", namespaced ? "namespaced" : "legacy"},
          {"workflowHash", cat("sha256:", entry.hash)},
          {"source", entry.source},
          {"tags", std::move(tags)}};
}

std::string entry_text(const ListedWorkflow& entry) {
  if (!entry.problem.empty()) return cat("- broken file: ", shown(entry.problem), '\n');
  return cat("- ", entry.id, " (", shown(entry.name), entry.kind == "routine" ? ", a routine" : "",
             ", version ", entry.version, "): ", shown(entry.description), '\n');
}

bool has_tag(const ListedWorkflow& entry, const std::string& tag) {
  return entry.problem.empty() && std::ranges::count(entry.tags, tag) > 0;
}

Result<protocol::ToolResult> call_list_workflows(const EngineSource& engine,
                                                 const protocol::ToolCall& call) {
  const engine::Engine* found = TRY(engine());
  auto entries = TRY(verbs::list_workflows(found->workflows, found->aux));
  std::erase_if(entries, [](const ListedWorkflow& entry) { return !entry.hidden_by.empty(); });
  if (const auto tag = text_argument(call.arguments, "tag")) {
    std::erase_if(entries, [&](const ListedWorkflow& entry) { return !has_tag(entry, *tag); });
  }
  const std::size_t first =
      TRY(first_of_page(text_argument(call.arguments, "cursor"), entries.size(), "list_workflows"));
  Page page(page_bytes);
  std::size_t last = first;
  while (last < entries.size() && last - first < page_entries &&
         page.add(entry_json(entries[last]), entry_text(entries[last]))) {
    ++last;
  }
  std::string text = entries.empty() ? "There are no workflows.\n" : std::move(page.text);
  Object out{{"workflows", std::move(page.entries)}};
  if (last < entries.size()) {
    out.set("nextCursor", cat(last));
    text += cat("More: call list_workflows with cursor \"", last, "\".\n");
  }
  text += "Call start_workflow with a workflowId to start one.\n";
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool list_workflows(const EngineSource& engine) {
  return {
      .name = "list_workflows",
      .title = "List workflows",
      .description =
          "Use this first, to see the available workflows and their ids. Files that "
          "cannot be read are listed with the reason.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,"properties":{
        "tag":{"type":"string","description":"Only workflows with this tag."},
        "cursor":{"type":"string","description":"The nextCursor of the page before."}}})"),
      .output_schema = schema(R"({"type":"object","properties":{
        "workflows":{"type":"array","items":{"type":"object"}},
        "nextCursor":{"type":"string"}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_list_workflows(engine, call), say);
          },
  };
}

}  // namespace baton::surface::rail
