#include "run/steps/shell_command.h"

#include <algorithm>
#include <vector>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "run/checks/slots.h"
#include "run/effects/receipts.h"
#include "run/steps/behaviour.h"
#include "run/steps/command_output.h"
#include "run/steps/instructions.h"
#include "run/steps/results.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::ShellCommand;
using workflow::Step;
using workflow::StepKind;

constexpr std::string_view failure_type = "command";
constexpr std::string_view timeout_type = "timeout";
constexpr std::string_view output_type = "output";
constexpr std::string_view status_key = "command_status";

/// Says where something went wrong.
std::unexpected<state::NoValue> at_field(const Step& step, std::string_view field,
                                         state::NoValue why) {
  if (Error* error = why.if_error()) {
    error->message = cat("\"", field, "\" of the step \"", step.id, "\": ", error->message);
  }
  return std::unexpected(std::move(why));
}

/// The folder that a path means, or nothing when it leaves the workspace. Only the text is looked
/// at: an author who is trusted with commands is not kept from links.
std::optional<std::string> beneath(std::string_view workspace, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  std::vector<std::string_view> kept;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      kept.push_back(part);
    } else if (kept.empty()) {
      return std::nullopt;
    } else {
      kept.pop_back();
    }
  }
  std::string out(workspace);
  for (const std::string_view part : kept) {
    if (!out.empty() && !out.ends_with('/')) out += '/';
    out += part;
  }
  return out;
}

/// The command of one step as it is put together.
class CommandBuilder {
 public:
  CommandBuilder(const workflow::CompiledWorkflow& workflow, const Step& step,
                 const NodeState& state, Scripts& scripts)
      : step_(step),
        command_(*workflow::command_of(step)),
        state_(state),
        scope_(scope_at(workflow, state)),
        scripts_(scripts) {}

  Known<ProcessIntended> run() {
    ProcessIntended out;
    out.run = state_.run;
    out.node = state_.node;
    out.step = state_.open_steps.front();
    auto worded = words(out);
    auto placed = directory();
    TRY(std::move(worded));
    out.directory = TRY(std::move(placed));
    out.tries = state_.known().setbacks.failed_at(out.step);
    if (out.tries > 0 && step_.on_error && step_.on_error->delay_ms) {
      out.delay_ms =
          std::clamp<std::int64_t>(*step_.on_error->delay_ms, 0, limits::process_timeout_ms_max);
    }
    out.timeout_ms = step_.timeout_ms ? std::clamp<std::int64_t>(*step_.timeout_ms, 1,
                                                                 limits::process_timeout_ms_max)
                                      : limits::process_ms_max;
    return out;
  }

 private:
  Known<std::string> filled(std::string_view field, std::string_view text) {
    auto out = scripts_.text(text, scope_);
    if (!out) return at_field(step_, field, std::move(out).error());
    return out;
  }

  Known<void> words(ProcessIntended& out) {
    bool is_lacking = false;
    for (const std::string& each : command_.argv) {
      auto word = filled("argv", each);
      is_lacking = is_lacking || is_not_yet(word);
      if (!is_lacking) out.argv.push_back(TRY(std::move(word)));
    }
    if (is_lacking) return not_yet();
    if (!command_.argv.empty()) return {};
    out.argv = {"sh", "-c", command_.command ? *command_.command : std::string()};
    if (!command_.env) return {};
    for (const json::Member& slot : *command_.env) {
      auto value = filled("command", *slot.value.if_string());
      is_lacking = is_lacking || is_not_yet(value);
      if (!is_lacking) out.environment.emplace(slot.key, TRY(std::move(value)));
    }
    return is_lacking ? Known<void>(not_yet()) : Known<void>();
  }

  Known<std::string> directory() {
    const std::string given = TRY(
        filled("working_directory", command_.working_directory ? *command_.working_directory : ""));
    auto found = beneath(state_.workspace, given);
    if (found) return *std::move(found);
    return at_field(
        step_, "working_directory",
        Error::make(Code::INVALID_INPUT, cat("\"", given, "\" is outside the run's workspace"),
                    "use a folder inside it, or an absolute path"));
  }

  const Step& step_;
  const ShellCommand& command_;
  const NodeState& state_;
  const RunScope scope_;
  Scripts& scripts_;
};

OutputFormat output_format_of(const Step& step) {
  return output_format(workflow::command_of(step)->output_format).value_or(OutputFormat::text);
}

/// What the errors of the system mean for a command, by number.
std::string_view why_not_started(int code) {
  switch (code) {
    case 0: return "one of its values contains a NUL byte, which an argument cannot have";
    case 2: return "its folder or the program's interpreter does not exist";
    case 7: return "its arguments and values are longer than the system allows";
    case 8: return "its file is not a program";
    case 13: return "the system does not permit it";
    case 20: return "its folder is a file";
    case 95:
      return "the user's settings or the step require a sandbox, and the kernel "
             "has none (commands.sandbox)";
    default: return "the system refused it";
  }
}

std::string last_words(const ProcessResult& result) {
  std::string text = visible(result.errors.empty() ? result.output : result.errors);
  while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
  constexpr std::size_t most = limits::blocker_message_bytes_max / 2;
  if (text.size() > most) {
    std::size_t from = text.size() - most;
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
    text = cat("...", std::string_view(text).substr(from));
  }
  return text.empty() ? "" : cat(": ", text);
}

constexpr std::string_view look_first =
    "It will not run it again. Check whether its work is done, fully or in part: if it is, send "
    "the result; if it is not, finish or repeat it with care; if you cannot tell, say that the "
    "step failed.";

std::string cut_short_words(const ProcessFinished& ran) {
  if (ran.end == ProcessEnd::signalled) return cat("signal ", ran.code, " ended it");
  return ran.end == ProcessEnd::timed_out ? "ended it when its time was up" : "stopped it";
}

std::string written_by(const ProcessFinished& ran) {
  std::string out;
  if (!ran.output.empty()) out += cat("\n\nIts output begins with:\n\n", ran.output);
  if (!ran.errors.empty()) out += cat("\n\nIts errors end with:\n\n", ran.errors);
  return out;
}

std::string ending_words(const ProcessIntended& intended, const ProcessResult& result) {
  switch (result.end) {
    case ProcessEnd::exited:
      return cat("the command ended with exit code ", result.code, last_words(result));
    case ProcessEnd::signalled:
      return cat("the command was killed by signal ", result.code, last_words(result));
    case ProcessEnd::timed_out:
      return cat("the command was killed: it was still running after ", intended.timeout_ms, " ms",
                 last_words(result));
    case ProcessEnd::not_found: return cat("there is no program \"", intended.argv.front(), '"');
    case ProcessEnd::not_started:
      return cat("the command could not be started",
                 intended.directory.empty() ? "" : cat(" in ", intended.directory), ": ",
                 why_not_started(result.code),
                 result.code == 0 ? "" : cat(" (error ", result.code, ')'));
    default: return cat("the command was stopped", last_words(result));
  }
}

std::string_view words_for(CommandStatus status) {
  switch (status) {
    case CommandStatus::running:
      return "Baton is running the command of this step. Ask again until it has ended; there is "
             "nothing else to do.";
    case CommandStatus::ended:
      return "The command of this step has ended and its result is recorded. Ask again to "
             "get the next step.";
    case CommandStatus::held:
      return "The user holds this run, so Baton has not started the command of this step and "
             "nothing runs. Do not do the step yourself.";
    case CommandStatus::unknown: break;
  }
  return "No command is running for this step. Baton started it, or was about to, and was stopped "
         "before it could record the result, which is unknown. Baton will not run it again. Ask "
         "again to do the step yourself.";
}

// --- by the agent ---

/// A word that a shell reads as just this text.
std::string in_quotes(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += R"('\'')";
    } else {
      out += c;
    }
  }
  return out += '\'';
}

Result<std::string> argument(const Step& step, const Value& value) {
  std::string text = text_in(value);
  if (!text.contains('\0')) return text;
  return fail(Code::INVALID_INPUT,
              cat("a value for the command of the step \"", step.id,
                  "\" has a NUL character, which a command cannot take; nothing was recorded"),
              "send a context or a result without NUL characters");
}

/// The command as a person at a terminal types it.
Known<std::string> typed(Instructions& to, const ShellCommand& command) {
  std::string text;
  if (!command.argv.empty()) {
    const Value words =
        TRY(to.exact("argv", json::Array(command.argv.begin(), command.argv.end())));
    for (const Value& each : *words.if_array()) {
      text += cat(text.empty() ? "" : " ", in_quotes(TRY(argument(to.step, each))));
    }
    to.set("argv", words);
    return text;
  }
  if (command.env) {
    const Value values = TRY(to.exact("env", *command.env));
    for (const json::Member& each : *values.if_object()) {
      text += cat("export ", each.key, '=', in_quotes(TRY(argument(to.step, each.value))), '\n');
    }
  }
  return text + (command.command ? *command.command : std::string());
}

Known<void> instruct(Instructions& to) {
  const ShellCommand& command = *workflow::command_of(to.step);
  auto line = typed(to, command);
  Known<Value> folder = Value();
  if (command.working_directory) {
    folder = to.exact("working_directory", *command.working_directory);
  }
  std::string reason = to.shown(command.reason);
  const std::string text = TRY(std::move(line));
  to.set("command", text);
  std::string where;
  if (command.working_directory) {
    const std::string directory = text_in(TRY(std::move(folder)));
    to.set("working_directory", directory);
    where = cat(" in `", directory, '`');
  }
  to.set("output_format", command.output_format);
  // What the server has begun is not to be run as a matter of course.
  const bool was_begun = to.state.ran != nullptr;
  to.words =
      cat(was_begun ? "The command" : "Run this command", where,
          was_begun ? ":\n\n" : ", with your own tools and only once:\n\n", fenced("sh", text));
  to.limit("Stop it after ");
  if (reason.empty() && to.step.as<ShellCommand>() != nullptr && !was_begun) {
    reason =
        cat("Baton does not run this workflow's commands itself until the user runs `baton trust ",
            to.workflow.id, "`.");
  }
  if (!reason.empty()) {
    to.words += cat("\n\nWhy you must run it: ", reason);
    to.set("reason", reason);
  }
  return {};
}

StepResult read(const Step& step, std::string_view key, std::optional<Value> sent) {
  if (auto none = none_came(step, key, sent)) return *std::move(none);
  if (!sent) return {.value = {}, .findings = {}};
  StepResult out{.value = {}, .findings = {}, .was_checked = true};
  const std::string_view name = workflow::command_of(step)->output_format;
  const OutputFormat format = output_format_of(step);
  if (const std::string* text = sent->if_string()) {
    auto read = read_output(format, *text, false);
    if (read) {
      out.value = *std::move(read);
    } else {
      out.findings.push_back(invalid_result(
          key, read.error().message,
          cat("Send the standard output of the command unchanged; its form must be ", name, '.')));
    }
    return out;
  }
  const bool fits = format == OutputFormat::json ||
                    (format == OutputFormat::lines && sent->is_array()) ||
                    (format == OutputFormat::key_value && sent->is_object());
  if (fits) {
    out.value = *std::move(sent);
  } else if (format == OutputFormat::text) {
    out.value = json::print(*sent);
  } else {
    out.findings.push_back(invalid_result(
        key, cat("the output must be ", name, ", but ", json::name_of(sent->type()), " came"),
        "Send the standard output of the command as text."));
  }
  return out;
}

std::vector<std::string> describe(const Step& step, std::string_view) {
  return {cat("The standard output of the command, unchanged: ", artifact_text("the output"),
              ". Without one, the notes are the output. It is read as ",
              workflow::command_of(step)->output_format, '.'),
          cat("An exit status other than 0 is a failure. ", failure_text())};
}

std::optional<Value> example(const Step& step) {
  switch (output_format_of(step)) {
    case OutputFormat::lines: return json::Array{slot("a line of the output")};
    case OutputFormat::key_value: return json::Object{{slot("a name"), slot("its value")}};
    case OutputFormat::json: return slot("the JSON that it printed");
    case OutputFormat::text: break;
  }
  return slot("the standard output");
}

}  // namespace

StepBehaviour behaviour_of(std::type_identity<workflow::AgentShellCommand>) {
  return {.is_for_agent = true,
          .may_fail = true,
          .may_write = true,
          .instruct = instruct,
          .read_result = read,
          .describe_result = describe,
          .example_result = example};
}

/// Without trust it is the agent's.
StepBehaviour behaviour_of(std::type_identity<ShellCommand>) {
  StepBehaviour out = behaviour_of(std::type_identity<workflow::AgentShellCommand>());
  out.is_for_server = true;
  out.wants_sandbox = [](const Step& step) { return bool(step.as<ShellCommand>()->sandbox); };
  return out;
}

Known<std::optional<ProcessIntended>> command_at(const workflow::CompiledWorkflow& workflow,
                                                 const NodeState& state, std::string_view runner,
                                                 Scripts& scripts) {
  if (runner.empty() || state.open_steps.empty() || state.process != nullptr) return std::nullopt;
  if (state.run_state != RunState::running) return std::nullopt;
  const Step* step = step_at(workflow, state.cursor);
  if (step == nullptr || step->as<ShellCommand>() == nullptr) return std::nullopt;
  ProcessIntended out = TRY(CommandBuilder(workflow, *step, state, scripts).run());
  out.runner = runner;
  return out;
}

std::variant<Value, StepFailure> meaning_of(const Step& step, const ProcessIntended& intended,
                                            const ProcessResult& result) {
  ASSERT(result.end != ProcessEnd::unknown);
  if (result.end != ProcessEnd::exited || result.code != 0) {
    const bool is_late = result.end == ProcessEnd::timed_out;
    return StepFailure{std::string(is_late ? timeout_type : failure_type),
                       ending_words(intended, result)};
  }
  const OutputFormat format = output_format_of(step);
  auto value = read_output(format, result.output, result.output_cut);
  if (value) return *std::move(value);
  const Error& error = value.error();
  return StepFailure{std::string(output_type),
                     cat(error.message, error.next.empty() ? "" : "; ", error.next.text())};
}

std::string_view name_of(CommandStatus status) {
  switch (status) {
    case CommandStatus::running: return "running";
    case CommandStatus::ended: return "ended";
    case CommandStatus::unknown: return "unknown";
    case CommandStatus::held: return "held";
  }
  return "unknown";
}

std::optional<CommandStatus> command_status_of(const Pending& pending) {
  if (pending.kind != StepKind::shell_command) return std::nullopt;
  const Value* status = pending.definition.find(status_key);
  if (status == nullptr) return CommandStatus::running;
  for (const CommandStatus each : {CommandStatus::ended, CommandStatus::held}) {
    if (*status->if_string() == name_of(each)) return each;
  }
  return CommandStatus::unknown;
}

Pending pending_command(const Step& step, const ProcessIntended& intended, CommandStatus status) {
  json::Array argv;
  for (const std::string& each : intended.argv) argv.emplace_back(each);
  json::Object definition{{"argv", std::move(argv)}, {"timeout_ms", intended.timeout_ms}};
  if (!intended.directory.empty()) definition.set("directory", intended.directory);
  if (intended.tries > 0) definition.set("tries", intended.tries);
  if (status != CommandStatus::running) definition.set(status_key, name_of(status));
  return {.step_id = intended.step,
          .title = step.title,
          .prompt = std::string(words_for(status)),
          .require_confirmation = false,
          .agent_role = std::nullopt,
          .kind = StepKind::shell_command,
          .definition = std::move(definition)};
}

std::string command_handover_text(const ProcessFinished& ran) {
  if (ran.end == ProcessEnd::unknown) {
    return cat(
        "Baton started this step's command, or was about to, and was stopped before it "
        "could record the result. ",
        look_first);
  }
  if (is_cut_short(ran.end) && ran.problem.empty()) {
    return cat("Baton ran the command of this step, and ", cut_short_words(ran),
               " before it came to its end: how far it came is unknown. ", look_first,
               written_by(ran));
  }
  const bool is_begun = ran.end != ProcessEnd::not_started && ran.end != ProcessEnd::not_found;
  if (!is_begun && !ran.problem.empty()) {
    return cat("Baton did not run the command of this step: ", ran.problem,
               ". Tell the user, who can review it and trust it again. If the command and the "
               "files that it names are what the step means, you may run it once with your own "
               "tools and send the result; otherwise say that the step failed.");
  }
  std::string out = "Baton has run the command of this step: do not run it again.";
  const bool is_good = ran.end == ProcessEnd::exited && ran.code == 0;
  if (is_good && ran.problem.starts_with(way_on_is_unknown)) {
    return out + cat(" Its result is recorded, and ", ran.problem,
                     ". Change in the state what that is about, then complete this step without a "
                     "result; or say that the step failed.");
  }
  if (!ran.problem.empty()) {
    out += cat(" The run could not use its result: ", ran.problem, '.');
  }
  out += cat(" It ended as ", name_of(ran.end),
             ran.end == ProcessEnd::exited ? cat(" with code ", ran.code) : "",
             ". Send the result of the step, or say that it failed.");
  return out + written_by(ran);
}

}  // namespace baton::run
