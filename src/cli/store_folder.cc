#include "cli/store_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace baton::cli {

Result<void> make_store_folder(const std::filesystem::path& store) {
  ASSERT(store.is_absolute());
  std::filesystem::path folder = store.root_path();
  for (const std::filesystem::path& part : store.parent_path().relative_path()) {
    folder /= part;
    if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) continue;
    return fail(Code::ENVIRONMENT,
                cat("the folder ", folder.string(), " cannot be made: ", std::strerror(errno)),
                "name another place with --db");
  }
  return {};
}

}  // namespace baton::cli
