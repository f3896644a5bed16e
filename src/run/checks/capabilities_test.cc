#include "run/checks/capabilities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "run/checks/artifacts.h"

namespace baton::run {
namespace {

using json::Object;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

workflow::CompiledWorkflow needing(std::string_view need) {
  workflow::CompiledWorkflow workflow;
  workflow.declared.set("capabilities", Object{{"web_browsing", need}});
  return workflow;
}

CapabilityObserved observed(CapabilityStatus status, Provenance provenance) {
  CapabilityObserved fact;
  fact.capability = Capability::web_browsing;
  fact.status = status;
  fact.provenance = provenance;
  return fact;
}

CapabilityCheck check(std::string_view need, const std::vector<CapabilityObserved>& facts) {
  NodeState state;
  for (const CapabilityObserved& fact : facts) apply(state, fact);
  return check_capabilities(needing(need), facts, state.known());
}

TEST(capabilities, only_proof_unlocks_a_required_one) {
  for (const std::string_view status_name : names<CapabilityStatus>()) {
    for (const std::string_view provenance_name : names<Provenance>()) {
      const auto status = *from_name<CapabilityStatus>(status_name);
      const auto provenance = *from_name<Provenance>(provenance_name);
      const CapabilityCheck checked = check("required", {observed(status, provenance)});
      const bool is_unlocked = status == CapabilityStatus::available && is_strong(provenance);
      ASSERT_EQ(checked.findings.size(), is_unlocked ? 0U : 1U)
          << status_name << ' ' << provenance_name;
      if (is_unlocked) continue;
      EXPECT_EQ(checked.findings[0].reason, status == CapabilityStatus::unavailable
                                                ? Reason::required_capability_unavailable
                                                : Reason::required_capability_unknown);
      EXPECT_EQ(checked.findings[0].pointer, (Pointer{PointerKind::capability, "web_browsing"}));
      EXPECT_THAT(checked.gaps, IsEmpty());
    }
  }
}

TEST(capabilities, a_claim_does_not_undo_what_was_tried) {
  EXPECT_THAT(check("required", {observed(CapabilityStatus::available, Provenance::probe_step),
                                 observed(CapabilityStatus::unavailable, Provenance::manual_claim)})
                  .findings,
              IsEmpty());
  EXPECT_THAT(
      check("required", {observed(CapabilityStatus::available, Provenance::probe_step),
                         observed(CapabilityStatus::unavailable, Provenance::attempted_use)})
          .findings,
      SizeIs(1));
}

TEST(capabilities, a_preferred_one_that_is_missing_is_done_without) {
  const CapabilityCheck checked =
      check("preferred", {observed(CapabilityStatus::unavailable, Provenance::attempted_use)});
  EXPECT_THAT(checked.findings, IsEmpty());
  ASSERT_THAT(checked.gaps, SizeIs(1));
  EXPECT_EQ(checked.gaps[0].severity, GapSeverity::info);
  EXPECT_EQ(category_of(checked.gaps[0].reason), GapCategory::capability_missing);
  EXPECT_THAT(
      check("preferred", {observed(CapabilityStatus::unknown, Provenance::manual_claim)}).gaps,
      IsEmpty());
}

TEST(capabilities, nothing_is_said_of_what_was_not_observed_or_not_wanted) {
  EXPECT_THAT(check("required", {}).findings, IsEmpty());
  const CapabilityCheck disabled =
      check("disabled", {observed(CapabilityStatus::unavailable, Provenance::attempted_use)});
  EXPECT_THAT(disabled.findings, IsEmpty());
  EXPECT_THAT(disabled.gaps, IsEmpty());
  CapabilityObserved other = observed(CapabilityStatus::unavailable, Provenance::probe_step);
  other.capability = Capability::delegation;
  EXPECT_THAT(check("required", {other}).findings, IsEmpty());
}

TEST(capabilities, every_need_and_status_has_its_line) {
  const auto line = [](std::string_view need, const std::vector<CapabilityObserved>& facts) {
    NodeState state;
    for (const CapabilityObserved& fact : facts) apply(state, fact);
    return describe_capabilities(needing(need), state.known()).at(0);
  };
  const auto available = observed(CapabilityStatus::available, Provenance::probe_step);
  const auto claimed = observed(CapabilityStatus::available, Provenance::manual_claim);
  const auto missing = observed(CapabilityStatus::unavailable, Provenance::attempted_use);
  EXPECT_EQ(line("disabled", {available}), "Do not use web_browsing in this workflow.");
  EXPECT_EQ(line("required", {available}), "web_browsing is available.");
  EXPECT_EQ(line("preferred", {claimed}), "web_browsing is available (claimed, not tried).");
  EXPECT_THAT(line("preferred", {missing}), HasSubstr("do the work without it"));
  EXPECT_THAT(line("preferred", {}), HasSubstr("web_browsing is preferred and not tried yet"));
  EXPECT_THAT(line("required", {}), HasSubstr("web_browsing is required and not tried yet"));
  EXPECT_THAT(describe_capabilities({}, {}), IsEmpty());
}

TEST(capabilities, what_the_texts_say_to_send_is_of_its_form) {
  const CapabilityCheck unknown =
      check("required", {observed(CapabilityStatus::unknown, Provenance::manual_claim)});
  const std::string& fix = unknown.findings.at(0).fix;
  std::size_t found = 0;
  for (std::size_t at = fix.find('{'); at != std::string::npos; at = fix.find('{', at + 1)) {
    const std::string text = fix.substr(at, fix.find('}', at) - at + 1);
    const Signals signals = read_artifacts({MUST(json::parse(text))});
    EXPECT_THAT(signals.bad, IsEmpty()) << text;
    found += signals.observations.size();
  }
  EXPECT_EQ(found, 2U);
}

TEST(capabilities, needs_read_back_as_their_names) {
  for (const auto need :
       {CapabilityNeed::required, CapabilityNeed::preferred, CapabilityNeed::disabled}) {
    EXPECT_EQ(need_of(needing(name_of(need)), Capability::web_browsing), need);
    EXPECT_EQ(need_of(needing(name_of(need)), Capability::delegation), std::nullopt);
  }
}

}  // namespace
}  // namespace baton::run
