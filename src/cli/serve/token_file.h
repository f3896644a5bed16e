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

enum class TokenPlace : std::uint8_t {
  beside_the_store,  // where others might have put something: no link is followed
  named              // by the user, who may mean a link
};

/// Reads the secret, or makes the file (0600, never seen half-written) with a fresh one when it is
/// missing. ENVIRONMENT when it cannot be read, belongs to another user, can be
/// used by others, or holds no fit secret.
Result<HttpSecret> open_token_file(const std::string& path, TokenPlace place,
                                   ports::Entropy& entropy);

}  // namespace baton::cli
