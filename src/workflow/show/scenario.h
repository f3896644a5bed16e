#pragma once
// Scenario files: how a run of a workflow must go when an agent answers as written down. Read as
// strictly as workflows are; docs/testing-workflows.md has the form. Pure.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "workflow/check/diagnostic_text.h"
#include "workflow/check/shape.h"

namespace baton::workflow {

/// What the agent sends for a step.
struct ScenarioAnswer {
  std::optional<std::string> notes;
  std::optional<json::Value> result;  // of the step; without one the notes are it
  json::Array artifacts;
  json::Object context;
};

/// How the command of a step ends, which is never really run.
struct ScenarioCommand {
  std::int64_t exit = 0;
  std::string output;
  std::string errors;
  bool times_out = false;
};

/// One attempt at the step that must be open.
struct ScenarioStep {
  SourcePlace at;
  std::string step;  // its key
  ScenarioAnswer answer;
  std::vector<std::string> shows;    // what the prompt must contain
  std::vector<std::string> blocked;  // the codes of the blockers it must meet; none: it passes
  std::string error;                 // the code it must be refused with; empty: none
  std::optional<std::string> fails;  // why the step fails; what follows is the workflow's
  std::optional<ScenarioCommand> command;  // of a step that the server runs; it has no answer
};

struct Scenario {
  SourcePlace at;
  std::string name;
  json::Object inputs;
  std::string autonomy;     // empty: as runs begin
  std::string risk_policy;  // the same
  std::vector<ScenarioStep> steps;
  std::string status = "complete";  // of the run at the end
  json::Object state;               // values that must be there at the end
  std::string error;                // the code its start must be refused with; empty: none
};

struct ScenarioFile {
  std::string workflow;
  std::vector<Scenario> scenarios;
};

/// Whether a file of that name holds scenarios and no workflow: *.test.yaml, *.test.yml.
bool is_scenario_file(std::string_view name);

/// Nothing when there are mistakes; `findings` says which.
std::optional<ScenarioFile> read_scenarios(SourceText source, Findings& findings);

/// The file as YAML that read_scenarios reads as the same; `about` is said in a comment before it.
std::string print_scenarios(const ScenarioFile& file, std::string_view about = {});

}  // namespace baton::workflow
