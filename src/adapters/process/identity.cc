#include "adapters/process/identity.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"

namespace baton::adapters {
namespace {

std::string first_line(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

/// What all processes that can be looked at here have in common.
const std::string& place() {
  static const std::string text = [] {
    std::error_code ignored;
    return cat(first_line("/proc/sys/kernel/random/boot_id"), ' ',
               std::filesystem::read_symlink("/proc/self/ns/pid", ignored).string());
  }();
  return text;
}

/// When a process began, in ticks since the boot; empty when it is gone, also when only its parent
/// has not taken note of that yet.
std::string beginning_of(std::int64_t pid) {
  // "N (name) state parent ... beginning ...", where the name may hold anything.
  const std::string stat = first_line(cat("/proc/", pid, "/stat"));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return {};
  std::string_view rest = std::string_view(stat).substr(name_end + 2);
  if (rest.front() == 'Z' || rest.front() == 'X') return {};
  constexpr int fields_before = 19;  // from the state on
  for (int field = 0; field < fields_before; ++field) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return {};
    rest.remove_prefix(blank + 1);
  }
  return std::string(rest.substr(0, rest.find(' ')));
}

}  // namespace

std::string own_identity() { return cat(place(), ' ', ::getpid(), ' ', beginning_of(::getpid())); }

std::optional<bool> is_alive(std::string_view identity) {
  if (!identity.starts_with(cat(place(), ' '))) return std::nullopt;
  const std::string_view rest = identity.substr(place().size() + 1);
  const std::size_t blank = rest.find(' ');
  const auto pid = parse_int(std::string(rest.substr(0, blank)));
  if (blank == std::string_view::npos || !pid) return std::nullopt;
  const std::string began = beginning_of(*pid);
  return !began.empty() && began == rest.substr(blank + 1);
}

}  // namespace baton::adapters
