#pragma once
// The features that a document uses, with their settings, and what they do to its steps. Pure.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/check/closed_sets.h"
#include "workflow/check/diagnostic.h"
#include "workflow/read/node.h"

namespace baton::workflow {

struct UsedFeature {
  const Feature* feature = nullptr;
  std::map<std::string, std::string, std::less<>> settings;  // those that are written down
};

/// In the order of their ids. Unknown ones and wrong settings are reported.
std::vector<UsedFeature> used_features(const SyntaxNode& document, Diagnostics& diagnostics);

/// What a feature adds to the blocks of a step; empty for nothing.
std::string_view constraint_of(const UsedFeature& used);
std::string_view verify_of(const UsedFeature& used);

/// `output_contracts` with `enforce: warn`: the artifact of the step may be left out.
void relax_contract(const UsedFeature& used, SyntaxNode& step);

/// `capabilities` with `probeVisibility: prompt`: no step of its own tries a required capability.
bool asks_for_probes_in_prompts(const std::vector<UsedFeature>& features);

}  // namespace baton::workflow
