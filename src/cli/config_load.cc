#include "cli/config_load.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/limits.h"
#include "base/text.h"
#include "cli/config_file.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

/// A base directory by the XDG rules: a relative path in the variable counts as absent.
fs::path xdg_directory(const World& world, std::string_view variable, std::string_view in_home) {
  const fs::path named = world.variable(variable);
  if (named.is_absolute()) return named / "baton";
  const fs::path home = world.variable("HOME");
  return home.is_absolute() ? home / in_home / "baton" : fs::path();
}

/// The folder whose .baton/config.yaml counts: the current one, else the root of the repository
/// around it. Other folders above do not count: anybody may own them.
fs::path project_folder(const World& world) {
  std::error_code ignored;
  if (fs::exists(world.directory / ".baton/config.yaml", ignored)) return world.directory;
  for (fs::path folder = world.directory; folder != folder.root_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored) || fs::exists(folder / ".jj", ignored)) return folder;
  }
  return world.directory;
}

fs::path project_file(const World& world) { return project_folder(world) / ".baton/config.yaml"; }

fs::path user_file(const World& world) {
  const fs::path folder = xdg_directory(world, "XDG_CONFIG_HOME", ".config");
  return folder.empty() ? fs::path() : folder / "config.yaml";
}

Result<std::vector<Given>> read_file(const fs::path& path) {
  if (path.empty()) return std::vector<Given>();
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::vector<Given>();
    return fail(Code::CONFIG_INVALID, cat(path.string(), ": ", std::strerror(errno)));
  }
  struct stat status{};
  const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  Result<std::string> text = regular ? read_text(descriptor, limits::config_bytes_max)
                                     : fail(Code::CONFIG_INVALID, "not a regular file");
  close(descriptor);
  if (!text) return fail(Code::CONFIG_INVALID, cat(path.string(), ": ", text.error().message));
  return read_config(*text, path.string());
}

Layer flag_layer(const World& world, const Arguments& arguments) {
  Layer layer{Source::flag, world.directory, {}};
  for (const Setting& setting : settings()) {
    const auto found = arguments.options.find(setting.flag);
    if (found == arguments.options.end()) continue;
    layer.given.push_back({std::string(setting.name), found->second, std::string(setting.flag)});
  }
  return layer;
}

Layer environment_layer(const World& world) {
  Layer layer{Source::environment, world.directory, {}};
  for (const Setting& setting : settings()) {
    const std::string_view value = world.variable(setting.variable);
    if (value.empty()) continue;
    layer.given.push_back(
        {std::string(setting.name), {std::string(value)}, std::string(setting.variable)});
  }
  return layer;
}

}  // namespace

Result<Config> load_config(const World& world, const Arguments& arguments) {
  const fs::path named = world.variable("HOME");
  const fs::path home = named.is_absolute() ? named : fs::path();
  const fs::path data = xdg_directory(world, "XDG_DATA_HOME", ".local/share");
  auto project = TRY(read_file(project_file(world)));
  auto user = TRY(read_file(user_file(world)));
  std::vector<Layer> layers = {flag_layer(world, arguments), environment_layer(world)};
  layers.push_back({Source::project_file, project_folder(world), std::move(project)});
  layers.push_back({Source::user_file, home.empty() ? world.directory : home, std::move(user)});
  return merge(layers, {home, data.empty() ? data : data / "baton.db", project_folder(world)});
}

}  // namespace baton::cli
