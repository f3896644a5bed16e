#include "adapters/process/writable.h"

#include <fcntl.h>

#include <filesystem>
#include <optional>

#include "adapters/files/beneath.h"
#include "adapters/process/containment.h"
#include "base/text/text.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

/// Of the notes that git keeps about where things are: one line.
constexpr std::size_t note_bytes_max = 8u << 10;

std::optional<std::string> note(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  auto text = file.is_open() ? content_of(file, note_bytes_max) : std::nullopt;
  if (!text) return std::nullopt;
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  return text;
}

bool is_git_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path / "HEAD", ignored) && fs::is_directory(path / "objects", ignored);
}

/// The repository of a linked work tree whose `.git` is a file.
std::optional<fs::path> linked_repository(const fs::path& dot_git) {
  std::error_code ignored;
  const auto text = note(dot_git);
  constexpr std::string_view prefix = "gitdir: ";
  if (!text || !text->starts_with(prefix)) return std::nullopt;
  const fs::path own = fs::canonical(dot_git.parent_path() / text->substr(prefix.size()), ignored);
  if (own.empty() || own.parent_path().filename() != "worktrees") return std::nullopt;
  const auto back = note(own / "gitdir");
  if (!back || !fs::equivalent(own / *back, dot_git, ignored)) return std::nullopt;
  return own.parent_path().parent_path();
}

/// Of the folder or the nearest one above it that has one.
std::optional<fs::path> git_folder(const fs::path& workspace) {
  std::error_code ignored;
  for (fs::path at = workspace;; at = at.parent_path()) {
    const fs::path dot_git = at / ".git";
    const auto kind = fs::symlink_status(dot_git, ignored).type();
    std::optional<fs::path> found;
    if (kind == fs::file_type::directory) found = dot_git;
    if (kind == fs::file_type::regular) found = linked_repository(dot_git);
    if (found && is_git_folder(*found)) return found;
    if (kind != fs::file_type::not_found || at == at.root_path() || at.empty()) return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> writable_paths(const ports::CommandSandbox& sandbox,
                                        const ports::Environment& environment) {
  std::vector<std::string> out = {sandbox.workspace};
  std::error_code ignored;
  const fs::path real = fs::canonical(sandbox.workspace, ignored);
  if (!real.empty()) {
    if (const auto git = git_folder(real)) out.push_back(git->string());
  }
  const auto named = environment.find("TMPDIR");
  const bool is_named = named != environment.end() && named->second.starts_with('/');
  out.push_back(is_named ? named->second : "/tmp");
  out.insert(out.end(), sandbox.writable.begin(), sandbox.writable.end());
  return out;
}

std::string why_no_sandbox() {
  const int version = landlock_version();
  if (version >= landlock_version_min) return {};
  return cat("the kernel has ",
             version == 0 ? std::string("no Landlock") : cat("version ", version, " of Landlock"),
             "; a sandbox needs version ", landlock_version_min, ", of Linux 6.2");
}

}  // namespace baton::adapters
