#include "workflow/expand/used_features.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::workflow {
namespace {

constexpr std::string_view observations_in_notes =
    "When a capability turns out to be available or missing, say so in the notes of the step, with "
    "how you found out; do not assume it.";
constexpr std::string_view artifacts_where_possible =
    "Every artifact that this step asks for is sent, or the notes say why it could not be made.";

void read_setting(const Feature& feature, const SyntaxNode& setting, UsedFeature& out,
                  Diagnostics& diagnostics) {
  const auto known = std::ranges::find(feature.config, setting.key, &FeatureSetting::id);
  if (known == feature.config.end()) {
    std::vector<std::string_view> names;
    for (const FeatureSetting& each : feature.config) names.push_back(each.id);
    std::string hint = did_you_mean(setting.key, names);
    if (hint.empty()) {
      hint = names.empty() ? "it has none" : cat("its settings are ", either_of(names));
    }
    diagnostics.error(Code::WORKFLOW_UNKNOWN_KEY, setting.key_at,
                      cat("the feature ", feature.id, " has no setting \"", setting.key, '"'),
                      std::move(hint));
    return;
  }
  if (!setting.is_text() || std::ranges::find(known->values, setting.text) == known->values.end()) {
    diagnostics.error(Code::WORKFLOW_WRONG_VALUE, setting.at,
                      setting.is_text()
                          ? cat('"', setting.text, "\" is no value of \"", setting.key, '"')
                          : cat('"', setting.key, "\" must be a string"),
                      cat("use ", either_of(known->values)));
    return;
  }
  out.settings[setting.key] = setting.text;
}

bool is_set(const UsedFeature& used, std::string_view feature, std::string_view setting,
            std::string_view value) {
  const auto found = used.settings.find(setting);
  return used.feature->id == feature && found != used.settings.end() && found->second == value;
}

}  // namespace

std::vector<UsedFeature> used_features(const SyntaxNode& document, Diagnostics& diagnostics) {
  std::vector<UsedFeature> out;
  const SyntaxNode* list = document.find("features");
  if (list == nullptr) return out;
  for (const SyntaxNode& each : list->children) {
    const SyntaxNode* name = each.is_text() ? &each : each.find("id");
    if (name == nullptr) continue;
    const std::string_view id = bare_name(name->text, "features");
    const Feature* found = find_builtin(features(), id);
    if (found == nullptr) {
      std::vector<std::string_view> names;
      for (const Feature& known : features()) names.push_back(known.id);
      diagnostics.error_unless(Dialect::workrail, Code::WORKFLOW_UNKNOWN_NAME, name->at,
                               cat("there is no feature \"", name->text, '"'),
                               did_you_mean(id, names));
      continue;
    }
    UsedFeature used{found, {}};
    if (const SyntaxNode* config = each.find("config")) {
      for (const SyntaxNode& setting : config->children) {
        read_setting(*found, setting, used, diagnostics);
      }
    }
    out.push_back(std::move(used));
  }
  std::ranges::sort(out, {}, [](const UsedFeature& used) { return used.feature->id; });
  return out;
}

std::string_view constraint_of(const UsedFeature& used) {
  if (is_set(used, "capabilities", "recordObservationsAs", "notes")) return observations_in_notes;
  return used.feature->constraint;
}

std::string_view verify_of(const UsedFeature& used) {
  if (is_set(used, "output_contracts", "enforce", "warn")) return artifacts_where_possible;
  return used.feature->verify;
}

void relax_contract(const UsedFeature& used, SyntaxNode& step) {
  SyntaxNode* contract = step.find("outputContract");
  if (contract == nullptr || contract->has("required")) return;
  if (!is_set(used, "output_contracts", "enforce", "warn")) return;
  // What a loop runs by, and what a capability depends on, is no report about the work.
  const std::string_view id = bare_name(contract->text_of("contractRef"), "contracts");
  if (id == "loop_control" || id == "capability_observation") return;
  SyntaxNode no;
  no.type = json::Type::boolean;
  no.at = contract->at;
  no.boolean = false;
  contract->set("required", std::move(no));
}

bool asks_for_probes_in_prompts(const std::vector<UsedFeature>& features) {
  return std::ranges::any_of(features, [](const UsedFeature& each) {
    return is_set(each, "capabilities", "probeVisibility", "prompt");
  });
}

}  // namespace baton::workflow
