#include "adapters/evidence/workspace_evidence.h"

#include "adapters/evidence/file_evidence.h"
#include "adapters/evidence/git_history.h"
#include "adapters/process/run_process.h"
#include "adapters/process/writable.h"
#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/steps/command_output.h"

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

/// Why git could not say what it was asked, in one piece of text.
Seen unreadable(const Error& error) {
  const std::string_view said = error.message;
  return seen(Seen::Kind::other, run::visible(said.substr(0, said_bytes_max)));
}

/// The repository of a workspace, for the looks of one call. git is started when one needs it.
class Repository {
 public:
  Repository(const std::string& workspace, const ports::Environment& environment)
      : workspace_(workspace), environment_(environment) {}

  Seen look(const Look& look) {
    if (!is_digest(look.what) || !is_in_repository(workspace_)) return seen(Seen::Kind::nothing);
    if (!git_) git_ = Git::open({.directory = workspace_}, environment_);
    if (!*git_) return unreadable(git_->error());
    const GitHistory history(**git_);
    auto found = look.kind == Look::Kind::repository ? history.repository() : commit(history, look);
    return found ? *std::move(found) : unreadable(found.error());
  }

 private:
  static Result<Seen> commit(const GitHistory& history, const Look& look) {
    Seen out;
    if (const auto found = TRY(history.find(look.what))) {
      out.kind = Seen::Kind::commit;
      out.commit = *found;
    }
    const bool is_there = out.kind == Seen::Kind::commit;
    if (!look.what.empty()) {
      out.is_at_head = is_there && TRY(history.head_leads_to(out.commit));
    } else if (!look.known) {
      out.known = TRY(history.commits());
    } else if (is_there) {
      out.fresh = TRY(history.fresh(out.commit, *look.known));
    }
    return out;
  }

  const std::string& workspace_;
  const ports::Environment& environment_;
  std::optional<Result<Git>> git_;
};

}  // namespace

WorkspaceEvidence::WorkspaceEvidence(ports::CommandSettings settings)
    : settings_(std::move(settings)) {}

Seen WorkspaceEvidence::command(const std::string& workspace, const std::vector<std::string>& argv,
                                const ports::Commands& commands) const {
  using ports::ProcessEnd;
  ports::Process process{.argv = argv,
                         .directory = workspace,
                         .environment = settings_.environment,
                         .ms_max = limits::evidence_command_ms_max,
                         .resources = settings_.resources};
  if (settings_.is_sandboxed) process.sandbox = {workspace, settings_.writable};
  std::optional<ports::Verdict> verdict;
  process.why_not = [&] {
    verdict = commands.judge(argv);
    return verdict->is_trusted ? std::string() : cat("it is not trusted ", verdict->reason);
  };
  const ports::ProcessResult result = run_process(process);
  // One that was not found was not asked about.
  if (!verdict) verdict = commands.judge(argv);
  if (!verdict->is_trusted) return seen(Seen::Kind::untrusted, verdict->reason);
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
      if (result.code == EOPNOTSUPP) return seen(Seen::Kind::no_end, why_no_sandbox());
      break;
    case ProcessEnd::stopped:
    case ProcessEnd::unknown: break;
  }
  return seen(Seen::Kind::no_end, "it could not be started");
}

std::vector<Seen> WorkspaceEvidence::look(const std::string& workspace, std::span<const Look> looks,
                                          ports::Commands commands) {
  const WorkspaceFolder folder(workspace);
  Repository repository(workspace, settings_.environment);
  std::vector<Seen> out;
  for (const Look& each : looks) {
    switch (each.kind) {
      case Look::Kind::file: out.push_back(folder.file(each)); break;
      case Look::Kind::workspace: out.push_back(folder.itself()); break;
      case Look::Kind::repository:
      case Look::Kind::commit: out.push_back(repository.look(each)); break;
      case Look::Kind::command: out.push_back(command(workspace, each.argv, commands)); break;
    }
  }
  // git and the commands went by the path: it must have led to the same folder all the time.
  if (folder.is_in_place()) return out;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (looks[i].kind == Look::Kind::workspace) out[i] = seen(Seen::Kind::other);
  }
  return out;
}

}  // namespace baton::adapters
