#include "workflow/expand/prompt_text.h"

#include "base/text/text.h"
#include "workflow/check/closed_sets.h"
#include "workflow/check/word_set.h"

namespace baton::workflow {
namespace {

/// What becomes part of the text of a prompt.
constexpr WordSet text_keys("promptBlocks", "guidance", "instructions", "functionDefinitions",
                            "functionReferences");

void add_section(std::string& out, std::string_view title, std::string_view text) {
  if (text.empty()) return;
  if (!out.empty()) out += "\n\n";
  if (!title.empty()) out += cat("## ", title, "\n\n");
  out += text;
}

std::string bullets(const SyntaxNode& list, Diagnostics& diagnostics, bool numbered) {
  std::string out;
  std::size_t number = 0;
  for (const SyntaxNode& item : list.children) {
    ++number;
    if (!out.empty()) out += '\n';
    out += numbered ? cat(number, ". ") : std::string("- ");
    out += text_of_parts(item, diagnostics);
  }
  return out;
}

std::string bullets(const SyntaxNode& list) {
  Diagnostics none;
  return bullets(list, none, false);
}

/// The functions that a step or document defines. Of several with one name the first counts.
std::map<std::string_view, const SyntaxNode*> functions_by_name(const SyntaxNode& owner) {
  std::map<std::string_view, const SyntaxNode*> out;
  const SyntaxNode* list = owner.find("functionDefinitions");
  if (list == nullptr) return out;
  for (const SyntaxNode& each : list->children) out.emplace(each.text_of("name"), &each);
  return out;
}

std::string function_text(const SyntaxNode& function) {
  return cat("- `", function.text_of("name"), "`: ", function.text_of("definition"));
}

/// The functions that the step names or defines, one a line.
std::string functions_of(const SyntaxNode& step, const PromptPlace& place,
                         Diagnostics& diagnostics) {
  std::string out;
  const auto add = [&](const SyntaxNode& function) {
    if (!out.empty()) out += '\n';
    out += function_text(function);
  };
  if (const SyntaxNode* own = step.find("functionDefinitions")) {
    for (const SyntaxNode& each : own->children) add(each);
  }
  const SyntaxNode* used = step.find("functionReferences");
  if (used == nullptr) return out;
  const auto own = functions_by_name(step);
  auto shared = functions_by_name(place.document);
  for (const SyntaxNode* loop : place.loops) {
    for (const auto& [name, function] : functions_by_name(*loop)) shared[name] = function;
  }
  for (const SyntaxNode& each : used->children) {
    std::string_view name = each.text;
    if (name.ends_with("()")) name.remove_suffix(2);
    if (own.contains(name)) continue;
    if (const auto found = shared.find(name); found != shared.end()) {
      add(*found->second);
      continue;
    }
    std::vector<std::string_view> names;
    for (const auto& [known, function] : shared) {
      if (!diagnostics.is_full()) names.push_back(known);
    }
    diagnostics.error_unless(Dialect::workrail, Code::WORKFLOW_UNKNOWN_NAME, each.at,
                             cat("there is no function \"", name, '"'), did_you_mean(name, names));
  }
  return out;
}

/// The persona's text becomes the step's role, unless it has its own.
void attach_persona(SyntaxNode& step, const SyntaxNode& document, const Library& library) {
  if (step.has("agentRole")) return;
  if (const SyntaxNode* agent = step.find("agent")) {
    const auto found = library.personas.find(agent->text);
    if (found != library.personas.end()) {
      const std::string_view body = found->second.text_of("body");
      const std::string_view text = body.empty() ? found->second.text_of("description") : body;
      if (!text.empty()) step.set("agentRole", SyntaxNode::of_text(std::string(text), agent->at));
      return;
    }
  }
  const std::string_view role = document.text_of("agentRole");
  if (!role.empty()) step.set("agentRole", SyntaxNode::of_text(std::string(role), step.at));
}

}  // namespace

std::string text_of_parts(const SyntaxNode& value, Diagnostics& diagnostics) {
  if (value.is_text()) return value.text;
  std::string out;
  for (const SyntaxNode& part : value.children) {
    if (part.text_of("kind") == "text") {
      out += part.text_of("text");
      continue;
    }
    const SyntaxNode* ref = part.find("refId");
    if (ref == nullptr) {
      diagnostics.error(Code::WORKFLOW_MISSING_KEY, part.at, "a part of kind ref needs \"refId\"");
      continue;
    }
    const std::string_view id = bare_name(ref->text, "refs");
    if (const Ref* found = find_builtin(refs(), id)) {
      out += found->text;
      continue;
    }
    std::vector<std::string_view> names;
    for (const Ref& each : refs()) names.push_back(each.id);
    diagnostics.error_unless(Dialect::workrail, Code::WORKFLOW_UNKNOWN_NAME, ref->at,
                             cat("there is no ref \"", ref->text, '"'), did_you_mean(id, names));
    out += ref->text;
  }
  return out;
}

std::string text_of_blocks(const SyntaxNode& blocks, Diagnostics& diagnostics) {
  std::string out;
  if (const SyntaxNode* goal = blocks.find("goal")) {
    add_section(out, "Goal", text_of_parts(*goal, diagnostics));
  }
  if (const SyntaxNode* list = blocks.find("constraints")) {
    add_section(out, "Constraints", bullets(*list, diagnostics, false));
  }
  if (const SyntaxNode* list = blocks.find("procedure")) {
    add_section(out, "Procedure", bullets(*list, diagnostics, true));
  }
  if (const SyntaxNode* map = blocks.find("outputRequired")) {
    // By name: what a text says must not depend on the order of keys.
    std::map<std::string_view, std::string_view> sorted;
    for (const SyntaxNode& each : map->children) sorted[each.key] = each.text;
    std::string text;
    for (const auto& [name, value] : sorted) {
      text += cat(text.empty() ? "" : "\n", "- ", name, ": ", value);
    }
    add_section(out, "Output required", text);
  }
  if (const SyntaxNode* list = blocks.find("verify")) {
    add_section(out, "Verify", bullets(*list, diagnostics, false));
  }
  return out;
}

void compose_prompt(SyntaxNode& step, const PromptPlace& place, const Library& library,
                    Diagnostics& diagnostics) {
  SyntaxNode* prompt = step.find("prompt");
  const SourcePlace at = prompt == nullptr ? step.at : prompt->at;
  std::string text = prompt == nullptr ? std::string() : std::move(prompt->text);
  if (const SyntaxNode* blocks = step.find("promptBlocks")) {
    add_section(text, "", text_of_blocks(*blocks, diagnostics));
  }
  if (text.empty() && !step.has("promptFragments")) text = step.text_of("title");
  if (text.empty() && !step.has("promptFragments")) {
    diagnostics.error(Code::WORKFLOW_MISSING_KEY, step.at, "a prompt step needs a prompt",
                      "add \"prompt\" or \"promptBlocks\"");
  }
  if (const SyntaxNode* more = step.find("instructions")) add_section(text, "", more->text);
  if (const SyntaxNode* guidance = step.find("guidance")) {
    add_section(text, "Guidance", guidance->is_text() ? guidance->text : bullets(*guidance));
  }
  if (const SyntaxNode* actions = step.find("allowed_actions")) {
    add_section(text, "You may", bullets(*actions));
  }
  if (const SyntaxNode* format = step.find("required_output_format"); format && format->is_text()) {
    add_section(text, "Output", format->text);
  }
  add_section(text, "Functions", functions_of(step, place, diagnostics));
  std::erase_if(step.children,
                [](const SyntaxNode& child) { return text_keys.contains(child.key); });
  step.set("prompt", SyntaxNode::of_text(std::move(text), at));
  attach_persona(step, place.document, library);
}

std::string opening_text(const SyntaxNode& document) {
  std::string out;
  add_section(out, "", document.text_of("body"));
  const auto add_list = [&](std::string_view key, std::string_view title) {
    const SyntaxNode* list = document.find(key);
    if (list != nullptr) add_section(out, title, bullets(*list));
  };
  add_list("preconditions", "Before you begin, make sure of this");
  add_list("clarificationPrompts", "Ask first, where the answer is not known");
  add_list("metaGuidance", "For the whole run");
  if (const SyntaxNode* list = document.find("references")) {
    std::string text;
    for (const SyntaxNode& each : list->children) {
      text += cat(text.empty() ? "" : "\n", "- ", each.text_of("title"), " (",
                  each.text_of("source"), each.is_true("authoritative") ? ", to be followed" : "",
                  "): ", each.text_of("purpose"));
    }
    add_section(out, "References", text);
  }
  if (const SyntaxNode* list = document.find("functionDefinitions")) {
    std::string text;
    for (const SyntaxNode& each : list->children) {
      text += cat(text.empty() ? "" : "\n", function_text(each));
    }
    add_section(out, "Functions", text);
  }
  return out;
}

}  // namespace baton::workflow
