#include "run/decide/submission.h"

namespace baton::run {

Result<Sha256> input_hash(const StepInput& input) {
  if (input.is_servers_own()) return Sha256{};
  json::Object out;
  if (input.notes) out.set("notes", *input.notes);
  out.set("artifacts", input.artifacts);
  out.set("context", input.context);
  if (input.preferences.autonomy) out.set("autonomy", name_of(*input.preferences.autonomy));
  if (input.preferences.risk_policy) out.set("riskPolicy", name_of(*input.preferences.risk_policy));
  if (input.end) {
    json::Object end{{"to", name_of(input.end->to)}, {"reason", input.end->reason}};
    if (input.end->resets_counts) end.set("resetsCounts", true);
    out.set("end", std::move(end));
  }
  if (input.failure) {
    out.set("failure",
            json::Object{{"type", input.failure->type}, {"message", input.failure->message}});
  }
  json::Array writes;
  for (const state::Write& each : input.writes) {
    writes.push_back(json::Object{{"path", state::print(each.path)},
                                  {"operation", state::name_of(each.operation)},
                                  {"value", each.value}});
  }
  if (!writes.empty()) out.set("writes", std::move(writes));
  return sha256(TRY(json::canonical(out)));
}

bool is_answer_to(const Sha256& recorded, const std::optional<Sha256>& sent, OtherInput other) {
  const bool is_servers = recorded == Sha256{};
  return is_servers || recorded == sent || other == OtherInput::notice;
}

}  // namespace baton::run
