#pragma once
// What the owner of a run said about it, as every surface tells its agent: guidance, and that the
// run is held. Values.

#include <optional>
#include <string>

#include "base/json/json.h"
#include "run/show/reply.h"

namespace baton::surface {

/// Adds `guidance` and `hold` to the fields of an answer where there is something to tell, and
/// returns the same as text, for the first lines of the answer.
std::string add_owner_words(json::Object& out, const run::Reply& reply,
                            const std::optional<run::RunHeld>& hold = {});

/// What an agent does at a step that requires confirmation, by the mode of the run; empty at any
/// other.
std::string_view confirmation_words(const run::Reply& reply);

/// Adds `gate` to the fields of an answer that waits at one.
void add_gate(json::Object& out, const run::Reply& reply);

/// How the user can answer it outside of the agent's chat, as a sentence.
std::string gate_help(const run::Gate& gate, const RunId& run);

inline constexpr std::string_view gate_property =
    R"("gate":{"type":"object","description":)"
    R"("Where the run waits for a person: question, assurance, who, expires, choices."})";

/// Of answers that may have them, for their schemas.
inline constexpr std::string_view owner_properties =
    R"("guidance":{"type":"array","items":{"type":"object"},"description":)"
    R"("The user's word on this run, new to you: text, by, how. Follow it."},)"
    R"("hold":{"type":"object","description":)"
    R"("The user paused or cancelled the run: state, reason. Do no step of it."})";

}  // namespace baton::surface
