#include "workflow/show/scenario.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "workflow/check/shape_check.h"
#include "workflow/check/shapes.h"
#include "workflow/read/read.h"

namespace baton::workflow {
namespace shapes {
namespace {

constexpr std::string_view autonomies[] = {"guided", "full_auto_stop_on_user_deps",
                                           "full_auto_never_stop"};
constexpr Shape autonomy{
    .kind = ShapeKind::text, .what = "how far a run goes without the user", .words = autonomies};
constexpr std::string_view risk_policies[] = {"conservative", "balanced", "aggressive"};
constexpr Shape risk_policy{
    .kind = ShapeKind::text, .what = "how much risk is taken", .words = risk_policies};
constexpr Key preference_keys[] = {{"autonomy", &autonomy}, {"riskPolicy", &risk_policy}};
constexpr Shape preferences{
    .kind = ShapeKind::object, .what = "preferences", .keys = preference_keys};

constexpr std::string_view statuses[] = {"in_progress", "blocked", "complete", "complete_with_gaps",
                                         "failed"};
constexpr Shape status{.kind = ShapeKind::text, .what = "how the run ends", .words = statuses};

constexpr Key answer_keys[] = {
    {"notes", &text, "What the agent writes of the step"},
    {"result", &any, "The result of the step: an answer, an output, what a tool returned"},
    {"artifacts", &values, "Structured results, each with a kind"},
    {"context", &free_object, "Facts to add or change, by name; null removes one"}};
constexpr Shape answer{.kind = ShapeKind::object, .what = "an answer", .keys = answer_keys};
constexpr Shape answers{.kind = ShapeKind::map, .what = "answers by step", .item = &answer};

constexpr Key command_keys[] = {{"exit", &count, "Its exit code; default 0"},
                                {"output", &text, "What it writes"},
                                {"errors", &text, "What it writes to standard error"},
                                {"times_out", &boolean, "It exceeds its time limit and is killed"}};
constexpr Shape command{
    .kind = ShapeKind::object, .what = "how a command ends", .keys = command_keys};

constexpr Key attempt_keys[] = {
    {"step", &filled, "The step that must be open", KeyRule::required},
    {"notes", &text, "What the agent writes of the step"},
    {"result", &any, "The result of the step: an answer, an output, what a tool returned"},
    {"artifacts", &values, "Structured results, each with a kind"},
    {"context", &free_object, "Facts to add or change, by name; null removes one"},
    {"shows", &text_or_texts, "What the step's prompt must contain"},
    {"blocked", &text_or_texts, "The codes of the blockers that the answer must get"},
    {"error", &filled, "The code of the error that the answer must get"},
    {"fails", &text, "The step fails, for this reason"},
    {"command", &command, "How its command ends, as the server that runs it would see it"}};
constexpr Shape attempt_object{
    .kind = ShapeKind::object, .what = "a step with its answer", .keys = attempt_keys};
constexpr const Shape* attempt_choices[] = {&filled, &attempt_object};
constexpr Shape attempt{.kind = ShapeKind::choice,
                        .what = "the name of a step, or an object with `step`",
                        .choices = attempt_choices};
constexpr Shape attempts{.kind = ShapeKind::list, .what = "a list of steps", .item = &attempt};

constexpr Key scenario_keys[] = {
    {"name", &filled, "What it shows", KeyRule::required},
    {"inputs", &free_object, "What the run is started with"},
    {"preferences", &preferences, "How far the run goes without the user"},
    {"steps", &attempts, "Every step in the order in which it must become open"},
    {"status", &status, "The status of the run at the end; default complete"},
    {"state", &free_object, "Values that must be set at the end"},
    {"error", &filled, "The code of the error that the start must get"}};
constexpr Shape scenario{.kind = ShapeKind::object, .what = "a scenario", .keys = scenario_keys};
constexpr Shape scenarios{.kind = ShapeKind::list,
                          .what = "a list of at least one scenario",
                          .item = &scenario,
                          .min = 1};

constexpr Key file_keys[] = {{"workflow", &filled, "The id of the workflow", KeyRule::required},
                             {"answers", &answers, "Default answers of the steps, by step"},
                             {"scenarios", &scenarios, "The runs to play", KeyRule::required}};
constexpr Shape file{.kind = ShapeKind::object, .what = "a scenario file", .keys = file_keys};

}  // namespace
}  // namespace shapes

const Shape& scenario_shape() { return shapes::file; }

namespace {

using Answers = std::map<std::string, ScenarioAnswer, std::less<>>;

json::Object object_of(const SyntaxNode& node, std::string_view key) {
  const SyntaxNode* found = node.find(key);
  return found == nullptr ? json::Object() : *found->to_json().if_object();
}

std::vector<std::string> texts_of(const SyntaxNode& node, std::string_view key) {
  const SyntaxNode* found = node.find(key);
  if (found == nullptr) return {};
  if (found->is_text()) return {found->text};
  std::vector<std::string> out;
  for (const SyntaxNode& each : found->children) out.push_back(each.text);
  return out;
}

std::optional<std::string> text_of(const SyntaxNode& node, std::string_view key) {
  const SyntaxNode* found = node.find(key);
  return found == nullptr ? std::nullopt : std::optional(found->text);
}

ScenarioAnswer answer_of(const SyntaxNode& node) {
  ScenarioAnswer out;
  out.notes = text_of(node, "notes");
  if (const SyntaxNode* result = node.find("result")) out.result = result->to_json();
  if (const SyntaxNode* artifacts = node.find("artifacts"))
    out.artifacts = *artifacts->to_json().if_array();
  out.context = object_of(node, "context");
  return out;
}

/// The answer for a step in any round of the loops around it: `fix`, else `loop@1::fix`.
const ScenarioAnswer* find_answer(const Answers& answers, std::string_view key) {
  if (const auto exact = answers.find(key); exact != answers.end()) return &exact->second;
  const std::size_t colons = key.rfind("::");
  if (colons == std::string_view::npos) return nullptr;
  const auto any_round = answers.find(key.substr(colons + 2));
  return any_round == answers.end() ? nullptr : &any_round->second;
}

std::optional<ScenarioCommand> command_of(const SyntaxNode& node) {
  const SyntaxNode* found = node.find("command");
  if (found == nullptr) return std::nullopt;
  ScenarioCommand out;
  if (const SyntaxNode* exit = found->find("exit")) out.exit = exit->integer;
  out.output = found->text_of("output");
  out.errors = found->text_of("errors");
  out.times_out = found->is_true("times_out");
  return out;
}

ScenarioStep step_of(const SyntaxNode& node, const Answers& answers) {
  ScenarioStep out;
  out.at = node.at;
  out.step = node.is_text() ? node.text : std::string(node.text_of("step"));
  const bool says =
      node.has("notes") || node.has("result") || node.has("artifacts") || node.has("context");
  if (says) {
    out.answer = answer_of(node);
  } else if (const ScenarioAnswer* found = find_answer(answers, out.step)) {
    out.answer = *found;
  }
  out.shows = texts_of(node, "shows");
  out.blocked = texts_of(node, "blocked");
  out.error = node.text_of("error");
  out.fails = text_of(node, "fails");
  out.command = command_of(node);
  return out;
}

Scenario scenario_of(const SyntaxNode& node, const Answers& answers) {
  Scenario out;
  out.at = node.at;
  out.name = node.text_of("name");
  out.inputs = object_of(node, "inputs");
  if (const SyntaxNode* preferences = node.find("preferences")) {
    out.autonomy = preferences->text_of("autonomy");
    out.risk_policy = preferences->text_of("riskPolicy");
  }
  if (const SyntaxNode* steps = node.find("steps")) {
    for (const SyntaxNode& each : steps->children) out.steps.push_back(step_of(each, answers));
  }
  if (const auto status = text_of(node, "status")) out.status = *status;
  out.state = object_of(node, "state");
  out.error = node.text_of("error");
  return out;
}

/// Commands are run by a server or by an agent, for a whole run.
void check_commands(const SyntaxNode& steps, Diagnostics& diagnostics) {
  for (const SyntaxNode& step : steps.children) {
    const SyntaxNode* command = step.find("command");
    if (command == nullptr) continue;
    for (const std::string_view key :
         {"notes", "result", "artifacts", "context", "blocked", "error", "fails"}) {
      const SyntaxNode* other = step.find(key);
      if (other == nullptr) continue;
      diagnostics.error(Code::WORKFLOW_WRONG_VALUE, other->key_at,
                        std::string("the server runs this step, so it has no ").append(key),
                        "leave it out, or leave `command` out");
    }
  }
}

/// What the shapes cannot say.
void check_scenario(const SyntaxNode& node, Diagnostics& diagnostics) {
  if (const SyntaxNode* steps = node.find("steps")) check_commands(*steps, diagnostics);
  const SyntaxNode* error = node.find("error");
  if (error == nullptr) return;
  for (const std::string_view key : {"steps", "state", "status"}) {
    const SyntaxNode* other = node.find(key);
    if (other == nullptr) continue;
    diagnostics.error(Code::WORKFLOW_WRONG_VALUE, other->key_at,
                      std::string("a run whose start is refused has no ").append(key),
                      "leave it out, or leave `error` out");
  }
}

}  // namespace

namespace {

/// JSON is YAML; a text of several lines is easier to read as a block.
std::string value_text(const json::Value& value, std::string_view indent) {
  const std::string* text = value.if_string();
  const bool is_block =
      text != nullptr && text->contains('\n') && !text->starts_with(' ') &&
      !text->starts_with('\n') && text->find_first_of("\t\r") == text->npos &&
      std::ranges::all_of(*text,
                          [](char c) {
                            return c == '\n' ||
                                   (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
                          }) &&
      !text->ends_with("\n\n");
  if (!is_block) return cat(json::print(value), '\n');
  std::string out = text->ends_with('\n') ? "|\n" : "|-\n";
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    out += cat(line.empty() ? "" : indent, line, '\n');
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

class ScenarioPrinter {
 public:
  std::string out;

  void line(std::string_view indent, std::string_view key, const json::Value& value) {
    out += cat(indent, key, ": ", value_text(value, cat(indent, "  ")));
  }

  void step(const ScenarioStep& step) {
    out += cat("      - step: ", json::print(json::Value(step.step)), '\n');
    constexpr std::string_view indent = "        ";
    if (step.answer.notes) line(indent, "notes", *step.answer.notes);
    if (step.answer.result) line(indent, "result", *step.answer.result);
    if (!step.answer.artifacts.empty()) line(indent, "artifacts", step.answer.artifacts);
    if (!step.answer.context.empty()) line(indent, "context", step.answer.context);
    if (step.command) line(indent, "command", command(*step.command));
    if (step.fails) line(indent, "fails", *step.fails);
    for (const auto& [key, texts] :
         {std::pair("shows", &step.shows), std::pair("blocked", &step.blocked)}) {
      if (!texts->empty()) line(indent, key, json::Array(texts->begin(), texts->end()));
    }
    if (!step.error.empty()) line(indent, "error", step.error);
  }

 private:
  static json::Object command(const ScenarioCommand& command) {
    json::Object made;
    if (command.times_out) made.set("times_out", true);
    if (command.exit != 0 && !command.times_out) made.set("exit", command.exit);
    if (!command.output.empty()) made.set("output", command.output);
    if (!command.errors.empty()) made.set("errors", command.errors);
    return made;
  }
};

}  // namespace

std::string print_scenarios(const ScenarioFile& file, std::string_view about) {
  ScenarioPrinter printer;
  while (!about.empty()) {
    const std::size_t end = std::min(about.find('\n'), about.size());
    printer.out += cat("# ", about.substr(0, end), '\n');
    about.remove_prefix(std::min(end + 1, about.size()));
  }
  printer.line("", "workflow", file.workflow);
  printer.out += "\nscenarios:\n";
  for (const Scenario& each : file.scenarios) {
    printer.out += cat("  - name: ", json::print(json::Value(each.name)), '\n');
    constexpr std::string_view indent = "    ";
    if (!each.inputs.empty()) printer.line(indent, "inputs", each.inputs);
    json::Object preferences;
    if (!each.autonomy.empty()) preferences.set("autonomy", each.autonomy);
    if (!each.risk_policy.empty()) preferences.set("riskPolicy", each.risk_policy);
    if (!preferences.empty()) printer.line(indent, "preferences", preferences);
    if (!each.steps.empty()) printer.out += "    steps:\n";
    for (const ScenarioStep& step : each.steps) printer.step(step);
    if (each.status != "complete") printer.line(indent, "status", each.status);
    if (!each.state.empty()) printer.line(indent, "state", each.state);
    if (!each.error.empty()) printer.line(indent, "error", each.error);
  }
  return std::move(printer.out);
}

bool is_scenario_file(std::string_view name) {
  return name.ends_with(".test.yaml") || name.ends_with(".test.yml");
}

std::optional<ScenarioFile> read_scenarios(SourceText source, Findings& findings) {
  Diagnostics diagnostics;
  auto root = read_source(source, 0, diagnostics);
  if (root) check_shape(*root, shapes::file, {Dialect::native, diagnostics});
  ScenarioFile out;
  if (root && !diagnostics.has_errors()) {
    Answers answers;
    if (const SyntaxNode* given = root->find("answers")) {
      for (const SyntaxNode& each : given->children) answers.emplace(each.key, answer_of(each));
    }
    out.workflow = root->text_of("workflow");
    for (const SyntaxNode& each : root->find("scenarios")->children) {
      check_scenario(each, diagnostics);
      out.scenarios.push_back(scenario_of(each, answers));
    }
  }
  const bool is_good = root && !diagnostics.has_errors();
  findings = {{std::move(source)}, diagnostics.sorted(), diagnostics.left_out()};
  return is_good ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace baton::workflow
