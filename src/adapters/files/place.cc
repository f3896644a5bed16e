#include "adapters/files/place.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/text/text.h"

namespace baton::adapters {
namespace {

std::optional<std::string> place_at(int folder, const char* path, int flags) {
  struct statx found{};
  if (::statx(folder, path, flags, STATX_INO | STATX_BTIME, &found) != 0) return std::nullopt;
  std::string out = cat(found.stx_dev_major, ':', found.stx_dev_minor, ':', found.stx_ino);
  if ((found.stx_mask & STATX_BTIME) != 0) {
    out += cat(':', found.stx_btime.tv_sec, '.', found.stx_btime.tv_nsec);
  }
  return out;
}

}  // namespace

std::optional<std::string> place_of(const std::string& path) {
  if (path.contains('\0')) return std::nullopt;
  return place_at(AT_FDCWD, path.c_str(), 0);
}

std::optional<std::string> place_of(int descriptor) {
  return place_at(descriptor, "", AT_EMPTY_PATH);
}

}  // namespace baton::adapters
