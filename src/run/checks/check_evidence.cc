#include "run/checks/check_evidence.h"

#include <algorithm>

#include "base/text/text.h"
#include "run/walk/condition.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::Step;

/// Every text of a value with its expressions filled in.
Known<Value> filled(const Value& value, const RunScope& scope, Scripts& scripts) {
  if (const std::string* text = value.if_string()) return TRY(scripts.text(*text, scope));
  bool is_lacking = false;
  if (const json::Array* list = value.if_array()) {
    json::Array out;
    for (const Value& each : *list) {
      auto one = filled(each, scope, scripts);
      is_lacking = is_lacking || is_not_yet(one);
      if (!is_lacking) out.push_back(TRY(std::move(one)));
    }
    return is_lacking ? Known<Value>(not_yet()) : std::move(out);
  }
  if (const Object* object = value.if_object()) {
    Object out;
    for (const json::Member& each : *object) {
      // A schema is not text.
      const bool is_kept = each.key == "schema";
      auto one = is_kept ? Known<Value>(each.value) : filled(each.value, scope, scripts);
      is_lacking = is_lacking || is_not_yet(one);
      if (!is_lacking) out.set(each.key, TRY(std::move(one)));
    }
    return is_lacking ? Known<Value>(not_yet()) : std::move(out);
  }
  return value;
}

bool has_evidence(const Step& step) {
  const auto* prompt = step.as<workflow::PromptStep>();
  return prompt != nullptr && prompt->evidence;
}

/// The requirements of a step with the values of this moment. An expression about the state is one
/// about the moment in which the step closes.
Known<Value> filled_evidence(const Step& step, const RunScope& scope, Scripts& scripts) {
  json::Array out;
  bool is_lacking = false;
  for (const Value& each : *step.as<workflow::PromptStep>()->evidence) {
    const bool is_state = each.find("state") != nullptr;
    auto one = is_state ? Known<Value>(each) : filled(each, scope, scripts);
    is_lacking = is_lacking || is_not_yet(one);
    if (!is_lacking) out.push_back(TRY(std::move(one)));
  }
  if (is_lacking) return not_yet();
  TRY(read_evidence(out));
  return out;
}

std::vector<Requirement> requirements_of(const StepEvidence& evidence) {
  auto read = read_evidence(evidence.requirements);
  ASSERT(read.has_value());  // they were read before they were recorded
  return *std::move(read);
}

bool any_step(const std::vector<Step>& steps, const auto& is_one) {
  return std::ranges::any_of(steps, [&](const Step& step) {
    return is_one(step) || std::ranges::any_of(step.blocks, [&](const workflow::Block& block) {
             return any_step(block.steps, is_one);
           });
  });
}

}  // namespace

Known<std::optional<EvidenceRecorded>> begin_evidence(const workflow::CompiledWorkflow& workflow,
                                                      const NodeState& state, Scripts& scripts,
                                                      Probes& looks) {
  const Step* step = step_at(workflow, state.cursor);
  if (state.open_steps.empty() || step == nullptr || !has_evidence(*step)) {
    return std::nullopt;
  }
  auto requirements = filled_evidence(*step, scope_at(workflow, state), scripts);
  if (!requirements) {
    if (Error* error = requirements.error().if_error()) {
      error->message = cat("the evidence of the step \"", step->id, "\": ", error->message,
                           "; nothing was recorded");
    }
    return std::unexpected(std::move(requirements).error());
  }
  EvidenceRecorded out{.run = state.run,
                       .node = state.node,
                       .step = state.open_steps.front(),
                       .requirements = *std::move(requirements),
                       .baseline = {},
                       .entries = {}};
  std::vector<Probe> wanted = baseline_probes(TRY(read_evidence(out.requirements)));
  out.baseline = baseline_of(wanted, TRY(looks.find(state.workspace, wanted)));
  return out;
}

Known<Proof> check_step_evidence(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                                 const StepInput& input, Scripts& scripts, Probes& looks) {
  const std::vector<Requirement> requirements = requirements_of(*state.evidence);
  Proof out{{},
            {.run = state.run,
             .node = state.node,
             .step = state.evidence->step,
             .requirements = {},
             .baseline = {},
             .entries = {}}};
  const std::vector<ProbeResult> seen =
      TRY(looks.find(state.workspace, closing_probes(requirements, state.evidence->baseline)));
  const RunScope scope = scope_at(workflow, state);
  std::optional<state::NoValue> problem;
  EvidenceCheck checked = check_evidence(requirements, state.evidence->baseline,
                                         {.seen = seen,
                                          .artifacts = input.artifacts,
                                          .holds =
                                              [&](const Value& condition) {
                                                auto is_so = holds(condition, scope, scripts);
                                                if (!is_so && !problem)
                                                  problem = std::move(is_so).error();
                                                return is_so.value_or(false);
                                              },
                                          .workflow = state.workflow_id});
  TRY(scripts.settled());
  if (problem) return std::unexpected(*std::move(problem));
  out.findings = std::move(checked.findings);
  out.fact.entries = std::move(checked.entries);
  return out;
}

ProofWords evidence_words(const NodeState& state) {
  ProofWords out;
  if (state.evidence == nullptr) return out;
  const std::vector<Requirement> requirements = requirements_of(*state.evidence);
  for (const std::string& each : describe_evidence(requirements)) {
    out.sentences.push_back(cat("The server checks before the step closes: ", each));
  }
  for (const Requirement& each : requirements) {
    const auto* artifact = std::get_if<ArtifactGiven>(&each);
    if (artifact == nullptr) continue;
    out.artifacts.push_back(Object{{"kind", artifact->type}, {"content", "<the work>"}});
  }
  return out;
}

bool needs_workspace(const workflow::CompiledWorkflow& workflow) {
  return any_step(workflow.steps, [](const Step& step) {
    return has_evidence(step) &&
           std::ranges::any_of(*step.as<workflow::PromptStep>()->evidence, [](const Value& each) {
             return each.find("state") == nullptr && each.find("artifact") == nullptr;
           });
  });
}

}  // namespace baton::run
