#include "adapters/process/containment.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace baton::adapters {
namespace {

// By number, because the headers of a system may be older than its kernel.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
constexpr std::uint32_t version_flag = 1;
constexpr int path_beneath = 1;

constexpr std::uint64_t write_file = 1u << 1;
constexpr std::uint64_t truncate = 1u << 14;
constexpr std::uint64_t remove_folder = 1u << 4;
constexpr std::uint64_t remove_file = 1u << 5;
constexpr std::uint64_t make_any = 0x7fu << 6;  // devices, folders, files, sockets, pipes, links
constexpr std::uint64_t move_between_folders = 1u << 13;
constexpr std::uint64_t in_files = write_file | truncate;
constexpr std::uint64_t all_writing =
    in_files | remove_folder | remove_file | make_any | move_between_folders;

struct Ruleset {
  std::uint64_t handled_files;
};
struct [[gnu::packed]] Rule {
  std::uint64_t allowed;
  std::int32_t folder;
};

/// What any program may write to: it leads nowhere.
constexpr const char* plain_devices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                         "/dev/random", "/dev/urandom", "/dev/tty"};

int allow_beneath(int ruleset, const char* path) {
  const int opened = ::open(path, O_PATH | O_CLOEXEC);
  if (opened < 0) return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
  struct stat info{};
  int problem = ::fstat(opened, &info) == 0 ? 0 : errno;
  const Rule rule{S_ISDIR(info.st_mode) ? all_writing : in_files, opened};
  if (problem == 0 && ::syscall(SYS_landlock_add_rule, ruleset, path_beneath, &rule, 0) != 0) {
    problem = errno;
  }
  ::close(opened);
  return problem;
}

/// The next number of the text; false for '-'.
bool take_number(const char*& text, std::uint64_t& number) {
  const bool is_given = *text != '-';
  number = 0;
  for (; *text != ',' && *text != '\0'; ++text) {
    if (*text >= '0' && *text <= '9')
      number = number * 10 + static_cast<std::uint64_t>(*text - '0');
  }
  if (*text == ',') ++text;
  return is_given;
}

int lower(int resource, std::uint64_t most) {
  rlimit limit{};
  const auto which = static_cast<__rlimit_resource>(resource);
  if (::getrlimit(which, &limit) != 0) return errno;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, most);
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, most);
  return ::setrlimit(which, &limit) == 0 ? 0 : errno;
}

}  // namespace

int limit_resources(const char* text) {
  if (const int problem = lower(RLIMIT_CORE, 0); problem != 0) return problem;
  for (const int resource : {RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_AS}) {
    std::uint64_t most = 0;
    if (!take_number(text, most)) continue;
    if (const int problem = lower(resource, most); problem != 0) return problem;
  }
  return 0;
}

int give_up_new_rights() { return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno; }

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, version_flag);
  return version < 0 ? 0 : static_cast<int>(version);
}

int write_only_beneath(char* const* paths, std::size_t count) {
  if (landlock_version() < landlock_version_min) return EOPNOTSUPP;
  const Ruleset handled{all_writing};
  const auto ruleset =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
  if (ruleset < 0) return errno;
  int problem = 0;
  for (std::size_t i = 0; i < count && problem == 0; ++i)
    problem = allow_beneath(ruleset, paths[i]);
  for (const char* device : plain_devices) {
    if (problem == 0) problem = allow_beneath(ruleset, device);
  }
  if (problem == 0 && ::syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) problem = errno;
  ::close(ruleset);
  return problem;
}

}  // namespace baton::adapters
