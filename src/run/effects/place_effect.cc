#include "run/effects/place_effect.h"

#include <algorithm>

#include "base/core/gate_limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/effects/undo.h"
#include "run/policy/step_policy.h"
#include "run/show/prompt.h"
#include "run/steps/behaviour.h"
#include "run/steps/shell_command.h"
#include "run/walk/scope.h"

namespace baton::run {
namespace {

constexpr std::string_view reuse_key = "reuses";
constexpr std::string_view undo_key = "undo";  // of what a gate offers

/// What was shown to be done, or agreed to, on another branch says nothing about this one.
bool is_proved_anew(const workflow::Step& step, const NodeState& state) {
  return state.evidence != nullptr || step.require_confirmation || step.confirmation || step.gate;
}

std::string others_text(std::size_t others) {
  if (others == 0) return {};
  return cat(" (and ", others, others == 1 ? " more time)" : " more times)");
}

std::string said_by(const Ruled<OnFork>& rule) {
  std::string out;
  for (const PolicySource source : rule.sources) {
    out += cat(out.empty() ? "" : ", ", name_of(source));
  }
  return out;
}

/// Why the result of an effect cannot be taken here.
std::string_view why_not(const EffectQuestion& question, const EffectReceipt& of) {
  if (of.is_of_other_run) return "another sub-agent had it";
  switch (of.undone) {
    case UndoOutcome::none: break;
    case UndoOutcome::failed: return "its undo failed, and may have taken back a part of it";
    case UndoOutcome::open:
    case UndoOutcome::done:
    case UndoOutcome::unknown: return "an undo of it was begun, whose result is unknown";
  }
  if (of.outcome == EffectOutcome::open) return "no result of it is recorded yet";
  if (of.outcome != EffectOutcome::succeeded) return "it is not known to have succeeded";
  if (!of.is_reusable()) return "the log does not have all of its output";
  return of.hash == question.hash
             ? "what proves it, or who agreed to it, counts on its branch alone"
             : "it was not done in the same way";
}

/// Compiled workflows say it in the same way wherever their steps are.
void collect_reads(const json::Value& value, std::vector<std::string>& out) {
  if (const json::Array* list = value.if_array()) {
    for (const json::Value& each : *list) collect_reads(each, out);
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return;
  const json::Value* effect = object->find("effect");
  const json::Value* id = object->find("id");
  const bool is_read = effect != nullptr && effect->if_bool() != nullptr && !*effect->if_bool();
  if (is_read && id != nullptr && id->is_string()) out.push_back(*id->if_string());
  for (const json::Member& member : *object) collect_reads(member.value, out);
}

}  // namespace

ReadingSteps::ReadingSteps(const workflow::CompiledWorkflow& workflow) {
  collect_reads(workflow::to_json(workflow), ids_);
}

bool ReadingSteps::contains(std::string_view key) const {
  return std::ranges::any_of(
      ids_, [&](const std::string& id) { return key == id || key.ends_with(cat("::", id)); });
}

bool has_effect(const workflow::Step& step) {
  if (behaviour_of(step).is_for_sub_agents) return false;
  return step.effect.value_or(behaviour_of(step).is_for_server);
}

bool leaves_unknown(const workflow::Step& step, ProcessEnd end) {
  return end == ProcessEnd::unknown || (is_cut_short(end) && has_effect(step) && !step.on_error);
}

bool is_reported(const workflow::Step& step) {
  return step.effect.value_or(false) && !behaviour_of(step).is_for_sub_agents;
}

Known<Sha256> effect_hash_at(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                             Scripts& scripts) {
  const workflow::Step* step = step_at(workflow, state.cursor);
  if (step == nullptr || state.open_steps.empty()) return Sha256{};
  NodeState fresh = state;
  fresh.kind = NodeKind::step;
  fresh.process = nullptr;
  fresh.ran = nullptr;
  if (behaviour_of(*step).is_for_server) {
    const auto command = TRY(command_at(workflow, fresh, "any", scripts));
    if (!command) return Sha256{};
    return TRY(effect_hash(*command));
  }
  const AssembledPrompt told = TRY(assemble_prompt(workflow, *step, fresh, scripts));
  return TRY(effect_hash(state.open_steps.front(), told.prompt, told.definition, state.workspace));
}

std::string_view chosen_effect(const NodeState& state, const Sha256& subject) {
  std::string_view out;
  for (const PassedGate& each : state.known().passed) {
    const bool is_its = each.kind == GateKind::effect && !state.open_steps.empty() &&
                        each.step == state.open_steps.front() && each.output == subject;
    if (is_its) out = each.choice.empty() ? choices::first : std::string_view(each.choice);
  }
  return out;
}

Sha256 subject_of(const EffectQuestion& question) {
  std::string text = question.hash.hex();
  for (const EffectReceipt& each : question.elsewhere) {
    text += cat(' ', each.node.text());
    // What was chosen before an undo that failed says nothing about what to do now.
    if (each.undone != UndoOutcome::none) text += cat('!', name_of(each.undone));
  }
  return sha256(text);
}

EffectPlan plan_effect(const EffectQuestion& question) {
  EffectPlan plan;
  if (question.elsewhere.empty()) return plan;
  const auto same = std::ranges::find_if(question.elsewhere, [&](const EffectReceipt& each) {
    return each.hash == question.hash && question.hash != Sha256{} && each.is_reusable();
  });
  const bool is_agents = same != question.elsewhere.end() && same->by == EffectBy::agent;
  plan.may_reuse = same != question.elsewhere.end() &&
                   !(is_agents && is_proved_anew(question.step, question.state));
  plan.of = plan.may_reuse ? *same : question.elsewhere.front();
  const Ruled<OnFork> rule = policy_at(question.policy, question.step).on_fork;
  const std::string shown = cat(receipt_text(*plan.of), others_text(question.elsewhere.size() - 1));
  const bool never_stops = question.state.preferences.autonomy == Autonomy::full_auto_never_stop;
  const bool takes_first = question.choice == choices::first;
  if (question.choice == choices::repeat || (takes_first && !plan.may_reuse)) return plan;
  if (question.choice == choices::undo) {
    plan.way = EffectPlan::Way::ask;  // others are left, or it could not be undone
  } else if (!question.choice.empty() && plan.may_reuse) {
    plan.way = EffectPlan::Way::reuse;
  } else if (rule.value == OnFork::repeat && question.choice.empty()) {
    plan.warning =
        cat("another branch of this run had this effect, and it is repeated here, as "
            "on_fork says (",
            said_by(rule), "): ", shown);
  } else if (plan.may_reuse && (rule.value == OnFork::reuse || never_stops)) {
    plan.way = EffectPlan::Way::reuse;
    plan.warning =
        cat("another branch of this run had this effect, and its result is taken "
            "instead of doing it again",
            rule.value == OnFork::reuse ? cat(", as on_fork says (", said_by(rule), ')')
                                        : std::string(", since this run never stops"),
            ": ", shown);
  } else {
    plan.way = EffectPlan::Way::ask;
  }
  return plan;
}

Gate effect_gate(const EffectQuestion& question, const EffectPlan& plan, Assurance least) {
  Gate gate;
  gate.node = question.state.node;
  gate.step = question.state.open_steps.front();
  gate.kind = GateKind::effect;
  gate.least = least;
  gate.question =
      cat("Another branch of this run had this effect already: ", receipt_text(*plan.of),
          others_text(question.elsewhere.size() - 1), ". ");
  if (plan.may_reuse) {
    gate.question += "Take the result that it had (reuse), or do it again (repeat)?";
    gate.choices = {std::string(choices::reuse), std::string(choices::repeat)};
  } else {
    gate.question += cat("Its result cannot be taken, because ", why_not(question, *plan.of),
                         ". Do it again (repeat)?");
    gate.choices = {std::string(choices::repeat)};
  }
  const bool is_here = !plan.of->is_of_other_run && plan.of->undone == UndoOutcome::none;
  if (is_here && check_undo(*plan.of, &question.step)) {
    gate.question += " Or undo it, and look again then (undo)?";
    gate.choices.emplace_back(choices::undo);
    gate.offer.set(std::string(undo_key), plan.of->node.text());
  }
  gate.question = utf8::truncate(gate.question, limits::gate_question_bytes_max);
  gate.output = subject_of(question);
  return gate;
}

std::optional<NodeId> undo_asked_by(const Gate& gate, const GateWord& word) {
  const bool is_chosen = gate.kind == GateKind::effect && word.choice == choices::undo &&
                         word.decision == GateDecision::approved;
  const json::Value* offered = is_chosen ? gate.offer.find(undo_key) : nullptr;
  const std::string* node = offered == nullptr ? nullptr : offered->if_string();
  if (node == nullptr) return std::nullopt;
  const auto id = NodeId::parse(*node);
  return id ? std::optional(*id) : std::nullopt;
}

Pending pending_reuse(const workflow::Step& step, const EffectReused& reuse) {
  return {.step_id = reuse.step,
          .title = step.title,
          .prompt =
              "Another branch of this run had the effect of this step already, and Baton "
              "takes the result that it had. Do not do the step. Ask again to get the next "
              "one.",
          .require_confirmation = false,
          .agent_role = std::nullopt,
          .kind = step.kind(),
          .definition = json::Object{{std::string(reuse_key), reuse.from.text()}}};
}

bool is_reuse(const Pending& pending) { return pending.definition.contains(reuse_key); }

}  // namespace baton::run
