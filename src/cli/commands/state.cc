#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "verbs/run/history.h"
#include "verbs/run/read_state.h"

namespace baton::cli {
namespace {

constexpr std::string_view state_settings[] = {"db"};
constexpr Option state_options[] = {
    {"--node", "NODE", "The node of the run to read the state at; default the latest", false},
    {"--frame", "KEY", "The state of an included workflow, by the key of its step", false},
    {"--json", "", "One JSON object on one line, for programs", false},
};

Result<verbs::StateQuery> query_of(const Arguments& arguments) {
  verbs::StateQuery out;
  out.node = TRY(node_option(arguments));
  out.frame = option_of(arguments, "--frame").value_or("");
  if (!arguments.second.empty()) out.paths.push_back(arguments.second);
  return out;
}

std::string json_line(const run::RunRow& row, const verbs::StateView& view,
                      const std::optional<run::CommandStatus>& command) {
  json::Array open(view.open_steps.begin(), view.open_steps.end());
  json::Array frames(view.frames.begin(), view.frames.end());
  json::Array undefined(view.undefined.begin(), view.undefined.end());
  json::Object out{{"runId", row.run.text()},      {"nodeId", view.node.text()},
                   {"openSteps", std::move(open)}, {"frames", std::move(frames)},
                   {"state", view.values},         {"undefined", std::move(undefined)}};
  if (command) out.set("commandStatus", name_of(*command));
  return cat(json::print(out), '\n');
}

Result<Ending> run_state(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(named_run(engine->store, call.arguments.operand));
  const verbs::StateQuery query = TRY(query_of(call.arguments));
  const verbs::StateView view = TRY(verbs::read_state(engine->reading(), row, query));
  const auto command = query.node ? std::nullopt : TRY(note_command(call, engine->reading(), row));
  if (call.arguments.has("--json")) {
    TRY(write_text(call.world.output, json_line(row, view, command)));
    return ExitCode::ok;
  }
  if (query.paths.empty()) {
    TRY(write_text(call.world.output, cat(json::print_pretty(view.values), '\n')));
    return ExitCode::ok;
  }
  const json::Value* found = view.values.find(query.paths[0]);
  if (found == nullptr) {
    return fail(Code::STATE_UNDEFINED, cat("\"", query.paths[0], "\" is not set"));
  }
  TRY(write_text(call.world.output, cat(json::print_pretty(*found), '\n')));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb state_verb = {
    .name = "state",
    .summary = "Print the state of a run, or one value of it",
    .help = R"(Prints every field of the run's state by its name, as JSON: computed fields hide
raw ones, then those of `state`, then inputs. With a path, only that value:
`raw.files[0].name`, or bare as `files[0].name`. For a workflow that declares no
state it prints the context.
)",
    .options = state_options,
    .operand = run_operand,
    .settings = state_settings,
    .run = run_state,
    .second = {"PATH", "What to print of it; default all", false}};

}  // namespace baton::cli
