#include <algorithm>

#include "cli/config/config.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr const Verb* table[] = {
    &serve_verb,  &demo_verb,      &plan_verb,       &list_verb,    &inspect_verb,  &validate_verb,
    &test_verb,   &simulate_verb,  &new_verb,        &schema_verb,  &builtins_verb, &runs_verb,
    &show_verb,   &guide_verb,     &pause_verb,      &resume_verb,  &cancel_verb,   &effects_verb,
    &undo_verb,   &state_verb,     &trace_verb,      &log_verb,     &verify_verb,   &export_verb,
    &import_verb, &rebuild_verb,   &backup_verb,     &restore_verb, &salvage_verb,  &gc_verb,
    &keys_verb,   &approvals_verb, &inbox_verb,      &approve_verb, &refuse_verb,   &revoke_verb,
    &trust_verb,  &prefer_verb,    &policy_verb,     &config_verb,  &canon_verb,    &eval_verb,
    &errors_verb, &explain_verb,   &completion_verb, &help_verb};

constexpr Option help_option = {"--help", "", "Show what the verb does and its options"};

}  // namespace

bool Arguments::has(std::string_view option) const {
  const auto found = options.find(option);
  return found != options.end() && found->second.back() != "false";
}

std::span<const Verb* const> verbs() { return table; }

const Verb* find_verb(std::string_view name) {
  const auto found = std::ranges::find(table, name, [](const Verb* verb) { return verb->name; });
  return found == std::end(table) ? nullptr : *found;
}

std::vector<Option> options_of(const Verb& verb) {
  std::vector<Option> all(verb.options.begin(), verb.options.end());
  for (const std::string_view name : verb.settings) {
    const Setting* setting = find_setting(name);
    ASSERT(setting != nullptr);
    const bool repeats = setting->type == SettingType::directories ||
                         setting->type == SettingType::hosts ||
                         setting->type == SettingType::policy;
    all.push_back({setting->flag, setting->value, setting->help, repeats, choices_of(*setting)});
  }
  all.push_back(help_option);
  return all;
}

}  // namespace baton::cli
