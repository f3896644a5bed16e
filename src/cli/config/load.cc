#include "cli/config/load.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/core/limits.h"
#include "base/text/text.h"

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
/// around it. Other folders above do not count: any user may own them.
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

/// The user's own policy. Where their home is, the system says: a project can put variables beside
/// a command line, and this file alone may loosen.
fs::path policy_file(const World& world) {
  const fs::path& home = world.account_home;
  return home.is_absolute() ? home / ".config/baton/policy.yaml" : fs::path();
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

/// The file of a project, written by the project's author: neither the file nor its folder
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

/// The link on the way to a file that leads nowhere; empty when there is no such link. Who made one
/// means a file to be there.
fs::path dangling_link(const fs::path& path) {
  std::error_code ignored;
  for (fs::path at = path; at.has_relative_path(); at = at.parent_path()) {
    if (fs::is_symlink(fs::symlink_status(at, ignored)) && !fs::exists(at, ignored)) return at;
  }
  return {};
}

Result<std::vector<Given>> read_file(const fs::path& path, int descriptor) {
  if (path.empty()) return std::vector<Given>();
  if (descriptor < 0) {
    const int why = errno;
    if (const fs::path link = dangling_link(path); !link.empty()) {
      return fail(
          Code::CONFIG_INVALID,
          cat(path.string(), " cannot be read: ", link.string(), " is a symbolic link to nothing"),
          "put the file back, or remove the link");
    }
    errno = why;
    if (errno == ENOENT || errno == ENOTDIR) return std::vector<Given>();
    if (errno == ELOOP) {
      return fail(Code::CONFIG_INVALID,
                  cat(path.string(),
                      " is or goes through a symbolic link, and links of a "
                      "project are not followed"),
                  "put the file itself there");
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

/// The policy, and the one beside the user's config where the environment leads elsewhere: that one
/// may only tighten.
Result<void> add_policies(const fs::path& policy, const fs::path& config,
                          std::vector<Layer>& layers) {
  const auto add = [&](ConfigSource source, const fs::path& path) -> Result<void> {
    if (path.empty()) return {};
    constexpr int quiet = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    auto given = TRY(read_file(path, open(path.c_str(), quiet)));
    layers.push_back({source, path.parent_path(), std::move(given)});
    return {};
  };
  const fs::path beside = config.empty() ? fs::path() : config.parent_path() / "policy.yaml";
  if (beside.lexically_normal() != policy.lexically_normal()) {
    TRY(add(ConfigSource::moved_policy, beside));
  }
  return add(ConfigSource::policy_file, policy);
}

Layer flag_layer(const World& world, const Arguments& arguments) {
  Layer layer{ConfigSource::flag, world.directory, {}};
  for (const Setting& setting : settings()) {
    const auto found = arguments.options.find(setting.flag);
    if (found == arguments.options.end()) continue;
    layer.given.push_back({std::string(setting.name), found->second, std::string(setting.flag)});
  }
  return layer;
}

Layer environment_layer(const World& world) {
  Layer layer{ConfigSource::environment, world.directory, {}};
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
  layers.push_back({ConfigSource::project_file, project_folder(world), std::move(project)});
  layers.push_back(
      {ConfigSource::user_file, home.empty() ? world.directory : home, std::move(user)});
  const fs::path policy = policy_file(world);
  TRY(add_policies(policy, users, layers));
  return merge(layers,
               {home, data.empty() ? data : data / "baton.db", project_folder(world), policy});
}

namespace {

/// One event of libyaml, freed with its owner.
class Event {
 public:
  Event() = default;
  ~Event() { yaml_event_delete(&event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  yaml_event_t* get() { return &event_; }
  yaml_event_type_t type() const { return event_.type; }
  std::size_t line() const { return event_.start_mark.line + 1; }
  const yaml_event_t& raw() const { return event_; }

  std::string text() const {
    const auto& scalar = event_.data.scalar;
    return {reinterpret_cast<const char*>(scalar.value), scalar.length};
  }

 private:
  yaml_event_t event_{};
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& path) : path_(path) {
    ASSERT(yaml_parser_initialize(&parser_) == 1);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Reader() { yaml_parser_delete(&parser_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Result<std::vector<Given>> read() {
    TRY(expect_next(YAML_STREAM_START_EVENT));
    const auto document = TRY(next());
    if (document->type() == YAML_STREAM_END_EVENT) return given_;
    const auto& start = document->raw().data.document_start;
    if (start.version_directive != nullptr ||
        start.tag_directives.start != start.tag_directives.end) {
      return refuse(document->line(), "directives are not supported here");
    }
    const auto top = TRY(next());
    if (is_empty_scalar(*top)) {
      TRY(expect_next(YAML_DOCUMENT_END_EVENT));
    } else {
      if (top->type() != YAML_MAPPING_START_EVENT) {
        return refuse(top->line(), "settings are written as 'name: value'");
      }
      TRY(read_mapping());
      TRY(expect_next(YAML_DOCUMENT_END_EVENT));
    }
    const auto end = TRY(next());
    if (end->type() != YAML_STREAM_END_EVENT) {
      return refuse(end->line(), "a second document is not supported here");
    }
    return std::move(given_);
  }

 private:
  std::unexpected<Error> refuse(std::size_t line, std::string_view problem) const {
    return fail(Code::CONFIG_INVALID, cat(path_, ':', line, ": ", problem));
  }

  static bool is_empty_scalar(const Event& event) {
    return event.type() == YAML_SCALAR_EVENT && event.raw().data.scalar.length == 0 &&
           event.raw().data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  }

  /// The next event; anchors, aliases and tags are refused here, so no other code sees one.
  Result<std::unique_ptr<Event>> next() {
    auto event = std::make_unique<Event>();
    if (yaml_parser_parse(&parser_, event->get()) != 1) {
      const std::string_view problem = parser_.problem == nullptr ? "not YAML" : parser_.problem;
      return refuse(parser_.problem_mark.line + 1, problem);
    }
    const yaml_event_t& raw = event->raw();
    const unsigned char* anchor = nullptr;
    const unsigned char* tag = nullptr;
    if (raw.type == YAML_ALIAS_EVENT) return refuse(event->line(), "aliases are not supported");
    if (raw.type == YAML_SCALAR_EVENT) {
      anchor = raw.data.scalar.anchor;
      tag = raw.data.scalar.tag;
    } else if (raw.type == YAML_SEQUENCE_START_EVENT) {
      anchor = raw.data.sequence_start.anchor;
      tag = raw.data.sequence_start.tag;
    } else if (raw.type == YAML_MAPPING_START_EVENT) {
      anchor = raw.data.mapping_start.anchor;
      tag = raw.data.mapping_start.tag;
    }
    if (anchor != nullptr) return refuse(event->line(), "anchors are not supported here");
    if (tag != nullptr) return refuse(event->line(), "tags are not supported here");
    return event;
  }

  Result<void> expect_next(yaml_event_type_t type) {
    const auto event = TRY(next());
    if (event->type() != type) return refuse(event->line(), "settings are a flat list");
    return {};
  }

  Result<void> read_mapping() {
    for (;;) {
      const auto key = TRY(next());
      if (key->type() == YAML_MAPPING_END_EVENT) return {};
      if (key->type() != YAML_SCALAR_EVENT) {
        return refuse(key->line(), "the name of a setting is a word");
      }
      Given given{key->text(), {}, cat(path_, ':', key->line())};
      if (std::ranges::count(given_, given.name, &Given::name) > 0) {
        return refuse(key->line(), cat("'", given.name, "' is set twice"));
      }
      TRY(read_value(given));
      given_.push_back(std::move(given));
    }
  }

  Result<void> read_value(Given& given) {
    const auto value = TRY(next());
    if (value->type() == YAML_SEQUENCE_START_EVENT) {
      for (;;) {
        const auto item = TRY(next());
        if (item->type() == YAML_SEQUENCE_END_EVENT) return {};
        TRY(add_scalar(given, *item));
      }
    }
    return add_scalar(given, *value);
  }

  Result<void> add_scalar(Given& given, const Event& event) {
    if (event.type() != YAML_SCALAR_EVENT) {
      return refuse(event.line(), cat("'", given.name, "' takes a value or a list of values"));
    }
    if (is_empty_scalar(event)) return refuse(event.line(), cat("'", given.name, "' has no value"));
    given.values.push_back(event.text());
    return {};
  }

  const std::string& path_;
  yaml_parser_t parser_{};
  std::vector<Given> given_;
};

}  // namespace

Result<std::vector<Given>> read_config(std::string_view text, const std::string& path) {
  return Reader(text, path).read();
}

}  // namespace baton::cli
