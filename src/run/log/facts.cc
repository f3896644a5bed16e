#include "run/log/facts.h"

namespace baton::run {

json::Array to_json(const std::map<Capability, KnownCapability>& capabilities) {
  json::Array out;
  for (const auto& [capability, known] : capabilities) {
    out.push_back(json::Object{{"capability", name_of(capability)},
                               {"status", name_of(known.status)},
                               {"provenance", name_of(known.provenance)}});
  }
  return out;
}

Result<std::map<Capability, KnownCapability>> read_capabilities(const json::Array& list) {
  std::map<Capability, KnownCapability> out;
  for (const json::Value& each : list) {
    json::Fields f(each, "known capability", Code::STORE_CORRUPT);
    const auto capability = TRY(member_of<Capability>(f, "capability"));
    KnownCapability& known = out[capability];
    known.status = TRY(member_of<CapabilityStatus>(f, "status"));
    known.provenance = TRY(member_of<Provenance>(f, "provenance"));
    TRY(f.done());
  }
  return out;
}

}  // namespace baton::run
