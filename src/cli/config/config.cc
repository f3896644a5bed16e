#include "cli/config/config.h"

#include <algorithm>
#include <iterator>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "cli/config/command_values.h"
#include "cli/table.h"
#include "run/log/types.h"
#include "surface/surfaces.h"
#include "transport/http/address.h"

namespace baton::cli {
namespace {

constexpr Setting table[] = {
    {"db", "--db", "BATON_DB", "PATH", SettingType::store, "", false, "Where runs are kept"},
    {"surface", "--surface", "BATON_SURFACE", "NAME", SettingType::surfaces, "rail", true,
     "Tools to offer, separated by commas"},
    {"workflows", "--workflows", "BATON_WORKFLOWS", "DIR", SettingType::directories, "", true,
     "Another folder of workflows; may be given several times"},
    {"content_dir", "--content-dir", "BATON_CONTENT_DIR", "DIR", SettingType::directory, "", true,
     "Another source of workflows, agents and rules"},
    {"token_ttl", "--token-ttl", "BATON_TOKEN_TTL", "MINUTES", SettingType::minutes, "10", true,
     "Lifetime of a broker step token, 1 to 10080"},
    {"http", "--http", "BATON_HTTP", "ADDRESS", SettingType::address, "", false,
     "Serve HTTP there: HOST:PORT or unix:PATH"},
    {"token_file", "--token-file", "BATON_TOKEN_FILE", "FILE", SettingType::file, "", false,
     "The secret that HTTP clients send; created when missing"},
    {"allow_host", "--allow-host", "BATON_ALLOW_HOST", "NAME", SettingType::hosts, "", false,
     "Another name of this server in Host and Origin headers"},
    {"allow_shell", "--allow-shell", "BATON_ALLOW_SHELL", "", SettingType::boolean, "false", false,
     "Let every workflow run its commands here, even if it is not trusted"},
    {"policy", "--policy", "BATON_POLICY", "KEY=VALUE", SettingType::policy, "", false,
     "A setting of the policy that counts where it is stricter; may be given several times"},
    {"autonomy", "--autonomy", "BATON_AUTONOMY", "MODE", SettingType::autonomy, "guided", true,
     "How far runs go without the user, unless a call says otherwise"},
    {"risk_policy", "--risk-policy", "BATON_RISK_POLICY", "POLICY", SettingType::risk_policy,
     "conservative", true, "What runs let pass, unless a call says otherwise"},
    {"plan_config", "--plan-config", "BATON_PLAN_CONFIG", "FORM", SettingType::plan_form,
     "COMMIT_MESSAGE", true,
     "How plans are written: a configuration's name, KEY=VALUE, or both as JSON"},
    {"verbose", "--verbose", "BATON_VERBOSE", "", SettingType::boolean, "false", true,
     "Log everything, not only warnings"},
    {"commands.env", "", "", "NAME", SettingType::variables, "", false,
     "More variables of the server that its commands get: names, or PREFIX*"},
    {"commands.limits", "", "", "NAME=N", SettingType::resource_limits, "", false,
     "Limits that differ from the defaults: open_files, processes, file_bytes, cpu_seconds, "
     "memory_bytes"},
    {"commands.sandbox", "", "", "KIND", SettingType::sandbox, "none", false,
     "Where commands may write"},
    {"commands.writable", "", "", "PATH", SettingType::directories, "", false,
     "More places that commands in a sandbox may write to"}};

constexpr std::string_view sandbox_choices[] = {"none", "workspace"};

/// Every surface, and `all`.
const std::vector<std::string_view>& surface_choices() {
  static const std::vector<std::string_view> choices = [] {
    std::vector<std::string_view> out;
    for (const surface::Surface& each : surface::surfaces()) out.push_back(each.name);
    out.emplace_back("all");
    return out;
  }();
  return choices;
}

constexpr std::string_view default_origin = "default";

using Values = std::vector<std::string>;

/// One value on its way from text to meaning.
struct Reading {
  const Setting& setting;
  const Given& given;
  const Layer& layer;
  const ConfigLocations& surroundings;

  std::unexpected<Error> refuse(std::string_view problem, std::string hint = {}) const {
    const Code code = layer.source == ConfigSource::flag ? Code::USAGE : Code::CONFIG_INVALID;
    return fail(code, cat(given.origin, ": ", problem), std::move(hint));
  }

  Result<std::string> path(std::string_view text) const {
    if (text.empty()) return refuse(cat(setting.name, " needs a value"));
    if (text == "~" || text.starts_with("~/")) {
      if (surroundings.home.empty()) return refuse("~ cannot be used: HOME is not set");
      const std::string_view rest = text.size() > 2 ? text.substr(2) : std::string_view();
      return (surroundings.home / rest).lexically_normal().string();
    }
    return (layer.base / text).lexically_normal().string();
  }

  Result<Values> surface_list(const Values& pieces) const {
    Values out;
    for (const std::string& piece : pieces) {
      if (piece == "all") {
        out.assign(surface_choices().begin(), surface_choices().end() - 1);
        continue;
      }
      if (std::ranges::count(surface_choices(), piece) == 0) {
        const auto near = nearest(piece, surface_choices());
        return refuse(
            cat("there is no surface '", piece, "'"),
            near ? cat("did you mean '", *near, "'?")
                 : cat("use ", one_of(surface_choices()), ", or several separated by commas"));
      }
      if (std::ranges::count(out, piece) == 0) out.push_back(piece);
    }
    return out;
  }
};

Values split(const Values& texts, char separator) {
  Values out;
  for (const std::string& text : texts) {
    std::size_t start = 0;
    while (start <= text.size()) {
      const std::size_t end = std::min(text.find(separator, start), text.size());
      out.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }
  return out;
}

Result<std::string> read_address(const Reading& reading, std::string_view text) {
  constexpr std::string_view unix_prefix = "unix:";
  std::string whole(text);
  if (text.starts_with(unix_prefix) && text.size() > unix_prefix.size()) {
    whole = cat(unix_prefix, TRY(reading.path(text.substr(unix_prefix.size()))));
  }
  const auto address = transport::parse_address(whole);
  if (!address) return reading.refuse(address.error().message, address.error().next.text());
  return to_text(*address);
}

/// A word of a closed set.
template <class Set>
Result<std::string> read_choice(const Reading& reading, const std::string& text) {
  if (run::from_name<Set>(text)) return text;
  const auto choices = choices_of(reading.setting);
  const auto near = nearest(text, choices);
  return reading.refuse(cat("there is no ", reading.setting.name, " '", text, "'"),
                        near ? cat("did you mean '", *near, "'?") : cat("use ", one_of(choices)));
}

Result<std::string> read_scalar(const Reading& reading, const std::string& text) {
  switch (reading.setting.type) {
    case SettingType::store:
      if (text.contains("://")) {
        return reading.refuse(cat("runs cannot be kept at '", text, "'"),
                              "this release keeps them in a file: give its path");
      }
      return reading.path(text);
    case SettingType::file:
    case SettingType::directory: return reading.path(text);
    case SettingType::address: return read_address(reading, text);
    case SettingType::boolean:
      if (text == "true" || text == "1") return "true";
      if (text == "false" || text == "0") return "false";
      return reading.refuse(cat("'", text, "' is neither true nor false"));
    case SettingType::minutes: {
      const auto number = parse_int(text);
      if (!number || *number < 1 || *number > limits::token_life_minutes_max) {
        return reading.refuse(
            cat("'", text, "' is not a number of minutes, 1 to ", limits::token_life_minutes_max));
      }
      return cat(*number);
    }
    case SettingType::autonomy: return read_choice<run::Autonomy>(reading, text);
    case SettingType::risk_policy: return read_choice<run::RiskPolicy>(reading, text);
    case SettingType::sandbox:
      if (std::ranges::count(sandbox_choices, text) > 0) return text;
      return reading.refuse(cat("there is no sandbox '", text, "'"),
                            cat("use ", one_of(sandbox_choices)));
    case SettingType::directories:
    case SettingType::surfaces:
    case SettingType::hosts:
    case SettingType::variables:
    case SettingType::plan_form:
    case SettingType::resource_limits:
    case SettingType::policy: break;
  }
  return reading.refuse("not a single value");
}

/// Values that stay as they are written.
Result<Values> read_words(const Reading& reading, bool (*is_one)(std::string_view),
                          std::string_view form) {
  for (const std::string& each : reading.given.values) {
    if (is_one(each)) continue;
    return reading.refuse(cat("'", each, "' is not of the form ", form));
  }
  return reading.given.values;
}

bool is_limit(std::string_view text) {
  ports::ResourceLimits ignored;
  return apply_limit(text, ignored);
}

Result<Values> read_values(const Reading& reading) {
  const Values& given = reading.given.values;
  if (reading.setting.type == SettingType::surfaces) {
    return reading.surface_list(split(given, ','));
  }
  if (reading.setting.type == SettingType::hosts) return split(given, ',');
  if (reading.setting.type == SettingType::policy) {
    return reading.refuse("a file says the settings of the policy themselves",
                          "such as 'commands: never'");
  }
  if (reading.setting.type == SettingType::variables) {
    return read_words(reading, names_variables, "NAME or PREFIX*");
  }
  if (reading.setting.type == SettingType::resource_limits) {
    return read_words(reading, is_limit,
                      "NAME=N or NAME=none, with open_files, processes, file_bytes, cpu_seconds "
                      "or memory_bytes as NAME");
  }
  if (reading.setting.type == SettingType::plan_form) {
    if (auto form = plan::config_from_words(given); !form) {
      return reading.refuse(form.error().message, form.error().next.text());
    }
    return given;
  }
  if (reading.setting.type == SettingType::directories) {
    Values out;
    const bool separated = reading.layer.source == ConfigSource::environment;
    for (const std::string& text : separated ? split(given, ':') : given) {
      out.push_back(TRY(reading.path(text)));
    }
    return out;
  }
  if (given.size() != 1) return reading.refuse(cat(reading.setting.name, " takes one value"));
  return Values{TRY(read_scalar(reading, given[0]))};
}

run::PolicySource source_of(ConfigSource source) {
  switch (source) {
    case ConfigSource::flag: return run::PolicySource::flag;
    case ConfigSource::environment: return run::PolicySource::environment;
    case ConfigSource::project_file: return run::PolicySource::project;
    case ConfigSource::user_file:
    case ConfigSource::moved_policy: return run::PolicySource::user_config;
    case ConfigSource::policy_file: return run::PolicySource::user_policy;
  }
  return run::PolicySource::project;
}

/// What `given` says of the policy; nothing when it is a setting of another kind.
Result<std::vector<PolicyWord>> read_policy(const Given& given, const Layer& layer) {
  const auto told = [&](Result<PolicyWord> word) -> Result<PolicyWord> {
    if (word) return word;
    Error& error = word.error();
    if (layer.source != ConfigSource::flag)
      error.code = Code::CONFIG_INVALID;
    else
      error.code = Code::USAGE;
    error.message = cat(given.origin, ": ", error.message);
    return word;
  };
  const run::PolicySource source = source_of(layer.source);
  std::vector<PolicyWord> out;
  const bool is_file =
      layer.source != ConfigSource::flag && layer.source != ConfigSource::environment;
  if (is_file) {
    const auto setting = run::from_name<run::PolicySetting>(given.name);
    if (setting && given.values.size() != 1) {
      return fail(Code::CONFIG_INVALID, cat(given.origin, ": ", given.name, " takes one value"));
    }
    if (setting) {
      out.push_back(TRY(told(policy_word(source, *setting, given.values[0], given.origin))));
    }
  } else if (given.name == "policy") {
    for (const std::string& each : split(given.values, ',')) {
      out.push_back(TRY(told(policy_assignment(source, each, given.origin))));
    }
  }
  return out;
}

Result<Values> read_given(const Given& given, const Layer& layer, const ConfigLocations& around) {
  const Setting* setting = find_setting(given.name);
  if (setting == nullptr) {
    std::vector<std::string_view> names = run::names<run::PolicySetting>();
    for (const Setting& each : table) names.push_back(each.name);
    const auto near = nearest(given.name, names);
    return fail(Code::CONFIG_INVALID, cat(given.origin, ": there is no setting '", given.name, "'"),
                near ? cat("did you mean '", *near, "'?") : "'baton config' lists them");
  }
  const Reading reading{*setting, given, layer, around};
  if (layer.source == ConfigSource::project_file && !setting->project_may_set) {
    return reading.refuse(
        cat("a project may not set '", given.name, "'"),
        setting->flag.empty()
            ? std::string("use the user's config.yaml")
            : cat("use ", setting->flag, ", ", setting->variable, " or the user's config.yaml"));
  }
  return read_values(reading);
}

template <class Set>
bool goes_further(const Values& values, const Values& than) {
  return *run::from_name<Set>(values[0]) > *run::from_name<Set>(than[0]);
}

/// Whether a project's value would loosen what is in effect without it.
bool is_looser(const Values& values, const Effective& than) {
  switch (than.setting->type) {
    case SettingType::autonomy: return goes_further<run::Autonomy>(values, than.values);
    case SettingType::risk_policy: return goes_further<run::RiskPolicy>(values, than.values);
    // A longer life of a token.
    case SettingType::minutes: return *parse_int(values[0]) > *parse_int(than.values[0]);
    // Showing less than the user asked for.
    case SettingType::boolean: return values[0] == "false" && than.values[0] == "true";
    // The default leaves the choice to the project; a user who names surfaces means no others.
    case SettingType::surfaces:
      return than.origin != default_origin && std::ranges::any_of(values, [&](const auto& each) {
               return std::ranges::count(than.values, each) == 0;
             });
    // What a project may set of these is limited by where they lead, or not at all.
    case SettingType::store:
    case SettingType::file:
    case SettingType::directory:
    case SettingType::directories:
    case SettingType::address:
    case SettingType::hosts:
    case SettingType::variables:
    case SettingType::resource_limits:
    case SettingType::plan_form:
    case SettingType::sandbox:
    // The policy has rules of its own.
    case SettingType::policy: break;
  }
  return false;
}

/// Whether a path that a project's file names leads out of the project, by its text. What links
/// make of it is seen when it is opened.
bool leads_out(const Setting& setting, const Values& values, const std::filesystem::path& project) {
  if (setting.type != SettingType::directory && setting.type != SettingType::directories) {
    return false;
  }
  return std::ranges::any_of(values, [&](const std::string& value) {
    const std::filesystem::path inner = std::filesystem::path(value).lexically_relative(project);
    return inner.empty() || *inner.begin() == "..";
  });
}

/// What flags and variables say is shown with the other settings too, all of it.
void note_assignments(const std::vector<PolicyWord>& words, const Given& given,
                      std::vector<Effective>& all) {
  if (given.name != "policy") return;
  const auto found =
      std::ranges::find(all, given.name, [](const Effective& each) { return each.setting->name; });
  for (const PolicyWord& word : words) {
    found->values.push_back(cat(run::name_of(word.setting), '=', word.value));
  }
  found->origin = given.origin;
}

bool is_policy_only(const Layer& layer) {
  return layer.source == ConfigSource::policy_file || layer.source == ConfigSource::moved_policy;
}

std::unexpected<Error> no_policy_setting(const Given& given) {
  return fail(Code::CONFIG_INVALID,
              cat(given.origin, ": the policy has no setting '", given.name, "'"),
              find_setting(given.name) != nullptr ? "put it into config.yaml"
                                                  : near_policy_setting(given.name));
}

std::vector<Effective> defaults(const ConfigLocations& surroundings) {
  std::vector<Effective> all;
  for (const Setting& setting : table) {
    Effective effective{&setting, {}, std::string(default_origin)};
    if (!setting.fallback.empty()) effective.values = {std::string(setting.fallback)};
    if (setting.type == SettingType::store && !surroundings.default_store.empty()) {
      effective.values = {surroundings.default_store.string()};
    }
    all.push_back(std::move(effective));
  }
  return all;
}

}  // namespace

std::span<const Setting> settings() { return table; }

const Setting* find_setting(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Setting::name);
  return found == std::end(table) ? nullptr : &*found;
}

std::string_view project_may(const Setting& setting) {
  if (!setting.project_may_set) return "no";
  switch (setting.type) {
    case SettingType::autonomy:
    case SettingType::risk_policy:
    case SettingType::minutes: return "tighten";
    case SettingType::boolean: return "turn on";
    case SettingType::surfaces: return "only those that the user names, if any are named";
    default: return "yes";
  }
}

std::span<const std::string_view> choices_of(const Setting& setting) {
  static const std::vector<std::string_view> autonomies = run::names<run::Autonomy>();
  static const std::vector<std::string_view> risk_policies = run::names<run::RiskPolicy>();
  switch (setting.type) {
    case SettingType::surfaces: return surface_choices();
    case SettingType::autonomy: return autonomies;
    case SettingType::risk_policy: return risk_policies;
    case SettingType::sandbox: return sandbox_choices;
    default: return {};
  }
}

const Effective& Config::effective(std::string_view name) const {
  const auto found =
      std::ranges::find(all_, name, [](const Effective& each) { return each.setting->name; });
  ASSERT(found != all_.end());
  return *found;
}

plan::PlanConfig Config::plan_form() const {
  // It was read when it was given.
  return MUST(plan::config_from_words(values("plan_config")));
}

std::string Config::store() const { return values("db").empty() ? "" : values("db")[0]; }

std::string Config::content_dir() const {
  return values("content_dir").empty() ? "" : values("content_dir")[0];
}

std::string Config::trust_file() const {
  const std::filesystem::path& store = surroundings_.default_store;
  return store.empty() ? "" : (store.parent_path() / "trusted.json").string();
}

std::string Config::approval_key() const {
  const std::filesystem::path& store = surroundings_.default_store;
  return store.empty() ? "" : (store.parent_path() / "approval.key").string();
}

bool Config::allow_shell() const { return values("allow_shell")[0] == "true"; }

bool Config::verbose() const { return values("verbose")[0] == "true"; }

run::Preferences Config::preferences() const {
  // Checked when they were merged.
  return {*run::from_name<run::Autonomy>(values("autonomy")[0]),
          *run::from_name<run::RiskPolicy>(values("risk_policy")[0])};
}

std::int64_t Config::token_life_minutes() const {
  // Checked when it was merged.
  return *parse_int(values("token_ttl")[0]);
}

Result<Config> merge(std::span<const Layer> layers, const ConfigLocations& surroundings) {
  std::vector<Effective> all = defaults(surroundings);
  std::vector<PolicyWord> policy;
  for (std::size_t i = layers.size(); i-- > 0;) {
    for (const Given& given : layers[i].given) {
      std::vector<PolicyWord> words = TRY(read_policy(given, layers[i]));
      if (!words.empty()) {
        note_assignments(words, given, all);
        std::ranges::move(words, std::back_inserter(policy));
        continue;
      }
      if (is_policy_only(layers[i])) return no_policy_setting(given);
      std::vector<std::string> values = TRY(read_given(given, layers[i], surroundings));
      const auto found = std::ranges::find(
          all, given.name, [](const Effective& effective) { return effective.setting->name; });
      const bool is_projects = layers[i].source == ConfigSource::project_file;
      found->ignored.reset();
      if (is_projects &&
          (is_looser(values, *found) || leads_out(*found->setting, values, layers[i].base))) {
        found->ignored = Ignored{std::move(values), given.origin};
        continue;
      }
      found->values = std::move(values);
      found->origin = given.origin;
      found->is_projects = is_projects;
    }
  }
  const auto shell = std::ranges::find(all, std::string_view("allow_shell"),
                                       [](const Effective& each) { return each.setting->name; });
  if (shell->values[0] == "true") {
    policy.push_back(
        {run::PolicySource::allow_shell, run::PolicySetting::commands, "all", shell->origin});
  }
  return Config(std::move(all), surroundings, std::move(policy));
}

}  // namespace baton::cli
