#include "transport/hub.h"

#include <gtest/gtest.h>

namespace baton::transport {
namespace {

TEST(hub, tells_every_subscriber_until_it_is_gone) {
  const auto publish = [](const Hub& hub) { hub.publish(protocol::ToolsChanged{}); };
  Hub hub;
  int first = 0;
  int second = 0;
  Hub::Subscription kept = hub.subscribe([&](const protocol::Change&) { ++first; });
  {
    const Hub::Subscription brief = hub.subscribe([&](const protocol::Change&) { ++second; });
    publish(hub);
  }
  publish(hub);
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 1);
  kept = {};
  publish(hub);
  EXPECT_EQ(first, 2);
}

TEST(hub, a_subscription_may_outlive_it) {
  Hub::Subscription kept;
  {
    Hub hub;
    kept = hub.subscribe([](const protocol::Change&) {});
  }
  kept = {};
}

}  // namespace
}  // namespace baton::transport
