#pragma once
// Looks at a workspace for proof that work was done. Any thread; a call takes as long as the
// commands that it runs.

#include <span>
#include <string>
#include <vector>

#include "run/evidence.h"

namespace baton::ports {

/// Whether commands of the workflow may be run: ports/trust.h says.
enum class Commands : std::uint8_t { refused, allowed };

class EvidenceReader {
 public:
  virtual ~EvidenceReader() = default;

  /// One answer for each look, in order; whatever is in the way is an answer too. Files are looked
  /// for beneath the workspace, an absolute path, and no link is followed. A command is run there,
  /// for at most limits::evidence_command_ms_max.
  virtual std::vector<run::Seen> look(const std::string& workspace,
                                      std::span<const run::Look> looks, Commands commands) = 0;
};

}  // namespace baton::ports
