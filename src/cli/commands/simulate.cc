#include "verbs/workflow/simulate.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"

namespace baton::cli {
namespace {

constexpr Option simulate_options[] = {
    {"--input", "NAME=VALUE", "An input; JSON, or text as it is. May be given again", true},
    {"--rounds", "N", "How many rounds of a loop that the agent decides; default 2"},
    {"--json", "", "One JSON object, for programs"}};
constexpr std::string_view simulate_settings[] = {"workflows", "content_dir"};

Result<json::Object> inputs_of(const Arguments& arguments) {
  json::Object out;
  const auto given = arguments.options.find("--input");
  if (given == arguments.options.end()) return out;
  for (const std::string& each : given->second) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(Code::USAGE, cat("--input takes NAME=VALUE, not '", each, "'"));
    }
    const std::string text = each.substr(equals + 1);
    const auto value = json::parse(text);
    out.set(each.substr(0, equals), value ? *value : json::Value(text));
  }
  return out;
}

Result<std::int64_t> rounds_of(const Arguments& arguments) {
  const auto given = arguments.options.find("--rounds");
  if (given == arguments.options.end()) return verbs::SimulateRequest{}.rounds;
  const auto number = parse_int(given->second.back());
  if (!number || *number < 1 || *number > limits::loop_iterations_max) {
    return fail(Code::USAGE,
                cat("--rounds takes a whole number from 1 to ", limits::loop_iterations_max));
  }
  return *number;
}

json::Array texts_json(const std::vector<std::string>& texts) {
  json::Array out;
  for (const std::string& each : texts) out.emplace_back(each);
  return out;
}

json::Array problems_json(const std::map<std::string, std::string>& problems) {
  json::Array out;
  for (const auto& [step, why] : problems) {
    out.emplace_back(json::Object{{"step", step}, {"why", why}});
  }
  return out;
}

std::string as_json(const std::string& workflow, const verbs::Simulation& found) {
  return cat(json::print(json::Object{{"workflow", workflow},
                                      {"points", found.points},
                                      {"ways", found.ways},
                                      {"isWhole", found.is_whole},
                                      {"longestPath", texts_json(found.longest)},
                                      {"unreachable", texts_json(found.unreachable)},
                                      {"notFollowed", texts_json(found.not_followed)},
                                      {"stuck", problems_json(found.stuck)},
                                      {"unsatisfied", problems_json(found.needs)},
                                      {"madeUpInputs", texts_json(found.made_up)},
                                      {"cutLoops", texts_json(found.cut)}}),
             '\n');
}

std::string listed(std::string_view heading, const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  std::string out = cat(heading, ":\n");
  for (const std::string& each : texts) out += cat("  ", printable_line(each), '\n');
  return out;
}

std::string listed(std::string_view heading, const std::map<std::string, std::string>& problems) {
  std::vector<std::string> lines;
  for (const auto& [step, why] : problems) lines.push_back(cat(step, ": ", why));
  return listed(heading, lines);
}

std::string as_text(const std::string& workflow, const verbs::Simulation& found) {
  std::string out = cat(printable_line(workflow), ": ", found.points, " points, ", found.ways,
                        found.ways == limits::simulated_ways_max ? " paths or more"
                        : found.ways == 1                        ? " way"
                                                                 : " ways",
                        " to an end, ", found.longest.size(), " steps on the longest path\n");
  if (!found.is_whole) out += "There are more nodes than were visited.\n";
  out += listed("Steps that never became open", found.unreachable);
  out += listed("Steps that were not followed, in or behind such a loop", found.not_followed);
  out += listed("Steps that cannot be passed", found.stuck);
  out += listed("Steps whose output no guess satisfied; each left a gap", found.needs);
  out += listed("Required inputs that were made up", found.made_up);
  out += listed("Loops that were not followed further", found.cut);
  return out + listed("Longest path", found.longest);
}

Result<Ending> run_simulate(const VerbCall& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  verbs::SimulateRequest request{.workflow = call.arguments.operand, .inputs = {}};
  request.inputs = TRY(inputs_of(call.arguments));
  request.rounds = TRY(rounds_of(call.arguments));
  const auto backend = call.parts.open_scratch(config, {});
  const verbs::Simulation found = TRY(verbs::simulate(*TRY(backend->engine()), request));
  TRY(write_text(call.world.output, call.arguments.has("--json")
                                        ? as_json(request.workflow, found)
                                        : as_text(request.workflow, found)));
  return found.is_sound() ? ExitCode::ok : ExitCode::no;
}

}  // namespace

constinit const Verb simulate_verb = {
    .name = "simulate",
    .summary = "Walk a workflow along every path it can take",
    .help = R"(Runs the workflow in memory with the real engine. At each step it tries every
value that conditions and loops depend on: values that make a condition true and
false, lists and counts, both loop decisions. Shows steps that never
become open, steps that cannot be passed, required inputs, and the longest
path. It asks no user: an output that no guess satisfies leaves a gap and the
run continues. Exit code 1 when a step cannot be reached or passed.
)",
    .options = simulate_options,
    .operand = {"NAME", "The workflow", true},
    .settings = simulate_settings,
    .run = run_simulate};

}  // namespace baton::cli
