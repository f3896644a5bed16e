#pragma once
// Whether the commits of a bundle make sense together. Values only; any thread.

#include "run/log/bundle.h"

namespace baton::run {

/// Everything the commits refer to is in the bundle, they are as this release writes them, and the
/// snapshots are what they fold to. Errors: BUNDLE_*, or what reading a part says of it.
Result<void> check_meaning(const Bundle& bundle);

}  // namespace baton::run
