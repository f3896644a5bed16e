// Links: base workflow state run
// Any JSON as artifacts, notes and criteria: each artifact is read, refused or left alone, criteria
// always have an answer, and what an attempt is told stays within its bounds.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/core/limits.h"
#include "base/text/utf8.h"
#include "run/checks/artifacts.h"
#include "run/checks/criteria.h"
#include "run/checks/output_check.h"
#include "run/decide/verdict.h"

namespace baton::run {
namespace {

bool always(const json::Value&) { return true; }

void check_signals(const json::Array& artifacts) {
  const Signals signals = read_artifacts(artifacts);
  const std::size_t read = signals.loop_controls.size() + signals.observations.size() +
                           signals.divergences.size() + signals.resolutions.size() +
                           signals.assessments.size() + signals.dependencies.size();
  ASSERT(read + signals.bad.size() <= artifacts.size());
  ASSERT(check_artifacts(signals).has_value() == signals.bad.empty());
  ASSERT(read_artifacts(artifacts) == signals);
}

void check_rules(const json::Object& fields, const json::Array& artifacts,
                 const std::string& notes) {
  OutputRules rules;
  rules.contract = "loop_control";
  rules.criteria = fields.find("criteria");
  const Signals signals = read_artifacts(artifacts, rules.contract);
  const OutputCheck checked = check_output(rules, signals, notes, always);
  for (const Autonomy autonomy : {Autonomy::guided, Autonomy::full_auto_never_stop}) {
    const Verdict verdict = apply_policy(checked.findings, {autonomy, RiskPolicy::conservative});
    ASSERT(verdict.blockers.size() <= limits::blockers_max);
    ASSERT(verdict.is_blocked() == (autonomy == Autonomy::guided && !checked.findings.empty()));
    for (const Blocker& blocker : verdict.blockers) {
      ASSERT(blocker.message.size() <= limits::blocker_message_bytes_max);
      ASSERT(blocker.suggested_fix.size() <= limits::blocker_fix_bytes_max);
      ASSERT(utf8::is_valid(blocker.message) && utf8::is_valid(blocker.suggested_fix));
    }
  }
  if (rules.criteria == nullptr) return;
  const json::Object opposite{{"not", *rules.criteria}};
  const bool is_met = broken_criteria(*rules.criteria, notes, always).empty();
  const bool is_opposite_met = broken_criteria(opposite, notes, always).empty();
  // Criteria that say nothing, such as an empty "or", are met whichever way they are turned.
  const bool says_nothing = describe_criteria(opposite, always).empty();
  ASSERT(says_nothing ? is_met && is_opposite_met : is_met != is_opposite_met);
}

void check(std::string_view text) {
  const auto parsed = json::parse(text);
  if (!parsed || !parsed->is_object()) return;
  const json::Object& fields = *parsed->if_object();
  json::Array artifacts;
  if (const json::Value* list = fields.find("artifacts"); list != nullptr && list->is_array()) {
    artifacts = *list->if_array();
  }
  std::string notes;
  if (const json::Value* sent = fields.find("notes"); sent != nullptr && sent->is_string()) {
    notes = *sent->if_string();
  }
  check_signals(artifacts);
  check_rules(fields, artifacts, notes);
}

}  // namespace
}  // namespace baton::run

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  baton::run::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
