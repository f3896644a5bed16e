#pragma once
// Whether what was sent is what the step requires: its contract, else its criteria. Pure.

#include <optional>
#include <string>
#include <vector>

#include "run/checks/artifacts.h"
#include "run/checks/criteria.h"
#include "run/decide/verdict.h"
#include "workflow/compiled.h"

namespace baton::run {

/// What a step requires of its output, read from its compiled form. Views point into the step.
struct OutputRules {
  std::string_view contract;        // empty: none
  bool is_required = false;         // whether the contract's artifact may not be left out
  std::optional<Capability> about;  // the capability that an observation must be about
  const json::Value* criteria = nullptr;

  bool empty() const { return contract.empty() && criteria == nullptr; }
};
OutputRules output_rules(const workflow::Step& step);

struct OutputCheck {
  bool was_checked = false;       // whether the step requires anything that counted
  std::string contract;           // the one that counted; empty: the criteria
  std::vector<Finding> findings;  // empty when the output is right
};

/// A contract comes before the criteria, and where it counts they do not: the artifact says
/// precisely what the criteria look for in the text. They count when a contract that is not
/// required was not sent.
OutputCheck check_output(const OutputRules& rules, const Signals& signals,
                         const std::optional<std::string>& notes, const Holds& holds);

/// The rules as sentences, for the prompt.
std::vector<std::string> describe_rules(const OutputRules& rules, const Holds& holds);

/// An `output` that would pass, filled in but for what only the sender knows.
json::Object example_output(const OutputRules& rules, const Holds& holds);

}  // namespace baton::run
