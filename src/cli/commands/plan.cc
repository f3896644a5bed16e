#include <array>

#include "base/core/limits.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "plan/edit.h"
#include "plan/parse.h"
#include "plan/stage.h"
#include "plan/validate.h"
#include "plan/validate_json.h"
#include "surface/tokens.h"
#include "verbs/plan/plan_run.h"

namespace baton::cli {
namespace {

constexpr std::array<std::string_view, 7> actions = {"show", "parse",       "format", "validate",
                                                     "mark", "lint-commit", "run"};
constexpr std::string_view plan_settings[] = {"db", "plan_config"};
constexpr std::string_view config_names[] = {"COMMIT_MESSAGE", "MARKDOWN_TASKS", "YAML_LIKE",
                                             "STRICT"};

constexpr Option plan_options[] = {
    {"--config", "NAME", "How plans are written; default the setting plan_config", false,
     config_names},
    {"--set", "KEY=VALUE", "Change one setting of it; may be given several times", true},
    {"--json", "", "With show, mark and run: print JSON"},
    {"--open", "", "With mark: the task is open again"},
};

/// What a flag gave, and the plan's configuration refused: a matter of the command line.
std::unexpected<Error> refused(std::string_view flag, const Error& problem) {
  return fail(Code::USAGE, cat(flag, ": ", problem.message), problem.next);
}

/// VALUE is JSON, or text when it is not JSON.
Result<plan::PlanConfig> config_of(const Arguments& arguments, plan::PlanConfig config) {
  if (const auto named = arguments.options.find("--config"); named != arguments.options.end()) {
    auto found = plan::named_config(named->second.back());
    if (!found) return refused("--config", found.error());
    config = *std::move(found);
  }
  const auto changes = arguments.options.find("--set");
  if (changes == arguments.options.end()) return config;
  json::Object wanted;
  for (const std::string& change : changes->second) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos) {
      return fail(Code::USAGE, cat("--set takes KEY=VALUE, not '", change, '\''));
    }
    const std::string value = change.substr(equals + 1);
    wanted.set(change.substr(0, equals), json::parse(value).value_or(json::Value(value)));
  }
  auto changed = plan::config_with(std::move(config), wanted);
  if (!changed) return refused("--set", changed.error());
  return changed;
}

/// The file that the second operand names, or standard input.
Result<std::string> input_of(const VerbCall& call) {
  const std::string& name = call.arguments.second;
  return input_text(call.world, name.empty() ? "-" : name, limits::plan_bytes_ceiling);
}

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

Result<Ending> print_line(const VerbCall& call, const json::Value& value,
                          ExitCode exit = ExitCode::ok) {
  TRY(write_text(call.world.output, cat(json::print(value), '\n')));
  return exit;
}

Result<Ending> parse(const VerbCall& call, const plan::PlanConfig& config) {
  return print_line(call, plan::to_json(plan::parse(TRY(input_of(call)), config)));
}

Result<Ending> format(const VerbCall& call, const plan::PlanConfig& config) {
  const std::string text = TRY(input_of(call));
  std::string out;
  if (is_json(text)) {
    const plan::Plan document = TRY(plan::document_from_json(TRY(json::parse(text))));
    out = TRY(plan::checked_text(document, config));
  } else {
    out = plan::format(TRY(plan::editable(text, config)), config);
  }
  TRY(write_data(call.world.output, call.world.output_is_terminal, out));
  return ExitCode::ok;
}

Result<Ending> validate(const VerbCall& call, const plan::PlanConfig& config) {
  const std::string text = TRY(input_of(call));
  plan::Validation validation;
  if (is_json(text)) {
    validation = plan::validate_json(TRY(json::parse(text)), config);
  } else {
    validation = plan::validate(plan::parse(text, config), config);
  }
  return print_line(call, plan::to_json(validation),
                    validation.is_valid() ? ExitCode::ok : ExitCode::no);
}

Result<Ending> lint_commit(const VerbCall& call, const plan::PlanConfig& config) {
  const plan::Validation validation = plan::lint_commit(TRY(input_of(call)), config);
  std::string out;
  for (const plan::PlanProblem& problem : validation.errors) {
    out += cat("baton: ", problem.field, ": ", printable_line(problem.message), " [", problem.code,
               "]\n");
  }
  for (const plan::PlanProblem& problem : validation.warnings) {
    out += cat("baton: warning: ", problem.field, ": ", printable_line(problem.message), '\n');
  }
  TRY(write_text(call.world.errors, out));
  return validation.is_valid() ? ExitCode::ok : ExitCode::no;
}

json::Object view_json(const verbs::PlanView& view) {
  json::Object out = plan::to_json(view.parsed);
  out.set("place", view.place);
  out.set("version", plan::version_of(view.text()));
  json::Array kept;
  for (const plan::Remark& remark : view.outline.remarks) kept.emplace_back(remark.text());
  if (!kept.empty()) out.set("warnings", std::move(kept));
  return out;
}

Result<Ending> show(const VerbCall& call, const verbs::Planner& planner) {
  const verbs::PlanView view = TRY(verbs::show_plan(planner));
  if (call.arguments.has("--json")) return print_line(call, view_json(view));
  if (view.text().empty()) {
    return fail(Code::NOT_FOUND, cat("there is no plan in ", view.place),
                "an agent makes one through 'baton serve --surface planner'");
  }
  TRY(write_text(call.world.output, view.text()));
  if (!view.text().ends_with('\n')) TRY(write_text(call.world.output, "\n"));
  return ExitCode::ok;
}

Result<Ending> mark(const VerbCall& call, const verbs::Planner& planner) {
  if (call.arguments.second.empty()) {
    return fail(Code::USAGE, "mark needs a task: its text, its number, or a part of its text");
  }
  const verbs::PlanChange change =
      TRY(verbs::mark_task(planner, call.arguments.second, !call.arguments.has("--open")));
  if (call.arguments.has("--json")) return print_line(call, view_json(change.after));
  std::string out;
  for (const std::string& note : change.notes) out += cat(printable_line(note), '\n');
  const plan::PlanProgress progress = plan::progress_of(change.after.document().tasks);
  out += cat(progress.done, " of ", progress.total, " tasks are done\n");
  TRY(write_text(call.world.output, out));
  return ExitCode::ok;
}

Result<Ending> run_plan(const VerbCall& call, const verbs::Planner& planner) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->engine());
  const surface::SignedReply reply =
      TRY(surface::sign(engine->reading(), {}, TRY(verbs::start_plan_run(*engine, planner, {}))));
  const std::string run = reply.reply.run.text();
  if (call.arguments.has("--json")) {
    return print_line(call, json::Object{{"runId", run},
                                         {"sessionId", reply.reply.session.text()},
                                         {"stateToken", reply.state_token},
                                         {"ackToken", reply.ack_token.value_or("")}});
  }
  TRY(write_text(call.world.output,
                 cat("Started ", run, ". An agent continues it with\n",
                     "  continue_workflow {\"stateToken\": \"", reply.state_token, "\"}\n",
                     "and each task is marked in the plan when its step is done.\n")));
  return ExitCode::ok;
}

Result<Ending> run_plan_verb(const VerbCall& call) {
  const std::string& action = call.arguments.operand;
  const Config settings = TRY(load_config(call.world, call.arguments));
  const plan::PlanConfig config = TRY(config_of(call.arguments, settings.plan_form()));
  if (action == "parse") return parse(call, config);
  if (action == "format") return format(call, config);
  if (action == "validate") return validate(call, config);
  if (action == "lint-commit") return lint_commit(call, config);
  const auto plan = call.parts.open_plan(call.world, settings);
  const verbs::Planner planner{*plan, config, plan.get()};
  if (action == "show") return show(call, planner);
  if (action == "mark") return mark(call, planner);
  if (action == "run") return run_plan(call, planner);
  const auto near = nearest(action, actions);
  return fail(Code::USAGE, cat("plan has no action '", action, '\''),
              near ? cat("did you mean '", *near, "'?") : "see 'baton help plan'");
}

}  // namespace

constinit const Verb plan_verb = {
    .name = "plan",
    .summary = "Show, read, check, write, mark or run a plan",
    .help = R"(A plan is kept in the description of the current change: Jujutsu's or that of
the git branch, or in .baton/plan.md where there is neither. docs/plan.md has
its grammar.

show prints the plan of the project. mark TASK marks a task of it as done, by
its text, its number (2.1) or a part of its text. The others take a FILE, or
standard input: parse prints what a text says as JSON; format writes a plan
from its text or from JSON; validate prints every problem as JSON, with
exit code 1 when there is one; lint-commit checks the first two lines of
a commit message, as a commit-msg hook of git:
  #!/bin/sh
  exec baton plan lint-commit "$1"
run starts a run with a step for each open task, which continues through any
surface; a server for this project marks each task when its step is done.
)",
    .options = plan_options,
    .operand = {"ACTION", "What to do", true, false, actions},
    .settings = plan_settings,
    .run = run_plan_verb,
    .second = {"WHAT", "A task to mark, or a file to read", false}};

}  // namespace baton::cli
