#pragma once
// What an owner does with a store's files as a whole: copy them while they are in use, put a copy
// back, accept that an older state is all there is.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace baton::ports {

/// Told how far a copy is, in pages.
using CopyProgress = std::function<void(std::int64_t done, std::int64_t total)>;

struct StoreCopy {
  std::int64_t commits = 0;        // the newest commit number in it
  std::vector<std::string> files;  // that belong together
};

struct StoreRestored {
  std::int64_t commits = 0;  // the newest commit number of the store now
  std::int64_t epoch = 0;    // that began
  std::string before;        // where the store that was there is now; empty: there was none
};

class StoreAdmin {
 public:
  virtual ~StoreAdmin() = default;

  /// Copies the store as it is at one moment, with everything that belongs to it, to `file` and the
  /// names beside it. Servers may go on writing. INVALID_INPUT: something has that name already.
  virtual Result<StoreCopy> backup(const std::string& file, const CopyProgress& progress) = 0;

  /// Puts a copy in the store's place and begins a new, recorded epoch; the store that was there is
  /// kept beside it. STORE_BUSY: a process uses the store.
  virtual Result<StoreRestored> restore(const std::string& file, const CopyProgress& progress) = 0;

  /// Takes a store that is older than its heads as it is. Gives the epoch that began.
  /// INVALID_INPUT: the store is not older than its heads.
  virtual Result<std::int64_t> accept_loss() = 0;
};

}  // namespace baton::ports
