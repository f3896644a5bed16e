#pragma once
// Seals what a handler keeps while the client fetches an answer. The text goes through the client,
// so it is made tamper-evident and ends with time; the binding ties it to one principal, method and
// set of arguments.

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace baton::protocol {

class StateSealer {
 public:
  virtual ~StateSealer() = default;
  /// Printable text that open() gives back until limits::request_state_ms_max have passed.
  virtual Result<std::string> seal(std::string_view bytes, std::string_view binding) = 0;
  /// INVALID_INPUT: not sealed here, changed, too old, or bound to something else.
  virtual Result<std::string> open(std::string_view text, std::string_view binding) = 0;
};

}  // namespace baton::protocol
