#include "verbs/run/effects.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "engine/effects/undo_effect.h"

namespace baton::cli {
namespace {

using verbs::EffectBranch;

constexpr std::string_view list_settings[] = {"db"};
constexpr std::string_view undo_settings[] = {"db", "allow_shell"};
constexpr Option list_options[] = {
    {"--json", "", "One JSON object on one line, for programs", false}};
constexpr Option undo_options[] = {
    {"--node", "NODE", "The effect that is meant, where the run had several of this step", false}};

/// What is known of the command of a receipt without a result; nothing for any other.
std::optional<run::CommandStatus> status_of(const EffectBranch& branch,
                                            const run::EffectReceipt& receipt) {
  const auto found = branch.commands.find(receipt.node);
  if (found == branch.commands.end() || receipt.end) return std::nullopt;
  return found->second;
}

std::string_view status_text(run::CommandStatus status) {
  switch (status) {
    case run::CommandStatus::running: return "; it is running";
    case run::CommandStatus::ended: return "; it has ended";
    case run::CommandStatus::unknown: return "; no command is running: its result is unknown";
    case run::CommandStatus::held:
      return "; no command is running: the run is held and it was not started";
  }
  return {};
}

json::Object receipt_json(const EffectBranch& branch, const run::EffectReceipt& receipt) {
  json::Object out{{"stepId", receipt.step},       {"nodeId", receipt.node.text()},
                   {"by", name_of(receipt.by)},    {"what", receipt.what},
                   {"at", to_rfc3339(receipt.at)}, {"outcome", name_of(receipt.outcome)},
                   {"hash", receipt.hash.hex()}};
  if (!receipt.where.empty()) out.set("where", receipt.where);
  if (receipt.end) out.set("end", name_of(*receipt.end));
  if (receipt.code != 0) out.set("code", receipt.code);
  if (receipt.undone != run::UndoOutcome::none) out.set("undone", name_of(receipt.undone));
  if (const auto status = status_of(branch, receipt)) out.set("commandStatus", name_of(*status));
  return out;
}

std::string effects_json(const run::RunRow& row, const std::vector<EffectBranch>& branches) {
  json::Array out;
  for (const EffectBranch& branch : branches) {
    json::Array effects;
    for (const run::EffectReceipt& each : branch.receipts) {
      effects.emplace_back(receipt_json(branch, each));
    }
    out.push_back(json::Object{{"tipNodeId", branch.tip.text()},
                               {"isCurrent", branch.is_current},
                               {"effects", std::move(effects)}});
  }
  return cat(json::print(json::Object{{"runId", row.run.text()}, {"branches", std::move(out)}}),
             '\n');
}

std::string effects_text(const std::vector<EffectBranch>& branches) {
  std::string out;
  for (const EffectBranch& branch : branches) {
    out += cat(branch.is_current ? "on the current branch, to " : "on the branch to ",
               branch.tip.text(), ":\n");
    if (branch.receipts.empty()) out += "  nothing\n";
    for (const run::EffectReceipt& each : branch.receipts) {
      const auto status = status_of(branch, each);
      out += cat("  ", each.node.text(), "  ", printable_line(run::receipt_text(each)),
                 status ? status_text(*status) : std::string_view(), '\n');
    }
  }
  return out;
}

Result<Ending> run_effects(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  const std::vector<EffectBranch> branches = TRY(verbs::effects_of(engine->reading(), row));
  const bool as_json = call.arguments.has("--json");
  TRY(write_text(call.world.output,
                 as_json ? effects_json(row, branches) : effects_text(branches)));
  return ExitCode::ok;
}

std::string ending_text(const run::UndoFinished& undo) {
  switch (undo.end) {
    case run::ProcessEnd::exited: return cat("it ended with exit code ", undo.code);
    case run::ProcessEnd::signalled: return cat("signal ", undo.code, " ended it");
    case run::ProcessEnd::timed_out: return "its time was up";
    case run::ProcessEnd::stopped: return "the server stopped it";
    case run::ProcessEnd::not_found: return "there is no such program";
    case run::ProcessEnd::not_started: return "it could not be started";
    case run::ProcessEnd::unknown: break;
  }
  return "its result is unknown";
}

Result<Ending> run_undo(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  engine::UndoRequest request{.step = call.arguments.second, .source = source_of(call.world)};
  request.effect = TRY(node_option(call.arguments));
  const engine::Undone undone = TRY(engine::undo_effect(*engine, row, request));
  const bool is_done = undone.finished.end == run::ProcessEnd::exited && undone.finished.code == 0;
  std::string out = cat("ran `", printable_line(run::command_words(undone.intended.argv)), "`: ");
  if (is_done) {
    out += cat("the effect of ", printable_line(undone.intended.step), " is undone\n");
  } else {
    out += cat(run::is_cut_short(undone.finished.end)
                   ? "whether the effect is undone is unknown, and Baton does not run it again: "
                   : "the effect is not undone: ",
               ending_text(undone.finished), '\n',
               undone.finished.errors.empty() ? "" : cat(printable(undone.finished.errors), '\n'));
  }
  TRY(write_text(call.world.output, out));
  return is_done ? ExitCode::ok : ExitCode::no;
}

}  // namespace

constinit const Verb effects_verb = {
    .name = "effects",
    .summary = "Show what a run changed outside, by branch",
    .help = R"(Lists every command that the server ran for the run, but for steps with
'effect: false', and every step with 'effect: true' that its agent reported:
what was done, where, when, how it ended, and whether it was undone. The current
branch comes first; what two branches share is listed with the newer one.
)",
    .options = list_options,
    .operand = run_operand,
    .settings = list_settings,
    .run = run_effects};

constinit const Verb undo_verb = {
    .name = "undo",
    .summary = "Undo what a command of a run changed outside",
    .help = R"(Runs the 'undo' command of the step, with the values that the step had and in
its folder, when the user trusts the workflow's commands. That it is run is
recorded before it starts, with who asked, and how it ended afterwards. It runs
at most once: after a crash, a signal or its time its result is unknown and it
is not repeated. One that is known to have failed can be tried again.
)",
    .options = undo_options,
    .operand = run_operand,
    .settings = undo_settings,
    .run = run_undo,
    .second = {"STEP", "The step, as `baton effects` lists it", true}};

}  // namespace baton::cli
