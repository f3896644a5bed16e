#pragma once
// Large states and many computed fields, and what a write into them costs without its scripts.

#include "bench.h"

namespace baton::bench {

void add_state_figures(Report& report, std::size_t scale);

}  // namespace baton::bench
