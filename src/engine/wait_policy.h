#pragma once
// WaitPolicy: how long a caller waits for commands of its run. A value.

#include <cstdint>
#include <functional>
#include <string>

#include "base/core/limits.h"

namespace baton::engine {

/// A command that is waited for.
struct Waited {
  std::string step;
  std::int64_t ms = 0;  // so far, in this call
};

struct WaitPolicy {
  std::int64_t ms_max = limits::process_wait_ms_max;
  std::function<bool(const Waited&)> goes_on = {};  // asked several times a second; none: always
};

}  // namespace baton::engine
