#include "workflow/compiled.h"

#include <algorithm>
#include <variant>

#include "base/json/fields.h"
#include "base/text/text.h"
#include "workflow/steps/members.h"

namespace baton::workflow {
namespace {

using json::Fields;
using json::Object;

#define BATON_TYPE(kind, Payload, name) name,
constexpr std::string_view kind_names[] = {BATON_STEP_TYPES(BATON_TYPE)};
#undef BATON_TYPE

constexpr std::string_view workflow_fields[] = {"assessments",
                                                "budget",
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

/// The blocks that a step of this type may have.
template <class Payload>
std::span<const std::string_view> block_names_of() {
  if constexpr (requires { Payload::blocks; })
    return Payload::blocks;
  else
    return {};
}

/// A payload of that type, with nothing said in it.
StepBody empty_body(StepKind kind) {
#define BATON_TYPE(kind, Payload, name) Payload(),
  static const StepBody bodies[] = {BATON_STEP_TYPES(BATON_TYPE)};
#undef BATON_TYPE
  return bodies[static_cast<std::size_t>(kind)];
}

/// What a step of a few fields takes beside its prompt, about: most texts are allocated once.
constexpr std::size_t step_bytes = 128;

/// Everything that the JSON of a step has, in the order that people read. Views point into it.
std::vector<StepMember> members_of(const Step& step) {
  MemberWriter io;
  io.members.reserve(16);
  io.members.push_back({"id", step.id});
  io.members.push_back({"type", name_of(step.kind())});
  io.members.push_back({"title", step.title});
  if (step.kind() == StepKind::prompt) {
    io.members.push_back({"prompt", step.prompt});
    io.members.push_back({"requireConfirmation", step.require_confirmation});
  }
  if (step.agent_role) io.members.push_back({"agentRole", *step.agent_role});
  Step::members(io, step);
  std::visit([&](const auto& body) { body.members(io, body); }, step.body);
  for (const Block& block : step.blocks) io.members.push_back({block.name, &block.steps});
  return std::move(io.members);
}

// --- canonical text -----------------------------------------------------------------------------

/// Writes the canonical text of what to_json() makes, directly from the values. Every key is of
/// a closed set of ASCII words, whose order is that of their bytes.
class CanonicalWriter {
 public:
  explicit CanonicalWriter(std::string& out) : out_(out) {}

  Result<void> workflow(const CompiledWorkflow& workflow) {
    json::Array tags(workflow.tags.begin(), workflow.tags.end());
    const json::Value listed(std::move(tags));
    std::vector<StepMember> members{{"id", workflow.id},
                                    {"name", workflow.name},
                                    {"description", workflow.description},
                                    {"version", workflow.version},
                                    {"tags", &listed},
                                    {"steps", &workflow.steps}};
    for (const json::Member& member : workflow.declared) {
      members.push_back({member.key, &member.value});
    }
    return object(std::move(members));
  }

 private:
  Result<void> object(std::vector<StepMember> members) {
    std::ranges::sort(members, {}, &StepMember::key);
    char before = '{';
    for (const StepMember& member : members) {
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
  Result<void> write(std::int64_t value) { return write(json::Value(value)); }
  Result<void> write(const json::Value& value) { return json::canonical_to(out_, value); }
  Result<void> write(const MadeValue& made) { return write(made.value); }
  Result<void> write(const json::Value* value) { return write(*value); }
  Result<void> write(const json::Array* values) {
    return list(*values, [&](const json::Value& each) { return json::canonical_to(out_, each); });
  }
  Result<void> write(const std::vector<Step>* steps) {
    return list(*steps, [&](const Step& each) { return object(members_of(each)); });
  }

  template <class T>
  Result<void> list(const std::vector<T>& items, const auto& write_one) {
    out_ += '[';
    for (const T& each : items) {
      if (&each != items.data()) out_ += ',';
      TRY(write_one(each));
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
  step.body = empty_body(*kind);
  step.title = TRY(fields.string("title"));
  if (*kind == StepKind::prompt) {
    step.prompt = TRY(fields.string("prompt"));
    step.require_confirmation = TRY(fields.boolean("requireConfirmation"));
  }
  if (fields.has("agentRole")) step.agent_role = TRY(fields.string("agentRole"));
  MemberReader io(fields);
  Step::members(io, step);
  const auto blocks = std::visit(
      [&]<class Payload>(Payload& body) {
        Payload::members(io, body);
        return block_names_of<Payload>();
      },
      step.body);
  TRY(io.result());
  for (const std::string_view name : blocks) {
    if (!fields.has(name)) continue;
    std::vector<Step> inner = TRY(steps_from_json(*TRY(fields.array(name))));
    step.blocks.push_back({std::string(name), std::move(inner)});
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
  const json::Value* tasks = workflow.declared.find("tasks");
  if (tasks == nullptr || tasks->if_object() == nullptr) return {};
  for (const json::Member& each : *tasks->if_object()) {
    workflow.tasks.emplace(each.key, TRY(blocks_of_task(each.key, each.value)));
  }
  return {};
}

}  // namespace

const json::Value* task_of(const CompiledWorkflow& workflow, const Step& step) {
  const auto* spread = step.as<ParallelForeach>();
  const json::Value* tasks = workflow.declared.find("tasks");
  if (spread == nullptr || !spread->task || tasks == nullptr) return nullptr;
  return tasks->find(*spread->task);
}

const std::vector<Block>& blocks_of(const CompiledWorkflow& workflow, const Step& step) {
  const auto* spread = step.as<ParallelForeach>();
  if (spread == nullptr || !spread->task || !step.blocks.empty()) return step.blocks;
  const auto found = workflow.tasks.find(*spread->task);
  return found == workflow.tasks.end() ? step.blocks : found->second;
}

const ShellCommand* command_of(const Step& step) {
  if (const auto* command = step.as<AgentShellCommand>()) return command;
  return step.as<ShellCommand>();
}

std::string_view name_of(StepKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::optional<StepKind> step_kind(std::string_view name) {
  const auto found = std::ranges::find(kind_names, name);
  if (found == std::end(kind_names)) return std::nullopt;
  return static_cast<StepKind>(found - std::begin(kind_names));
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
  const json::Value* kind = declared.find("kind");
  return kind != nullptr && kind->is_string() && *kind->if_string() == "routine";
}

namespace {

json::Array steps_json(const std::vector<Step>& steps) {
  json::Array out;
  out.reserve(steps.size());
  for (const Step& step : steps) out.push_back(to_json(step));
  return out;
}

struct AsJson {
  json::Value operator()(std::string_view text) const { return text; }
  json::Value operator()(bool value) const { return value; }
  json::Value operator()(std::int64_t value) const { return value; }
  json::Value operator()(const json::Value* value) const { return *value; }
  json::Value operator()(const json::Array* value) const { return *value; }
  json::Value operator()(MadeValue& made) const { return std::move(made.value); }
  json::Value operator()(const std::vector<Step>* steps) const { return steps_json(*steps); }
};

}  // namespace

json::Object MemberWriter::object_of(std::vector<StepMember> members) {
  Object out;
  for (StepMember& each : members) {
    out.append_new(std::string(each.key), std::visit(AsJson(), each.value));
  }
  return out;
}

json::Value to_json(const Step& step) { return MemberWriter::object_of(members_of(step)); }

json::Value to_json(const CompiledWorkflow& workflow) {
  json::Array tags;
  for (const std::string& tag : workflow.tags) tags.emplace_back(tag);
  Object out{{"id", workflow.id},
             {"name", workflow.name},
             {"description", workflow.description},
             {"version", workflow.version},
             {"tags", std::move(tags)},
             {"steps", steps_json(workflow.steps)}};
  for (const json::Member& member : workflow.declared) out.append_new(member.key, member.value);
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
    workflow.declared.append_new(member.key, *TRY(fields.any(member.key)));
  }
  TRY(fields.done());
  const json::Value* handling = workflow.declared.find("error_handling");
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
  const std::int64_t form = form_of(workflow);
  return Pinned{std::move(workflow), std::move(text), hash, form};
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
  const std::int64_t form = form_of(workflow);
  return Pinned{std::move(workflow), std::move(text), hash, form};
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
