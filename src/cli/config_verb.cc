#include "base/json.h"
#include "base/text.h"
#include "cli/config_load.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr Option options[] = {{"--json", "", "Print a JSON object instead of lines"}};

constexpr std::string_view all_settings[] = {
    "db",         "surface",    "workflows",   "content_dir", "token_ttl",   "http",
    "token_file", "allow_host", "allow_shell", "autonomy",    "risk_policy", "verbose"};

/// The line that would say the same in a file, with the origin as a comment.
std::string as_line(const Effective& effective) {
  const Setting& setting = *effective.setting;
  if (effective.values.empty())
    return cat("# ", setting.name, ": none  # ", effective.origin, '\n');
  std::string list;
  for (const std::string& value : effective.values) list += cat(list.empty() ? "" : ", ", value);
  const bool several = effective.values.size() > 1;
  return cat(setting.name, ": ", several ? "[" : "", list, several ? "]" : "", "  # ",
             effective.origin, '\n');
}

std::string as_lines(const Config& config) {
  std::string out;
  for (const Effective& effective : config.all()) out += as_line(effective);
  return out;
}

std::string as_json(const Config& config) {
  json::Object object;
  for (const Effective& effective : config.all()) {
    json::Array values;
    for (const std::string& value : effective.values) values.emplace_back(value);
    object.set(effective.setting->name,
               json::Object{{"values", std::move(values)}, {"origin", effective.origin}});
  }
  return json::print_pretty(object) + '\n';
}

Result<Ending> run(const Call& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  TRY(write_text(call.world.output,
                 call.arguments.has("--json") ? as_json(config) : as_lines(config)));
  return Exit::ok;
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

A project's file may not say where runs are kept (db), who is served and how
(http, token_file, allow_host), nor that commands run unasked (allow_shell).
)",
    .options = options,
    .operand = {},
    .settings = all_settings,
    .run = run};

}  // namespace baton::cli
