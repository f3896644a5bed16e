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

using run::Probe;
using run::ProbeResult;

/// Of what a command wrote; the rest of a blocker's message is what was expected.
constexpr std::size_t said_bytes_max = limits::blocker_message_bytes_max / 2;

ProbeResult seen(ProbeResult::Kind kind, std::string said = {}) {
  ProbeResult out;
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
ProbeResult unreadable(const Error& error) {
  const std::string_view said = error.message;
  return seen(ProbeResult::Kind::other, run::visible(said.substr(0, said_bytes_max)));
}

/// The repository of a workspace, for the looks of one call. git is started when one needs it.
class Repository {
 public:
  Repository(const std::string& workspace, const ports::Environment& environment)
      : workspace_(workspace), environment_(environment) {}

  ProbeResult look(const Probe& look) {
    if (!is_digest(look.what) || !is_in_repository(workspace_))
      return seen(ProbeResult::Kind::nothing);
    if (!git_) git_ = Git::open({.directory = workspace_}, environment_);
    if (!*git_) return unreadable(git_->error());
    const GitHistory history(**git_);
    auto found =
        look.kind == Probe::Kind::repository ? history.repository() : commit(history, look);
    return found ? *std::move(found) : unreadable(found.error());
  }

 private:
  static Result<ProbeResult> commit(const GitHistory& history, const Probe& look) {
    ProbeResult out;
    if (const auto found = TRY(history.find(look.what))) {
      out.kind = ProbeResult::Kind::commit;
      out.commit = *found;
    }
    const bool is_there = out.kind == ProbeResult::Kind::commit;
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

ProbeResult WorkspaceEvidence::command(const std::string& workspace,
                                       const std::vector<std::string>& argv,
                                       const ports::Commands& commands) const {
  using ports::ProcessEnd;
  ports::Process process{.argv = argv,
                         .directory = workspace,
                         .environment = settings_.environment,
                         .ms_max = limits::evidence_command_ms_max,
                         .resources = settings_.resources};
  if (settings_.is_sandboxed) process.sandbox = {workspace, settings_.writable};
  std::optional<ports::TrustVerdict> verdict;
  process.why_not = [&] {
    verdict = commands.judge(argv);
    return verdict->is_trusted ? std::string() : cat("it is not trusted ", verdict->reason);
  };
  const ports::ProcessResult result = run_process(process);
  // One that was not found was not asked about.
  if (!verdict) verdict = commands.judge(argv);
  if (!verdict->is_trusted) return seen(ProbeResult::Kind::untrusted, verdict->reason);
  switch (result.end) {
    case ProcessEnd::exited: {
      ProbeResult out = seen(ProbeResult::Kind::ended, end_of(result));
      out.exit = result.code;
      return out;
    }
    case ProcessEnd::signalled:
      return seen(ProbeResult::Kind::no_end, cat("killed by signal ", result.code));
    case ProcessEnd::timed_out:
      return seen(ProbeResult::Kind::no_end,
                  cat("it took longer than ", limits::evidence_command_ms_max, " ms"));
    case ProcessEnd::not_found:
      return seen(ProbeResult::Kind::no_end, cat("there is no program ", argv.front()));
    case ProcessEnd::not_started:
      if (result.code == EOPNOTSUPP) return seen(ProbeResult::Kind::no_end, why_no_sandbox());
      break;
    case ProcessEnd::stopped:
    case ProcessEnd::unknown: break;
  }
  return seen(ProbeResult::Kind::no_end, "it could not be started");
}

std::vector<ProbeResult> WorkspaceEvidence::look(const std::string& workspace,
                                                 std::span<const Probe> looks,
                                                 ports::Commands commands) {
  const WorkspaceFolder folder(workspace);
  Repository repository(workspace, settings_.environment);
  std::vector<ProbeResult> out;
  for (const Probe& each : looks) {
    switch (each.kind) {
      case Probe::Kind::file: out.push_back(folder.file(each)); break;
      case Probe::Kind::workspace: out.push_back(folder.itself()); break;
      case Probe::Kind::repository:
      case Probe::Kind::commit: out.push_back(repository.look(each)); break;
      case Probe::Kind::command: out.push_back(command(workspace, each.argv, commands)); break;
    }
  }
  // git and the commands went by the path: it must have led to the same folder all the time.
  if (folder.is_in_place()) return out;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (looks[i].kind == Probe::Kind::workspace) out[i] = seen(ProbeResult::Kind::other);
  }
  return out;
}

}  // namespace baton::adapters
