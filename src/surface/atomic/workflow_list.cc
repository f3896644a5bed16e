#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "surface/page.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::surface::atomic {
namespace {

using json::Object;
using verbs::ListedWorkflow;

// What one entry shows of texts that an author may make as long as a file.
constexpr std::size_t shown_bytes = 500;
constexpr std::size_t page_bytes = limits::result_bytes_max - 1'024;

/// A user's own workflows are the global ones; the others have their own names.
std::string_view source_of(const ListedWorkflow& entry) {
  return entry.source == "user" ? std::string_view("global") : std::string_view(entry.source);
}

Object entry_json(const ListedWorkflow& entry) {
  if (!entry.problem.empty()) {
    return {{"path", entry.path},
            {"source", source_of(entry)},
            {"problem", utf8::truncate(entry.problem, shown_bytes)}};
  }
  return {{"name", entry.id},
          {"path", entry.path},
          {"description", utf8::truncate(entry.description, shown_bytes)},
          {"source", source_of(entry)}};
}

std::string entry_text(const ListedWorkflow& entry) {
  if (!entry.problem.empty()) {
    return cat("- broken file: ", utf8::truncate(entry.problem, shown_bytes), '\n');
  }
  return cat("- ", entry.id, " (", source_of(entry), ", ", entry.path,
             "): ", utf8::truncate(entry.description, shown_bytes), '\n');
}

Result<protocol::ToolResult> call_workflow_list(const EngineSource& source,
                                                const protocol::ToolCall& call) {
  const engine::Engine* engine = TRY(source());
  auto entries = TRY(verbs::list_workflows(engine->workflows, engine->aux));
  const json::Value* global = call.arguments.find("include_global");
  const bool with_global = global == nullptr || *global->if_bool();
  std::erase_if(entries, [&](const ListedWorkflow& entry) {
    return !entry.hidden_by.empty() || (!with_global && source_of(entry) == "global");
  });
  const std::size_t first =
      TRY(first_of_page(text_argument(call.arguments, "cursor"), entries.size(), "workflow_list"));
  Page page(page_bytes);
  std::size_t last = first;
  while (last < entries.size() && page.add(entry_json(entries[last]), entry_text(entries[last]))) {
    ++last;
  }
  std::string text = entries.empty() ? "There are no workflows.\n" : std::move(page.text);
  Object out{{"workflows", std::move(page.entries)}};
  if (last < entries.size()) {
    out.set("next_cursor", cat(last));
    text += cat("More: call workflow_list with cursor \"", last, "\".\n");
  }
  text += "Call workflow_get_info with a name to see its inputs.\n";
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_list(const EngineSource& engine) {
  return {
      .name = "workflow_list",
      .title = "List workflows",
      .description = "Use this first, to see the available workflows.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,"properties":{
        "include_global":{"type":"boolean",
          "description":"The user's own too; default true."},
        "cursor":{"type":"string","description":"The last next_cursor."}}})"),
      .output_schema = schema(R"({"type":"object","properties":{
        "workflows":{"type":"array","items":{"type":"object"},
          "description":"name, path, description, source; problem."},
        "next_cursor":{"type":"string"}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_list(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
