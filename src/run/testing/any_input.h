#pragma once
// What an agent may send to a run of any_workflow, drawn from a source of choices. Only tests
// include this.

#include "base/text/text.h"
#include "run/decide/submission.h"
#include "run/testing/event_generator.h"

namespace baton::run::testing {

/// What such a workflow reads, all of it when `is_first`, so that it can be started.
template <class Choose>
json::Object any_walk_context(Choose& choose, bool is_first) {
  json::Object out;
  for (std::size_t i = 0; i < 3; ++i) {
    if (choose(3) == 0) out.set(cat("k", i), choose(2) == 0);
  }
  if (is_first || choose(4) == 0) out.set("count", static_cast<std::int64_t>(choose(4)));
  if (is_first || choose(4) == 0) {
    json::Array items;
    for (std::size_t left = choose(3); left > 0; --left) {
      items.push_back(any_exact_value(choose, 1));
    }
    out.set("items", std::move(items));
  }
  return out;
}

/// Something that an agent reports.
template <class Choose>
json::Value any_report(Choose& choose) {
  using json::Array;
  using json::Object;
  switch (choose(5)) {
    case 0:
      return Object{{"kind", "baton.capability_observation"},
                    {"capability", choose(2) == 0 ? "delegation" : "web_browsing"},
                    {"status", names<CapabilityStatus>()[choose(3)]},
                    {"provenance", names<Provenance>()[choose(3)]},
                    {"failureCode", "E"}};
    case 1:
      return Object{{"kind", "wr.divergence"}, {"reason", "safety_stop"}, {"summary", "stopped"}};
    case 2:
      return Object{
          {"kind", "wr.gap_resolution"}, {"gapId", cat("gap-", choose(4))}, {"summary", "s"}};
    case 3:
      return Object{
          {"kind", "baton.assessment"},
          {"assessmentId", "q"},
          {"dimensions", Array{Object{{"id", "d"}, {"level", choose(2) == 0 ? "low" : "high"}}}}};
    default: {
      Object need{{"kind", "baton.user_dependency"},
                  {"need", choose(2) == 0 ? "needs_user_choice" : "needs_user_approval"},
                  {"summary", "s"}};
      if (choose(2) == 0) need.set("answer", "yes");
      return need;
    }
  }
}

template <class Choose>
StepInput any_walk_input(Choose& choose) {
  StepInput input;
  if (choose(2) == 0) input.notes = json::testing::any_string(choose);
  input.context = any_walk_context(choose, false);
  if (choose(3) == 0) input.preferences.autonomy = static_cast<Autonomy>(choose(3));
  if (choose(3) == 0) input.preferences.risk_policy = static_cast<RiskPolicy>(choose(3));
  if (choose(2) == 0) {
    input.artifacts.push_back(json::Object{{"kind", "baton.loop_control"},
                                           {"decision", choose(3) == 0 ? "continue" : "stop"}});
  }
  if (choose(2) == 0) input.artifacts.push_back(json::Object{{"kind", "baton.report"}});
  // What a raise, and a step that waits for a person, need.
  if (choose(2) == 0) {
    input.artifacts.push_back(json::Object{{"kind", "baton.confirmation"}, {"words", "go on"}});
  }
  for (std::size_t left = choose(3); left > 0; --left) {
    input.artifacts.push_back(any_report(choose));
  }
  return input;
}

}  // namespace baton::run::testing
