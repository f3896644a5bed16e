#include "run/decide/preferences.h"

#include "base/text/text.h"

namespace baton::run {
namespace {

/// The members of both sets are in the order of how far they go.
template <class Set>
void warn_beyond(const json::Value& recommended, std::string_view key, std::string_view what,
                 Set chosen, std::vector<std::string>& out) {
  const json::Value* name = recommended.find(key);
  if (name == nullptr) return;
  const auto most = from_name<Set>(*name->if_string());
  if (!most || chosen <= *most) return;
  out.push_back(cat(what, ' ', name_of(chosen), " goes beyond what this workflow recommends (",
                    name_of(*most), "); your choice is kept"));
}

}  // namespace

std::string raise_text(const Preferences& to, const PreferenceChange& change) {
  ASSERT(is_raise(change.from, to));
  std::string out;
  if (to.autonomy > change.from.autonomy) {
    out = cat("autonomy raised from ", name_of(change.from.autonomy), " to ", name_of(to.autonomy));
  }
  if (to.risk_policy > change.from.risk_policy) {
    out += cat(out.empty() ? "" : " and ", "risk policy raised from ",
               name_of(change.from.risk_policy), " to ", name_of(to.risk_policy));
  }
  out += cat(" by ", change.source.principal);
  switch (change.source.how) {
    case ChangedHow::start: out += " at the start"; break;
    case ChangedHow::call: break;
    case ChangedHow::terminal: out += " in a terminal"; break;
  }
  return change.source.tool.empty() ? out : cat(out, " with ", change.source.tool);
}

std::string raise_text(const PreferenceRaise& raise) {
  const std::string text = raise_text(raise.to, raise.last);
  return raise.times == 1 ? text : cat(text, " (", raise.times, " times, this is the latest)");
}

std::vector<std::string> preference_warnings(const workflow::CompiledWorkflow& workflow,
                                             const Preferences& preferences) {
  std::vector<std::string> out;
  const json::Value* recommended = workflow.declared.find("recommendedPreferences");
  if (recommended == nullptr) return out;
  warn_beyond(*recommended, "recommendedAutonomy", "autonomy", preferences.autonomy, out);
  warn_beyond(*recommended, "recommendedRiskPolicy", "risk policy", preferences.risk_policy, out);
  return out;
}

}  // namespace baton::run
