#include <gtest/gtest.h>

#include <cstdio>

#include "support/mounts.h"

int main(int argc, char** argv) {
  const auto entered = baton::crash::enter_private_mounts();
  if (!entered) {
    std::fprintf(stderr, "crash_faults_test: %s\n", entered.error().message.c_str());
    return 1;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
