#pragma once
// Mounts that only this process and its children see, so that a test may fill a disk or take its
// write permission away. One thread.

#include <filesystem>
#include <string>

#include "base/core/result.h"

namespace baton::crash {

/// Gives the process mounts of its own, as root or else in a user namespace. Call it first in
/// main(): a process with threads may not.
Result<void> enter_private_mounts();

/// A file system in memory at `folder`, gone with its owner.
class SmallDisk {
 public:
  static Result<SmallDisk> mount(const std::filesystem::path& folder, std::int64_t bytes);
  SmallDisk(SmallDisk&& other) noexcept;
  SmallDisk& operator=(SmallDisk&&) = delete;
  ~SmallDisk();

  /// Takes room away until `bytes` are left (whole pages).
  Result<void> fill_up_to(std::int64_t bytes);
  /// Gives it back.
  void free_all();

  /// REQUIRES: no process has a file open for writing when it is to become read-only.
  Result<void> set_read_only(bool is_read_only);

 private:
  explicit SmallDisk(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

}  // namespace baton::crash
