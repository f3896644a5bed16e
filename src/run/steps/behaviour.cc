#include "run/steps/behaviour.h"

namespace baton::run {

const StepBehaviour& behaviour_of(workflow::StepKind kind) {
#define BATON_TYPE(kind, Payload, name) behaviour_of(std::type_identity<workflow::Payload>()),
  static const StepBehaviour all[] = {BATON_STEP_TYPES(BATON_TYPE)};
#undef BATON_TYPE
  return all[static_cast<std::size_t>(kind)];
}

}  // namespace baton::run
