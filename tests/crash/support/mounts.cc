#include "support/mounts.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/text/text.h"
#include "support/child.h"

namespace baton::crash {
namespace {

std::unexpected<Error> refused(std::string_view what) {
  return fail(Code::ENVIRONMENT, cat(what, ": ", std::strerror(errno)));
}

bool write_file(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return !file.fail();
}

}  // namespace

Result<void> enter_private_mounts() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (user == 0) {
    if (unshare(CLONE_NEWNS) != 0) return refused("unshare");
  } else {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return refused("unshare");
    if (!write_file("/proc/self/setgroups", "deny") ||
        !write_file("/proc/self/uid_map", cat("0 ", user, " 1")) ||
        !write_file("/proc/self/gid_map", cat("0 ", group, " 1"))) {
      return refused("mapping the user");
    }
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return refused("making mounts private");
  }
  return {};
}

Result<SmallDisk> SmallDisk::mount(const std::filesystem::path& folder, std::int64_t bytes) {
  std::filesystem::create_directories(folder);
  if (::mount("none", folder.c_str(), "tmpfs", 0, cat("mode=0700,size=", bytes).c_str()) != 0) {
    return refused("mounting a tmpfs");
  }
  return SmallDisk(folder);
}

SmallDisk::SmallDisk(SmallDisk&& other) noexcept : folder_(std::move(other.folder_)) {
  other.folder_.clear();
}

SmallDisk::~SmallDisk() {
  if (!folder_.empty()) umount2(folder_.c_str(), MNT_DETACH);
}

Result<void> SmallDisk::fill_up_to(std::int64_t bytes) {
  const Fd file(open((folder_ / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  // Another user of the disk may take space between our check and our write.
  for (int tries = 0; tries < 100; ++tries) {
    struct statvfs room{};
    if (statvfs(folder_.c_str(), &room) != 0) return refused("statvfs");
    const auto page = static_cast<std::int64_t>(room.f_frsize);
    const std::int64_t taken = (static_cast<std::int64_t>(room.f_bavail) - bytes / page) * page;
    if (taken <= 0) return {};
    errno = posix_fallocate(file.get(), 0, taken);
    if (errno == 0) return {};
    if (errno != ENOSPC) break;
  }
  return refused("filling the disk");
}

void SmallDisk::free_all() { std::filesystem::remove(folder_ / "filler"); }

Result<void> SmallDisk::set_read_only(bool is_read_only) {
  const unsigned long flags = MS_REMOUNT | (is_read_only ? MS_RDONLY : 0);
  if (::mount("none", folder_.c_str(), "tmpfs", flags, nullptr) != 0) return refused("remounting");
  return {};
}

}  // namespace baton::crash
