#pragma once
// A session as one text, with everything it needs elsewhere. Reads only.

#include "engine/engine.h"

namespace baton::verbs {

Result<std::string> export_bundle(ports::EventReader& store, const SessionId& session);

}  // namespace baton::verbs
