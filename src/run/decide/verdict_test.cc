#include "run/decide/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/core/limits.h"
#include "base/testing/json_generator.h"
#include "base/text/text.h"
#include "base/text/utf8.h"

namespace baton::run {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Finding finding(Reason reason, std::string value = "x") {
  return {reason, {PointerKind::output_contract, std::move(value)}, "message", "fix"};
}

std::vector<Reason> all_reasons() {
  std::vector<Reason> out;
  for (const std::string_view name : names<Reason>()) out.push_back(*from_name<Reason>(name));
  return out;
}

TEST(reasons, blocking_modes_block_for_every_reason) {
  for (const Autonomy autonomy : {Autonomy::guided, Autonomy::full_auto_stop_on_user_deps}) {
    for (const Reason reason : all_reasons()) {
      const Verdict verdict = apply_policy({finding(reason)}, {autonomy, RiskPolicy::conservative});
      ASSERT_THAT(verdict.blockers, SizeIs(1)) << name_of(reason);
      EXPECT_EQ(verdict.blockers[0].code, code_of(reason));
      EXPECT_THAT(verdict.gaps, IsEmpty());
    }
  }
}

TEST(reasons, never_stop_turns_every_reason_but_missing_evidence_into_a_critical_gap) {
  for (const Reason reason : all_reasons()) {
    if (reason == Reason::evidence_missing) continue;
    const Verdict verdict =
        apply_policy({finding(reason)}, {Autonomy::full_auto_never_stop, RiskPolicy::conservative});
    EXPECT_FALSE(verdict.is_blocked()) << name_of(reason);
    ASSERT_THAT(verdict.gaps, SizeIs(1)) << name_of(reason);
    EXPECT_EQ(verdict.gaps[0].severity, GapSeverity::critical);
    EXPECT_EQ(verdict.gaps[0].reason, reason);
  }
}

// Enforces: G15
TEST(reasons, missing_evidence_blocks_in_every_mode_and_under_every_policy) {
  for (const std::string_view mode : names<Autonomy>()) {
    for (const std::string_view policy : names<RiskPolicy>()) {
      const Preferences preferences{*from_name<Autonomy>(mode), *from_name<RiskPolicy>(policy)};
      const Verdict verdict = apply_policy({finding(Reason::evidence_missing)}, preferences);
      ASSERT_THAT(verdict.blockers, SizeIs(1)) << mode << ' ' << policy;
      EXPECT_EQ(verdict.blockers[0].code, BlockerCode::EVIDENCE_MISSING);
      EXPECT_TRUE(verdict.is_retryable());
      // What would be a gap by itself is not one beside a blocker.
      const Verdict both = apply_policy(
          {finding(Reason::missing_required_output), finding(Reason::evidence_missing)},
          preferences);
      EXPECT_TRUE(both.is_blocked());
      EXPECT_THAT(both.gaps, IsEmpty());
    }
  }
}

TEST(reasons, a_never_stop_simulation_continues_without_evidence_it_cannot_make_up) {
  const std::vector<Finding> missing = {finding(Reason::evidence_missing)};
  for (const std::string_view mode : names<Autonomy>()) {
    const Autonomy autonomy = *from_name<Autonomy>(mode);
    EXPECT_EQ(apply_policy(missing, {autonomy, {}}, WeighMode::simulated).is_blocked(),
              autonomy != Autonomy::full_auto_never_stop);
  }
}

TEST(reasons, risk_policy_softens_capabilities_and_nothing_else) {
  for (const std::string_view policy_name : names<RiskPolicy>()) {
    const RiskPolicy policy = *from_name<RiskPolicy>(policy_name);
    for (const Reason reason : all_reasons()) {
      const bool softened =
          (reason == Reason::required_capability_unknown && policy != RiskPolicy::conservative) ||
          (reason == Reason::required_capability_unavailable && policy == RiskPolicy::aggressive);
      const Verdict verdict = apply_policy({finding(reason)}, {Autonomy::guided, policy});
      EXPECT_EQ(verdict.is_blocked(), !softened) << policy_name << ' ' << name_of(reason);
      if (!softened) continue;
      ASSERT_THAT(verdict.gaps, SizeIs(1));
      EXPECT_EQ(verdict.gaps[0].severity, GapSeverity::warning);
    }
  }
}

TEST(reasons, one_blocker_is_enough_and_then_no_gap_is_recorded) {
  const Verdict verdict = apply_policy(
      {finding(Reason::required_capability_unknown), finding(Reason::missing_required_output)},
      {Autonomy::guided, RiskPolicy::balanced});
  EXPECT_THAT(verdict.blockers, SizeIs(1));
  EXPECT_THAT(verdict.gaps, IsEmpty());
}

TEST(reasons, blockers_are_cut_at_their_limits) {
  const auto with = [](std::size_t bytes) {
    Finding one = finding(Reason::missing_required_output);
    one.message = std::string(bytes, 'm');
    one.fix = std::string(bytes, 'f');
    return apply_policy({one}, {}).blockers.at(0);
  };
  EXPECT_EQ(with(limits::blocker_message_bytes_max).message.size(),
            limits::blocker_message_bytes_max);
  EXPECT_THAT(with(limits::blocker_message_bytes_max).message, ::testing::EndsWith("m"));
  EXPECT_THAT(with(limits::blocker_message_bytes_max + 1).message,
              ::testing::EndsWith("[TRUNCATED]"));
  EXPECT_THAT(with(limits::blocker_fix_bytes_max).suggested_fix, ::testing::EndsWith("f"));
  EXPECT_THAT(with(limits::blocker_fix_bytes_max + 1).suggested_fix,
              ::testing::EndsWith("[TRUNCATED]"));
  EXPECT_EQ(with(limits::blocker_fix_bytes_max + 1).suggested_fix.size(),
            limits::blocker_fix_bytes_max);
}

TEST(reasons, at_most_ten_blockers_are_shown) {
  const auto count = [](std::size_t findings) {
    return apply_policy(std::vector<Finding>(findings, finding(Reason::invalid_required_output)),
                        {})
        .blockers.size();
  };
  EXPECT_EQ(count(limits::blockers_max), limits::blockers_max);
  EXPECT_EQ(count(limits::blockers_max + 1), limits::blockers_max);
}

TEST(reasons, the_agent_alone_cannot_provide_what_is_missing) {
  for (const Reason reason : all_reasons()) {
    // At a gate the same output passes once the person has answered.
    const bool is_gate = reason == Reason::gate_waiting || reason == Reason::gate_refused;
    const bool is_lacking =
        (category_of(reason) == GapCategory::user_only_dependency && !is_gate) ||
        reason == Reason::required_capability_unavailable ||
        reason == Reason::storage_corruption_detected;
    EXPECT_EQ(apply_policy({finding(reason)}, {}).is_retryable(), !is_lacking) << name_of(reason);
  }
  EXPECT_FALSE(
      apply_policy({finding(Reason::missing_required_output), finding(Reason::needs_user_choice)},
                   {})
          .is_retryable());
}

RC_GTEST_PROP(reasons, the_order_of_findings_does_not_move_the_order_of_blockers, ()) {
  json::testing::ShrinkingChoices choose;
  std::vector<Finding> findings;
  for (std::size_t left = choose(limits::blockers_max); left > 0; --left) {
    findings.push_back({static_cast<Reason>(choose(names<Reason>().size())),
                        {static_cast<PointerKind>(choose(names<PointerKind>().size())),
                         json::testing::any_string(choose)},
                        "m",
                        "f"});
  }
  const Verdict verdict = apply_policy(findings, {});
  RC_ASSERT(verdict.blockers.size() == findings.size());
  for (std::size_t i = 1; i < verdict.blockers.size(); ++i) {
    const Blocker& before = verdict.blockers[i - 1];
    const Blocker& after = verdict.blockers[i];
    const auto order = [](const Blocker& b) {
      return std::tuple(name_of(b.code), name_of(b.pointer.kind), b.pointer.value);
    };
    RC_ASSERT(order(before) <= order(after));
  }
  std::ranges::reverse(findings);
  RC_ASSERT(apply_policy(findings, {}) == verdict);
}

}  // namespace
}  // namespace baton::run
