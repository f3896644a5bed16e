#pragma once
// Files of a workspace as evidence: opened beneath its folder, and no link is followed. Any thread.

#include "adapters/files/descriptor.h"
#include "run/log/evidence_record.h"

namespace baton::adapters {

/// The folder of a workspace, open: what is at its path later is not looked at.
class WorkspaceFolder {
 public:
  explicit WorkspaceFolder(const std::string& path);

  /// Which folder it is, independent of its path.
  run::ProbeResult itself() const;

  /// Whether its path still leads to it.
  bool is_in_place() const;

  /// The file at `look.what` beneath it.
  run::ProbeResult file(const run::Probe& look) const;

 private:
  const std::string path_;
  Descriptor folder_;
  int problem_ = 0;  // why it is not open
};

}  // namespace baton::adapters
