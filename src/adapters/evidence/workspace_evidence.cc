#include "adapters/evidence/workspace_evidence.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "adapters/files/descriptor.h"
#include "adapters/process/run_process.h"
#include "adapters/vcs/git.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/utf8.h"
#include "run/command_output.h"

namespace baton::adapters {
namespace {

using run::Look;
using run::Seen;

/// Of what a command wrote; the rest of a blocker's message is what was expected.
constexpr std::size_t said_bytes_max = limits::blocker_message_bytes_max / 2;

Seen seen(Seen::Kind kind, std::string said = {}) {
  Seen out;
  out.kind = kind;
  out.said = std::move(said);
  return out;
}

Descriptor open_beneath(const Descriptor& folder, const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return Descriptor(
      static_cast<int>(::syscall(SYS_openat2, folder.number(), path.c_str(), &how, sizeof how)));
}

Seen unopened(int problem) {
  if (problem == ENOENT || problem == ENOTDIR) return seen(Seen::Kind::nothing);
  if (problem == ELOOP) return seen(Seen::Kind::link);
  return seen(Seen::Kind::other);
}

/// The content, or nothing when it is larger than what is read or cannot be read.
std::optional<std::string> content(const Descriptor& file) {
  std::string text;
  char piece[16'384];
  while (text.size() <= limits::evidence_file_bytes_max) {
    const ssize_t got = ::read(file.number(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

Seen file(const std::string& workspace, const Look& look) {
  if (look.what.contains('\0')) return seen(Seen::Kind::other);
  const Descriptor folder(::open(workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return unopened(errno);
  const Descriptor opened = open_beneath(folder, look.what);
  if (!opened.is_open()) return unopened(errno);
  struct stat status{};
  if (::fstat(opened.number(), &status) != 0) return seen(Seen::Kind::other);
  if (S_ISDIR(status.st_mode)) return seen(Seen::Kind::folder);
  if (!S_ISREG(status.st_mode)) return seen(Seen::Kind::other);
  Seen out = seen(Seen::Kind::file);
  out.bytes = status.st_size;
  if (out.bytes > static_cast<std::int64_t>(limits::evidence_file_bytes_max)) return out;
  std::optional<std::string> text = content(opened);
  if (!text) return out;
  out.bytes = static_cast<std::int64_t>(text->size());
  out.digest = sha256(*text);
  if (look.with_text) out.text = std::move(text);
  return out;
}

/// The end of what a command wrote, as one piece of text.
std::string end_of(const ports::ProcessResult& result) {
  const std::string& bytes = result.errors.empty() ? result.output : result.errors;
  const std::size_t from = bytes.size() > said_bytes_max ? bytes.size() - said_bytes_max : 0;
  std::string text = run::visible(std::string_view(bytes).substr(from));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

WorkspaceEvidence::WorkspaceEvidence(ports::Environment environment)
    : environment_(std::move(environment)) {}

Seen WorkspaceEvidence::commit(const std::string& workspace, const std::string& commit) const {
  if (commit.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return seen(Seen::Kind::nothing);
  }
  const auto found =
      run_command({.words = {"git", "--no-pager", "-c", "core.fsmonitor=false", "-c",
                             "core.hooksPath=/dev/null", "rev-parse", "--verify", "--quiet",
                             cat(commit.empty() ? "HEAD" : commit, "^{commit}")},
                   .directory = workspace,
                   .environment = vcs_environment(environment_)});
  if (!found || found->exit != 0) return seen(Seen::Kind::nothing);
  Seen out = seen(Seen::Kind::commit);
  out.commit = found->output.substr(0, found->output.find('\n'));
  return out;
}

Seen WorkspaceEvidence::command(const std::string& workspace,
                                const std::vector<std::string>& argv) const {
  using ports::ProcessEnd;
  const ports::ProcessResult result = run_process({.argv = argv,
                                                   .directory = workspace,
                                                   .environment = environment_,
                                                   .ms_max = limits::evidence_command_ms_max});
  switch (result.end) {
    case ProcessEnd::exited: {
      Seen out = seen(Seen::Kind::ended, end_of(result));
      out.exit = result.code;
      return out;
    }
    case ProcessEnd::signalled:
      return seen(Seen::Kind::no_end, cat("killed by signal ", result.code));
    case ProcessEnd::timed_out:
      return seen(Seen::Kind::no_end,
                  cat("it took longer than ", limits::evidence_command_ms_max, " ms"));
    case ProcessEnd::not_found:
      return seen(Seen::Kind::no_end, cat("there is no program ", argv.front()));
    case ProcessEnd::not_started:
    case ProcessEnd::stopped:
    case ProcessEnd::unknown: break;
  }
  return seen(Seen::Kind::no_end, "it could not be started");
}

std::vector<Seen> WorkspaceEvidence::look(const std::string& workspace, std::span<const Look> looks,
                                          ports::Commands commands) {
  std::vector<Seen> out;
  for (const Look& each : looks) {
    if (each.kind == Look::Kind::file)
      out.push_back(file(workspace, each));
    else if (each.kind == Look::Kind::commit)
      out.push_back(commit(workspace, each.what));
    else if (commands == ports::Commands::allowed)
      out.push_back(command(workspace, each.argv));
    else
      out.push_back(seen(Seen::Kind::untrusted));
  }
  return out;
}

}  // namespace baton::adapters
