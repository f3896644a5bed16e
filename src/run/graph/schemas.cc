#include "run/graph/schemas.h"

#include "base/text/text.h"
#include "run/steps/tasks.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;

const Object& object_in(const Object& declared, std::string_view key) {
  static const Object nothing;
  const Value* found = declared.find(key);
  const Object* object = found == nullptr ? nullptr : found->if_object();
  return object == nullptr ? nothing : *object;
}

const Object& object_in(const Boxed<Object>& object) {
  static const Object nothing;
  return object ? *object : nothing;
}

const workflow::IncludedFrame& frame_of(const workflow::Include& include) {
  static const workflow::IncludedFrame nothing;
  return include.frame ? *include.frame : nothing;
}

/// The includes among the steps of a frame and what each computes: it can be read there by these
/// names, once the include has ended.
void add_readable(const std::vector<workflow::Step>& steps, state::StateSchema::Names& out) {
  for (const workflow::Step& step : steps) {
    if (const auto* include = step.as<workflow::Include>()) {
      out.insert(step.id);
      const Value* computed = object_in(frame_of(*include).state).find("computed");
      const json::Array* fields = computed == nullptr ? nullptr : computed->if_array();
      if (fields == nullptr) continue;
      for (const Value& each : *fields) {
        const Value* name = each.find("name");
        if (name != nullptr && name->is_string()) out.insert(*name->if_string());
      }
      continue;
    }
    for (const workflow::Block& block : step.blocks) add_readable(block.steps, out);
  }
}

state::StateSchema::Names readable_in(const std::vector<workflow::Step>& steps) {
  state::StateSchema::Names out;
  add_readable(steps, out);
  return out;
}

state::StateSchema::Names readable_in(const std::vector<workflow::Block>& blocks) {
  state::StateSchema::Names out;
  for (const workflow::Block& block : blocks) add_readable(block.steps, out);
  return out;
}

}  // namespace

/// Steps of different tasks may have the same id, which then cannot tell their frames apart.
Result<void> Schemas::add_frame(const std::string& step, const Object& state, const Object& inputs,
                                state::StateSchema::Names readable) {
  const auto [known, is_new] = declared_.emplace(step, std::pair(state, inputs));
  if (!is_new && known->second != std::pair(state, inputs)) {
    return fail(Code::WORKFLOW_NOT_SUPPORTED,
                cat("two steps with the id \"", step, "\" declare different state"),
                "give one of them another id");
  }
  is_needed_ = true;
  if (is_new) {
    includes_.emplace(step, TRY(state::StateSchema::read(state, inputs, state::FrameKind::nested,
                                                         std::move(readable))));
  }
  return {};
}

Result<void> Schemas::add(const workflow::CompiledWorkflow& workflow,
                          const std::vector<workflow::Step>& steps) {
  for (const workflow::Step& step : steps) {
    is_needed_ |= step.updates || step.error_update || task_policy(step).errors_path.has_value();
    if (const auto* include = step.as<workflow::Include>()) {
      const workflow::IncludedFrame& frame = frame_of(*include);
      TRY(add_frame(step.id, object_in(frame.state), object_in(frame.inputs),
                    readable_in(step.blocks)));
    } else if (is_isolated(workflow, step)) {
      const Object& task = *workflow::task_of(workflow, step)->if_object();
      TRY(add_frame(step.id, object_in(task, "state"), object_in(task, "inputs"),
                    readable_in(workflow::blocks_of(workflow, step))));
    }
    for (const workflow::Block& block : step.blocks) TRY(add(workflow, block.steps));
  }
  return {};
}

Result<std::shared_ptr<const Schemas>> Schemas::of(const workflow::CompiledWorkflow& workflow) {
  auto out = std::make_shared<Schemas>();
  TRY(out->add(workflow, workflow.steps));
  TRY(out->add(workflow, workflow.on_failure));
  state::StateSchema::Names readable = readable_in(workflow.steps);
  for (const auto& [name, blocks] : workflow.tasks) {
    for (const workflow::Block& block : blocks) TRY(out->add(workflow, block.steps));
    readable.merge(readable_in(blocks));
  }
  out->is_needed_ |= object_in(workflow.declared, "error_handling").contains("error_collection");
  if (!out->is_needed_ && !workflow.declared.contains("state")) return nullptr;
  out->root_ = TRY(state::StateSchema::read(object_in(workflow.declared, "state"),
                                            object_in(workflow.declared, "inputs"),
                                            state::FrameKind::root, std::move(readable)));
  return out;
}

const state::StateSchema& Schemas::of_include(std::string_view step) const {
  if (step.empty()) return root_;
  const auto found = includes_.find(step);
  ASSERT(found != includes_.end());
  return found->second;
}

}  // namespace baton::run
