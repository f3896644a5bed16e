// The verbs that show the language itself: schema and builtins.

#include <algorithm>
#include <iterator>
#include <map>

#include "base/schema/schema.h"
#include "base/text/text.h"
#include "cli/config/config.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "workflow/check/closed_sets.h"
#include "workflow/check/json_schema.h"
#include "workflow/check/key_help.h"
#include "workflow/check/shape.h"

namespace baton::cli {
namespace {

constexpr std::string_view schema_kinds[] = {"workflow", "scenario", "config"};

/// What a value of a setting may be in a file.
json::Object value_schema(const Setting& setting) {
  json::Object text{{"type", "string"}};
  const auto choices = choices_of(setting);
  if (!choices.empty()) text.set("enum", json::Array(choices.begin(), choices.end()));
  switch (setting.type) {
    case SettingType::boolean: return {{"type", "boolean"}};
    case SettingType::minutes: return {{"type", "integer"}};
    case SettingType::directories:
    case SettingType::surfaces:
    case SettingType::hosts:
    case SettingType::variables: {
      json::Object list{{"type", "array"}, {"items", text}};
      text.erase("enum");  // several may be in one text, with commas between
      return {{"anyOf", json::Array{std::move(text), std::move(list)}}};
    }
    case SettingType::policy:
    case SettingType::plan_form:
    case SettingType::resource_limits: return {};
    default: return text;
  }
}

/// The settings as JSON Schema; a name with a full stop is a member of an object.
json::Value config_schema() {
  json::Object properties;
  std::map<std::string, json::Object> groups;
  for (const Setting& setting : settings()) {
    json::Object value = value_schema(setting);
    value.set("description", setting.help);
    if (!setting.fallback.empty()) value.set("default", setting.fallback);
    const std::size_t dot = setting.name.find('.');
    if (dot == std::string_view::npos) {
      properties.set(setting.name, std::move(value));
    } else {
      groups[std::string(setting.name.substr(0, dot))].set(setting.name.substr(dot + 1),
                                                           std::move(value));
    }
  }
  for (auto& [name, keys] : groups) {
    properties.set(name, json::Object{{"type", "object"},
                                      {"description", cat("Settings of ", name)},
                                      {"properties", std::move(keys)},
                                      {"additionalProperties", false}});
  }
  return json::Object{{"$schema", schema::dialect_uri},
                      {"title", "Baton settings"},
                      {"type", "object"},
                      {"properties", std::move(properties)},
                      {"additionalProperties", false}};
}

Result<Ending> run_schema(const VerbCall& call) {
  const std::string& kind = call.arguments.operand;
  if (!kind.empty() && std::ranges::find(schema_kinds, kind) == std::end(schema_kinds)) {
    return fail(Code::USAGE, cat("there is no schema of '", kind, "'"),
                "use workflow, scenario or config");
  }
  const json::Value schema = kind == "scenario" ? workflow::scenario_schema()
                             : kind == "config" ? config_schema()
                                                : workflow::language_schema();
  TRY(write_text(call.world.output, json::print_pretty(schema) + "\n"));
  return ExitCode::ok;
}

template <class T>
void add_set(std::string& out, std::string_view title, std::span<const T> set) {
  Table table({std::string(title), "MEANING"});
  for (const T& each : set) table.add({std::string(each.id), std::string(each.help)});
  out += cat(out.empty() ? "" : "\n", table.text());
}

/// What a key takes, in a few words.
std::string value_of(const workflow::Shape& shape) {
  if (!shape.words.empty()) {
    std::string out;
    for (const std::string_view word : shape.words) out += cat(out.empty() ? "" : " | ", word);
    return out;
  }
  if (!shape.what.empty()) return std::string(shape.what);
  switch (shape.kind) {
    case workflow::ShapeKind::text: return "a text";
    case workflow::ShapeKind::boolean: return "true or false";
    case workflow::ShapeKind::integer: return "a whole number";
    case workflow::ShapeKind::number: return "a number";
    case workflow::ShapeKind::list: return "a list";
    case workflow::ShapeKind::map:
    case workflow::ShapeKind::object: return "an object";
    case workflow::ShapeKind::condition: return "a condition";
    case workflow::ShapeKind::step: return "a step";
    default: return "any value";
  }
}

std::string keys_text(std::string_view title, std::span<const workflow::Key> keys) {
  Table table({std::string(title), "VALUE", "MEANING"});
  for (const workflow::Key& key : keys) {
    if (key.rule == workflow::KeyRule::ignored) continue;
    std::string meaning(workflow::help_of(key));
    if (!key.canonical.empty()) meaning = cat("another spelling of ", key.canonical);
    if (key.rule == workflow::KeyRule::required) {
      meaning = cat("(required) ", meaning);
    }
    table.add({std::string(key.name), value_of(*key.shape), std::move(meaning)});
  }
  return table.text();
}

/// The keys of one step type, those that every step may have behind them.
Result<std::string> step_type_text(const std::string& name) {
  const workflow::StepType* type = workflow::find_step_type(name);
  if (type == nullptr) {
    std::vector<std::string_view> known;
    for (const workflow::StepType& each : workflow::step_types()) known.push_back(each.name);
    const auto near = nearest(name, known);
    return fail(Code::NOT_FOUND, cat("there is no step type '", name, "'"),
                near ? cat("did you mean '", *near, "'?") : "`baton builtins` lists them");
  }
  std::string out = cat(type->name, ": ", type->help, "; who acts: ", type->actor, '\n');
  if (!type->canonical.empty()) out += cat("Another spelling of ", type->canonical, ".\n");
  return cat(out, '\n', keys_text("KEY", type->keys), '\n',
             keys_text("KEY OF EVERY STEP", workflow::common_step_keys()));
}

Result<Ending> run_builtins(const VerbCall& call) {
  if (!call.arguments.operand.empty()) {
    TRY(write_text(call.world.output, TRY(step_type_text(call.arguments.operand))));
    return ExitCode::ok;
  }
  Table steps({"STEP TYPE", "WHO ACTS", "MEANING"});
  for (const workflow::StepType& type : workflow::step_types()) {
    steps.add({std::string(type.name), std::string(type.actor),
               type.canonical.empty() ? std::string(type.help)
                                      : cat("another spelling of ", type.canonical)});
  }
  std::string out = steps.text();
  add_set(out, "CONDITION", workflow::condition_operators());
  add_set(out, "CONTRACT", workflow::contracts());
  add_set(out, "FEATURE", workflow::features());
  add_set(out, "TEMPLATE", workflow::templates());
  add_set(out, "REF", workflow::refs());
  add_set(out, "CAPABILITY", workflow::capabilities());
  add_set(out, "DIVERGENCE", workflow::divergence_reasons());
  TRY(write_text(call.world.output, out));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb schema_verb = {
    .name = "schema",
    .summary = "Print the JSON Schema of workflow files",
    .help = R"(Prints the language as JSON Schema 2020-12, for editors. It is generated from
the compiler's own tables: what the compiler accepts matches the schema. With
scenario or config, prints that of NAME.test.yaml or of config.yaml.
)",
    .options = {},
    .operand = {"KIND", "workflow, when left out; scenario or config", false, false, schema_kinds},
    .settings = {},
    .run = run_schema};

constinit const Verb builtins_verb = {
    .name = "builtins",
    .summary = "List the closed sets that workflows may name",
    .help = R"(Lists every step type, condition operator, contract, feature, template, ref,
capability and divergence reason. With a step type, lists the keys that its
steps may have, what each takes and what it means.
)",
    .options = {},
    .operand = {"STEP", "A step type, as the list names it"},
    .settings = {},
    .run = run_builtins};

}  // namespace baton::cli
