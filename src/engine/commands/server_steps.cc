#include "engine/commands/server_steps.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/attempt.h"
#include "engine/commands/command_permit.h"
#include "engine/commands/command_process.h"
#include "engine/commands/command_status.h"
#include "engine/effects/reuse_effect.h"
#include "engine/load/load.h"
#include "engine/load/owner_words.h"
#include "engine/load/read_node.h"
#include "run/effects/place_effect.h"
#include "run/steps/behaviour.h"

namespace baton::engine {
namespace {

constexpr std::int64_t look_ms = 100;  // between two looks at who else has a word in waiting

bool is_servers(const run::Reply& reply) {
  return reply.pending &&
         (run::behaviour_of(reply.pending->kind).is_for_server || run::is_reuse(*reply.pending));
}

/// How long a caller may still wait: by the clock, and no less than what was waited.
class CommandWait {
 public:
  CommandWait(ports::Clock& clock, const WaitPolicy& wait)
      : clock_(clock), policy_(wait), begun_(clock.mono()) {}

  /// The result, or nothing when the caller may wait no longer.
  std::optional<ports::ProcessResult> wait(ports::RunningProcess& process,
                                           const std::string& step) {
    while (true) {
      waited_ = std::max(waited_, clock_.mono().value - begun_.value);
      const std::int64_t left = std::max<std::int64_t>(policy_.ms_max - waited_, 0);
      const std::int64_t ms = std::min(left, look_ms);
      if (auto result = process.wait(ms)) return result;
      waited_ += ms;
      if (left == 0) return std::nullopt;
      if (policy_.goes_on && !policy_.goes_on({step, waited_})) return std::nullopt;
    }
  }

 private:
  ports::Clock& clock_;
  const WaitPolicy& policy_;
  const MonoMs begun_;
  std::int64_t waited_ = 0;  // ms
};

/// A step that the server runs, and its node.
struct ServerStep {
  run::NodeRow node;  // that the command was intended at
  run::ProcessIntended intended;
  std::shared_ptr<const run::NodeState> state;
};

Result<ServerStep> server_step_at(const ReadContext& reading, const NodeAnswer& answer) {
  const run::NodeRow here = TRY(load_node(reading, answer.reply.state.node));
  const auto state = TRY(load_state(reading, here));
  if (state->process == nullptr) {
    return fail(Code::STORAGE_CORRUPTION_DETECTED,
                cat(here.id.text(), " does not say which command the server runs there"));
  }
  const NodeId& command_at = state->process->node;
  return ServerStep{command_at == here.id ? here : TRY(load_node(reading, command_at)),
                    *state->process, state};
}

/// Starts the command, if that is what the user trusts at that moment.
std::unique_ptr<ports::RunningProcess> start(Engine& engine, const ServerStep& at) {
  const auto pinned = load_workflow(engine.reading(), at.state->workflow_hash);
  ports::Process process =
      process_of(engine, at.intended, *at.state,
                 pinned.has_value() && wants_sandbox((*pinned)->workflow, *at.state));
  if (!pinned) {
    const std::string why = pinned.error().message;
    process.why_not = [why] { return why; };
  } else {
    // Asked by the thread that starts it, which outlasts this call.
    process.why_not = [judge = CommandJudge(engine, **pinned, at.state->workspace),
                       argv = process.argv, directory = process.directory] {
      const ports::TrustVerdict verdict = judge.judge(argv, directory);
      if (verdict.is_trusted) return std::string();
      return verdict.reason.empty() ? "the workflow is no longer trusted" : verdict.reason;
    };
  }
  return engine.processes->start(std::move(process));
}

/// The result of a command; nothing while it runs.
Result<std::optional<run::ProcessReport>> report_of(Engine& engine, const ServerStep& at,
                                                    CommandWait& waiting) {
  const auto process = engine.caches.running.find(at.node.id, [&] { return start(engine, at); });
  if (process != nullptr) {
    auto result = waiting.wait(*process, at.intended.step);
    if (!result) return std::nullopt;
    const std::string refused = result->refused;
    return run::ProcessReport{*std::move(result), refused, !refused.empty()};
  }
  // The thread that ran it here released it only after its result was recorded.
  const bool is_recorded = TRY(engine.store.attempt(at.node.no, run::AttemptKey{})).has_value();
  if (is_recorded || is_lost(engine.reading(), at.intended, at.node)) {
    return run::ProcessReport{};  // what is recorded counts
  }
  return std::nullopt;
}

/// The server's own attempt at the step of `node`, whose command it ran.
Result<NodeAnswer> settle_command(Engine& engine, const run::NodeRow& node,
                                  run::ProcessReport report) {
  Submission submission;
  submission.input.process = std::move(report);
  Place place{.node = node, .attempt = {}, .step = node.open_steps.front()};
  return TRY(attempt(engine, std::move(place), submission)).answer;
}

/// What earlier answers said and the last one does not.
NodeAnswer joined(const NodeAnswer& before, NodeAnswer after) {
  std::vector<std::string> warnings = before.reply.warnings;
  for (std::string& each : after.reply.warnings) {
    if (std::ranges::find(warnings, each) == warnings.end()) warnings.push_back(std::move(each));
  }
  after.reply.warnings = std::move(warnings);
  if (after.reply.guidance.empty()) after.reply.guidance = before.reply.guidance;
  if (after.reply.step_context.empty()) after.reply.step_context = before.reply.step_context;
  if (!after.fork) after.fork = before.fork;
  if (!after.reply.left) after.reply.left = before.reply.left;
  after.is_unproven = before.is_unproven;
  return after;
}

/// The server's own attempt at a step whose effect another branch had; nothing when the step at the
/// answer's node is not one. Any process can make it, since nothing is done outside.
Result<std::optional<NodeAnswer>> settle_reused(Engine& engine, NodeAnswer& answer) {
  if (!run::is_reuse(*answer.reply.pending)) return std::nullopt;
  const ReadContext reading = engine.reading();
  const auto state = TRY(load_state(reading, TRY(load_node(reading, answer.reply.state.node))));
  if (state->reuse == nullptr) return std::nullopt;
  if (auto hold = TRY(hold_at(reading, *state))) {
    answer.hold = std::move(hold);
    return answer;
  }
  const Submission submission = TRY(reused_result(reading, *state));
  run::NodeRow node = TRY(load_node(reading, state->reuse->node));
  Place place{.node = node, .attempt = {}, .step = node.open_steps.front()};
  return joined(answer, TRY(attempt(engine, std::move(place), submission)).answer);
}

}  // namespace

Result<NodeAnswer> run_server_steps(Engine& engine, NodeAnswer answer, const WaitPolicy& wait) {
  if (!is_servers(answer.reply)) return answer;
  CommandWait waiting(engine.clock, wait);
  while (is_servers(answer.reply)) {
    if (auto settled = TRY(settle_reused(engine, answer))) {
      answer = *std::move(settled);
      if (answer.hold) return answer;
      continue;
    }
    const ServerStep at = TRY(server_step_at(engine.reading(), answer));
    // A run that is held starts nothing; a command that runs already comes to its end.
    if (!engine.caches.running.is_started(at.node.id)) {
      answer.hold = TRY(hold_at(engine.reading(), *at.state));
      if (answer.hold) {
        const ReadContext reading = engine.reading();
        const auto pinned = TRY(load_workflow(reading, at.state->workflow_hash));
        TRY(add_command_status(reading, pinned->workflow, *at.state, answer.reply));
        return answer;
      }
    }
    auto report = TRY(report_of(engine, at, waiting));
    if (!report) return answer;
    auto next = settle_command(engine, at.node, *std::move(report));
    if (!next) return next;
    engine.caches.running.forget(at.node.id);
    answer = joined(answer, *std::move(next));
  }
  return answer;
}

Result<NodeAnswer> run_server_steps_at(Engine& engine, const NodeId& node, const WaitPolicy& wait) {
  const ReadContext reading = engine.reading();
  NodeAnswer answer = TRY(look_at(reading, TRY(load_node(reading, node))));
  return run_server_steps(engine, std::move(answer), wait);
}

Result<RunPoint> run_server_steps_of(Engine& engine, const Principal& principal,
                                     std::string_view run, const WaitPolicy& wait) {
  RunPoint point = TRY(find_open_step(engine.reading(), principal, run));
  if (!is_servers(point.answer.reply)) return point;
  TRY(run_server_steps(engine, point.answer, wait));
  return find_open_step(engine.reading(), principal, run);
}

}  // namespace baton::engine
