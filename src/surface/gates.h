#pragma once
// The gates where runs wait for a person, as the resource baton://gates of every surface, and what
// others show of one. Any thread.

#include <string_view>
#include <vector>

#include "protocol/features/resource.h"
#include "run/log/event.h"
#include "surface/arguments.h"
#include "verbs/run/waiting_gates.h"

namespace baton::surface {

inline constexpr std::string_view gates_uri = "baton://gates";

/// All gates of the store, without the outputs that they are about.
protocol::Resource gates_resource(const EngineSource& engine);

/// Whether these events of one commit may change what the resource says.
bool changes_gates(const std::vector<run::Event>& events);

/// A gate as JSON, for programs.
json::Object gate_json(const verbs::WaitingGate& waiting);

}  // namespace baton::surface
