#include "base/text/text.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"

namespace baton::run {
namespace {

Known<void> instruct(Instructions& to) {
  const std::string message = to.shown(to.step.as<workflow::WaitStep>()->message);
  to.words = message.empty() ? "There is nothing to do yet." : message;
  if (!message.empty()) to.set("message", message);
  if (to.step.timeout_ms) {
    to.set("retry_after_ms", *to.step.timeout_ms);
    to.words += cat("\n\nWait ", duration_text(*to.step.timeout_ms), ", then continue.");
  } else {
    to.words += "\n\nContinue when it is time.";
  }
  return {};
}

}  // namespace

StepBehaviour behaviour_of(std::type_identity<workflow::WaitStep>) {
  return {.is_for_agent = true,
          .has_report = false,
          .may_fail = true,
          .may_write = true,
          .instruct = instruct};
}

}  // namespace baton::run
