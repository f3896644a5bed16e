#pragma once
// Evidence in a folder of this machine: its files, its git repository, and commands run in it.

#include "ports/evidence_reader.h"
#include "ports/process_runner.h"

namespace baton::adapters {

class WorkspaceEvidence final : public ports::EvidenceReader {
 public:
  explicit WorkspaceEvidence(ports::CommandSettings settings);
  /// With the usual limits.
  explicit WorkspaceEvidence(ports::Environment environment)
      : WorkspaceEvidence(ports::CommandSettings{.environment = std::move(environment)}) {}

  std::vector<run::ProbeResult> look(const std::string& workspace,
                                     std::span<const run::Probe> looks,
                                     ports::Commands commands) override;

 private:
  run::ProbeResult command(const std::string& workspace, const std::vector<std::string>& argv,
                           const ports::Commands& commands) const;

  const ports::CommandSettings settings_;
};

}  // namespace baton::adapters
