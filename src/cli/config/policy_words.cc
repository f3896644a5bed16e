#include "cli/config/policy_words.h"

#include "base/text/text.h"
#include "cli/table.h"

namespace baton::cli {
namespace {

constexpr std::string_view identified = run::name_of(run::Assurance::identified);

}  // namespace

Result<PolicyWord> policy_word(run::PolicySource source, run::PolicySetting setting,
                               std::string value, std::string origin) {
  run::PolicyStatement ignored;
  auto words = run::values_of(setting);
  if (setting == run::PolicySetting::assurance) std::erase(words, identified);
  if (setting == run::PolicySetting::assurance && value == identified) {
    return fail(
        Code::INVALID_INPUT,
        cat(run::name_of(setting),
            ": \"identified\" is reserved until callers have names of their own, and no gate "
            "can be passed with it"),
        cat("use ", one_of(words)));
  }
  if (!run::say(ignored, setting, value)) {
    const auto near = nearest(value, words);
    return fail(Code::INVALID_INPUT, cat(run::name_of(setting), " does not take '", value, "'"),
                near ? cat("did you mean '", *near, "'?") : cat("use ", one_of(words)));
  }
  return PolicyWord{source, setting, std::move(value), std::move(origin)};
}

Result<PolicyWord> policy_assignment(run::PolicySource source, std::string_view text,
                                     std::string origin) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return fail(Code::INVALID_INPUT, cat("'", text, "' is not of the form KEY=VALUE"),
                "such as commands=never");
  }
  const std::string_view name = text.substr(0, equals);
  const auto setting = run::from_name<run::PolicySetting>(name);
  if (!setting) {
    return fail(Code::INVALID_INPUT, cat("the policy has no setting '", name, "'"),
                near_policy_setting(name));
  }
  return policy_word(source, *setting, std::string(text.substr(equals + 1)), std::move(origin));
}

std::string near_policy_setting(std::string_view name) {
  const auto names = run::names<run::PolicySetting>();
  const auto near = nearest(name, names);
  return near ? cat("did you mean '", *near, "'?") : cat("use ", one_of(names));
}

run::PolicyStatements statements_of(std::span<const PolicyWord> words) {
  run::PolicyStatements out;
  for (const PolicyWord& word : words) {
    // The value was checked when the word was made.
    ASSERT(run::say(out.emplace_back(run::PolicyStatement{.source = word.source}), word.setting,
                    word.value));
  }
  return out;
}

}  // namespace baton::cli
