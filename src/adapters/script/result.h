#pragma once
// Between JSON text as scripts see it and values as Baton has them. Pure; any thread.

#include <optional>
#include <string_view>

#include "adapters/script/sandbox.h"
#include "state/script.h"

namespace baton::adapters {

/// The first integer of a JSON text that has no equal among JavaScript's numbers.
std::optional<std::string_view> first_inexact(std::string_view json);

/// The result of an evaluation, from the answer of the prelude's run().
state::ScriptResult result_of(const SandboxAnswer& answer, const state::Script& script);

}  // namespace baton::adapters
