#include "cli/config/places.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/text/text.h"

namespace baton::cli {

Result<void> check_store_place(const std::filesystem::path& store) {
  if (store.is_absolute()) return {};
  return fail(Code::ENVIRONMENT, "cannot tell where runs are kept: HOME is not set",
              "set HOME, or name a file with --db");
}

std::unexpected<Error> no_store_at(const std::filesystem::path& store) {
  return fail(Code::NOT_FOUND, cat("there is no store at ", store.string()),
              "`baton serve` creates one at its first call; --db names another file");
}

Result<void> make_store_folder(const std::filesystem::path& store) {
  TRY(check_store_place(store));
  std::filesystem::path folder = store.root_path();
  for (const std::filesystem::path& part : store.parent_path().relative_path()) {
    folder /= part;
    if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) continue;
    return fail(Code::ENVIRONMENT,
                cat("the folder ", folder.string(), " cannot be created: ", std::strerror(errno)),
                "name another file with --db");
  }
  return {};
}

std::vector<WorkflowPlace> workflow_places(const Config& config) {
  std::vector<WorkflowPlace> out;
  const ConfigLocations& around = config.surroundings();
  const auto root_of = [&](std::string_view setting) {
    return config.effective(setting).is_projects ? around.project.string() : std::string();
  };
  for (const std::string& path : config.workflows()) {
    out.push_back({"extra", path, true, root_of("workflows")});
  }
  if (!config.content_dir().empty()) {
    out.push_back({"extra", config.content_dir() + "/workflows", false, root_of("content_dir")});
  }
  // In the home folder itself the project's folders are the user's.
  const bool is_home = around.project == around.home;
  const std::string project = is_home ? std::string() : around.project.string();
  for (const char* folder : {".baton/workflows", ".aromcp/workflows"}) {
    if (!around.project.empty()) {
      out.push_back({"project", (around.project / folder).string(), false, project});
    }
  }
  for (const char* folder : {".baton/workflows", ".aromcp/workflows"}) {
    if (!around.home.empty() && !is_home) {
      out.push_back({"user", (around.home / folder).string(), false});
    }
  }
  return out;
}

}  // namespace baton::cli
