#include "workflow/read/document.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "workflow/read/read.h"

namespace baton::workflow {
namespace {

constexpr std::string_view blocks[] = {"then", "else", "body", "steps"};

/// A phase's name as an id: what an id cannot hold becomes a hyphen.
std::string id_from(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool fits = is_valid_name(std::string_view(&c, 1)) && c != ':';
    if (fits)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

SyntaxNode step_of_phase(SyntaxNode& phase) {
  SyntaxNode step = SyntaxNode::object(phase.at);
  const SyntaxNode* name = phase.find("phase");
  const std::string_view title = name == nullptr ? std::string_view() : name->text;
  const SourcePlace at = name == nullptr ? phase.at : name->at;
  step.set("id", SyntaxNode::of_text(id_from(title), at));
  step.set("type", SyntaxNode::of_text("prompt", phase.at));
  step.set("title", SyntaxNode::of_text(std::string(title), at));
  const SyntaxNode* description = phase.find("description");
  step.set("prompt", description != nullptr && !description->text.empty()
                         ? *description
                         : SyntaxNode::of_text(std::string(title), at));
  if (const SyntaxNode* agent = phase.find("agent")) step.set("agent", *agent);
  if (const SyntaxNode* parallel = phase.find("allowParallel"))
    step.set("allowParallel", *parallel);
  if (SyntaxNode* needs = phase.find("dependsOn"); needs != nullptr && !needs->children.empty()) {
    for (SyntaxNode& each : needs->children) each.text = id_from(each.text);
    step.set("dependencies", *needs);
  }
  return step;
}

/// WorkRail tells its routines by their ids and their folder.
void mark_routine(SyntaxNode& root, std::string_view path) {
  const std::string_view id = root.text_of("id");
  const bool is_routine = id.starts_with("wr.routine-") || id.starts_with("routine-") ||
                          path.find("/routines/") != std::string_view::npos;
  if (is_routine && !root.has("kind")) {
    root.set("kind", SyntaxNode::of_text("routine", root.at));
  }
}

/// Midex has any text for a name; its id is what an id can hold of it.
void name_to_id(SyntaxNode& root) {
  const SyntaxNode* name = root.find("name");
  if (root.has("id") || name == nullptr || is_valid_name(name->text)) return;
  std::string id = id_from(name->text);
  if (is_valid_name(id)) root.set("id", SyntaxNode::of_text(std::move(id), name->at));
}

void phases_to_steps(SyntaxNode& root, Diagnostics& diagnostics) {
  SyntaxNode* phases = root.find("phases");
  if (phases == nullptr) return;
  if (const SyntaxNode* steps = root.find("steps")) {
    diagnostics.error(Code::WORKFLOW_DUPLICATE_KEY, steps->key_at,
                      "\"phases\" and \"steps\" are two names of one key", "keep one of them");
    return;
  }
  SyntaxNode steps = SyntaxNode::array(phases->at);
  for (SyntaxNode& phase : phases->children) steps.append(step_of_phase(phase));
  root.erase("phases");
  root.set("steps", std::move(steps));
}

/// Ids for steps that have none, from their place: `greet`, `greet.then.2`.
void fill_ids(SyntaxNode& steps, const std::string& prefix) {
  for (std::size_t i = 0; i < steps.children.size(); ++i) {
    SyntaxNode& step = steps.children[i];
    if (!step.has("id")) {
      step.set("id", SyntaxNode::of_text(cat(prefix, step.text_of("type"), '-', i + 1), step.at));
    }
    const std::string id(step.text_of("id"));
    for (const std::string_view key : blocks) {
      if (SyntaxNode* block = step.find(key); block != nullptr && block->is_array()) {
        fill_ids(*block, cat(id, '.', key == "body" || key == "steps" ? "" : cat(key, '.')));
      }
    }
  }
}

void fill_all_ids(SyntaxNode& root) {
  if (SyntaxNode* steps = root.find("steps")) fill_ids(*steps, "");
  if (SyntaxNode* tasks = root.find("sub_agent_tasks")) {
    for (SyntaxNode& task : tasks->children) {
      if (SyntaxNode* steps = task.find("steps")) fill_ids(*steps, "");
      SyntaxNode* handling = task.find("error_handling");
      SyntaxNode* cleanup = handling == nullptr ? nullptr : handling->find("cleanup_on_error");
      if (cleanup != nullptr) fill_ids(*cleanup, "cleanup_on_error.");
    }
  }
  if (SyntaxNode* handling = root.find("error_handling")) {
    if (SyntaxNode* steps = handling->find("on_failure")) fill_ids(*steps, "on_failure.");
  }
}

void unwrap(SyntaxNode& root, Diagnostics& diagnostics) {
  SyntaxNode* inner = root.find("workflow");
  if (inner == nullptr || !inner->is_object()) return;
  for (const SyntaxNode& child : root.children) {
    if (child.key == "workflow" || child.key == "body" || child.key == "$schema") continue;
    diagnostics.error(Code::WORKFLOW_UNKNOWN_KEY, child.key_at,
                      cat("\"", child.key, "\" is beside the wrapper \"workflow\""),
                      "move it into the wrapper");
  }
  SyntaxNode taken = std::move(*inner);
  if (const SyntaxNode* body = root.find("body")) taken.set("body", *body);
  root = std::move(taken);
}

}  // namespace

std::span<const std::string_view> block_keys() { return blocks; }

bool is_valid_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == ':' || c == '.';
  };
  return !name.empty() && name.size() <= limits::workflow_name_bytes_max &&
         name.find("..") == std::string_view::npos && std::ranges::all_of(name, allowed);
}

std::optional<WorkflowDocument> load_document(const SourceText& source, std::uint32_t file,
                                              Diagnostics& diagnostics) {
  std::optional<SyntaxNode> root = read_source(source, file, diagnostics);
  if (!root) return std::nullopt;
  if (!root->is_object()) {
    diagnostics.error(Code::WORKFLOW_WRONG_TYPE, root->at, "a workflow must be an object");
    return std::nullopt;
  }
  unwrap(*root, diagnostics);
  WorkflowDocument document;
  document.dialect = dialect_of(*root, source.name);
  document.is_json = source.name.ends_with(".json");
  document.is_marked =
      document.dialect == Dialect::workrail && has_workrail_mark(*root, source.name);
  diagnostics.set_dialect(file, document.dialect);
  if (document.dialect == Dialect::workrail) mark_routine(*root, source.name);
  if (document.dialect == Dialect::midex) name_to_id(*root);
  check_shape(*root, document_shape(), {document.dialect, diagnostics});
  phases_to_steps(*root, diagnostics);
  fill_all_ids(*root);
  document.id = root->text_of(root->has("id") ? "id" : "name");
  document.root = *std::move(root);
  return document;
}

std::optional<SyntaxNode> load_note(const SourceText& source, std::uint32_t file,
                                    const Shape& shape, Diagnostics& diagnostics) {
  Diagnostics own;
  std::optional<SyntaxNode> node = read_source(source, file, own);
  // Other programs keep more in the front matter of their agents.
  if (node) check_shape(*node, shape, {Dialect::midex, own});
  for (const Diagnostic& each : own.sorted()) {
    if (each.severity == Severity::error) {
      diagnostics.error(each.code, each.at, each.message, each.hint);
    }
  }
  if (own.has_errors()) return std::nullopt;
  return node;
}

}  // namespace baton::workflow
