#pragma once
// The mode table: what a person has to say to a step before it passes, by the autonomy of the run.
// Pure.

#include <optional>
#include <string>

#include "run/log/gate_events.h"
#include "workflow/compiled.h"

namespace baton::run {

struct PersonRule {
  enum class Need : std::uint8_t {
    nothing,
    word,        // a person agrees
    assumption,  // the agent decides, and says so
    fallback     // the default is taken, and that is said
  };
  Need need = Need::nothing;
  GateKind kind = GateKind::step;
};

/// `is_confirmed`: whether the step requires confirmation; `has_answer`: whether one was sent.
PersonRule person_rule(const workflow::Step& step, const Preferences& preferences,
                       bool is_confirmed, bool has_answer);

/// What is required of the output by that, for the agent that sends it; empty when nothing is.
std::string describe_person(const workflow::Step& step, const PersonRule& rule);

/// The artifact that does it; nothing when none does, as at a gate that takes no word of an agent.
std::optional<json::Value> example_word(const workflow::Step& step, const PersonRule& rule);

}  // namespace baton::run
