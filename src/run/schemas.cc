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

}  // namespace

Result<void> Schemas::add(const std::vector<workflow::Step>& steps) {
  for (const workflow::Step& step : steps) {
    is_needed_ |= step.kind == workflow::StepKind::include || step.fields.contains("updates") ||
                  step.fields.contains("error_update");
    if (step.kind == workflow::StepKind::include) {
      const Object& frame = object_in(step.fields, "frame");
      includes_.emplace(
          step.id, TRY(state::Schema::read(object_in(frame, "state"), object_in(frame, "inputs"),
                                           state::FrameKind::nested)));
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
                                       object_in(workflow.fields, "inputs")));
  return out;
}

const state::Schema& Schemas::of_include(std::string_view step) const {
  if (step.empty()) return root_;
  const auto found = includes_.find(step);
  ASSERT(found != includes_.end());
  return found->second;
}

}  // namespace baton::run
