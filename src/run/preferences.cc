#include "run/preferences.h"

#include "base/text.h"

namespace baton::run {
namespace {

/// The members of both sets stand in the order of how far they go.
template <class Set>
void warn_beyond(const json::Value& recommended, std::string_view key, std::string_view what,
                 Set chosen, std::vector<std::string>& out) {
  const json::Value* name = recommended.find(key);
  if (name == nullptr) return;
  const auto most = from_name<Set>(*name->if_string());
  if (!most || chosen <= *most) return;
  out.push_back(cat(what, ' ', name_of(chosen), " goes beyond what this workflow recommends (",
                    name_of(*most), "); it is kept as you chose it"));
}

}  // namespace

std::vector<std::string> preference_warnings(const workflow::CompiledWorkflow& workflow,
                                             const Preferences& preferences) {
  std::vector<std::string> out;
  const json::Value* recommended = workflow.fields.find("recommendedPreferences");
  if (recommended == nullptr) return out;
  warn_beyond(*recommended, "recommendedAutonomy", "autonomy", preferences.autonomy, out);
  warn_beyond(*recommended, "recommendedRiskPolicy", "riskPolicy", preferences.risk_policy, out);
  return out;
}

}  // namespace baton::run
