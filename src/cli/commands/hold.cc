#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "verbs/run/answer_gate.h"
#include "verbs/run/decisions.h"
#include "verbs/run/hold_run.h"

namespace baton::cli {
namespace {

constexpr std::string_view hold_settings[] = {"db"};
constexpr Option hold_options[] = {{"--why", "TEXT", "The reason, which the agent is told"}};

Result<Ending> hold(const VerbCall& call, run::Hold to, std::string_view what_follows) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  const std::string why = option_of(call.arguments, "--why").value_or("");
  TRY(verbs::hold_run(*engine, row, to, {why, source_of(call.world)}));
  TRY(write_text(call.world.output, cat(row.run.text(), what_follows)));
  return ExitCode::ok;
}

Result<Ending> run_pause(const VerbCall& call) {
  return hold(call, run::Hold::paused,
              " is paused: its agent is told so and can record nothing. `baton resume` ends the "
              "pause.\n");
}

/// Whether the run waited at its breaker, which the person has opened now.
Result<bool> opened_breaker(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  // A hold is taken back first: while it counts, nothing that a gate lets pass is recorded.
  if (TRY(verbs::progress_of(engine->reading(), row)).hold) return false;
  const auto gate = verbs::find_gate(engine->reading(), row, {});
  if (!gate || gate->kind != run::GateKind::breaker) return false;
  const std::string why = option_of(call.arguments, "--why").value_or("");
  const run::ChangeSource source = source_of(call.world);
  const bool is_present = source.how == run::ChangedHow::terminal;
  TRY(verbs::answer_gate(
      *engine, row, gate->node,
      {.decision = run::GateDecision::approved,
       .assurance = is_present ? run::Assurance::present : run::Assurance::claimed,
       .reason = why,
       .source = source}));
  TRY(write_text(call.world.output,
                 cat("The breaker of ", row.run.text(),
                     " is open again: the run goes on when its agent calls.\n")));
  return true;
}

Result<Ending> run_resume(const VerbCall& call) {
  if (TRY(opened_breaker(call))) return ExitCode::ok;
  return hold(call, run::Hold::running, " continues where it was when its agent calls again.\n");
}

Result<Ending> run_cancel(const VerbCall& call) {
  return hold(call, run::Hold::cancelled,
              " is cancelled: its agent is told so and can record nothing. What was done is "
              "kept.\n");
}

Result<Ending> run_guide(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  TRY(verbs::guide_run(*engine, row, {call.arguments.second, source_of(call.world)}));
  const std::string obstacle = TRY(verbs::obstacle_of(engine->reading(), row));
  TRY(write_text(call.world.output,
                 obstacle.empty()
                     ? cat("The agent of ", row.run.text(), " gets it with its next reply.\n")
                     : cat("Recorded for ", row.run.text(), "; its agent gets it with a reply. ",
                           printable_line(obstacle), '\n')));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb pause_verb = {
    .name = "pause",
    .summary = "Keep a run from continuing until it is resumed",
    .help = R"(Nothing is recorded for a paused run, on any branch and from any process: its
agent and its sub-agents are told that the user paused it, and why. The server
starts no command of it; one that runs already comes to its end, and its result
is recorded. Calls that were recorded before get their recorded answers.
)",
    .options = hold_options,
    .operand = run_operand,
    .settings = hold_settings,
    .run = run_pause};

constinit const Verb resume_verb = {
    .name = "resume",
    .summary = "Let a paused or cancelled run continue",
    .help = R"(The run continues where it was: the tokens of its agent are valid again, and
the call that was turned away can be sent again as it is. A run whose breaker
has tripped, because a step failed or repeated itself too often, may go on.
)",
    .options = hold_options,
    .operand = run_operand,
    .settings = hold_settings,
    .run = run_resume};

constinit const Verb cancel_verb = {
    .name = "cancel",
    .summary = "Stop a run",
    .help = R"(Like 'baton pause', but its agent is told to stop for good. Everything that was
done stays in the log. 'baton resume' takes it back.
)",
    .options = hold_options,
    .operand = run_operand,
    .settings = hold_settings,
    .run = run_cancel};

constinit const Verb guide_verb = {
    .name = "guide",
    .summary = "Tell the agent of a run something",
    .help = R"(Records TEXT as the user's word on the run. The agent gets it with its next
reply, once on each branch, marked as the user's; until then also whenever it
looks at the run. 'baton show' lists what was said.
)",
    .options = {},
    .operand = run_operand,
    .settings = hold_settings,
    .run = run_guide,
    .second = {"TEXT", "What the agent should know, in quotes", true}};

}  // namespace baton::cli
