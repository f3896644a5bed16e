#include "workflow/compile.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "workflow/check/check_steps.h"
#include "workflow/check/closed_sets.h"
#include "workflow/expand/foreign.h"
#include "workflow/read/normalise.h"
#include "workflow/read/read.h"

namespace baton::workflow {

Compiler::Compiler(SourceText source, CompileOptions options) : options_(options) {
  sources_.push_back(std::move(source));
}

std::uint32_t Compiler::add(SourceText text) {
  sources_.push_back(std::move(text));
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

void Compiler::want(NeedSource::Kind kind, std::string name, std::uint32_t file,
                    std::vector<std::string> other_names) {
  if (!asked_.emplace(kind, name).second) return;
  if (asked_.size() > limits::workflow_sources_max) {
    SourcePlace at;
    at.file = file;
    diagnostics_.error(Code::LIMIT_EXCEEDED, at,
                       cat("more than ", limits::workflow_sources_max, " other files are needed"));
    return;
  }
  needs_.push_back({kind, std::move(name), sources_[file].name, std::move(other_names)});
}

void Compiler::look_for_needs(const SyntaxNode& node, const WorkflowDocument& document) {
  const std::string_view type = node.text_of("type");
  const std::uint32_t file = node.at.file;
  if (type == "include_workflow" && node.has("workflow")) {
    const std::string_view name = node.text_of("workflow");
    if (library_.find(name) == nullptr) {
      want(NeedSource::Kind::workflow, std::string(name), file);
    }
  }
  const auto want_routine = [&](std::string_view name) {
    const std::string_view bare = bare_name(name, "templates");
    if (find_builtin(templates(), bare) != nullptr || name.empty()) return;
    std::vector<std::string> names = routine_names(name);
    std::string first = std::move(names.front());
    names.erase(names.begin());
    want(NeedSource::Kind::workflow, std::move(first), file, std::move(names));
  };
  if (type == "template_call") {
    const SyntaxNode* call = node.find("templateCall");
    want_routine((call == nullptr ? node : *call).text_of("templateId"));
  }
  if (const SyntaxNode* delegations = node.find("parallelDelegations");
      delegations != nullptr && type == "parallel") {
    for (const SyntaxNode& each : delegations->children) want_routine(each.text_of("workflowId"));
  }
  if (const SyntaxNode* agent = node.find("agent"); agent != nullptr && type == "prompt") {
    persona_places_.emplace(agent->text, agent->at);
    want(NeedSource::Kind::persona, agent->text, file);
    want(NeedSource::Kind::rules, "", file);
  }
  for (const SyntaxNode& child : node.children) {
    if (child.is_object() || child.is_array()) look_for_needs(child, document);
  }
}

void Compiler::look_for_needs(const WorkflowDocument& document) {
  if (const SyntaxNode* imports = document.root.find("imports")) {
    for (const SyntaxNode& each : imports->children) {
      want(NeedSource::Kind::file, each.text, each.at.file);
    }
  }
  if (document.root.has("extensionPoints")) {
    want(NeedSource::Kind::bindings, "", document.root.at.file);
  }
  look_for_needs(document.root, document);
}

void Compiler::load_main() {
  loaded_ = true;
  main_ = load_document(sources_[0], 0, diagnostics_);
  if (!main_) return;
  normalise_document(main_->root, main_->dialect, diagnostics_);
  check_identity();
  look_for_needs(*main_);
  // Imports first: they may bring what includes name.
  std::ranges::stable_sort(needs_, [](const NeedSource& a, const NeedSource& b) {
    return (a.kind == NeedSource::Kind::file) > (b.kind == NeedSource::Kind::file);
  });
}

void Compiler::check_identity() {
  const SyntaxNode& root = main_->root;
  const SyntaxNode* named = root.find(root.has("id") ? "id" : "name");
  if (named == nullptr) {
    diagnostics_.error(Code::WORKFLOW_MISSING_KEY, root.at, "a workflow needs \"id\" or \"name\"");
  } else if (!is_valid_name(main_->id)) {
    diagnostics_.error(Code::WORKFLOW_WRONG_VALUE, named->at, cat("\"", main_->id, "\" is invalid"),
                       "letters, digits, '-', '_', ':' and '.' only, 1 to 128 characters; a title "
                       "goes into \"title\"");
  } else if (main_->id.starts_with("baton.") && !options_.is_bundled) {
    diagnostics_.error(Code::WORKFLOW_RESERVED_NAME, named->at,
                       "ids that begin with \"baton.\" are reserved for bundled workflows");
  }
  // A misspelled or malformed "steps" was reported already.
  if (!root.has("steps") && !diagnostics_.has_errors()) {
    diagnostics_.error(Code::WORKFLOW_MISSING_KEY, root.at, "a workflow needs \"steps\"");
  }
}

std::variant<NeedSource, Compilation> Compiler::next() {
  if (!loaded_) load_main();
  while (!needs_.empty()) {
    NeedSource need = std::move(needs_.front());
    needs_.erase(needs_.begin());
    // An import may have brought it meanwhile.
    if (need.kind == NeedSource::Kind::workflow && library_.find(need.name) != nullptr) continue;
    waiting_ = need;
    return need;
  }
  return finish();
}

void Compiler::supply(std::vector<SourceText> texts) {
  ASSERT(waiting_.has_value());
  const NeedSource need = *std::move(waiting_);
  waiting_.reset();
  using Kind = NeedSource::Kind;
  for (SourceText& text : texts) {
    const std::uint32_t file = add(std::move(text));
    const SourceText& source = sources_[file];
    if (need.kind == Kind::persona || need.kind == Kind::rules) {
      const bool is_rule = need.kind == Kind::rules;
      auto note = load_note(source, file, is_rule ? rule_shape() : persona_shape(), diagnostics_);
      if (!note) continue;
      if (!is_rule)
        library_.personas.emplace(need.name, *std::move(note));
      else if (note->is_true("alwaysApply"))
        library_.rules.push_back(*std::move(note));
      continue;
    }
    if (need.kind == Kind::bindings) {
      const auto node = read_source(source, file, diagnostics_);
      for (std::size_t i = 0; node && i < node->children.size(); ++i) {
        const SyntaxNode& each = node->children[i];
        if (each.is_text()) library_.bindings[each.key] = each.text;
        // WorkRail has them by workflow.
        if (!main_ || each.key != main_->id) continue;
        for (const SyntaxNode& own : each.children) {
          if (own.is_text()) library_.bindings[own.key] = own.text;
        }
      }
      continue;
    }
    auto document = load_document(source, file, diagnostics_);
    if (!document) continue;
    normalise_document(document->root, document->dialect, diagnostics_);
    const auto placed = library_.workflows.emplace(need.name, *std::move(document)).first;
    look_for_needs(placed->second);
  }
}

namespace {

using Places = std::map<std::string, SourcePlace, std::less<>>;

/// Keys of steps that a run may refuse.
constexpr std::string_view refusable_keys[] = {
    "timeout_ms", "on_error", "updates", "tools", "error_state_update", "requireConfirmation"};

void add_step_places(const SyntaxNode& steps, Places& out) {
  for (const SyntaxNode& step : steps.children) {
    const std::string id(step.text_of("id"));
    out.emplace(id, step.at);
    for (const std::string_view key : refusable_keys) {
      if (const SyntaxNode* found = step.find(key)) out.emplace(cat(id, '\n', key), found->at);
    }
    for (const std::string_view key : block_keys()) {
      const SyntaxNode* inner = step.find(key);
      if (inner != nullptr && inner->is_array()) add_step_places(*inner, out);
    }
  }
}

/// Of a document or a task.
void add_places(const SyntaxNode& owner, Places& out) {
  if (const SyntaxNode* steps = owner.find("steps")) add_step_places(*steps, out);
  if (const SyntaxNode* handling = owner.find("error_handling")) {
    for (const std::string_view key : {"on_failure", "cleanup_on_error"}) {
      if (const SyntaxNode* steps = handling->find(key)) add_step_places(*steps, out);
    }
  }
  if (const SyntaxNode* config = owner.find("config")) out.emplace("\nconfig", config->at);
  if (const SyntaxNode* inputs = owner.find("inputs")) {
    for (const SyntaxNode& each : inputs->children) out.emplace(each.key, each.at);
  }
  for (const std::string_view part : {"default_state", "state_schema"}) {
    const SyntaxNode* found = owner.find(part);
    for (std::size_t i = 0; found != nullptr && i < found->children.size(); ++i) {
      for (const SyntaxNode& field : found->children[i].children) out.emplace(field.key, field.at);
    }
  }
}

}  // namespace

Compilation Compiler::finish() {
  Compilation out;
  if (main_) {
    out.id = main_->id;
    out.dialect = main_->dialect;
    for (const auto& [name, at] : persona_places_) {
      if (library_.personas.contains(name)) continue;
      std::string message = cat("there is no persona \"", name, '"');
      // Templates of Midex name agents that may be kept elsewhere.
      if (main_->dialect == Dialect::midex) {
        diagnostics_.warning(Code::WORKFLOW_UNKNOWN_NAME, at, std::move(message));
      } else {
        diagnostics_.error(Code::WORKFLOW_UNKNOWN_NAME, at, std::move(message),
                           "put it in the folder agents beside the workflows");
      }
    }
    const SourcePlace top = main_->root.at;
    Expanded expanded = expand(*main_, library_, diagnostics_);
    check_steps(expanded, diagnostics_);
    out.expressions = check_names(expanded, main_->dialect, sources_, diagnostics_);
    add_places(expanded.root, out.places);
    for (const SyntaxNode& task : expanded.tasks.children) add_places(task, out.places);
    out.provenance = std::move(expanded.provenance);
    if (!diagnostics_.has_errors()) {
      Lowered lowered = lower(*main_, std::move(expanded), library_, diagnostics_);
      out.commands = std::move(lowered.commands);
      auto pinned = pin(std::move(lowered.workflow));
      if (!pinned) {
        diagnostics_.error(pinned.error().code, top, pinned.error().message,
                           pinned.error().next.text());
      } else if (pinned->text.size() > limits::compiled_workflow_bytes_max) {
        diagnostics_.error(Code::LIMIT_EXCEEDED, top,
                           cat("the compiled workflow has more than ",
                               limits::compiled_workflow_bytes_max, " bytes"));
      } else {
        out.pinned = *std::move(pinned);
      }
      if (diagnostics_.has_errors()) out.pinned.reset();
    }
  }
  out.findings = {std::move(sources_), diagnostics_.sorted(), diagnostics_.left_out()};
  return out;
}

Error error_of(const Compilation& compilation) {
  std::string message;
  for (const Diagnostic& each : compilation.findings.diagnostics) {
    if (each.severity != Severity::error) continue;
    if (!message.empty()) message += '\n';
    message += short_text_of(each, compilation.findings.sources);
  }
  if (compilation.findings.left_out > 0) {
    message += cat("\n... and ", compilation.findings.left_out, " more");
  }
  return Error::make(Code::WORKFLOW_INVALID, std::move(message), "fix the file and try again");
}

namespace {

/// How many steps come before each at least, by the needs of the block. A circle cannot have been
/// compiled, so that each step has its turn.
std::map<std::string_view, std::size_t> levels_of(const std::vector<Step>& steps) {
  std::map<std::string_view, std::size_t> left;  // needs whose level is not known yet
  std::map<std::string_view, std::vector<std::string_view>> needed_by;
  for (const Step& step : steps) left[step.id] = 0;
  for (const Step& step : steps) {
    for (const std::string& each : step.dependencies) {
      if (!left.contains(each)) continue;
      ++left[step.id];
      needed_by[each].push_back(step.id);
    }
  }
  std::map<std::string_view, std::size_t> level;
  std::vector<std::string_view> ready;
  for (const auto& [id, needs] : left) {
    level[id] = 0;
    if (needs == 0) ready.push_back(id);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const std::string_view reader : needed_by[ready[i]]) {
      level[reader] = std::max(level[reader], level[ready[i]] + 1);
      if (--left[reader] == 0) ready.push_back(reader);
    }
  }
  return level;
}

}  // namespace

std::string_view shape_of(const CompiledWorkflow& workflow) {
  const bool has_needs = std::ranges::any_of(
      workflow.steps, [](const Step& step) { return !step.dependencies.empty(); });
  if (!has_needs) return "sequential";
  std::map<std::string_view, std::size_t> level = levels_of(workflow.steps);
  std::map<std::size_t, std::vector<const Step*>> levels;
  for (const Step& step : workflow.steps) levels[level[step.id]].push_back(&step);
  bool any = false;
  for (const auto& [depth, steps] : levels) {
    if (steps.size() < 2) continue;
    any = true;
    for (const Step* step : steps) {
      if (!step->allow_parallel.value_or(true)) return "hybrid";
    }
  }
  return any ? "parallel" : "hybrid";
}

}  // namespace baton::workflow
