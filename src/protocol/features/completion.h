#pragma once
// Argument completion: what completion/complete offers for one argument of a prompt or one
// variable of a resource template.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/json/json.h"

namespace baton::protocol {

struct CompletionQuery {
  std::string value;     // what was typed so far
  json::Object context;  // other arguments, already chosen
  std::string principal;
};

/// All that fits, best first; what is past limits::completion_values_max is counted, not sent.
using Completer = std::function<Result<std::vector<std::string>>(const CompletionQuery&)>;

/// Offers those of `choices` that begin with what was typed.
Completer complete_from(std::vector<std::string> choices);

}  // namespace baton::protocol
