#pragma once
// Checks the whole store against itself: every byte of the log by its hash chain, and everything
// that is indexed about it by deriving it again. Reads only.

#include <string>
#include <vector>

#include "verbs/engine.h"

namespace baton::verbs {

struct VerifyReport {
  std::int64_t commits = 0;
  std::int64_t events = 0;
  std::int64_t sessions = 0;
  std::int64_t nodes = 0;
  std::vector<std::string> problems;  // at most limits::verify_problems_max
  bool ok() const { return problems.empty(); }
};

Result<VerifyReport> verify(ports::EventReader& store);

}  // namespace baton::verbs
