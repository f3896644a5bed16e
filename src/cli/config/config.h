#pragma once
// The settings and how their values come together: flags > BATON_* variables > the project's
// .baton/config.yaml > the user's config.yaml > the default. A project is a stranger's text: its
// value counts only where it is not looser than what the user or the default says. Of the policy,
// all sources are heard and the strictest counts (run/policy/policy.h). Pure: layers in, values
// out; load.h reads the layers from the world.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "cli/config/policy_words.h"
#include "plan/config.h"
#include "run/log/types.h"

namespace baton::cli {

enum class SettingType {
  store,
  file,
  directory,
  directories,
  boolean,
  minutes,
  surfaces,
  address,
  hosts,
  autonomy,
  risk_policy,
  variables,        // names of them
  resource_limits,  // of commands
  sandbox,
  policy,  // settings of the policy, as KEY=VALUE
  plan_form,
};

struct Setting {
  std::string_view name;      // in files
  std::string_view flag;      // on the command line; empty: only the user's file may say it
  std::string_view variable;  // in the environment; empty likewise
  std::string_view value;     // the placeholder of the value in help; empty for a boolean
  SettingType type;
  std::string_view fallback;  // the default as a file would say it; empty for none
  bool project_may_set;       // false for what a cloned project must not decide
  std::string_view help;
};

std::span<const Setting> settings();
const Setting* find_setting(std::string_view name);

/// What a project's file may do with a setting, in a word or two.
std::string_view project_may(const Setting& setting);

/// The closed set that the setting's value is of; empty when it is of none.
std::span<const std::string_view> choices_of(const Setting& setting);

/// Where a layer is from. A `moved_policy` is a file of the policy that the environment leads to,
/// and not the system's own word about who the user is.
enum class ConfigSource { flag, environment, project_file, user_file, moved_policy, policy_file };

/// One setting as one source gave it. Several values for a list; a comma or a colon inside a value
/// is still to be read.
struct Given {
  std::string name;
  std::vector<std::string> values;
  std::string origin;  // "--db", "BATON_DB", "/p/.baton/config.yaml:3"
};

struct Layer {
  ConfigSource source;
  std::filesystem::path base;  // absolute; relative paths in this layer start here
  std::vector<Given> given;
};

/// What depends on the machine.
struct ConfigLocations {
  std::filesystem::path home;  // empty when unknown
  std::filesystem::path default_store;
  std::filesystem::path project = {};  // the folder whose .baton counts; empty when unknown
  std::filesystem::path policy = {};   // the user's own policy file; empty when unknown
};

/// What a project's file says and does not count, because it would loosen what counts instead or
/// leads out of the project.
struct Ignored {
  std::vector<std::string> values;
  std::string origin;
};

struct Effective {
  const Setting* setting = nullptr;
  std::vector<std::string> values;      // checked; paths absolute; empty for none
  std::string origin;                   // "default" when no source gave it
  std::optional<Ignored> ignored = {};  // unless a flag or a variable decides anyway
  bool is_projects = false;             // the values are those of the project's file
};

/// Every setting has exactly one Effective, in the order of the table.
class Config {
 public:
  explicit Config(std::vector<Effective> all, ConfigLocations surroundings = {},
                  std::vector<PolicyWord> policy = {})
      : all_(std::move(all)), surroundings_(std::move(surroundings)), policy_(std::move(policy)) {}

  const ConfigLocations& surroundings() const { return surroundings_; }

  std::span<const Effective> all() const { return all_; }
  const Effective& effective(std::string_view name) const;
  const std::vector<std::string>& values(std::string_view name) const {
    return effective(name).values;
  }

  std::string store() const;        // a path; empty when there is no default for it
  std::string content_dir() const;  // empty for none
  bool allow_shell() const;
  /// In the user's own folder for every store: a project must not provide one. Empty when
  /// there is no such folder.
  std::string trust_file() const;
  /// The owner's approval key, in the user's own folder too. Empty when there is no such folder.
  std::string approval_key() const;
  bool verbose() const;
  /// All that is said of the policy, allow_shell included; the user's own file first.
  const std::vector<PolicyWord>& policy_words() const { return policy_; }
  run::PolicyStatements policy_statements() const { return statements_of(policy_); }
  /// The default preferences of a run.
  run::Preferences preferences() const;
  std::int64_t token_life_minutes() const;
  /// How plans are written.
  plan::PlanConfig plan_form() const;
  const std::vector<std::string>& surfaces() const { return values("surface"); }
  const std::vector<std::string>& workflows() const { return values("workflows"); }

 private:
  std::vector<Effective> all_;
  ConfigLocations surroundings_;
  std::vector<PolicyWord> policy_;
};

/// Layers from highest to lowest. Every value is checked, also one that a higher layer hides.
/// USAGE for a bad flag, CONFIG_INVALID with the origin for the others.
Result<Config> merge(std::span<const Layer> layers, const ConfigLocations& surroundings);

}  // namespace baton::cli
