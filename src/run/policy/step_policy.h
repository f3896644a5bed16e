#pragma once
// The policy at one step: what a step says of itself is a source below its owner's. Pure.

#include "run/policy/policy.h"
#include "workflow/compiled.h"

namespace baton::run {

/// What a step says of itself; nothing for a setting that it does not speak of.
inline PolicyStatement word_of(const workflow::Step& step) {
  PolicyStatement out{.source = PolicySource::step};
  // The compiler lets only words of the sets through.
  if (step.on_fork) out.on_fork = from_name<OnFork>(*step.on_fork);
  if (step.gate && step.gate->assurance) {
    out.assurance = from_name<Assurance>(*step.gate->assurance);
  }
  return out;
}

/// What counts at the step.
inline Policy policy_at(const Policy& policy, const workflow::Step& step) {
  const PolicyStatement word = word_of(step);
  if (word == PolicyStatement{.source = PolicySource::step}) return policy;
  return with_word(policy, word);
}

}  // namespace baton::run
