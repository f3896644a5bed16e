#include "transport/http/head_budget.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <vector>

#include "base/text/text.h"

namespace baton::transport {
namespace {

struct Client final : HeadBudget::Sender {
  void give_up_head() override { is_given_up = true; }
  bool is_given_up = false;
};

// Enforces: G9
TEST(head_budget, the_bound_of_a_peer_is_exact_and_its_oldest_head_goes_first) {
  HeadBudget budget(1'000, 30);
  Client first;
  Client second;
  Client third;
  budget.keep(first, "a", 10);
  budget.keep(second, "a", 10);
  budget.keep(third, "a", 10);
  EXPECT_FALSE(first.is_given_up);
  budget.keep(third, "a", 11);
  EXPECT_TRUE(first.is_given_up);
  EXPECT_FALSE(second.is_given_up);
  EXPECT_FALSE(third.is_given_up);
  EXPECT_EQ(budget.bytes(), 21u);
}

// Enforces: G9
TEST(head_budget, the_bound_of_all_is_exact_and_falls_on_the_peer_that_keeps_most) {
  HeadBudget budget(50, 40);
  Client honest;
  Client old;
  Client young;
  Client other;
  budget.keep(honest, "honest", 10);
  budget.keep(old, "flood", 10);
  budget.keep(young, "flood", 20);
  budget.keep(other, "other", 10);
  EXPECT_FALSE(old.is_given_up);
  budget.keep(other, "other", 11);
  EXPECT_TRUE(old.is_given_up);
  EXPECT_FALSE(honest.is_given_up);
  EXPECT_FALSE(young.is_given_up);
  EXPECT_FALSE(other.is_given_up);
  EXPECT_EQ(budget.bytes(), 41u);
}

TEST(head_budget, as_many_go_as_must_for_one_that_grows) {
  HeadBudget budget(1'000, 30);
  std::vector<std::unique_ptr<Client>> small;
  for (int i = 0; i < 30; ++i) {
    small.push_back(std::make_unique<Client>());
    budget.keep(*small.back(), "a", 1);
  }
  Client large;
  budget.keep(large, "a", 25);
  EXPECT_FALSE(large.is_given_up);
  for (std::size_t i = 0; i < small.size(); ++i) EXPECT_EQ(small[i]->is_given_up, i < 25) << i;
}

TEST(head_budget, the_oldest_head_is_dropped_when_it_grows) {
  HeadBudget budget(1'000, 30);
  Client first;
  Client second;
  budget.keep(first, "a", 10);
  budget.keep(second, "a", 15);
  budget.keep(first, "a", 16);
  EXPECT_TRUE(first.is_given_up);
  EXPECT_FALSE(second.is_given_up);
}

TEST(head_budget, a_head_that_is_complete_counts_no_more) {
  HeadBudget budget(1'000, 30);
  Client first;
  Client second;
  budget.keep(first, "a", 30);
  budget.release(first);
  EXPECT_EQ(budget.bytes(), 0u);
  budget.keep(second, "a", 30);
  EXPECT_FALSE(second.is_given_up);
  budget.release(first);
  EXPECT_EQ(budget.bytes(), 30u);
}

// Enforces: G9
RC_GTEST_PROP(head_budget, whatever_comes_both_bounds_hold_and_the_least_peer_is_left_alone, ()) {
  HeadBudget budget(100, 60);
  std::vector<std::unique_ptr<Client>> clients;
  Client honest;
  // Below any other head that is kept.
  budget.keep(honest, "honest", 1);
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint8_t>>>(
      rc::gen::pair(rc::gen::arbitrary<std::uint8_t>(), rc::gen::inRange<std::uint8_t>(2, 60)));
  for (const auto& [choice, bytes] : steps) {
    if (choice % 3 == 0 && !clients.empty()) {
      budget.release(*clients[choice % clients.size()]);
    } else {
      clients.push_back(std::make_unique<Client>());
      budget.keep(*clients.back(), cat("p", choice % 4), bytes);
    }
    RC_ASSERT(budget.bytes() <= 100u);
  }
  RC_ASSERT(!honest.is_given_up);
  for (const auto& each : clients) budget.release(*each);
  RC_ASSERT(budget.bytes() == 1u);
}

}  // namespace
}  // namespace baton::transport
