#pragma once
// Looks at a workspace for proof that work was done. Any thread; a call takes as long as the
// commands that it runs.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ports/trust.h"
#include "run/checks/evidence.h"

namespace baton::ports {

/// Which commands of the workflow may be run: ports/trust.h says.
class Commands {
 public:
  enum Word : std::uint8_t { refused, allowed };
  using Judge = std::function<TrustVerdict(const std::vector<std::string>& argv)>;

  /// All of them, or none.
  Commands(Word word) : word_(word) {}  // NOLINT(google-explicit-constructor)
  /// Each as it is judged when it is about to start.
  explicit Commands(Judge judge) : judge_(std::move(judge)) {}

  TrustVerdict judge(const std::vector<std::string>& argv) const {
    return judge_ ? judge_(argv) : TrustVerdict{word_ == allowed};
  }

 private:
  Word word_ = refused;
  Judge judge_;
};

class EvidenceReader {
 public:
  virtual ~EvidenceReader() = default;

  /// One answer for each look, in order; an obstacle is an answer too. Files are looked
  /// for beneath the workspace, an absolute path, and no link is followed. A command is run there,
  /// for at most limits::evidence_command_ms_max.
  virtual std::vector<run::ProbeResult> look(const std::string& workspace,
                                             std::span<const run::Probe> looks,
                                             Commands commands) = 0;
};

}  // namespace baton::ports
