#pragma once
// The key ring's file, beside the store: 0600, shared by every process
// that uses the store, and never seen half-written. Any thread.
//
// A missing file is made with link(), so that of several first starts one wins and the others read
// its keys. A change is a new file renamed over the old one, made under a lock on the old one, so
// that no rotation is lost. A damaged or too open file is an error, never replaced: new keys
// would void every token given so far.

#include <sys/stat.h>

#include <functional>
#include <string>
#include <vector>

#include "adapters/crypto/key_ring.h"
#include "adapters/files/descriptor.h"
#include "base/core/result.h"

namespace baton::adapters {

/// Tells one state of a file from another. While a process holds the file open its inode number is
/// not given to a new one, so a replaced file always differs.
struct KeyFileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // also by chmod
  bool operator==(const KeyFileStamp&) const = default;
};

class KeyFile {
 public:
  struct Opened {
    KeyRing ring;
    KeyFileStamp stamp;
    Descriptor file;
  };

  explicit KeyFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  /// Makes the file with one fresh key unless it is there. Durable when it returns.
  Result<void> create_if_missing(ports::Entropy& entropy) const;

  /// ENVIRONMENT: missing, unreadable, or open to others; STORE_CORRUPT, STORE_NEWER: its content.
  Result<Opened> read() const;

  /// What read() would find now, without reading. ENVIRONMENT: missing.
  Result<KeyFileStamp> stamp() const;

  Result<std::vector<KeyInfo>> list() const;

  /// As KeyRing::rotate and KeyRing::retire; durable when they return.
  Result<std::uint8_t> rotate(ports::Entropy& entropy) const;
  Result<void> retire(std::uint8_t slot) const;

 private:
  Result<void> change(const std::function<Result<void>(KeyRing&)>& edit) const;

  std::string path_;
};

}  // namespace baton::adapters
