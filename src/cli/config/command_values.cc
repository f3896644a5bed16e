#include "cli/config/command_values.h"

#include <algorithm>
#include <optional>

#include "base/text/text.h"

namespace baton::cli {

bool names_variables(std::string_view text) {
  if (text.ends_with('*')) text.remove_suffix(1);
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && std::ranges::all_of(text, is_part) && !(text[0] >= '0' && text[0] <= '9');
}

bool apply_limit(std::string_view text, ports::ResourceLimits& limits) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = text.substr(0, equals);
  const std::string_view amount = text.substr(equals + 1);
  std::optional<std::uint64_t> value;
  if (amount != "none") {
    const auto number = parse_int(amount);
    if (!number || *number < 1) return false;
    value = static_cast<std::uint64_t>(*number);
  }
  if (name == "open_files")
    limits.open_files = value;
  else if (name == "processes")
    limits.processes = value;
  else if (name == "file_bytes")
    limits.file_bytes = value;
  else if (name == "cpu_seconds")
    limits.cpu_seconds = value;
  else if (name == "memory_bytes")
    limits.memory_bytes = value;
  else
    return false;
  return true;
}

}  // namespace baton::cli
