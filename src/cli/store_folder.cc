#include "cli/store_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace baton::cli {

Result<void> check_store_place(const std::filesystem::path& store) {
  if (store.is_absolute()) return {};
  return fail(Code::ENVIRONMENT, "nothing says where runs are kept: HOME is not set",
              "set HOME, or name a place with --db");
}

std::unexpected<Error> no_store_at(const std::filesystem::path& store) {
  return fail(Code::NOT_FOUND, cat("there is no store at ", store.string()),
              "`baton serve` makes one at its first call; --db names another place");
}

Result<void> make_store_folder(const std::filesystem::path& store) {
  TRY(check_store_place(store));
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
