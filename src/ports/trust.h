#pragma once
// Which workflows may run commands on this machine. It is the user's word, by the hash of what was
// looked at: an edited workflow has another hash and must be looked at again. Any thread.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "base/time.h"

namespace baton::ports {

class Trust {
 public:
  virtual ~Trust() = default;

  /// What other processes said meanwhile counts at once. On an error nothing is trusted.
  virtual Result<bool> is_trusted(const Sha256& workflow) = 0;
};

struct TrustedWorkflow {
  Sha256 hash;
  std::string id;  // the workflow's name when it was trusted, for people
  WallMs since;
  bool operator==(const TrustedWorkflow&) const = default;
};

/// Durable when they return, and no change of another process is lost.
class TrustAdmin : public Trust {
 public:
  /// Those that were trusted one by one, the earliest first.
  virtual Result<std::vector<TrustedWorkflow>> list() = 0;

  /// One that is trusted already stays as it is. LIMIT_EXCEEDED past limits::trusted_workflows_max.
  virtual Result<void> add(const TrustedWorkflow& workflow) = 0;

  /// False when it was not trusted.
  virtual Result<bool> revoke(const Sha256& workflow) = 0;
};

}  // namespace baton::ports
