#include "run/decide/supported.h"

#include "base/text/text.h"
#include "run/steps/behaviour.h"
#include "run/steps/results.h"

namespace baton::run {
namespace {

using workflow::Step;

class Looking {
 public:
  void steps(const std::vector<Step>& list) {
    for (const Step& each : list) one(each);
  }

  void blocks(const std::vector<workflow::Block>& list) {
    for (const workflow::Block& each : list) steps(each.steps);
  }

  /// The time that a whole run may take is not kept.
  void config(const workflow::CompiledWorkflow& workflow) {
    const json::Value* config = workflow.declared.find("config");
    if (config == nullptr || config->find("timeout_seconds") == nullptr) return;
    found_.push_back({"", "config",
                      "this release cannot run \"config.timeout_seconds\" of the workflow",
                      std::string(remove_it)});
  }

  std::vector<UnsupportedPart> found() && { return std::move(found_); }

 private:
  static constexpr std::string_view remove_it =
      "remove it from the workflow, or use a newer release";

  void one(const Step& step) {
    const StepBehaviour& behaviour = behaviour_of(step);
    const auto refuse = [&](bool is_there, std::string_view part) {
      if (!is_there) return;
      found_.push_back({step.id, std::string(part),
                        cat("this release cannot run \"", part, "\" of the step \"", step.id, '"'),
                        std::string(remove_it)});
    };
    refuse(step.timeout_ms && !behaviour.may_fail, "timeout_ms");
    refuse(step.on_error && !behaviour.may_fail, "on_error");
    refuse(step.updates && !behaviour.may_write, "updates");
    refuse(step.error_update && !behaviour.may_fail, "error_state_update");
    refuse(step.confirmation && !behaviour.is_for_agent, "requireConfirmation");
    if (behaviour.unsupported != nullptr) {
      const std::string_view part = behaviour.unsupported(step);
      refuse(!part.empty(), part);
    }
    if (const auto checked = check_result_schema(step); !checked) {
      found_.push_back({step.id, "", checked.error().message, checked.error().next.text()});
    }
    blocks(step.blocks);
  }

  std::vector<UnsupportedPart> found_;
};

}  // namespace

std::vector<UnsupportedPart> unsupported_parts(const workflow::CompiledWorkflow& workflow) {
  Looking looking;
  looking.steps(workflow.steps);
  looking.steps(workflow.on_failure);
  for (const auto& [name, blocks] : workflow.tasks) looking.blocks(blocks);
  looking.config(workflow);
  return std::move(looking).found();
}

Result<void> check_supported(const workflow::CompiledWorkflow& workflow) {
  const std::vector<UnsupportedPart> found = unsupported_parts(workflow);
  if (found.empty()) return {};
  return fail(Code::WORKFLOW_NOT_SUPPORTED, cat(found.front().message, "; nothing was started"),
              found.front().hint);
}

}  // namespace baton::run
