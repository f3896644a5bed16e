#pragma once
// A transform tried on an input, away from any run. Writes nothing.

#include "ports/script_host.h"
#include "ports/system.h"

namespace baton::verbs {

struct TriedTransformation {
  Result<json::Value> output;  // or why there is none, with the place in the script
  std::int64_t elapsed_ms = 0;
};

/// The members of `scope` are what the script finds by their names, `input` among them.
TriedTransformation test_transformation(ports::ScriptHost& scripts, ports::Clock& clock,
                                        ports::Entropy& entropy, const std::string& transform,
                                        const json::Object& scope);

}  // namespace baton::verbs
