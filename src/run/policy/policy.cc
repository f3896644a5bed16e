#include "run/policy/policy.h"

#include <algorithm>
#include <tuple>

#include "base/text/text.h"

namespace baton::run {
namespace {

constexpr std::string_view and_also = " and ";

/// Whether `a` is stricter than `b`. The sets of a policy begin with the strictest value, and those
/// of the preferences with the one that goes least far.
template <class Set>
bool is_stricter(Set a, Set b) {
  return a < b;
}

template <class Value>
struct Said {
  Value value;
  PolicySource source;
};

template <class Value>
using Member = std::optional<Value> PolicyStatement::*;

/// All that is said of one setting. The default speaks too, unless a source does that may be
/// looser than it.
template <class Value>
std::vector<Said<Value>> heard(std::span<const PolicyStatement> statements, Member<Value> member,
                               PolicySetting setting, Value fallback) {
  std::vector<Said<Value>> out;
  bool has_loosened = false;
  for (const PolicyStatement& each : statements) {
    const std::optional<Value>& value = each.*member;
    if (!value) continue;
    out.push_back({*value, each.source});
    has_loosened = has_loosened || may_loosen(each.source, setting);
  }
  if (!has_loosened) out.push_back({fallback, PolicySource::fallback});
  return out;
}

template <class Value>
std::vector<PolicySource> sources_among(const std::vector<Said<Value>>& said, const auto& is_of) {
  std::vector<PolicySource> out;
  for (const Said<Value>& each : said) {
    if (is_of(each.value)) out.push_back(each.source);
  }
  std::ranges::sort(out);
  const auto twice = std::ranges::unique(out);
  out.erase(twice.begin(), twice.end());
  if (out.size() > 1) std::erase(out, PolicySource::fallback);
  return out;
}

template <class Value>
void rule(Ruled<Value>& out, std::span<const PolicyStatement> statements, Member<Value> member,
          PolicySetting setting) {
  const auto said = heard(statements, member, setting, out.value);
  out.value = std::ranges::min(said, is_stricter<Value>, &Said<Value>::value).value;
  out.sources = sources_among(said, [&](Value value) { return value == out.value; });
}

void rule_assurance(Ruled<AssuranceDemand>& out, std::span<const PolicyStatement> statements) {
  const auto said =
      heard(statements, &PolicyStatement::assurance, PolicySetting::assurance, out.value.front());
  AssuranceDemand demand;
  for (const auto& each : said) {
    if (std::ranges::any_of(demand, [&](Assurance a) { return is_enough(a, each.value); })) {
      continue;
    }
    std::erase_if(demand, [&](Assurance a) { return is_enough(each.value, a); });
    demand.push_back(each.value);
  }
  std::ranges::sort(demand);
  out.value = std::move(demand);
  out.sources = sources_among(
      said, [&](Assurance value) { return std::ranges::count(out.value, value) > 0; });
}

std::string demand_text(const AssuranceDemand& demand) {
  std::string out;
  for (const Assurance each : demand) out += cat(out.empty() ? "" : and_also, name_of(each));
  return out;
}

}  // namespace

std::vector<std::string_view> values_of(PolicySetting setting) {
  switch (setting) {
    case PolicySetting::autonomy: return names<Autonomy>();
    case PolicySetting::risk: return names<RiskPolicy>();
    case PolicySetting::waivable: return names<Waivable>();
    case PolicySetting::on_fork: return names<OnFork>();
    case PolicySetting::commands: return names<CommandRule>();
    case PolicySetting::assurance: return names<Assurance>();
  }
  return {};
}

bool say(PolicyStatement& statement, PolicySetting setting, std::string_view value) {
  const auto put = [value]<class Value>(std::optional<Value>& to) {
    to = from_name<Value>(value);
    return to.has_value();
  };
  switch (setting) {
    case PolicySetting::autonomy: return put(statement.autonomy);
    case PolicySetting::risk: return put(statement.risk);
    case PolicySetting::waivable: return put(statement.waivable);
    case PolicySetting::on_fork: return put(statement.on_fork);
    case PolicySetting::commands: return put(statement.commands);
    case PolicySetting::assurance: return put(statement.assurance);
  }
  return false;
}

bool may_loosen(PolicySource source, PolicySetting setting) {
  switch (source) {
    case PolicySource::user_policy: return true;
    case PolicySource::allow_shell: return setting == PolicySetting::commands;
    // An author knows what a step does, and no author decides what runs on a machine.
    case PolicySource::workflow:
    case PolicySource::step:
      return setting == PolicySetting::on_fork || setting == PolicySetting::assurance;
    case PolicySource::user_config:
    case PolicySource::flag:
    case PolicySource::environment:
    case PolicySource::project:
    case PolicySource::call:
    case PolicySource::fallback: return false;
  }
  return false;
}

bool is_enough(std::span<const Assurance> had, const AssuranceDemand& demand) {
  return std::ranges::all_of(demand, [&](Assurance least) {
    return std::ranges::any_of(had, [&](Assurance each) { return is_enough(each, least); });
  });
}

Policy resolve(std::span<const PolicyStatement> statements, bool client_asks) {
  Policy out;
  out.said = std::make_shared<const PolicyStatements>(statements.begin(), statements.end());
  out.client_asks = client_asks;
  if (client_asks) out.assurance.value = {Assurance::asked};
  rule(out.autonomy, statements, &PolicyStatement::autonomy, PolicySetting::autonomy);
  rule(out.risk, statements, &PolicyStatement::risk, PolicySetting::risk);
  rule(out.waivable, statements, &PolicyStatement::waivable, PolicySetting::waivable);
  rule(out.on_fork, statements, &PolicyStatement::on_fork, PolicySetting::on_fork);
  rule(out.commands, statements, &PolicyStatement::commands, PolicySetting::commands);
  rule_assurance(out.assurance, statements);
  return out;
}

bool Policy::operator==(const Policy& other) const {
  const auto counts = [](const Policy& each) {
    return std::tie(each.autonomy, each.risk, each.waivable, each.on_fork, each.commands,
                    each.assurance);
  };
  return counts(*this) == counts(other);
}

Policy with_word(const Policy& policy, const PolicyStatement& more) {
  PolicyStatements said;
  if (policy.said != nullptr) said = *policy.said;
  said.push_back(more);
  return resolve(said, policy.client_asks);
}

OwnerPolicy::OwnerPolicy(const PolicyStatements& statements)
    : both_(std::make_shared<const Both>(resolve(statements, true), resolve(statements, false))) {}

std::vector<PolicyEntry> entries_of(const Policy& policy) {
  std::vector<PolicyEntry> out;
  for (const std::string_view name : names<PolicySetting>()) {
    const PolicySetting setting = *from_name<PolicySetting>(name);
    const std::vector<PolicySource>& sources = sources_of(policy, setting);
    if (sources.front() == PolicySource::fallback) continue;
    PolicyEntry entry{std::string(name), value_text(policy, setting), {}};
    for (const PolicySource each : sources) entry.sources.emplace_back(name_of(each));
    out.push_back(std::move(entry));
  }
  return out;
}

OwnerPolicy with_recorded(const OwnerPolicy& policy, std::span<const PolicyEntry> recorded) {
  PolicyStatements said = *policy.of(false).said;
  for (const PolicyEntry& entry : recorded) {
    const auto setting = from_name<PolicySetting>(entry.setting);
    if (!setting) continue;
    for (const std::string& name : entry.sources) {
      // Of `sealed` and `identified` together, each is a word of its own.
      for (const std::string_view value : values_of(*setting)) {
        const bool is_said = entry.value == value ||
                             entry.value.starts_with(cat(value, and_also)) ||
                             entry.value.ends_with(cat(and_also, value));
        PolicyStatement statement{.source =
                                      from_name<PolicySource>(name).value_or(PolicySource::call)};
        if (is_said && say(statement, *setting, value)) said.push_back(std::move(statement));
      }
    }
  }
  return OwnerPolicy(said);
}

std::string value_text(const Policy& policy, PolicySetting setting) {
  const auto word = [](const auto& ruled) { return std::string(name_of(ruled.value)); };
  switch (setting) {
    case PolicySetting::autonomy: return word(policy.autonomy);
    case PolicySetting::risk: return word(policy.risk);
    case PolicySetting::waivable: return word(policy.waivable);
    case PolicySetting::on_fork: return word(policy.on_fork);
    case PolicySetting::commands: return word(policy.commands);
    case PolicySetting::assurance: return demand_text(policy.assurance.value);
  }
  return {};
}

const std::vector<PolicySource>& sources_of(const Policy& policy, PolicySetting setting) {
  switch (setting) {
    case PolicySetting::autonomy: return policy.autonomy.sources;
    case PolicySetting::risk: return policy.risk.sources;
    case PolicySetting::waivable: return policy.waivable.sources;
    case PolicySetting::on_fork: return policy.on_fork.sources;
    case PolicySetting::commands: return policy.commands.sources;
    case PolicySetting::assurance: return policy.assurance.sources;
  }
  return policy.assurance.sources;
}

}  // namespace baton::run
