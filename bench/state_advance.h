#pragma once
// What an advance costs that changes the state, against a raw durable commit of the same bytes.

#include <string>

#include "bench.h"
#include "ports/script_host.h"

namespace baton::bench {

/// `folder` must be on a real disk.
void add_advance_figures(Report& report, ports::ScriptHost& host, const std::string& folder);

}  // namespace baton::bench
