#include "run/decide/preferences.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::run {
namespace {

/// What a workflow recommends; nothing where it says nothing, or not a name of the set.
template <class Set>
std::optional<Set> recommended(const workflow::CompiledWorkflow& workflow, std::string_view key) {
  const json::Value* all = workflow.declared.find("recommendedPreferences");
  const json::Value* name = all == nullptr ? nullptr : all->find(key);
  if (name == nullptr || !name->is_string()) return std::nullopt;
  return from_name<Set>(*name->if_string());
}

/// The members of both sets are in the order of how far they go.
template <class Set>
std::string beyond(std::string_view what, Set chosen, std::optional<Set> most) {
  if (!most || chosen <= *most) return {};
  return cat(what, ' ', name_of(chosen), " (recommended: ", name_of(*most), ')');
}

template <class Set>
void cap(std::optional<Set>& wish, const Ruled<Set>& ceiling, std::string_view what,
         std::vector<std::string>& alerts) {
  if (!wish || *wish <= ceiling.value) return;
  std::string sources;
  for (const PolicySource each : ceiling.sources) {
    sources += cat(sources.empty() ? "" : ", ", name_of(each));
  }
  alerts.push_back(cat(what, ' ', name_of(*wish), " was asked for, but the owner's ceiling is ",
                       name_of(ceiling.value), " (", sources, "): the run has ",
                       name_of(ceiling.value)));
  wish = ceiling.value;
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
    case ChangedHow::form: out += " in a form"; break;
  }
  return change.source.tool.empty() ? out : cat(out, " with ", change.source.tool);
}

std::string raise_text(const PreferenceRaise& raise) {
  const std::string text = raise_text(raise.to, raise.last);
  return raise.times == 1 ? text : cat(text, " (", raise.times, " times, this is the latest)");
}

std::vector<std::string> preference_warnings(const workflow::CompiledWorkflow& workflow,
                                             const Preferences& preferences) {
  const auto autonomy = recommended<Autonomy>(workflow, "recommendedAutonomy");
  const auto risk = recommended<RiskPolicy>(workflow, "recommendedRiskPolicy");
  std::string what = beyond("autonomy", preferences.autonomy, autonomy);
  const std::string more = beyond("risk policy", preferences.risk_policy, risk);
  if (!more.empty()) what += cat(what.empty() ? "" : " and ", more);
  if (what.empty()) return {};
  const Preferences safer{
      std::min(preferences.autonomy, autonomy.value_or(preferences.autonomy)),
      std::min(preferences.risk_policy, risk.value_or(preferences.risk_policy))};
  return {cat("this run goes further without its user than its workflow recommends: ", what,
              ". The choice is kept. The safer combination is autonomy ", name_of(safer.autonomy),
              " with risk policy ", name_of(safer.risk_policy), "; tell the user so")};
}

CappedWish below_ceilings(const PreferencesDelta& wish, const Policy& policy) {
  CappedWish out{wish, {}};
  cap(out.wish.autonomy, policy.autonomy, "autonomy", out.alerts);
  cap(out.wish.risk_policy, policy.risk, "risk policy", out.alerts);
  return out;
}

}  // namespace baton::run
