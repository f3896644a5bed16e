#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "surface/prompts/prompts.h"
#include "verbs/run/history.h"
#include "verbs/run/resume.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::surface::prompts {
namespace {

using protocol::PromptAnswer;

constexpr std::string_view actions[] = {"list", "info", "start", "resume", "status"};
constexpr std::size_t list_bytes = 16'000;
constexpr std::size_t inputs_bytes = 4'000;

std::string argument(const protocol::Call& call, std::string_view key) {
  return text_argument(call.arguments, key).value_or("");
}

protocol::RpcError refused(std::string message) {
  return {protocol::RpcCode::invalid_params, std::move(message), {}};
}

protocol::PromptResult message(std::string description, std::string text) {
  return {.description = std::move(description),
          .messages = {{.role = "user", .content = protocol::text_content(std::move(text))}}};
}

Result<std::string> list_text(engine::Engine& engine) {
  std::string out;
  for (const auto& each : TRY(verbs::list_workflows(engine.workflows, engine.aux))) {
    if (!each.problem.empty() || !each.hidden_by.empty()) continue;
    std::string line = cat("- ", each.id, ": ", utf8::as_line(each.description), '\n');
    if (out.size() + line.size() > list_bytes) return out + "- and more\n";
    out += line;
  }
  return out.empty() ? "There are none.\n" : out;
}

Result<std::string> info_text(engine::Engine& engine, const std::string& name) {
  const auto found = TRY(verbs::inspect_workflow(engine.workflows, name));
  const workflow::CompiledWorkflow& workflow = found.compilation.pinned->workflow;
  const json::Value* inputs = workflow.declared.find("inputs");
  return cat(workflow.id, ", version ", workflow.version, ": ", utf8::as_line(workflow.description),
             "\nInputs: ",
             inputs == nullptr ? "none" : utf8::truncate(json::print(*inputs), inputs_bytes), '\n');
}

Result<protocol::PromptResult> answer(engine::Engine& engine, const PromptWords& words,
                                      const std::string& action, const std::string& name,
                                      const std::string& inputs) {
  if (action == "list") {
    return message("The available workflows",
                   cat("These are the workflows of Baton:\n", TRY(list_text(engine)),
                       "\nShow them to me and ask which one I want. For the details of one, call ",
                       words.look, ".\n"));
  }
  if (action == "info") {
    return message(cat("What ", name, " is for"),
                   cat(TRY(info_text(engine, name)),
                       "\nExplain to me what this workflow does and what it needs from me. Do not "
                       "start it yet.\n"));
  }
  if (action == "start") {
    return message(cat("Run ", name),
                   cat("Run a workflow of Baton for me.\n\n", TRY(info_text(engine, name)),
                       "My inputs: ", inputs.empty() ? "nothing yet" : inputs,
                       "\n\nAsk me for required inputs that are missing. Then call ", words.begin,
                       " once, and:\n", words.drive));
  }
  if (action == "resume") {
    return message(cat("Continue ", name),
                   cat("Continue the run ", name, " of Baton: call ", words.get_back,
                       ". Read what was done so far and do not do it again. Then:\n", words.drive));
  }
  return message(cat("Status of ", name),
                 cat("Tell me the status of the run ", name, " of Baton: call ", words.look_in,
                     ", and tell me what is done, what is open and what blocks it. Do no "
                     "step.\n"));
}

PromptAnswer handle(const EngineSource& source, const PromptWords& words,
                    const protocol::Call& call) {
  const std::string action = argument(call, "action");
  const std::string name = argument(call, "name");
  if (std::ranges::find(actions, action) == std::end(actions)) {
    return refused(cat("action: \"", action, "\" is not one of list, info, start, resume, status"));
  }
  if (action != "list" && name.empty()) {
    const bool of_run = action == "resume" || action == "status";
    return refused(
        cat("name: ", action, " needs the ", of_run ? "id of a run" : "name of a workflow"));
  }
  const auto engine = source();
  if (!engine) return refused(engine.error().message);
  auto result = answer(**engine, words, action, name, argument(call, "inputs"));
  if (!result) return refused(result.error().message);
  return *std::move(result);
}

/// Names of workflows, or ids of the caller's runs where a run is meant.
Result<std::vector<std::string>> complete_name(const EngineSource& source,
                                               const protocol::CompletionQuery& query) {
  const engine::Engine& engine = *TRY(source());
  const std::string action = text_argument(query.context, "action").value_or("");
  std::vector<std::string> out;
  if ((action == "resume" || action == "status") && engine.search != nullptr) {
    const auto found =
        TRY(verbs::resume(engine.reading(), *engine.search, nullptr, {query.principal}, {}));
    for (const verbs::ResumedRun& each : found.candidates) out.push_back(each.row.run.text());
  } else {
    for (const auto& each : TRY(verbs::list_workflows(engine.workflows, engine.aux))) {
      if (each.problem.empty() && each.hidden_by.empty()) out.push_back(each.id);
    }
  }
  std::erase_if(out, [&](const std::string& each) { return !each.starts_with(query.value); });
  return out;
}

/// The inputs of the workflow that was chosen, as `name=`; what was typed before stays.
Result<std::vector<std::string>> complete_inputs(const EngineSource& source,
                                                 const protocol::CompletionQuery& query) {
  const std::string name = text_argument(query.context, "name").value_or("");
  const auto found = verbs::inspect_workflow(TRY(source())->workflows, name);
  std::vector<std::string> out;
  if (!found) return out;  // no name yet, or a wrong one
  const json::Value* inputs = found->compilation.pinned->workflow.declared.find("inputs");
  if (inputs == nullptr) return out;
  const std::size_t space = query.value.rfind(' ');
  const std::size_t word = space == std::string::npos ? 0 : space + 1;
  for (const json::Member& each : *inputs->if_object()) {
    const std::string whole = cat(query.value.substr(0, word), each.key, '=');
    if (whole.starts_with(query.value)) out.push_back(whole);
  }
  return out;
}

}  // namespace

protocol::Prompt workflow_prompt(const EngineSource& engine, const PromptWords& words) {
  return {
      .name = "workflow",
      .title = "Work by a workflow",
      .description = "List, explain, start or resume workflows, or show the status of a run.",
      .arguments =
          {{.name = "action",
            .title = "Action",
            .description = "list, info, start, resume or status.",
            .required = true,
            .complete = protocol::complete_from({std::begin(actions), std::end(actions)})},
           {.name = "name",
            .title = "Name",
            .description = "The workflow; for resume and status the id of the run.",
            .complete = [engine](const auto& query) { return complete_name(engine, query); }},
           {.name = "inputs",
            .title = "Inputs",
            .description = "For start: inputs as name=value, or in your own words.",
            .complete = [engine](const auto& query) { return complete_inputs(engine, query); }}},
      .handler = [engine, words](const protocol::Call& call) {
        return handle(engine, words, call);
      }};
}

}  // namespace baton::surface::prompts
