#include "cli/config/command_settings.h"

#include <algorithm>

#include "base/text/text.h"
#include "cli/config/command_values.h"

namespace baton::cli {
namespace {

/// The variables that every command gets when they are set; a '*' at the end stands for the rest of
/// a name. All others may hold secrets of the parent process, and reach no command unless its
/// owner names them in `commands.env`.
constexpr std::string_view usual[] = {"PATH",          "HOME",           "USER",
                                      "LOGNAME",       "SHELL",          "LANG",
                                      "LANGUAGE",      "LC_*",           "TZ",
                                      "TERM",          "TMPDIR",         "XDG_CONFIG_HOME",
                                      "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"};

bool fits(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

bool fits_any(std::string_view name, const auto& patterns) {
  return std::ranges::any_of(patterns,
                             [&](std::string_view pattern) { return fits(name, pattern); });
}

}  // namespace

ports::CommandSettings command_settings(
    const Config& config, const std::map<std::string, std::string, std::less<>>& environment) {
  ports::CommandSettings out;
  const std::vector<std::string>& named = config.values("commands.env");
  for (const auto& [name, value] : environment) {
    if (fits_any(name, usual) || fits_any(name, named)) out.environment.emplace(name, value);
  }
  for (const std::string& each : config.values("commands.limits")) {
    ASSERT(apply_limit(each, out.resources));
  }
  out.is_sandboxed = config.values("commands.sandbox")[0] == "workspace";
  out.writable = config.values("commands.writable");
  return out;
}

}  // namespace baton::cli
