#include "surface/gates.h"

#include <algorithm>

#include "base/core/time.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::surface {
namespace {

protocol::ResourceAnswer read_gates(const EngineSource& source) {
  const auto refused = [](const Error& error) {
    return protocol::RpcError{.message = cat(name_of(error.code), ": ", error.message)};
  };
  const auto engine = source();
  if (!engine) return refused(engine.error());
  const auto found = verbs::waiting_gates((*engine)->reading());
  if (!found) return refused(found.error());
  json::Array gates;
  for (const verbs::WaitingGate& each : found->gates) gates.emplace_back(gate_json(each));
  json::Object out{{"gates", std::move(gates)}};
  if (found->has_more) out.set("hasMore", true);
  if (found->damaged > 0) out.set("damagedRuns", found->damaged);
  return protocol::ResourceResult{
      .contents = {
          protocol::text_contents(std::string(gates_uri), "application/json", json::print(out))}};
}

}  // namespace

protocol::Resource gates_resource(const EngineSource& engine) {
  return {
      .info = {.uri = std::string(gates_uri),
               .name = "gates",
               .title = "Waiting for a person",
               .description = "The gates where runs of this store wait for a person's decision: "
                              "the question, how sure the decision has to be, since when. A "
                              "subscriber hears when one opens or is decided, in any process.",
               .mime_type = "application/json"},
      .read = [engine](const protocol::Call&) { return read_gates(engine); }};
}

bool changes_gates(const std::vector<run::Event>& events) {
  return std::ranges::any_of(events, [](const run::Event& event) {
    // A run that ended or was forked left its gate with its newest node.
    return std::holds_alternative<run::GateOpened>(event) ||
           std::holds_alternative<run::GateAnswered>(event) ||
           std::holds_alternative<run::GateDecided>(event) ||
           std::holds_alternative<run::RunHeld>(event) ||
           std::holds_alternative<run::RunStateChanged>(event);
  });
}

std::vector<ShownPart> shown_parts(const verbs::WaitingGate& waiting, std::size_t bytes_max) {
  std::vector<ShownPart> out;
  const std::size_t left = waiting.parts_left;
  std::vector<std::size_t> sizes;
  for (const verbs::GatePart& each : waiting.parts) sizes.push_back(each.text.size());
  const std::vector<std::size_t> shares = verbs::fair_shares(sizes, bytes_max);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const verbs::GatePart& each = waiting.parts[i];
    const std::string_view text = utf8::prefix(each.text, shares[i]);
    const std::string name = each.name.empty() ? std::string() : cat(' ', each.name);
    const std::string shown = text.size() == each.bytes ? std::string()
                              : text.empty()
                                  ? std::string(", of which nothing is shown")
                                  : cat(", of which the first ", text.size(), " are shown");
    out.push_back({cat(name_of(each.kind), name, " (", each.bytes, " bytes", shown, "; SHA-256 ",
                       each.hash.hex(), ')'),
                   std::string(text)});
  }
  if (left > 0) out.push_back({cat(left, " more parts, which are not shown"), ""});
  return out;
}

json::Array parts_json(const verbs::WaitingGate& waiting) {
  json::Array out;
  for (const verbs::GatePart& each : waiting.parts) {
    json::Object part{{"part", name_of(each.kind)}};
    if (!each.name.empty()) part.set("name", each.name);
    part.set("bytes", static_cast<std::int64_t>(each.bytes));
    part.set("sha256", each.hash.hex());
    part.set("text", each.text);
    if (each.is_cut()) part.set("isCut", true);
    out.emplace_back(std::move(part));
  }
  return out;
}

json::Object gate_json(const verbs::WaitingGate& waiting) {
  const run::Gate& gate = waiting.gate;
  json::Object out{{"runId", waiting.run.run.text()},
                   {"workflowId", waiting.run.workflow_id},
                   {"goal", waiting.run.goal},
                   {"gate", gate.node.text()},
                   {"step", gate.step},
                   {"kind", name_of(gate.kind)},
                   {"question", gate.question},
                   {"assurance", name_of(gate.least)},
                   {"openedAt", to_rfc3339(waiting.opened)}};
  if (!gate.who.empty()) out.set("who", gate.who);
  if (gate.count > 1) {
    out.set("count", gate.count);
    out.set("approvals", std::ssize(waiting.words));
  }
  if (gate.expires) out.set("expiresAt", to_rfc3339(*gate.expires));
  if (waiting.is_expired) out.set("isExpired", true);
  if (!gate.choices.empty()) {
    out.set("choices", json::Array(gate.choices.begin(), gate.choices.end()));
  }
  return out;
}

}  // namespace baton::surface
