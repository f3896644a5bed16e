// Origin: 004-6

#include "run/log/signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workflow/check/closed_sets.h"

namespace baton::run {
namespace {

using ::testing::ElementsAreArray;

template <class Set>
void expect_names_read_back() {
  const auto all = names<Set>();
  ASSERT_FALSE(all.empty());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(name_of(static_cast<Set>(i)), all[i]);
    EXPECT_EQ(from_name<Set>(all[i]), static_cast<Set>(i));
  }
  EXPECT_EQ(from_name<Set>(""), std::nullopt);
  EXPECT_EQ(from_name<Set>("nothing_of_the_kind"), std::nullopt);
}

TEST(signals, every_name_reads_back_as_its_member) {
  expect_names_read_back<Reason>();
  expect_names_read_back<GapCategory>();
  expect_names_read_back<GapSeverity>();
  expect_names_read_back<BlockerCode>();
  expect_names_read_back<PointerKind>();
  expect_names_read_back<Capability>();
  expect_names_read_back<CapabilityStatus>();
  expect_names_read_back<Provenance>();
  expect_names_read_back<DivergenceReason>();
  expect_names_read_back<UserChoice>();
}

std::vector<std::string_view> ids(std::span<const workflow::Builtin> set) {
  std::vector<std::string_view> out;
  for (const workflow::Builtin& each : set) out.push_back(each.id);
  return out;
}

TEST(signals, sets_of_the_language_are_the_sets_of_the_run) {
  EXPECT_THAT(names<Capability>(), ElementsAreArray(ids(workflow::capabilities())));
  EXPECT_THAT(names<DivergenceReason>(), ElementsAreArray(ids(workflow::divergence_reasons())));
}

TEST(signals, every_reason_has_its_category_and_code) {
  const auto expect = [](Reason first, Reason last, GapCategory category, auto code) {
    for (auto i = std::to_underlying(first); i <= std::to_underlying(last); ++i) {
      const auto reason = static_cast<Reason>(i);
      EXPECT_EQ(category_of(reason), category) << name_of(reason);
      EXPECT_EQ(code_of(reason), code(reason)) << name_of(reason);
    }
  };
  const auto same_word = [](Reason reason) {
    std::string upper(name_of(reason));
    for (char& c : upper) c = c == '_' ? '_' : static_cast<char>(c - 'a' + 'A');
    return from_name<BlockerCode>(upper).value();
  };
  expect(Reason::needs_user_secret_or_token, Reason::needs_user_environment_action,
         GapCategory::user_only_dependency,
         [](Reason) { return BlockerCode::USER_ONLY_DEPENDENCY; });
  expect(Reason::missing_required_output, Reason::invalid_required_output,
         GapCategory::contract_violation, same_word);
  expect(Reason::required_capability_unavailable, Reason::required_capability_unknown,
         GapCategory::capability_missing, same_word);
  expect(Reason::invariant_violation, Reason::storage_corruption_detected, GapCategory::unexpected,
         same_word);
  for (const Reason reason : {Reason::evaluation_error, Reason::loop_bound_reached}) {
    EXPECT_EQ(code_of(reason), BlockerCode::INVARIANT_VIOLATION);
    EXPECT_EQ(category_of(reason), GapCategory::unexpected);
  }
  expect(Reason::evidence_missing, Reason::evidence_missing, GapCategory::contract_violation,
         same_word);
}

TEST(signals, only_what_was_tried_is_strong) {
  EXPECT_TRUE(is_strong(Provenance::probe_step));
  EXPECT_TRUE(is_strong(Provenance::attempted_use));
  EXPECT_FALSE(is_strong(Provenance::manual_claim));
}

}  // namespace
}  // namespace baton::run
