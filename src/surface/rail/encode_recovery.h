#pragma once
// What a rehydrate says beside the pending step, as fields and as text.

#include "base/json.h"
#include "verbs/recovery.h"

namespace baton::surface::rail {

json::Object recovery_json(const verbs::Recovery& recovery);
std::string recovery_text(const verbs::Recovery& recovery);

}  // namespace baton::surface::rail
