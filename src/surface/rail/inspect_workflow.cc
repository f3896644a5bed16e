#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "surface/arguments.h"
#include "surface/page.h"
#include "surface/rail/encode.h"
#include "surface/rail/tools.h"
#include "surface/rail/words.h"
#include "verbs/workflow/find_workflow.h"
#include "workflow/show/outline.h"

namespace baton::surface::rail {
namespace {

using json::Object;
using json::Value;
using workflow::Step;

// What is shown of texts that an author may make as long as a file.
constexpr std::size_t text_bytes = 2'000;
constexpr std::size_t outline_bytes = 6'000;
constexpr std::size_t field_bytes = 2'000;  // of one field of the workflow, or of one step's
constexpr std::size_t page_bytes = limits::result_bytes_max - 4'096;

/// A step of any depth, in the order of the workflow.
struct Placed {
  const Step* step = nullptr;
  std::size_t depth = 0;
};

std::vector<Placed> all_steps(const workflow::CompiledWorkflow& workflow) {
  std::vector<Placed> out;
  std::vector<Placed> todo;  // the next one last
  const auto push = [&](const std::vector<Step>& steps, std::size_t depth) {
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) todo.push_back({&*step, depth});
  };
  push(workflow.steps, 0);
  while (!todo.empty()) {
    const Placed next = todo.back();
    todo.pop_back();
    out.push_back(next);
    const auto& blocks = next.step->blocks;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      push(block->steps, next.depth + 1);
    }
  }
  return out;
}

/// The value itself, or a text that says how long it is.
Value shown(const Value& value) {
  if (const std::string* text = value.if_string()) return utf8::truncate(*text, field_bytes);
  const std::size_t bytes = json::print(value).size();
  if (bytes <= field_bytes) return value;
  return cat('[', bytes, " bytes; `baton inspect --format json` shows all]");
}

Object provenance_json(const workflow::StepOrigin& from, const workflow::Sources& sources) {
  return {{"from", from.from},
          {"at", cat(sources[from.at.file].name, ':', from.at.line, ':', from.at.column)}};
}

/// A compiled step without those inside it, which follow as entries of their own.
Object step_json(const Placed& placed, const workflow::Compilation& compilation) {
  Object compiled;
  Step alone = *placed.step;
  alone.blocks.clear();
  const Value whole = workflow::to_json(alone);
  for (const json::Member& member : *whole.if_object()) {
    compiled.set(member.key, shown(member.value));
  }
  Object out{{"stepId", placed.step->id},
             {"depth", static_cast<std::int64_t>(placed.depth)},
             {"compiled", std::move(compiled)}};
  json::Array provenance;
  for (const workflow::StepOrigin& each : compilation.provenance) {
    if (each.step != placed.step->id) continue;
    provenance.emplace_back(provenance_json(each, compilation.findings.sources));
  }
  if (!provenance.empty()) out.set("provenance", std::move(provenance));
  return out;
}

Object metadata_json(const verbs::FoundWorkflow& found) {
  const workflow::CompiledWorkflow& workflow = found.compilation.pinned->workflow;
  json::Array tags;
  for (const std::string& tag : workflow.tags) tags.emplace_back(tag);
  Object out{{"workflowId", workflow.id},
             {"name", utf8::truncate(workflow.name, text_bytes)},
             {"description", utf8::truncate(workflow.description, text_bytes)},
             {"version", workflow.version},
             {"kind", workflow.is_routine() ? "routine" : "workflow"},
             {"tags", std::move(tags)},
             {"source", found.file.source},
             {"file", found.file.path},
             {"workflowHash", cat("sha256:", found.compilation.pinned->hash.hex())},
             {"stepCount", std::ssize(all_steps(workflow))}};
  for (const std::string_view key :
       {"inputs", "references", "capabilities", "recommendedPreferences"}) {
    if (const Value* value = workflow.declared.find(key)) out.set(key, shown(*value));
  }
  return out;
}

std::string metadata_text(const Object& metadata) {
  std::string out;
  for (const json::Member& member : metadata) {
    const std::string* text = member.value.if_string();
    out += cat(member.key, ": ", text != nullptr ? *text : json::print(member.value), '\n');
  }
  return out;
}

/// Whole lines of the outline, and how many are left out.
std::string outline(const workflow::CompiledWorkflow& workflow) {
  std::string text = workflow::outline_of(workflow);
  if (text.size() <= outline_bytes) return text;
  const std::size_t end = text.rfind('\n', outline_bytes) + 1;
  const auto left =
      std::ranges::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), '\n');
  text.resize(end);
  return cat(utf8::prefix(text, end), '[', left,
             " more lines; mode \"preview\" shows every step]\n");
}

Result<protocol::ToolResult> call_inspect_workflow(const EngineSource& engine,
                                                   const protocol::ToolCall& call) {
  const verbs::FoundWorkflow found = TRY(verbs::inspect_workflow(
      TRY(engine())->workflows, text_argument(call.arguments, "workflowId").value_or("")));
  const workflow::CompiledWorkflow& workflow = found.compilation.pinned->workflow;
  const std::string mode = text_argument(call.arguments, "mode").value_or("metadata");
  Object out = metadata_json(found);
  std::string text = metadata_text(out);
  out.set("mode", mode);
  if (mode == "metadata") {
    out.set("outline", outline(workflow));
    text += cat("steps:\n", outline(workflow));
  } else {
    const std::vector<Placed> steps = all_steps(workflow);
    const std::size_t first = TRY(
        first_of_page(text_argument(call.arguments, "cursor"), steps.size(), "inspect_workflow"));
    Page page(page_bytes - std::min(page_bytes, 2 * text.size()));
    std::size_t last = first;
    for (; last < steps.size(); ++last) {
      Object entry = step_json(steps[last], found.compilation);
      const std::string line = cat("- ", json::print(entry), '\n');
      if (!page.add(std::move(entry), line)) break;
    }
    text += cat("compiled steps, a line each:\n", page.text);
    out.set("steps", std::move(page.entries));
    if (last < steps.size()) {
      out.set("nextCursor", cat(last));
      text += cat("More: call inspect_workflow with cursor \"", last, "\".\n");
    }
  }
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool inspect_workflow(const EngineSource& engine) {
  return {
      .name = "inspect_workflow",
      .title = "Inspect a workflow",
      .description =
          "Use this to see what a workflow needs and does before you start it. Mode metadata gives "
          "its inputs, references and outline; preview gives every compiled step and where it "
          "came from.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,
        "required":["workflowId"],"properties":{
        "workflowId":{"type":"string","description":"The workflow's id, from list_workflows."},
        "mode":{"type":"string","enum":["metadata","preview"],
          "description":"How much to show; default metadata."},
        "cursor":{"type":"string","description":"Of a preview: the nextCursor of the page before."
          }}})"),
      .output_schema = schema(R"({"type":"object","properties":{
        "workflowId":{"type":"string"},"name":{"type":"string"},"workflowHash":{"type":"string"},
        "mode":{"type":"string"},"stepCount":{"type":"integer"},
        "outline":{"type":"string"},"steps":{"type":"array","items":{"type":"object"}},
        "nextCursor":{"type":"string"}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_inspect_workflow(engine, call), say);
          },
  };
}

}  // namespace baton::surface::rail
