#include "run/checks/output_check.h"

#include <algorithm>

#include "base/text/text.h"
#include "run/checks/slots.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;

constexpr std::string_view criteria_name = "validationCriteria";

std::string shown(const Value& value) { return json::print(value); }

/// Whether an artifact that fulfils the contract was sent.
bool has_artifact(const OutputRules& rules, const Signals& signals) {
  if (!is_known_contract(rules.contract)) return signals.expected_count > 0;
  if (rules.contract == "loop_control") return !signals.loop_controls.empty();
  if (rules.contract == "workflow_divergence") return !signals.divergences.empty();
  if (rules.contract == "gap_resolution") return !signals.resolutions.empty();
  if (rules.contract == "assessment") return !signals.assessments.empty();
  if (rules.contract == "user_dependency") return !signals.dependencies.empty();
  return std::ranges::any_of(signals.observations, [&](const CapabilityObserved& each) {
    return !rules.about || each.capability == *rules.about;
  });
}

/// The artifact that the step wants, filled in as far as the step says it.
Value example_artifact(const OutputRules& rules) {
  Value example = example_of(rules.contract);
  if (rules.about) example.if_object()->set("capability", name_of(*rules.about));
  return example;
}

Finding finding(Reason reason, std::string_view contract, std::string message, std::string fix) {
  return {reason,
          {PointerKind::output_contract, std::string(contract)},
          std::move(message),
          std::move(fix)};
}

void check_contract(const OutputRules& rules, const Signals& signals, OutputCheck& out) {
  const std::string kind = *example_artifact(rules).find("kind")->if_string();
  bool is_bad = false;
  for (const BadArtifact& bad : signals.bad) {
    if (bad.contract != rules.contract) continue;
    is_bad = true;
    out.findings.push_back(
        finding(Reason::invalid_required_output, rules.contract,
                cat("artifacts[", bad.index, "] is not a valid ", kind, ": ", bad.message),
                cat("Send the whole output again, the artifact in this form: ",
                    shown(example_artifact(rules)), " (", form_of(rules.contract), ").")));
  }
  if (is_bad || has_artifact(rules, signals)) return;
  const std::string about = rules.about ? cat(" about ", name_of(*rules.about)) : std::string();
  out.findings.push_back(finding(
      Reason::missing_required_output, rules.contract,
      cat("the step requires an artifact of kind ", kind, about, "; none was sent"),
      cat("Send the whole output again and add to its artifacts: ", shown(example_artifact(rules)),
          " (", form_of(rules.contract), ").")));
}

void check_criteria(const OutputRules& rules, const std::optional<std::string>& notes,
                    const Holds& holds, OutputCheck& out) {
  const std::string text = notes.value_or("");
  const std::vector<std::string> broken = broken_criteria(*rules.criteria, text, holds);
  if (broken.empty()) return;
  if (text.empty()) {
    std::string wanted;
    for (const std::string& each : describe_criteria(*rules.criteria, holds)) {
      wanted += cat(wanted.empty() ? "" : " ", each);
    }
    out.findings.push_back(finding(Reason::missing_required_output, criteria_name,
                                   "the step requires notes; none were sent",
                                   cat("Send notes. ", wanted)));
    return;
  }
  for (const std::string& problem : broken) {
    out.findings.push_back(finding(Reason::invalid_required_output, criteria_name,
                                   cat("notes: ", problem),
                                   "Fix the notes and send the whole output again."));
  }
}

}  // namespace

OutputRules output_rules(const workflow::Step& step) {
  OutputRules rules;
  const auto* prompt = step.as<workflow::PromptStep>();
  if (prompt == nullptr) return rules;
  if (prompt->contract) {
    rules.contract = prompt->contract->contract;
    rules.is_required = prompt->contract->required;
    if (prompt->contract->capability) {
      rules.about = from_name<Capability>(*prompt->contract->capability);
    }
  }
  rules.criteria = prompt->criteria.get();
  return rules;
}

OutputCheck check_output(const OutputRules& rules, const Signals& signals,
                         const std::optional<std::string>& notes, const Holds& holds) {
  OutputCheck out;
  const bool was_sent =
      !rules.contract.empty() && (has_artifact(rules, signals) ||
                                  std::ranges::any_of(signals.bad, [&](const BadArtifact& each) {
                                    return each.contract == rules.contract;
                                  }));
  if (rules.is_required || was_sent) {
    out.was_checked = true;
    out.contract = rules.contract;
    check_contract(rules, signals, out);
  } else if (rules.criteria != nullptr) {
    out.was_checked = true;
    check_criteria(rules, notes, holds, out);
  }
  return out;
}

std::vector<std::string> describe_rules(const OutputRules& rules, const Holds& holds) {
  std::vector<std::string> out;
  if (!rules.contract.empty()) {
    const std::string about = rules.about ? cat(" about ", name_of(*rules.about)) : std::string();
    out.push_back(cat("An artifact of kind ", *example_artifact(rules).find("kind")->if_string(),
                      about, rules.is_required ? "" : ", optional", ": ", form_of(rules.contract),
                      '.'));
  }
  if (rules.criteria != nullptr && !rules.is_required) {
    for (std::string& each : describe_criteria(*rules.criteria, holds)) {
      out.push_back(std::move(each));
    }
  }
  return out;
}

json::Object example_output(const OutputRules& rules, const Holds& holds) {
  std::string notes(notes_placeholder);
  if (rules.criteria != nullptr && !rules.is_required) {
    notes = slot("what you did and found in this step, as the output requirements say");
    for (const std::string& text : required_texts(*rules.criteria, holds)) {
      notes += cat('\n', text);
    }
  }
  Object out{{notes_key, std::move(notes)}};
  if (!rules.contract.empty()) out.set("artifacts", json::Array{example_artifact(rules)});
  return out;
}

}  // namespace baton::run
