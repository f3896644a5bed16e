#include "base/text/text.h"
#include "engine/load/find_open_step.h"
#include "engine/tasks/find_tasks.h"
#include "surface/atomic/words.h"
#include "surface/prompts/prompts.h"
#include "verbs/run/resume.h"

namespace baton::surface::prompts {
namespace {

/// The runs a caller may mean: the one that was named, else those it used last.
Result<std::vector<run::RunRow>> runs_meant(const engine::Engine& engine,
                                            const protocol::CompletionQuery& query) {
  const engine::ReadContext reading = engine.reading();
  const std::string named = text_argument(query.context, "workflow_id").value_or("");
  std::vector<run::RunRow> out;
  if (!named.empty()) {
    if (auto run = engine::find_own_run(reading, {query.principal}, named)) {
      out.push_back(*std::move(run));
    }
    return out;
  }
  if (engine.search == nullptr) return out;
  auto found = TRY(verbs::resume(reading, *engine.search, nullptr, {query.principal}, {}));
  for (verbs::ResumedRun& each : found.candidates) out.push_back(std::move(each.row));
  return out;
}

Result<std::vector<std::string>> complete_task(const EngineSource& source,
                                               const protocol::CompletionQuery& query) {
  const engine::Engine& engine = *TRY(source());
  std::vector<std::string> out;
  for (const run::RunRow& run : TRY(runs_meant(engine, query))) {
    for (std::string& id : TRY(engine::open_task_ids(engine.reading(), run))) {
      if (id.starts_with(query.value)) out.push_back(std::move(id));
    }
  }
  return out;
}

/// Runs in which tasks are open.
Result<std::vector<std::string>> complete_run(const EngineSource& source,
                                              const protocol::CompletionQuery& query) {
  const engine::Engine& engine = *TRY(source());
  protocol::CompletionQuery any = query;
  any.context.erase("workflow_id");
  std::vector<std::string> out;
  for (const run::RunRow& run : TRY(runs_meant(engine, any))) {
    if (!run.run.text().starts_with(query.value)) continue;
    if (!TRY(engine::open_task_ids(engine.reading(), run)).empty()) out.push_back(run.run.text());
  }
  return out;
}

protocol::PromptAnswer handle(const protocol::Call& call) {
  const std::string run = text_argument(call.arguments, "workflow_id").value_or("");
  std::string text =
      cat("Your task is ", text_argument(call.arguments, "task_id").value_or(""), ", of the run ",
          run.empty() ? "whose workflow_id is in the task's context" : run, ".\n\n",
          atomic::sub_agent_prompt(), '\n');
  return protocol::PromptResult{
      .description = "How a sub-agent carries out its task",
      .messages = {{.role = "user", .content = protocol::text_content(std::move(text))}}};
}

}  // namespace

protocol::Prompt sub_agent_prompt(const EngineSource& engine) {
  return {.name = "sub_agent",
          .title = "Carry out one task of a workflow",
          .description = "What a sub-agent does with the task it was given.",
          .arguments =
              {{.name = "task_id",
                .title = "Task",
                .description = "The task_id of the task.",
                .required = true,
                .complete = [engine](const auto& query) { return complete_task(engine, query); }},
               {.name = "workflow_id",
                .title = "Run",
                .description = "The workflow_id in the task's context.",
                .complete = [engine](const auto& query) { return complete_run(engine, query); }}},
          .handler = handle};
}

}  // namespace baton::surface::prompts
