#pragma once
// An EvidenceReader for simulations, where there is no workspace: everything a step has to prove by
// one is taken for granted, and no command is run. Any thread.

#include "ports/evidence_reader.h"

namespace baton::adapters {

class AssumedEvidence final : public ports::EvidenceReader {
 public:
  std::vector<run::ProbeResult> look(const std::string&, std::span<const run::Probe> looks,
                                     ports::Commands) override {
    run::ProbeResult assumed;
    assumed.kind = run::ProbeResult::Kind::assumed;
    return std::vector<run::ProbeResult>(looks.size(), assumed);
  }
};

}  // namespace baton::adapters
