#include <algorithm>
#include <set>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "engine/load/compile_workflow.h"
#include "run/steps/behaviour.h"
#include "verbs/workflow/find_workflow.h"
#include "workflow/show/outline.h"

namespace baton::cli {
namespace {

constexpr std::string_view forms[] = {"text", "json", "mermaid", "dot"};
constexpr Option inspect_options[] = {
    {"--format", "FORM", "How to print it, as text when left out", false, forms}};
constexpr std::string_view inspect_settings[] = {"db", "workflows", "content_dir"};

void tools_of(const std::vector<workflow::Step>& steps, std::set<std::string>& tools) {
  for (const workflow::Step& step : steps) {
    if (const auto tool = run::behaviour_of(step).tool) tools.emplace(tool(step));
    for (const workflow::Block& block : step.blocks) tools_of(block.steps, tools);
  }
}

std::string place_text(const workflow::SourcePlace& at, const workflow::Sources& sources) {
  return cat(sources[at.file].name, ':', at.line, ':', at.column);
}

std::string as_text(const workflow::Compilation& compilation, const std::string& path) {
  const workflow::CompiledWorkflow& workflow = compilation.pinned->workflow;
  std::string out = cat("workflow: ", workflow.id, "  \"", printable_line(workflow.name), "\"\n");
  if (!workflow.description.empty())
    out += cat("about:    ", printable_line(workflow.description), '\n');
  out +=
      cat("version:  ", printable_line(workflow.version), ", ",
          workflow.is_routine() ? "routine" : "workflow", ", ", workflow::shape_of(workflow), '\n');
  out += cat("file:     ", printable_line(path), " (", workflow::name_of(compilation.dialect),
             ")\nhash:     sha256:", compilation.pinned->hash.hex(), '\n');
  if (const json::Value* inputs = workflow.declared.find("inputs")) {
    out += "\ninputs:\n";
    for (const json::Member& input : *inputs->if_object()) {
      out += cat("  ", printable_line(input.key), "  ", json::print(input.value), '\n');
    }
  }
  std::set<std::string> tools;
  tools_of(workflow.steps, tools);
  if (!tools.empty()) out += "\ntools that the agent needs:\n";
  for (const std::string& tool : tools) out += cat("  ", printable_line(tool), '\n');
  if (!compilation.commands.empty()) out += "\ncommands:\n";
  for (const workflow::ShellUse& use : compilation.commands) {
    out += cat("  ", use.step, "  ", printable_line(use.command), '\n');
  }
  out += cat("\nsteps:\n", workflow::outline_of(workflow));
  if (!compilation.provenance.empty()) out += "\nadded by the compiler:\n";
  for (const workflow::StepOrigin& each : compilation.provenance) {
    out += cat("  ", each.step, "  from ", printable_line(each.from), " (",
               printable_line(place_text(each.at, compilation.findings.sources)), ")\n");
  }
  return out;
}

std::string as_json(const workflow::Compilation& compilation, const std::string& path) {
  json::Array provenance;
  for (const workflow::StepOrigin& each : compilation.provenance) {
    provenance.emplace_back(
        json::Object{{"step", each.step},
                     {"from", each.from},
                     {"at", place_text(each.at, compilation.findings.sources)}});
  }
  json::Array commands;
  for (const workflow::ShellUse& use : compilation.commands) {
    commands.emplace_back(json::Object{{"step", use.step}, {"command", use.command}});
  }
  return json::print_pretty(
             json::Object{{"file", path},
                          {"dialect", workflow::name_of(compilation.dialect)},
                          {"workflowHash", cat("sha256:", compilation.pinned->hash.hex())},
                          {"type", workflow::shape_of(compilation.pinned->workflow)},
                          {"source", compilation.findings.sources[0].text},
                          {"compiled", workflow::to_json(compilation.pinned->workflow)},
                          {"provenance", std::move(provenance)},
                          {"commands", std::move(commands)}}) +
         "\n";
}

Result<Ending> run_inspect(const VerbCall& call) {
  std::string form = "text";
  if (const auto found = call.arguments.options.find("--format");
      found != call.arguments.options.end()) {
    form = found->second.back();
    if (std::ranges::find(forms, form) == std::end(forms)) {
      return fail(Code::USAGE, cat("there is no format '", form, "'"),
                  cat("use ", workflow::either_of(forms)));
    }
  }
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  ports::WorkflowFile file =
      TRY(verbs::find_workflow_file(backend->workflows(), call.arguments.operand));
  const std::string path = file.path;
  const auto compiled = TRY(engine::compile_workflow(backend->workflows(), std::move(file)));
  const workflow::CompiledWorkflow& workflow = compiled.compilation.pinned->workflow;
  std::string out;
  if (form == "json")
    out = as_json(compiled.compilation, path);
  else if (form == "mermaid")
    out = workflow::mermaid_of(workflow);
  else if (form == "dot")
    out = workflow::dot_of(workflow);
  else
    out = as_text(compiled.compilation, path);
  TRY(write_text(call.world.output, out));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb inspect_verb = {
    .name = "inspect",
    .summary = "Show what a workflow needs, does and compiles to",
    .help = R"(Shows the outline of a workflow, its inputs, the tools and commands it needs,
and which steps the compiler added and why. --format json has the source and
the compiled form side by side; mermaid and dot draw the graph.
)",
    .options = inspect_options,
    .operand = {"NAME", "A workflow, as `baton list` shows it", true},
    .settings = inspect_settings,
    .run = run_inspect};

}  // namespace baton::cli
