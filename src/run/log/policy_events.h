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

/// What a run with a budget has used on the way to a node.
struct Usage {
  std::int64_t steps = 0;
  std::int64_t attempts = 0;
  std::int64_t bytes = 0;
  std::int64_t tokens = 0;     // of a run without a budget too
  WallMs started;              // when the run began
  WallMs at;                   // of the last act
  std::int64_t waited_ms = 0;  // for a person, since then
  bool operator==(const Usage&) const = default;
  bool empty() const { return *this == Usage(); }

  static constexpr std::string_view name = "usage";
  static void describe(auto& e, auto& v) {
    v("steps", e.steps);
    v("attempts", e.attempts);
    v("bytes", e.bytes);
    v("tokens", e.tokens);
    v("started", e.started);
    v("at", e.at);
    v.unless_empty("waitedMs", e.waited_ms);
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

/// What a run with a budget has used, at `node` and below until it is counted again. The instants
/// are those of the acts, so that the same log gives the same counts.
struct UsageCounted {
  RunId run;
  NodeId node;
  Usage usage;
  bool operator==(const UsageCounted&) const = default;

  static constexpr std::string_view name = "usage_counted";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.flat(e.usage);
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
