#pragma once
// The policy of an owner whose store has an approval key: what they signed counts, and the file can
// only tighten it. Pure.

#include <string_view>
#include <vector>

#include "cli/config/policy_words.h"

namespace baton::cli {

/// Where words of the signed policy come from, for people.
inline constexpr std::string_view signed_policy_origin = "the policy that was signed";

/// All that is said where the store has an approval key: `text` is the policy that was signed last,
/// empty when none was. Whether the file is missing, unsigned or signed by another key makes no
/// difference: it cannot loosen. CONFIG_INVALID when the text is no policy.
Result<std::vector<PolicyWord>> words_in_force(std::vector<PolicyWord> said, std::string_view text);

/// Checks the text of a policy before it is signed.
Result<void> check_policy_text(std::string_view text, const std::string& path);

}  // namespace baton::cli
