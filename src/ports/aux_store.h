#pragma once
// Data about operation that does not follow from the log and may be lost: counters, the call
// log, and what was found out about files. It never costs a caller a sync, and nothing depends on
// it. Any thread.

#include <optional>
#include <string>
#include <vector>

#include "base/core/ids.h"
#include "base/core/result.h"
#include "base/core/time.h"

namespace baton::ports {

/// One call of a tool. Holds no arguments and no results, so no secret can be in it.
struct CallRecord {
  WallMs at;
  std::string tool;
  std::string code;  // empty: it went well
  std::int64_t duration_us = 0;
  std::optional<RunId> run;
  bool operator==(const CallRecord&) const = default;
};

class AuxStore {
 public:
  virtual ~AuxStore() = default;

  // Neither fails: what cannot be kept is dropped.
  virtual void count(std::string_view counter, std::int64_t by) = 0;
  virtual void record(CallRecord call) = 0;

  /// 0 for a counter that never counted.
  virtual Result<std::int64_t> counter(std::string_view name) = 0;
  /// Newest first, at most `limit`.
  virtual Result<std::vector<CallRecord>> calls(std::size_t limit) = 0;

  /// Keeps a text by its key, until room is needed. A key's text never changes.
  virtual void remember(std::string key, std::string text) = 0;
  virtual std::optional<std::string> remembered(std::string_view key) = 0;
};

}  // namespace baton::ports
