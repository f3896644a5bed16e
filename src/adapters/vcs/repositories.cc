#include "adapters/vcs/repositories.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>

#include "adapters/files/beneath.h"
#include "adapters/vcs/git_command.h"
#include "base/text/utf8.h"

namespace baton::adapters {
namespace {

namespace fs = std::filesystem;

// Three lines: a path, a digest, a branch.
constexpr std::size_t output_bytes_max = 16u << 10;

std::string next_line(std::string_view& text) {
  const std::size_t end = std::min(text.size(), text.find('\n'));
  std::string line(text.substr(0, end));
  text.remove_prefix(std::min(text.size(), end + 1));
  return line;
}

bool is_digest(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

ports::RepositoryState GitRepositories::look(const std::string& folder) {
  using std::chrono::milliseconds;
  ports::RepositoryState seen;
  if (!folder.starts_with('/') || folder.contains('\0') || !is_in_repository(folder)) return seen;
  const auto begun = std::chrono::steady_clock::now();
  const auto git = Git::open({.directory = folder}, environment_, limits::repository_look_ms_max);
  if (!git) return seen;
  const auto taken = std::chrono::steady_clock::now() - begun;
  VcsCommand where =
      git->command({"rev-parse", "--show-toplevel", "HEAD", "--symbolic-full-name", "HEAD"});
  where.output_bytes_max = output_bytes_max;
  where.ms_max = std::max<std::int64_t>(
      0, limits::repository_look_ms_max - std::chrono::duration_cast<milliseconds>(taken).count());
  const auto result = run_command(where);
  if (!result) return seen;
  std::string_view rest = result->output;
  std::string root = next_line(rest);
  if (!root.starts_with('/') || !utf8::is_valid(root) ||
      root.size() > limits::workspace_path_bytes_max) {
    return seen;
  }
  seen.root = std::move(root);
  // Without a commit there is no HEAD, and git says so after the path.
  if (result->exit != 0) return seen;
  if (std::string sha = next_line(rest); is_digest(sha)) seen.head_sha = std::move(sha);
  std::string branch = next_line(rest);
  constexpr std::string_view heads = "refs/heads/";
  if (!branch.starts_with(heads)) return seen;
  branch.erase(0, heads.size());
  if (utf8::is_valid(branch) && branch.size() <= limits::git_branch_bytes_max) {
    seen.branch = std::move(branch);
  }
  return seen;
}

bool GitRepositories::has_file(const std::string& folder, std::string_view path) {
  if (!folder.starts_with('/') || folder.contains('\0') || path.contains('\0')) return false;
  const fs::path inside = fs::path(path).lexically_normal();
  if (inside.empty() || inside.is_absolute() || *inside.begin() == "..") return false;
  const Descriptor around(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return around.is_open() && open_beneath(around.number(), inside.string(), O_PATH).is_open();
}

}  // namespace baton::adapters
