#pragma once
// Values that would run something if a shell ever read them as code. What they try to run is the
// recorder, by its name or its path, so that a success shows.

#include <string>
#include <string_view>
#include <vector>

namespace baton::security {

/// At least 200, none with a NUL. `recorder` is the recorder's absolute path.
std::vector<std::string> shell_payloads(std::string_view recorder);

}  // namespace baton::security
