#pragma once
// What a rehydrate says beside the pending step, as fields and as text.

#include "base/json/json.h"
#include "surface/tokens.h"

namespace baton::surface::rail {

// REQUIRES: the reply has a recovery.
json::Object recovery_json(const SignedReply& reply);
std::string recovery_text(const SignedReply& reply);

}  // namespace baton::surface::rail
