#include <unistd.h>

#include <cerrno>

#include "base/core/gate_limits.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/approval_keys.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "surface/gates.h"
#include "verbs/run/answer_gate.h"
#include "verbs/run/decisions.h"
#include "verbs/run/waiting_gates.h"
#include "verbs/store/approvals.h"

namespace baton::cli {
namespace {

constexpr std::string_view decision_settings[] = {"db"};
constexpr Operand gate_operand = {"RUN[/GATE]", "A run as `baton inbox` lists it, and its gate",
                                  true};
constexpr Option why_option = {"--why", "TEXT", "The reason, which the agent is told"};
constexpr Option seal_option = {"--seal", "",
                                "Seal it with your approval key, also where none is "
                                "asked for"};
constexpr Option approve_options[] = {why_option,
                                      {"--choice", "CHOICE", "One of the choices of the gate"},
                                      seal_option,
                                      approval_key_option,
                                      passphrase_option};
constexpr Option refuse_options[] = {why_option, seal_option, approval_key_option,
                                     passphrase_option};

// Of what is typed in answer to yes or no.
constexpr std::size_t answer_bytes_max = 16;

struct Named {
  run::RunRow run;
  std::optional<NodeId> gate;
};

Result<Named> named(const engine::Engine& engine, std::string_view operand) {
  const std::size_t slash = operand.find('/');
  Named out{TRY(named_run(engine.store, operand.substr(0, slash))), {}};
  if (slash == std::string_view::npos) return out;
  const auto node = NodeId::parse(operand.substr(slash + 1));
  if (!node) {
    return fail(Code::INVALID_ID, cat('"', operand.substr(slash + 1), "\" is not a gate"),
                "`baton inbox --json` names the gate of each run");
  }
  out.gate = *node;
  return out;
}

/// What the person decides about. Text of others is indented, so that none of it looks like a line
/// of this program.
std::string in_place(std::string_view text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out + '\n';
}

std::string shown(const verbs::WaitingGate& waiting) {
  const run::Gate& gate = waiting.gate;
  std::string out = cat(waiting.run.run.text(), " waits at ", gate.step, " of ",
                        waiting.run.workflow_id, " (", name_of(gate.kind), ") for a `",
                        name_of(gate.least), "` decision:\n", in_place(gate.question));
  if (gate.count > 1) {
    out += cat("It needs ", gate.count, " approvals by different keys and has ",
               waiting.words.size(), ".\n");
  }
  if (!waiting.parts.empty()) {
    const std::size_t parts = waiting.parts.size() + waiting.parts_left;
    out += cat("The output that it is about has ", parts, parts == 1 ? " part" : " parts",
               " and the SHA-256 ", gate.output->hex(), ":\n");
  }
  for (const auto& [title, text] : surface::shown_parts(waiting, limits::gate_output_bytes_max)) {
    out += cat("- ", title, text.empty() ? "\n" : cat(":\n", in_place(text)));
  }
  if (waiting.is_cut()) {
    out += cat("Not all of it is shown. `baton log ", waiting.run.run.text(), "` has the rest.\n");
  }
  if (!gate.offer.empty()) {
    out += cat("What an approval changes:\n", in_place(json::print(gate.offer)));
  }
  if (!gate.choices.empty()) {
    out += "Choices:\n";
    for (const std::string& choice : gate.choices) out += in_place(choice);
  }
  return out;
}

/// Whether the person at the terminal means it.
Result<bool> confirmed(const World& world, run::GateDecision decision) {
  const bool approves = decision == run::GateDecision::approved;
  TRY(write_text(world.errors, approves ? "Approve it? [y/N] " : "Refuse it? [y/N] "));
  std::string line;
  for (char byte = 0;;) {
    const ssize_t got = ::read(world.input, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || byte == '\n' || line.size() == answer_bytes_max) break;
    line += byte;
  }
  return line == "y" || line == "Y" || line == "yes";
}

/// With the assurance that this process can show, and no more.
Result<verbs::GateAnswer> answer_for(const VerbCall& call, const Config& config,
                                     engine::Engine& engine, const verbs::WaitingGate& waiting,
                                     verbs::GateAnswer answer) {
  const bool seals = waiting.gate.least == run::Assurance::sealed || call.arguments.has("--seal");
  if (!seals) {
    answer.assurance =
        call.world.input_is_terminal ? run::Assurance::present : run::Assurance::claimed;
    return answer;
  }
  const PassphraseReader reader = TRY(PassphraseReader::of(call));
  const auto file = TRY(open_approval_key(call, config));
  TRY(finish_rotation(engine, *file));
  const auto sealer = TRY(unlock(reader, *file, call.world));
  const run::GateSubject subject{waiting.run.run, waiting.workflow, waiting.gate};
  const run::GateWord word = TRY(verbs::seal_word(engine, *sealer, subject,
                                                  {.gate = waiting.gate.node,
                                                   .decision = answer.decision,
                                                   .choice = answer.choice,
                                                   .reason = answer.reason}));
  answer.assurance = run::Assurance::sealed;
  answer.seal = word.seal;
  return answer;
}

/// What to say where no decision is taken any more: whose it was, or why there is none.
std::unexpected<Error> not_waiting(const engine::Engine& engine, const Named& at) {
  const auto reading = engine.reading();
  const auto gate = verbs::find_gate(reading, at.run, at.gate);
  if (!gate) return std::unexpected(gate.error());
  const auto all = verbs::decisions_of(reading.store, at.run);
  if (!all) return std::unexpected(all.error());
  const std::string next = cat("`baton show ", at.run.run.text(), "` lists what was decided");
  if (const auto decision = verbs::decision_at(*all, gate->node)) {
    return fail(Code::INVALID_INPUT,
                cat("that gate is decided: ", printable_line(verbs::decision_text(*decision)),
                    "; nothing was recorded"),
                next);
  }
  const auto obstacle = verbs::obstacle_of(reading, at.run);
  if (!obstacle) return std::unexpected(obstacle.error());
  return fail(Code::INVALID_INPUT,
              cat("that gate waits for no decision: ",
                  obstacle->empty() ? "the run has gone on from another node" : *obstacle,
                  "; nothing was recorded"),
              next);
}

Result<Ending> decide(const VerbCall& call, run::GateDecision decision) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const Named named_gate = TRY(named(*engine, call.arguments.operand));
  const auto waiting = TRY(verbs::waiting_gate(engine->reading(), named_gate.run));
  verbs::GateAnswer answer{.decision = decision,
                           .reason = option_of(call.arguments, "--why").value_or(""),
                           .choice = option_of(call.arguments, "--choice").value_or(""),
                           .source = source_of(call.world)};
  if (!waiting || (named_gate.gate && waiting->gate.node != *named_gate.gate)) {
    return not_waiting(*engine, named_gate);
  }
  TRY(write_text(call.world.output, shown(*waiting)));
  // Before the person is asked for anything.
  TRY(verbs::check_answer(waiting->gate, answer, engine->clock.wall()));
  answer = TRY(answer_for(call, config, *engine, *waiting, std::move(answer)));
  if (answer.assurance == run::Assurance::present && !TRY(confirmed(call.world, decision))) {
    TRY(write_text(call.world.errors, "Nothing was recorded.\n"));
    return ExitCode::no;
  }
  const verbs::AnsweredGate done =
      TRY(verbs::answer_gate(*engine, waiting->run, waiting->gate.node, answer));
  const std::string_view had = name_of(done.word.assurance);
  const std::string obstacle = TRY(verbs::obstacle_of(engine->reading(), waiting->run));
  const std::string what =
      decision == run::GateDecision::refused
          ? cat("Refused (", had, "). Its agent is told so, and can send another output.")
      : done.is_decided
          ? cat("Approved (", had, "). The run goes on when its agent sends the output again.")
      : done.missing == 1 ? cat("Approved (", had, "). One more approval by another key is needed.")
                          : cat("Approved (", had, "). ", done.missing,
                                " more approvals by other keys are needed.");
  TRY(write_text(call.world.output,
                 cat(what, obstacle.empty() ? "" : " ", printable_line(obstacle), '\n')));
  return ExitCode::ok;
}

Result<Ending> run_approve(const VerbCall& call) {
  return decide(call, run::GateDecision::approved);
}

Result<Ending> run_refuse(const VerbCall& call) { return decide(call, run::GateDecision::refused); }

}  // namespace

constinit const Verb approve_verb = {
    .name = "approve",
    .summary = "Approve what a run waits for",
    .help = R"(Shows the question and the output that it is about, and records the approval,
which counts once, in every process. At a terminal it asks first, and the
decision is `present`. Where the gate asks for `sealed`, or with --seal, it asks
for the passphrase of your approval key (`baton approvals`) and signs exactly
what it has shown. Without a terminal the decision is no more than `claimed`.

`present` protects against a careless agent alone: one with a shell of yours can
run this command in a pseudo-terminal. `sealed` does not depend on that.
)",
    .options = approve_options,
    .operand = gate_operand,
    .settings = decision_settings,
    .run = run_approve};

constinit const Verb refuse_verb = {
    .name = "refuse",
    .summary = "Refuse what a run waits for",
    .help = R"(The same as 'baton approve', but the run does not go on with this output: its
agent is told that it was refused, and why, and can send another.
)",
    .options = refuse_options,
    .operand = gate_operand,
    .settings = decision_settings,
    .run = run_refuse};

}  // namespace baton::cli
