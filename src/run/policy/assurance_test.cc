#include "run/policy/assurance.h"

#include <gtest/gtest.h>

namespace baton::run {
namespace {

TEST(Assurance, IsEnoughWhenItIsAtLeastWhatIsAskedFor) {
  using enum Assurance;
  EXPECT_TRUE(is_enough(claimed, claimed));
  EXPECT_TRUE(is_enough(present, asked));
  EXPECT_TRUE(is_enough(sealed, present));
  EXPECT_TRUE(is_enough(identified, claimed));
  EXPECT_FALSE(is_enough(claimed, asked));
  EXPECT_FALSE(is_enough(asked, present));
  EXPECT_FALSE(is_enough(present, sealed));
}

TEST(Assurance, DoesNotOrderASealAndAName) {
  EXPECT_FALSE(is_enough(Assurance::sealed, Assurance::identified));
  EXPECT_FALSE(is_enough(Assurance::identified, Assurance::sealed));
}

}  // namespace
}  // namespace baton::run
