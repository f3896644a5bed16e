#pragma once
// A `call` or `request` line of a case: what is asked of the server, in few words. README.md
// describes the form.

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/json/json.h"

namespace baton::cases {

struct CallLine {
  std::string method;
  json::Object params;

  /// The JSON-RPC message with this id.
  std::string message(std::size_t id) const;
};

/// Whether a line of a case is a `call` or a `request`.
bool is_call_line(std::string_view line);

/// Reads a line whose names are expanded already. INVALID_INPUT says what cannot be read.
Result<CallLine> parse_call(std::string_view line);

}  // namespace baton::cases
