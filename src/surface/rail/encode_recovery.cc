#include "surface/rail/encode_recovery.h"

#include "base/text/text.h"
#include "run/decide/preferences.h"

namespace baton::surface::rail {
namespace {

using engine::Child;
using json::Object;

/// The status of the run at a node: its pending step, or that it is complete there.
std::string standing(const run::NodeRow& node) {
  return node.open_steps.empty() ? "complete" : cat("pending ", node.open_steps.front());
}

Object child_json(const Child& child, const std::string& state_token) {
  Object out{{"nodeId", child.node.id.text()},
             {"kind", name_of(child.node.kind)},
             {"label", child.label},
             {"isPreferred", child.is_preferred},
             {"isComplete", child.node.open_steps.empty()}};
  if (!child.node.open_steps.empty()) out.set("pendingStepId", child.node.open_steps.front());
  out.set("stateToken", state_token);
  return out;
}

}  // namespace

Object recovery_json(const SignedReply& reply) {
  const engine::Recovery& recovery = *reply.recovery;
  Object out{{"isTip", recovery.children.empty()}};
  if (!recovery.goal.empty()) out.set("goal", recovery.goal);
  if (!recovery.guidance.empty()) out.set("guidance", recovery.guidance);
  if (!recovery.recap.empty()) out.set("recap", recovery.recap);
  if (!recovery.children.empty()) {
    json::Array children;
    for (std::size_t i = 0; i < recovery.children.size(); ++i) {
      children.emplace_back(child_json(recovery.children[i], reply.child_tokens[i]));
    }
    out.set("children", std::move(children));
    out.set("childrenOmitted", recovery.children_omitted);
  }
  if (recovery.tip) {
    Object tip{{"nodeId", recovery.tip->id.text()},
               {"isComplete", recovery.tip->open_steps.empty()}};
    if (!recovery.tip->open_steps.empty()) {
      tip.set("pendingStepId", recovery.tip->open_steps.front());
    }
    tip.set("stateToken", reply.tip_token);
    out.set("preferredTip", std::move(tip));
  }
  if (!recovery.raises.empty()) {
    json::Array raises;
    for (const run::PreferenceRaise& each : recovery.raises) raises.emplace_back(to_json(each));
    out.set("raises", std::move(raises));
  }
  if (!recovery.functions.empty()) out.set("functions", recovery.functions);
  if (!recovery.references.empty()) out.set("references", recovery.references);
  return out;
}

std::string recovery_text(const SignedReply& reply) {
  const engine::Recovery& recovery = *reply.recovery;
  std::string out;
  if (!recovery.goal.empty()) out += cat("\nGoal of this run: ", recovery.goal, '\n');
  if (!recovery.guidance.empty()) out += cat('\n', recovery.guidance);
  if (!recovery.children.empty()) {
    out += recovery.is_passed
               ? cat("\nThis is not the latest node of the run: ", recovery.children.size(),
                     recovery.children.size() == 1 ? " branch continues" : " branches continue",
                     " from here. Another output for this step starts a new branch; to continue "
                     "one of these, send its stateToken to continue_workflow.\n")
               : std::string(
                     "\nThe step is still pending. Since this node was made, this was "
                     "recorded at it, and an ackToken of this reply continues after "
                     "it:\n");
    for (std::size_t i = 0; i < recovery.children.size(); ++i) {
      const Child& child = recovery.children[i];
      out += cat("- ", child.label, " (", child.node.id.text(), ", ", name_of(child.node.kind),
                 ", ", standing(child.node), child.is_preferred ? ", leads to the latest node" : "",
                 "), stateToken: ", reply.child_tokens[i], '\n');
    }
    if (recovery.children_omitted > 0) {
      out += cat("- ", recovery.children_omitted, " older ones are not shown\n");
    }
  }
  if (recovery.tip) {
    out += cat("Latest node: ", recovery.tip->id.text(), " (", standing(*recovery.tip),
               "), stateToken: ", reply.tip_token, '\n');
  }
  for (const run::PreferenceRaise& each : recovery.raises) {
    out += cat("Earlier in this run: ", run::raise_text(each), '\n');
  }
  if (!recovery.recap.empty()) out += cat('\n', recovery.recap);
  if (!recovery.functions.empty()) out += cat('\n', recovery.functions);
  if (!recovery.references.empty()) out += cat('\n', recovery.references);
  return out;
}

}  // namespace baton::surface::rail
