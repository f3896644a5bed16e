#include "adapters/evidence/workspace_evidence.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
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

/// Or the beginning of one. No word that git would take for anything else.
bool is_digest(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
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

/// The lines that git writes; none when it fails.
std::vector<std::string> WorkspaceEvidence::git(const std::string& workspace,
                                                std::vector<std::string> words) const {
  words.insert(words.begin(), {"git", "--no-pager", "-c", "core.fsmonitor=false", "-c",
                               "core.hooksPath=/dev/null"});
  const auto done = run_command({.words = std::move(words),
                                 .directory = workspace,
                                 .environment = vcs_environment(environment_)});
  std::vector<std::string> out;
  if (!done || done->exit != 0) return out;
  for (std::string_view rest = done->output; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

Seen WorkspaceEvidence::commit(const std::string& workspace, const Look& look) const {
  if (!is_digest(look.what)) return seen(Seen::Kind::nothing);
  const auto found = git(workspace, {"rev-parse", "--verify", "--quiet",
                                     cat(look.what.empty() ? "HEAD" : look.what, "^{commit}")});
  if (found.empty()) return seen(Seen::Kind::nothing);
  Seen out = seen(Seen::Kind::commit);
  out.commit = found.front();
  if (!look.what.empty()) return out;
  if (look.known.empty()) {
    out.tips = git(workspace, {"for-each-ref", "--sort=-committerdate", "--format=%(objectname)",
                               cat("--count=", limits::evidence_tips_max)});
    return out;
  }
  // One that is not there any more makes git fail: then it is another repository.
  std::vector<std::string> words = {"rev-list", "--max-count=1", out.commit, "--not"};
  for (const std::string& each : look.known) {
    if (is_digest(each)) words.push_back(each);
  }
  out.is_new = !git(workspace, std::move(words)).empty();
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
      out.push_back(commit(workspace, each));
    else if (commands == ports::Commands::allowed)
      out.push_back(command(workspace, each.argv));
    else
      out.push_back(seen(Seen::Kind::untrusted));
  }
  return out;
}

}  // namespace baton::adapters
