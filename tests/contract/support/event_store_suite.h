#pragma once
// The fixture of the EventStore contract: one store of the kind under test.

#include <gtest/gtest.h>

#include "support/acts.h"
#include "support/stores.h"

namespace baton::contract {

class EventStoreTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  EventStoreTest() : under_test_(GetParam().make()) {}

  ports::EventStore& store() { return under_test_->store(); }
  void reopen() { under_test_->reopen(); }

 private:
  std::unique_ptr<StoreUnderTest> under_test_;
};

inline std::string kind_of(const ::testing::TestParamInfo<StoreKind>& info) {
  return info.param.name;
}

}  // namespace baton::contract
