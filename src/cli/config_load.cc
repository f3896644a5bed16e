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

fs::path user_file(const World& world) {
  const fs::path folder = xdg_directory(world, "XDG_CONFIG_HOME", ".config");
  return folder.empty() ? fs::path() : folder / "config.yaml";
}

/// A descriptor that closes itself.
class Opened {
 public:
  explicit Opened(int number) : number_(number) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  const int number_;
};

/// The file of a project, which whoever wrote the project fills: neither the file nor its folder
/// may be a link.
int open_projects(const fs::path& project) {
  constexpr int step = O_CLOEXEC | O_NOFOLLOW;
  const Opened root(open(project.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.number() < 0) return -1;
  const Opened folder(openat(root.number(), ".baton", O_PATH | step));
  struct stat status{};
  if (folder.number() < 0 || fstat(folder.number(), &status) != 0) return -1;
  if (S_ISLNK(status.st_mode)) {
    errno = ELOOP;
    return -1;
  }
  return openat(folder.number(), "config.yaml", O_RDONLY | O_NONBLOCK | O_NOCTTY | step);
}

Result<std::vector<Given>> read_file(const fs::path& path, int descriptor) {
  if (path.empty()) return std::vector<Given>();
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::vector<Given>();
    if (errno == ELOOP) {
      return fail(Code::CONFIG_INVALID,
                  cat(path.string(),
                      " is a symbolic link or lies behind one, and no link of a "
                      "project is followed"),
                  "put the file there itself");
    }
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
  constexpr int quiet = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  const fs::path projects = project_folder(world) / ".baton/config.yaml";
  // In the home folder itself the project's file is the user's.
  auto project = TRY(read_file(projects, project_folder(world) == home
                                             ? open(projects.c_str(), quiet)
                                             : open_projects(project_folder(world))));
  const fs::path users = user_file(world);
  auto user = TRY(read_file(users, users.empty() ? -1 : open(users.c_str(), quiet)));
  std::vector<Layer> layers = {flag_layer(world, arguments), environment_layer(world)};
  layers.push_back({Source::project_file, project_folder(world), std::move(project)});
  layers.push_back({Source::user_file, home.empty() ? world.directory : home, std::move(user)});
  return merge(layers, {home, data.empty() ? data : data / "baton.db", project_folder(world)});
}

}  // namespace baton::cli
