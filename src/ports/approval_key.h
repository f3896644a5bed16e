#pragma once
// The approval key of a person: who holds it can seal decisions and policies. It is kept encrypted
// under the person's passphrase, and is in the clear only while a Sealer lives. One thread.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "run/log/gate_events.h"

namespace baton::ports {

/// An unlocked key.
class Sealer {
 public:
  virtual ~Sealer() = default;

  /// Its public key, in lower-case hex.
  virtual const std::string& key() const = 0;

  virtual Result<run::Seal> seal(std::string_view text) = 0;
};

class ApprovalKeyFile {
 public:
  virtual ~ApprovalKeyFile() = default;

  virtual const std::string& path() const = 0;

  /// The public key as the file names it; unlocking proves it. NOT_FOUND: there is no file;
  /// ENVIRONMENT: it is another user's, open to others, or no regular file; STORE_CORRUPT,
  /// STORE_NEWER: its content.
  virtual Result<std::string> key() = 0;

  /// INVALID_INPUT: the passphrase is wrong, or the file was changed. LIMIT_EXCEEDED: this process
  /// tried too often.
  virtual Result<std::unique_ptr<Sealer>> unlock(std::string_view passphrase) = 0;

  /// Makes a key and its file, durable. INVALID_INPUT: there is one already, or the passphrase is
  /// too short or too long.
  virtual Result<std::unique_ptr<Sealer>> make(std::string_view passphrase) = 0;

  // Taking another key in place of this one: the other is prepared beside it first, so that a crash
  // loses neither.

  /// Makes the other key. One that was prepared before and never taken is forgotten.
  virtual Result<std::unique_ptr<Sealer>> prepare(std::string_view passphrase) = 0;

  /// The public key of one that was prepared; nothing when there is none.
  virtual Result<std::optional<std::string>> prepared() = 0;

  /// The prepared one takes the place of this, which is kept beside it under a name of its own.
  virtual Result<void> take_prepared() = 0;
};

}  // namespace baton::ports
