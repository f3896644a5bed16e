#include "run/checks/person_rule.h"

#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "run/steps/behaviour.h"

namespace baton::run {

using workflow::Step;

namespace {

/// Whether the author asks for more than an agent can say in a person's name.
bool is_past_the_agent(const Step& step) {
  return step.gate && step.gate->assurance && *step.gate->assurance != name_of(Assurance::claimed);
}

}  // namespace

PersonRule person_rule(const Step& step, const Preferences& preferences, bool is_confirmed,
                       bool has_answer) {
  using Need = PersonRule::Need;
  const StepBehaviour& behaviour = behaviour_of(step);
  // The gate of a command was passed before the command started.
  if (step.gate && !behaviour.is_for_server) return {Need::word, GateKind::step};
  const Autonomy autonomy = preferences.autonomy;
  if (behaviour.asks_user) {
    const auto* input = step.as<workflow::UserInput>();
    const bool has_default = input != nullptr && input->fallback;
    const bool asks = autonomy == Autonomy::guided ||
                      (autonomy == Autonomy::full_auto_stop_on_user_deps && !has_default);
    if (asks) return {Need::word, GateKind::question};
    if (!has_answer) return {has_default ? Need::fallback : Need::nothing, GateKind::question};
    // Where a default would do, an answer is the user's own.
    const bool is_alone = autonomy == Autonomy::full_auto_never_stop;
    return {is_alone ? Need::assumption : Need::nothing, GateKind::question};
  }
  if (!is_confirmed) return {};
  return {autonomy == Autonomy::guided ? Need::word : Need::assumption, GateKind::confirmation};
}

std::string describe_person(const Step& step, const PersonRule& rule) {
  if (rule.need == PersonRule::Need::assumption) {
    if (rule.kind == GateKind::question) {
      return cat("What you assumed in the user's place, and why: ",
                 json::print(example_assumption()), ". If the user said it before, send ",
                 json::print(example_confirmation()), " with the user's words instead.");
    }
    return cat(
        "In this mode you decide in the user's place and do not wait: say what you decided, "
        "and why, in ",
        json::print(example_assumption()), '.');
  }
  if (rule.need != PersonRule::Need::word || rule.kind == GateKind::question) return {};
  std::string out = rule.kind == GateKind::step
                        ? std::string("A person must agree to the output, in every mode")
                        : std::string("The user must agree to the output");
  if (step.gate && step.gate->who) out += cat(" (", *step.gate->who, ')');
  if (is_past_the_agent(step)) {
    return cat(out,
               ", and what you say in their name does not count: send the output, tell the person "
               "what is asked, and send the same output again once they have decided.");
  }
  return cat(out,
             ": show it before you send it, ask, and send what the person said, word for word, "
             "in ",
             json::print(example_confirmation()),
             ". Where that is not enough, the answer says how the person can agree.");
}

std::optional<json::Value> example_word(const Step& step, const PersonRule& rule) {
  if (rule.need == PersonRule::Need::assumption) return example_assumption();
  const bool is_word = rule.need == PersonRule::Need::word && rule.kind != GateKind::question &&
                       !is_past_the_agent(step);
  return is_word ? std::optional(example_confirmation()) : std::nullopt;
}

}  // namespace baton::run
