#pragma once
// What an owner and an author allow a run, as events: the policy that counts, what the run may use
// and has used. Values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/log/types.h"

namespace baton::run {

/// One setting of the policy, with the sources that say it, by their names.
struct PolicyEntry {
  std::string setting;
  std::string value;
  std::vector<std::string> sources;
  bool operator==(const PolicyEntry&) const = default;

  static constexpr std::string_view name = "setting of the policy";
  static void describe(auto& e, auto& v) {
    v("setting", e.setting);
    v("value", e.value);
    v("sources", e.sources);
  }
};

/// The policy that counts for the acts at `node` and below, until another one is recorded. Recorded
/// where it differs from the one before; a run without any has the defaults.
struct PolicyApplied {
  RunId run;
  NodeId node;
  std::vector<PolicyEntry> entries;  // those that are not the default
  bool operator==(const PolicyApplied&) const = default;

  static constexpr std::string_view name = "policy_applied";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.unless_empty("entries", e.entries);
  }
};

/// What a run may use at most; 0: no limit.
struct Budget {
  std::int64_t steps = 0;     // that were settled
  std::int64_t minutes = 0;   // since its start, but for what it waited for a person
  std::int64_t attempts = 0;  // of all steps
  std::int64_t bytes = 0;     // of outputs
  std::int64_t tokens = 0;    // that the client reports
  bool operator==(const Budget&) const = default;
  bool empty() const { return *this == Budget(); }

  static constexpr std::string_view name = "budget";
  static void describe(auto& e, auto& v) {
    v.unless_empty("steps", e.steps);
    v.unless_empty("minutes", e.minutes);
    v.unless_empty("attempts", e.attempts);
    v.unless_empty("bytes", e.bytes);
    v.unless_empty("tokens", e.tokens);
  }
};

/// The budget of the run at `node` and below.
struct BudgetSet {
  RunId run;
  NodeId node;
  Budget budget;
  ChangeSource source = {};
  bool operator==(const BudgetSet&) const = default;

  static constexpr std::string_view name = "budget_set";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.flat(e.budget);
    v("source", e.source);
  }
};

/// What the client of an attempt reports of its model.
struct TokensUsed {
  RunId run;
  NodeId node;
  std::int64_t tokens = 0;
  bool operator==(const TokensUsed&) const = default;

  static constexpr std::string_view name = "tokens_used";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.counted("tokens", e.tokens);
  }
};

}  // namespace baton::run
