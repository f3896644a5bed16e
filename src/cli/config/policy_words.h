#pragma once
// What each source says of the policy: the words of the files, of --policy and of BATON_POLICY, as
// they were given. Pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "run/policy/policy.h"

namespace baton::cli {

/// One setting of the policy, as one source says it. The value is a word of the setting's set.
struct PolicyWord {
  run::PolicySource source = run::PolicySource::user_config;
  run::PolicySetting setting = run::PolicySetting::commands;
  std::string value;
  std::string origin;        // "--policy", "/p/.baton/config.yaml:3"
  bool is_unsigned = false;  // of the owner's policy file, where only a signed policy may loosen
  bool operator==(const PolicyWord&) const = default;
};

/// INVALID_INPUT for a value that the setting does not take; says which is near.
Result<PolicyWord> policy_word(run::PolicySource source, run::PolicySetting setting,
                               std::string value, std::string origin);

/// The same for "KEY=VALUE", as --policy has it.
Result<PolicyWord> policy_assignment(run::PolicySource source, std::string_view text,
                                     std::string origin);

/// A hint about a name that is no setting of the policy.
std::string near_policy_setting(std::string_view name);

/// As the engine hears them: a statement for each word.
run::PolicyStatements statements_of(std::span<const PolicyWord> words);

}  // namespace baton::cli
