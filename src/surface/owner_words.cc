#include "surface/owner_words.h"

#include "base/text/text.h"

namespace baton::surface {
namespace {

std::string_view place_of(run::ChangedHow how) {
  return how == run::ChangedHow::terminal ? " in a terminal" : "";
}

/// Each line is marked, so that the user's text cannot pass for the server's.
std::string quoted(std::string_view text) {
  std::string out = "> ";
  for (const char each : text) {
    out += each;
    if (each == '\n') out += "> ";
  }
  return out + '\n';
}

}  // namespace

std::string add_owner_words(json::Object& out, const run::Reply& reply,
                            const std::optional<run::RunHeld>& hold) {
  std::string text;
  if (hold) {
    out.set("hold", json::Object{{"state", name_of(hold->hold)}, {"reason", hold->reason}});
    const bool is_paused = hold->hold == run::Hold::paused;
    text += cat("The user ", is_paused ? "paused" : "cancelled", " this run. Do no step of it",
                is_paused ? " until the user has resumed it.\n" : "; ask the user what to do.\n");
    if (!hold->reason.empty()) text += cat("The reason:\n", quoted(hold->reason));
    text += '\n';
  }
  json::Array guidance;
  for (const run::Guidance& each : reply.guidance) {
    guidance.emplace_back(json::Object{
        {"text", each.text}, {"by", each.source.principal}, {"how", name_of(each.source.how)}});
    text += cat("The user (", each.source.principal, place_of(each.source.how),
                ") says about this run:\n", quoted(each.text));
  }
  if (guidance.empty()) return text;
  out.set("guidance", std::move(guidance));
  return cat(text, "Follow this from now on; where it differs from a step, it counts.\n\n");
}

std::string_view confirmation_words(const run::Reply& reply) {
  if (!reply.pending || !reply.pending->require_confirmation) return {};
  if (reply.preferences.autonomy == run::Autonomy::guided) {
    return "Show the user what you did and ask for agreement before you send it.";
  }
  return "In this mode you decide in the user's place: say so in a baton.assumption artifact.";
}

void add_gate(json::Object& out, const run::Reply& reply) {
  if (!reply.gate) return;
  const run::Gate& gate = *reply.gate;
  json::Object shown{{"gateId", gate.node.text()},
                     {"kind", name_of(gate.kind)},
                     {"question", gate.question},
                     {"assurance", name_of(gate.least)}};
  if (!gate.who.empty()) shown.set("who", gate.who);
  if (gate.count > 1) shown.set("count", gate.count);
  if (gate.expires) shown.set("expiresMs", gate.expires->value);
  if (!gate.choices.empty()) {
    shown.set("choices", json::Array(gate.choices.begin(), gate.choices.end()));
  }
  out.set("gate", std::move(shown));
}

std::string gate_help(const run::Gate& gate, const RunId& run) {
  const bool is_sealed = !run::is_enough(run::Assurance::present, gate.least);
  return cat("In a terminal the user decides with `baton approve ", run.text(),
             "` or `baton refuse ", run.text(), "`",
             is_sealed ? ", signed with an approval key" : "", ".\n");
}

}  // namespace baton::surface
