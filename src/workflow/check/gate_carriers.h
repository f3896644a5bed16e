#pragma once
// Which steps may have the keys of gates and effects, and how long a gate waits. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "workflow/check/diagnostic.h"
#include "workflow/read/node.h"

namespace baton::workflow {

/// Which steps may have the key, as a hint; empty for any other key.
std::string_view steps_with_key(std::string_view key);

/// Reports those that a call of a template has: its steps come in its place.
void report_lost_keys(const SyntaxNode& call, Diagnostics& diagnostics);

/// Minutes of a whole number, or of a text like 30m, 24h and 7d; nothing for any other.
std::optional<std::int64_t> gate_minutes(const SyntaxNode& life);

}  // namespace baton::workflow
