#include "run/schemas.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;

const Object& object_in(const Object& fields, std::string_view key) {
  static const Object nothing;
  const Value* found = fields.find(key);
  const Object* object = found == nullptr ? nullptr : found->if_object();
  return object == nullptr ? nothing : *object;
}

/// The includes among the steps of a frame and what each computes: it can be read there by these
/// names, once the include has ended.
void add_readable(const std::vector<workflow::Step>& steps, state::Schema::Names& out) {
  for (const workflow::Step& step : steps) {
    if (step.kind == workflow::StepKind::include) {
      out.insert(step.id);
      const Value* computed = object_in(object_in(step.fields, "frame"), "state").find("computed");
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

state::Schema::Names readable_in(const std::vector<workflow::Step>& steps) {
  state::Schema::Names out;
  add_readable(steps, out);
  return out;
}

state::Schema::Names readable_in(const workflow::Step& include) {
  state::Schema::Names out;
  for (const workflow::Block& block : include.blocks) add_readable(block.steps, out);
  return out;
}

}  // namespace

Result<void> Schemas::add(const std::vector<workflow::Step>& steps) {
  for (const workflow::Step& step : steps) {
    is_needed_ |= step.kind == workflow::StepKind::include || step.fields.contains("updates") ||
                  step.fields.contains("error_update");
    if (step.kind == workflow::StepKind::include) {
      const Object& frame = object_in(step.fields, "frame");
      includes_.emplace(
          step.id, TRY(state::Schema::read(object_in(frame, "state"), object_in(frame, "inputs"),
                                           state::FrameKind::nested, readable_in(step))));
    }
    for (const workflow::Block& block : step.blocks) TRY(add(block.steps));
  }
  return {};
}

Result<std::shared_ptr<const Schemas>> Schemas::of(const workflow::CompiledWorkflow& workflow) {
  auto out = std::make_shared<Schemas>();
  TRY(out->add(workflow.steps));
  TRY(out->add(workflow.on_failure));
  out->is_needed_ |= object_in(workflow.fields, "error_handling").contains("error_collection");
  if (!out->is_needed_ && !workflow.fields.contains("state")) return nullptr;
  out->root_ = TRY(state::Schema::read(object_in(workflow.fields, "state"),
                                       object_in(workflow.fields, "inputs"), state::FrameKind::root,
                                       readable_in(workflow.steps)));
  return out;
}

const state::Schema& Schemas::of_include(std::string_view step) const {
  if (step.empty()) return root_;
  const auto found = includes_.find(step);
  ASSERT(found != includes_.end());
  return found->second;
}

}  // namespace baton::run
