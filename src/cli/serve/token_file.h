#pragma once
// The bearer secret of an HTTP server, in a file of its owner alone.

#include <string>

#include "base/core/result.h"
#include "ports/system.h"

namespace baton::cli {

struct HttpSecret {
  std::string text;
  bool is_new = false;  // the file was made just now
};

/// Reads the secret, or makes the file (0600, never seen half-written) with a fresh one when it is
/// missing. ENVIRONMENT when it cannot be read, can be used by others, or holds no fit secret.
Result<HttpSecret> open_token_file(const std::string& path, ports::Entropy& entropy);

}  // namespace baton::cli
