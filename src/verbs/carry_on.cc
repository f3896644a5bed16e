#include "verbs/carry_on.h"

#include <algorithm>

#include "base/text.h"
#include "verbs/advance.h"
#include "verbs/command_status.h"
#include "verbs/load.h"
#include "verbs/may_run.h"
#include "verbs/rehydrate.h"

namespace baton::verbs {
namespace {

constexpr std::int64_t look_ms = 100;  // between two looks at who else has a word in waiting

bool is_servers(const run::Reply& reply) {
  return reply.pending && reply.pending->kind == workflow::StepKind::shell_command;
}

/// What a caller has left of its patience: by the clock, and no less than what was waited.
class Waiting {
 public:
  Waiting(ports::Clock& clock, const Patience& patience)
      : clock_(clock), patience_(patience), begun_(clock.mono()) {}

  /// The result, or nothing when the patience is over first.
  std::optional<ports::ProcessResult> wait(ports::RunningProcess& process,
                                           const std::string& step) {
    while (true) {
      waited_ = std::max(waited_, clock_.mono().value - begun_.value);
      const std::int64_t left = std::max<std::int64_t>(patience_.ms_max - waited_, 0);
      const std::int64_t ms = std::min(left, look_ms);
      if (auto result = process.wait(ms)) return result;
      waited_ += ms;
      if (left == 0) return std::nullopt;
      if (patience_.goes_on && !patience_.goes_on({step, waited_})) return std::nullopt;
    }
  }

 private:
  ports::Clock& clock_;
  const Patience& patience_;
  const MonoMs begun_;
  std::int64_t waited_ = 0;  // ms
};

/// Whether the step that a node stands at asks for a sandbox.
bool wants_sandbox(const workflow::CompiledWorkflow& workflow, const run::NodeState& state) {
  const workflow::Step* step = run::step_at(workflow, state.cursor);
  return step != nullptr && step->fields.contains("sandbox");
}

ports::Process process_of(const Engine& engine, const run::ProcessIntended& intended,
                          const run::NodeState& state, bool wants_sandbox) {
  const ports::CommandSettings usual;
  const ports::CommandSettings& settings = engine.commands == nullptr ? usual : *engine.commands;
  ports::Process out{.argv = intended.argv,
                     .directory = intended.directory,
                     .environment = settings.environment,
                     .ms_max = intended.timeout_ms,
                     .delay_ms = intended.delay_ms,
                     .resources = settings.resources};
  // The step's own values win over those of the settings.
  for (const auto& [name, value] : intended.environment) out.environment[name] = value;
  // A step can ask for more than the owner does, never for less.
  if (settings.is_sandboxed || wants_sandbox) {
    out.sandbox = {state.workspace.empty() ? intended.directory : state.workspace,
                   settings.writable};
  }
  return out;
}

/// A step of the server's, where it stands.
struct Standing {
  run::NodeRow node;  // that the command was intended at
  run::ProcessIntended intended;
  std::shared_ptr<const run::NodeState> state;
};

Result<Standing> standing_of(const Reading& reading, const SignedReply& reply) {
  const run::NodeRow here = TRY(load_node(reading, reply.reply.state.node));
  const auto state = TRY(load_state(reading, here));
  if (state->process == nullptr) {
    return fail(Code::STORAGE_CORRUPTION_DETECTED,
                cat(here.id.text(), " does not say what is run there"));
  }
  const NodeId& intended_at = state->process->node;
  return Standing{intended_at == here.id ? here : TRY(load_node(reading, intended_at)),
                  *state->process, state};
}

/// Starts the command, if that is what the user trusts at that moment.
std::unique_ptr<ports::RunningProcess> start(Engine& engine, const Standing& standing) {
  const auto pinned = load_workflow(engine.reading(), standing.state->workflow_hash);
  ports::Process process =
      process_of(engine, standing.intended, *standing.state,
                 pinned.has_value() && wants_sandbox((*pinned)->workflow, *standing.state));
  if (!pinned) {
    const std::string why = pinned.error().message;
    process.why_not = [why] { return why; };
  } else {
    // Asked by the thread that starts it, which outlasts this call.
    process.why_not = [judge = CommandJudge(engine, **pinned, standing.state->workspace),
                       argv = process.argv, directory = process.directory] {
      const ports::Verdict verdict = judge.judge(argv, directory);
      if (verdict.is_trusted) return std::string();
      return verdict.reason.empty() ? "the workflow is no longer trusted" : verdict.reason;
    };
  }
  return engine.processes->start(std::move(process));
}

/// What came of a command; nothing while it runs.
Result<std::optional<run::ProcessReport>> report_of(Engine& engine, const Standing& standing,
                                                    Waiting& waiting) {
  const auto process =
      engine.caches.running.find(standing.node.id, [&] { return start(engine, standing); });
  if (process != nullptr) {
    auto result = waiting.wait(*process, standing.intended.step);
    if (!result) return std::nullopt;
    const std::string refused = result->refused;
    return run::ProcessReport{*std::move(result), refused, !refused.empty()};
  }
  // Whoever ran it here has let go of it only after what came of it was recorded.
  const bool is_recorded =
      TRY(engine.store.attempt(standing.node.no, run::AttemptKey{})).has_value();
  if (is_recorded || is_lost(engine.reading(), standing.intended, standing.node)) {
    return run::ProcessReport{};  // what is recorded counts
  }
  return std::nullopt;
}

/// Whatever was told on the way and is not told in the end.
SignedReply joined(const SignedReply& before, SignedReply after) {
  std::vector<std::string> warnings = before.reply.warnings;
  for (std::string& each : after.reply.warnings) {
    if (std::ranges::find(warnings, each) == warnings.end()) warnings.push_back(std::move(each));
  }
  after.reply.warnings = std::move(warnings);
  if (after.reply.step_context.empty()) after.reply.step_context = before.reply.step_context;
  if (!after.notice) after.notice = before.notice;
  after.is_unproven = before.is_unproven;
  return after;
}

}  // namespace

Result<SignedReply> carry_on(Engine& engine, const Principal& principal, SignedReply reply,
                             const Patience& patience) {
  if (!is_servers(reply.reply)) return reply;
  Waiting waiting(engine.clock, patience);
  while (is_servers(reply.reply)) {
    const Standing standing = TRY(standing_of(engine.reading(), reply));
    auto report = TRY(report_of(engine, standing, waiting));
    if (!report) return reply;
    auto next = settle_command(engine, principal, standing.node, std::move(*report));
    if (!next) return next;
    engine.caches.running.forget(standing.node.id);
    reply = joined(reply, *std::move(next));
  }
  return reply;
}

Result<SignedReply> carry_on_at(Engine& engine, const Principal& principal, const NodeId& node,
                                const Patience& patience) {
  const Reading reading = engine.reading();
  const run::NodeRow row = TRY(load_node(reading, node));
  SignedReply reply = TRY(look_at(reading, principal, row));
  return carry_on(engine, principal, std::move(reply), patience);
}

Result<RunPoint> carry_on_run(Engine& engine, const Principal& principal, std::string_view run,
                              const Patience& patience) {
  RunPoint point = TRY(find_open_step(engine.reading(), principal, run));
  if (!is_servers(point.reply.reply)) return point;
  TRY(carry_on(engine, principal, point.reply, patience));
  return find_open_step(engine.reading(), principal, run);
}

}  // namespace baton::verbs
