#pragma once
// The policy: what runs may do without their owner, as the strictest of all sources says it. Pure;
// who reads the sources gives them as values.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/log/policy_events.h"
#include "run/log/types.h"
#include "run/policy/assurance.h"

namespace baton::run {

// The values of each set are in order, the strictest first.

/// Who may let a step pass without its evidence.
enum class Waivable : std::uint8_t { never, author };
template <>
inline constexpr Names<2> names_of<Waivable> = {"never", "author"};

/// What happens on a fork to an effect that another branch of the run had.
enum class OnFork : std::uint8_t { ask, reuse, repeat };
template <>
inline constexpr Names<3> names_of<OnFork> = {"ask", "reuse", "repeat"};

/// Which commands the server runs.
enum class CommandRule : std::uint8_t { never, trusted, all };
template <>
inline constexpr Names<3> names_of<CommandRule> = {"never", "trusted", "all"};

/// Who speaks of a setting.
enum class PolicySource : std::uint8_t {
  user_policy,  // the user's own policy file
  user_config,
  allow_shell,  // the setting of that name, wherever it was given
  flag,
  environment,
  project,
  workflow,
  step,
  call,
  fallback  // the default: no source spoke
};
template <>
inline constexpr Names<10> names_of<PolicySource> = {
    "user_policy", "user_config", "allow_shell", "flag", "environment",
    "project",     "workflow",    "step",        "call", "default"};

enum class PolicySetting : std::uint8_t { autonomy, risk, waivable, on_fork, commands, assurance };
template <>
inline constexpr Names<6> names_of<PolicySetting> = {"ceiling.autonomy",  "ceiling.risk",
                                                     "evidence.waivable", "effects.on_fork",
                                                     "commands",          "gates.assurance"};

/// Whether the default gives way to a source, so that it may be looser. Against another source that
/// speaks the stricter one counts, always. A project is a stranger's text, and so is what it can
/// put on a command line.
bool may_loosen(PolicySource source, PolicySetting setting);

/// What one source says; nothing for a setting that it does not speak of.
struct PolicyStatement {
  PolicySource source = PolicySource::fallback;
  std::optional<Autonomy> autonomy = {};
  std::optional<RiskPolicy> risk = {};
  std::optional<Waivable> waivable = {};
  std::optional<OnFork> on_fork = {};
  std::optional<CommandRule> commands = {};
  std::optional<Assurance> assurance = {};
  bool operator==(const PolicyStatement&) const = default;
};
using PolicyStatements = std::vector<PolicyStatement>;

/// The words that a setting takes, in the order of their set.
std::vector<std::string_view> values_of(PolicySetting setting);

/// Puts the word into the statement; false when the setting does not take it.
bool say(PolicyStatement& statement, PolicySetting setting, std::string_view value);

/// A value that counts, and the sources that say it, in the order of their set.
template <class Value>
struct Ruled {
  Value value;
  std::vector<PolicySource> sources = {PolicySource::fallback};
  bool operator==(const Ruled&) const = default;

  bool is_default() const { return sources.front() == PolicySource::fallback; }
};

/// Which assurances a decision needs: one, or `sealed` and `identified`, which are not ordered
/// between themselves: then it needs both.
using AssuranceDemand = std::vector<Assurance>;

/// Whether a decision that has `had` is enough for all that is asked for.
bool is_enough(std::span<const Assurance> had, const AssuranceDemand& demand);

struct Policy {
  Ruled<Autonomy> autonomy{Autonomy::full_auto_never_stop};  // the ceiling; none by default
  Ruled<RiskPolicy> risk{RiskPolicy::aggressive};            // likewise
  Ruled<Waivable> waivable{Waivable::author};
  Ruled<OnFork> on_fork{OnFork::ask};
  Ruled<CommandRule> commands{CommandRule::trusted};
  Ruled<AssuranceDemand> assurance{{Assurance::claimed}};
  // What it follows from, so that a step's own word can be heard beside it (with_word).
  std::shared_ptr<const PolicyStatements> said = {};
  bool client_asks = false;

  /// Whether the same counts, whatever was said.
  bool operator==(const Policy& other) const;
};

/// What counts of all that is said. The order of the statements has no part in it. The default of
/// `assurance` is `asked` where the client of the caller can ask its user, else `claimed`.
Policy resolve(std::span<const PolicyStatement> statements, bool client_asks = false);

/// What counts where one more source speaks: a step that says something of itself, say. It is not
/// what the policy alone makes of the word, since a default may give way to it.
Policy with_word(const Policy& policy, const PolicyStatement& more);

/// What an owner says, for callers whose clients can ask their user and for others. A value that is
/// cheap to copy.
class OwnerPolicy {
 public:
  OwnerPolicy() : OwnerPolicy(PolicyStatements()) {}
  explicit OwnerPolicy(const PolicyStatements& statements);

  const Policy& of(bool client_asks) const { return client_asks ? both_->asking : both_->other; }

 private:
  struct Both {
    Policy asking;
    Policy other;
  };
  std::shared_ptr<const Both> both_;
};

/// What is recorded of a policy: the settings that some source speaks of.
std::vector<PolicyEntry> entries_of(const Policy& policy);

/// What counts beside what was recorded: a run keeps what was said of it to another process.
OwnerPolicy with_recorded(const OwnerPolicy& policy, std::span<const PolicyEntry> recorded);

/// The value as text, for a setting of the policy; "sealed and identified" for both.
std::string value_text(const Policy& policy, PolicySetting setting);
const std::vector<PolicySource>& sources_of(const Policy& policy, PolicySetting setting);

}  // namespace baton::run
