#pragma once
// An EvidenceReader for simulations, where there is no workspace: everything a step has to prove by
// one is taken for granted, and no command is run. Any thread.

#include "ports/evidence_reader.h"

namespace baton::adapters {

class RehearsalEvidence final : public ports::EvidenceReader {
 public:
  std::vector<run::Seen> look(const std::string&, std::span<const run::Look> looks,
                              ports::Commands) override {
    run::Seen assumed;
    assumed.kind = run::Seen::Kind::assumed;
    return std::vector<run::Seen>(looks.size(), assumed);
  }
};

}  // namespace baton::adapters
