#include "base/json/json.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr Option config_options[] = {{"--json", "", "Print a JSON object instead of lines"}};

constexpr std::string_view all_settings[] = {"db",          "surface", "workflows",  "content_dir",
                                             "token_ttl",   "http",    "token_file", "allow_host",
                                             "allow_shell", "policy",  "autonomy",   "risk_policy",
                                             "plan_config", "verbose"};

/// "name: value", as a file would say it.
std::string assignment(const Setting& setting, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values)
    list += cat(list.empty() ? "" : ", ", printable_line(value));
  const bool several = values.size() > 1;
  return cat(setting.name, ": ", several ? "[" : "", list, several ? "]" : "");
}

std::string_view why_ignored(const Setting& setting) {
  const bool is_path =
      setting.type == SettingType::directory || setting.type == SettingType::directories;
  return is_path ? "because it is outside the project" : "because a project may not loosen this";
}

/// The line that would say the same in a file, with the origin as a comment.
std::string as_line(const Effective& effective) {
  const Setting& setting = *effective.setting;
  std::string out = effective.values.empty() ? cat("# ", setting.name, ": none")
                                             : assignment(setting, effective.values);
  out += cat("  # ", effective.origin, '\n');
  if (effective.ignored) {
    out += cat("# warning: ", effective.ignored->origin, " is ignored, ", why_ignored(setting),
               ": ", assignment(setting, effective.ignored->values), '\n');
  }
  return out;
}

/// `baton policy` shows the policy; here is only what a flag or a variable adds to it.
bool is_shown(const Effective& effective) {
  return effective.setting->type != SettingType::policy || !effective.values.empty();
}

std::string as_lines(const Config& config) {
  std::string out;
  for (const Effective& effective : config.all()) {
    if (is_shown(effective)) out += as_line(effective);
  }
  return out;
}

json::Array as_array(const std::vector<std::string>& values) {
  json::Array out;
  for (const std::string& value : values) out.emplace_back(value);
  return out;
}

std::string as_json(const Config& config) {
  json::Object object;
  for (const Effective& effective : config.all()) {
    if (!is_shown(effective)) continue;
    json::Object shown{{"values", as_array(effective.values)}, {"origin", effective.origin}};
    if (effective.ignored) {
      shown.set("ignored", json::Object{{"values", as_array(effective.ignored->values)},
                                        {"origin", effective.ignored->origin}});
    }
    object.set(effective.setting->name, std::move(shown));
  }
  return json::print_pretty(object) + '\n';
}

Result<Ending> run_config(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  TRY(write_text(call.world.output,
                 call.arguments.has("--json") ? as_json(config) : as_lines(config)));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb config_verb = {
    .name = "config",
    .summary = "Print the settings in effect and where each comes from",
    .help = R"(A setting comes from the first of these that has it:

1. its flag;
2. its variable in the environment;
3. .baton/config.yaml of the project: of the current folder, else of the root
   of the Git or Jujutsu repository around it;
4. config.yaml of the user, in $XDG_CONFIG_HOME/baton or ~/.config/baton;
5. the default.

A file is a flat list of 'name: value'; a list of values is written as a YAML
list. Relative paths start at the current folder, in a project's file at the
project, in the user's file at the home folder; '~/' is the home folder
everywhere.

A project's file may not set where runs are kept (db), who is served and how
(http, token_file, allow_host), or that every command may run (allow_shell). It
may tighten autonomy, risk_policy and token_ttl, turn verbose on, and choose
among the surfaces that the user's file names. A folder that it names
(workflows, content_dir) must be in the project. A value that would loosen
what the user's file or the default says, or that points outside the project, is
ignored with a warning, here and in the log of 'baton serve'.

Of the policy (ceiling.autonomy, ceiling.risk, evidence.waivable,
effects.on_fork, commands, gates.assurance) every file may say something, and
the strictest word counts; 'baton policy' shows it.

What commands get and may do (commands.env, commands.limits, commands.sandbox,
commands.writable) has no flag and no variable: only the user's file sets it,
because a project may provide the command line.
)",
    .options = config_options,
    .operand = {},
    .settings = all_settings,
    .run = run_config};

}  // namespace baton::cli
