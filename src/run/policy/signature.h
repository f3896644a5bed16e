#pragma once
// Checking signatures is arithmetic that a library does; who judges what was signed is given it as
// this. Any thread.

#include <string_view>

namespace baton::run {

class SignatureCheck {
 public:
  virtual ~SignatureCheck() = default;

  /// Whether `signature` is that of `text` by the Ed25519 key `key`; both in lower-case hex. False
  /// for anything that is neither.
  virtual bool fits(std::string_view key, std::string_view text,
                    std::string_view signature) const = 0;
};

}  // namespace baton::run
