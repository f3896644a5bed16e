#pragma once
// The gates where runs wait for a person, as the resource baton://gates of every surface, and what
// others show of one. Any thread.

#include <string>
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

/// A part of the output that a gate is about, for people: what it is, and its text as far as there
/// is room, with what is cut.
struct ShownPart {
  std::string title;
  std::string text;
};
std::vector<ShownPart> shown_parts(const verbs::WaitingGate& waiting, std::size_t bytes_max);

/// A gate as JSON, for programs; without the output that it is about.
json::Object gate_json(const verbs::WaitingGate& waiting);

/// The output that a gate is about, as JSON: each part with its size and hash, and its text.
json::Array parts_json(const verbs::WaitingGate& waiting);

}  // namespace baton::surface
