#include "workflow/compiled.h"

#include <algorithm>
#include <array>
#include <variant>

#include "base/json/fields.h"
#include "base/text/text.h"

namespace baton::workflow {
namespace {

using json::Fields;
using json::Object;

constexpr std::array<std::string_view, 16> kind_names = {"prompt",
                                                         "user_message",
                                                         "user_input",
                                                         "mcp_call",
                                                         "shell_command",
                                                         "agent_shell_command",
                                                         "state_update",
                                                         "conditional",
                                                         "loop",
                                                         "break",
                                                         "continue",
                                                         "exit",
                                                         "parallel_foreach",
                                                         "include",
                                                         "apply_hints",
                                                         "wait_step"};

constexpr std::string_view step_fields[] = {"agent",
                                            "allowParallel",
                                            "argv",
                                            "assessmentConsequences",
                                            "assessmentRefs",
                                            "choices",
                                            "condition",
                                            "confirmation",
                                            "context",
                                            "context_template",
                                            "count",
                                            "default",
                                            "dependencies",
                                            "description",
                                            "env",
                                            "evidence",
                                            "expected_response",
                                            "file",
                                            "format",
                                            "fragments",
                                            "frame",
                                            "hints",
                                            "input_type",
                                            "inputs",
                                            "instructions",
                                            "item_var",
                                            "items",
                                            "index_var",
                                            "iteration_var",
                                            "kind",
                                            "command",
                                            "control",
                                            "loop_id",
                                            "max_iterations",
                                            "max_parallel",
                                            "max_retries",
                                            "message",
                                            "message_type",
                                            "nonAssumableChoice",
                                            "notesOptional",
                                            "on_error",
                                            "on_sub_agent_error",
                                            "outputContract",
                                            "output_format",
                                            "parameters",
                                            "pathPatterns",
                                            "reason",
                                            "runCondition",
                                            "sandbox",
                                            "sub_agent_prompt",
                                            "tags",
                                            "task",
                                            "timeout_ms",
                                            "tool",
                                            "tools",
                                            "updates",
                                            "validation",
                                            "validationCriteria",
                                            "wait_for_all",
                                            "workflow",
                                            "working_directory",
                                            "error_update",
                                            "required_output_format",
                                            "allowed_actions"};

constexpr std::string_view workflow_fields[] = {"assessments",
                                                "capabilities",
                                                "clarificationPrompts",
                                                "complexity",
                                                "config",
                                                "contracts",
                                                "error_handling",
                                                "estimated_duration_minutes",
                                                "functions",
                                                "guidance",
                                                "inputs",
                                                "kind",
                                                "metaGuidance",
                                                "on_resume",
                                                "personas",
                                                "preconditions",
                                                "recommendedPreferences",
                                                "references",
                                                "rules",
                                                "state",
                                                "tasks",
                                                "triggers",
                                                "features"};

/// The fields that a block of each kind of step may have.
std::span<const std::string_view> block_names_of(StepKind kind) {
  static constexpr std::string_view branches[] = {"then", "else"};
  static constexpr std::string_view body[] = {"body"};
  static constexpr std::string_view steps[] = {"steps"};
  switch (kind) {
    case StepKind::conditional: return branches;
    case StepKind::loop: return body;
    case StepKind::parallel_foreach:
    case StepKind::include: return steps;
    default: return {};
  }
}

json::Array steps_json(const std::vector<Step>& steps) {
  json::Array out;
  out.reserve(steps.size());
  for (const Step& step : steps) out.push_back(to_json(step));
  return out;
}

/// What a step of a few fields takes beside its prompt, about: most texts are allocated once.
constexpr std::size_t step_bytes = 128;

// --- canonical text -----------------------------------------------------------------------------

/// Writes the canonical text of what to_json() makes, directly from the values. Every key is of
/// a closed set of ASCII words, whose order is that of their bytes.
class CanonicalWriter {
 public:
  explicit CanonicalWriter(std::string& out) : out_(out) {}

  Result<void> workflow(const CompiledWorkflow& workflow) {
    json::Array tags(workflow.tags.begin(), workflow.tags.end());
    const json::Value listed(std::move(tags));
    Members members{{"id", workflow.id},
                    {"name", workflow.name},
                    {"description", workflow.description},
                    {"version", workflow.version},
                    {"tags", &listed},
                    {"steps", &workflow.steps}};
    for (const json::Member& member : workflow.fields) {
      members.push_back({member.key, &member.value});
    }
    return object(std::move(members));
  }

 private:
  struct Member {
    std::string_view key;
    std::variant<std::string_view, bool, const json::Value*, const std::vector<Step>*> value;
  };
  using Members = std::vector<Member>;

  Result<void> step(const Step& step) {
    Members members;
    members.reserve(6 + step.fields.size() + step.blocks.size());
    members.push_back({"id", step.id});
    members.push_back({"title", step.title});
    members.push_back({"type", name_of(step.kind)});
    if (step.kind == StepKind::prompt) {
      members.push_back({"prompt", step.prompt});
      members.push_back({"requireConfirmation", step.require_confirmation});
    }
    if (step.agent_role) members.push_back({"agentRole", *step.agent_role});
    for (const json::Member& member : step.fields) members.push_back({member.key, &member.value});
    for (const Block& block : step.blocks) members.push_back({block.name, &block.steps});
    return object(std::move(members));
  }

  Result<void> object(Members members) {
    std::ranges::sort(members, {}, &Member::key);
    char before = '{';
    for (const Member& member : members) {
      out_ += before;
      before = ',';
      json::append_quoted(out_, member.key);
      out_ += ':';
      TRY(std::visit([&](const auto& value) { return write(value); }, member.value));
    }
    out_ += '}';
    return {};
  }

  Result<void> write(std::string_view text) {
    json::append_quoted(out_, text);
    return {};
  }
  Result<void> write(bool value) {
    out_ += value ? "true" : "false";
    return {};
  }
  Result<void> write(const json::Value* value) { return json::canonical_to(out_, *value); }
  Result<void> write(const std::vector<Step>* steps) {
    out_ += '[';
    for (const Step& each : *steps) {
      if (&each != steps->data()) out_ += ',';
      TRY(step(each));
    }
    out_ += ']';
    return {};
  }

  std::string& out_;
};

Result<Step> step_from_json(const json::Value& value) {
  constexpr std::string_view what = "pinned step";
  Fields fields(value, what, Code::STORE_CORRUPT);
  Step step;
  step.id = TRY(fields.string("id"));
  const auto kind = step_kind(TRY(fields.string("type")));
  if (!kind) return fields.wrong("type", "a step type");
  step.kind = *kind;
  step.title = TRY(fields.string("title"));
  if (step.kind == StepKind::prompt) {
    step.prompt = TRY(fields.string("prompt"));
    step.require_confirmation = TRY(fields.boolean("requireConfirmation"));
  }
  if (fields.has("agentRole")) step.agent_role = TRY(fields.string("agentRole"));
  for (const std::string_view name : block_names_of(step.kind)) {
    if (!fields.has(name)) continue;
    std::vector<Step> inner = TRY(steps_from_json(*TRY(fields.array(name))));
    step.blocks.push_back({std::string(name), std::move(inner)});
  }
  for (const json::Member& member : *value.if_object()) {
    if (std::ranges::find(step_fields, member.key) == std::end(step_fields)) continue;
    step.fields.append_new(member.key, *TRY(fields.any(member.key)));
  }
  TRY(fields.done());
  return step;
}

}  // namespace

Result<std::vector<Step>> steps_from_json(const json::Array& values) {
  std::vector<Step> steps;
  steps.reserve(values.size());
  for (const json::Value& value : values) steps.push_back(TRY(step_from_json(value)));
  return steps;
}

namespace {

/// A task of one prompt is a task of one step, named like it.
Result<TaskBlocks> blocks_of_task(const std::string& name, const json::Value& task) {
  TaskBlocks blocks;
  const json::Value* steps = task.find("steps");
  const json::Value* prompt = task.find("prompt");
  if (steps != nullptr && steps->if_array() != nullptr) {
    std::vector<Step> own = TRY(steps_from_json(*steps->if_array()));
    blocks.push_back({"steps", std::move(own)});
  } else if (prompt != nullptr && prompt->if_string() != nullptr) {
    const json::Value* about = task.find("description");
    const std::string* title = about == nullptr ? nullptr : about->if_string();
    const bool is_titled = title != nullptr && !title->empty();
    blocks.push_back(
        {"steps", {prompt_step(name, is_titled ? *title : name, *prompt->if_string())}});
  } else {
    blocks.push_back({"steps", {}});
  }
  const json::Value* handling = task.find("error_handling");
  const json::Value* cleanup = handling == nullptr ? nullptr : handling->find("cleanup");
  if (cleanup != nullptr && cleanup->if_array() != nullptr) {
    std::vector<Step> after = TRY(steps_from_json(*cleanup->if_array()));
    blocks.push_back({"cleanup", std::move(after)});
  }
  return blocks;
}

Result<void> read_tasks(CompiledWorkflow& workflow) {
  workflow.tasks.clear();
  const json::Value* tasks = workflow.fields.find("tasks");
  if (tasks == nullptr || tasks->if_object() == nullptr) return {};
  for (const json::Member& each : *tasks->if_object()) {
    workflow.tasks.emplace(each.key, TRY(blocks_of_task(each.key, each.value)));
  }
  return {};
}

}  // namespace

const json::Value* task_of(const CompiledWorkflow& workflow, const Step& step) {
  if (step.kind != StepKind::parallel_foreach) return nullptr;
  const json::Value* name = step.fields.find("task");
  const json::Value* tasks = workflow.fields.find("tasks");
  if (name == nullptr || name->if_string() == nullptr || tasks == nullptr) return nullptr;
  return tasks->find(*name->if_string());
}

const std::vector<Block>& blocks_of(const CompiledWorkflow& workflow, const Step& step) {
  if (step.kind != StepKind::parallel_foreach || !step.blocks.empty()) return step.blocks;
  const json::Value* name = step.fields.find("task");
  if (name == nullptr || name->if_string() == nullptr) return step.blocks;
  const auto found = workflow.tasks.find(*name->if_string());
  return found == workflow.tasks.end() ? step.blocks : found->second;
}

std::string_view name_of(StepKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::optional<StepKind> step_kind(std::string_view name) {
  const auto found = std::ranges::find(kind_names, name);
  if (found == kind_names.end()) return std::nullopt;
  return static_cast<StepKind>(found - kind_names.begin());
}

Step prompt_step(std::string id, std::string title, std::string prompt, bool require_confirmation,
                 std::optional<std::string> agent_role) {
  Step step;
  step.id = std::move(id);
  step.title = std::move(title);
  step.prompt = std::move(prompt);
  step.require_confirmation = require_confirmation;
  step.agent_role = std::move(agent_role);
  return step;
}

bool CompiledWorkflow::is_routine() const {
  const json::Value* kind = fields.find("kind");
  return kind != nullptr && kind->is_string() && *kind->if_string() == "routine";
}

json::Value to_json(const Step& step) {
  Object out{{"id", step.id}, {"type", name_of(step.kind)}, {"title", step.title}};
  if (step.kind == StepKind::prompt) {
    out.append_new("prompt", step.prompt);
    out.append_new("requireConfirmation", step.require_confirmation);
  }
  if (step.agent_role) out.append_new("agentRole", *step.agent_role);
  for (const json::Member& member : step.fields) out.append_new(member.key, member.value);
  for (const Block& block : step.blocks) out.append_new(block.name, steps_json(block.steps));
  return out;
}

json::Value to_json(const CompiledWorkflow& workflow) {
  json::Array tags;
  for (const std::string& tag : workflow.tags) tags.emplace_back(tag);
  Object out{{"id", workflow.id},
             {"name", workflow.name},
             {"description", workflow.description},
             {"version", workflow.version},
             {"tags", std::move(tags)},
             {"steps", steps_json(workflow.steps)}};
  for (const json::Member& member : workflow.fields) out.append_new(member.key, member.value);
  return out;
}

Result<CompiledWorkflow> compiled_from_json(const json::Value& value) {
  Fields fields(value, "pinned workflow", Code::STORE_CORRUPT);
  CompiledWorkflow workflow;
  workflow.id = TRY(fields.string("id"));
  workflow.name = TRY(fields.string("name"));
  workflow.description = TRY(fields.string("description"));
  workflow.version = TRY(fields.string("version"));
  workflow.tags = TRY(fields.strings("tags"));
  workflow.steps = TRY(steps_from_json(*TRY(fields.array("steps"))));
  for (const json::Member& member : *value.if_object()) {
    if (std::ranges::find(workflow_fields, member.key) == std::end(workflow_fields)) continue;
    workflow.fields.append_new(member.key, *TRY(fields.any(member.key)));
  }
  TRY(fields.done());
  const json::Value* handling = workflow.fields.find("error_handling");
  const json::Value* steps = handling == nullptr ? nullptr : handling->find("on_failure");
  if (steps != nullptr && steps->is_array()) {
    workflow.on_failure = TRY(steps_from_json(*steps->if_array()));
  }
  TRY(read_tasks(workflow));
  return workflow;
}

Result<Pinned> pin(CompiledWorkflow workflow) {
  TRY(read_tasks(workflow));
  std::string text;
  std::size_t bytes = step_bytes;
  for (const Step& step : workflow.steps) bytes += step.prompt.size() * 17 / 16 + step_bytes;
  text.reserve(bytes);
  TRY(CanonicalWriter(text).workflow(workflow));
  const Sha256 hash = sha256(text);
  return Pinned{std::move(workflow), std::move(text), hash};
}

Result<Pinned> unpin(std::string text, const Sha256& hash) {
  if (sha256(text) != hash) {
    return fail(Code::STORE_CORRUPT, cat("the pinned workflow ", hash.hex(), " was changed"));
  }
  const auto value = json::parse(text, {.bytes_max = limits::compiled_workflow_bytes_max,
                                        .depth_max = limits::compiled_workflow_depth_max});
  if (!value) {
    return fail(Code::STORE_CORRUPT,
                cat("the pinned workflow ", hash.hex(), " is not JSON: ", value.error().message));
  }
  CompiledWorkflow workflow = TRY(compiled_from_json(*value));
  return Pinned{std::move(workflow), std::move(text), hash};
}

std::string instance_key(std::span<const LoopRound> loops, std::string_view step) {
  if (loops.empty()) return std::string(step);
  std::string out;
  for (const LoopRound& round : loops) {
    out += cat(out.empty() ? "" : "/", round.loop, '@', round.iteration);
  }
  return cat(out, "::", step);
}

}  // namespace baton::workflow
