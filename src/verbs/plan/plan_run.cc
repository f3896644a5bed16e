#include "verbs/plan/plan_run.h"

#include "base/text/text.h"
#include "engine/load/load.h"
#include "plan/workflow_text.h"
#include "ports/workflow_source.h"
#include "verbs/run/start_run.h"

namespace baton::verbs {
namespace {

/// A source with one workflow in it.
class OneWorkflow final : public ports::WorkflowSource {
 public:
  OneWorkflow(std::string id, std::string text) : id_(std::move(id)), text_(std::move(text)) {}

  Result<std::vector<ports::WorkflowFile>> all() override {
    return std::vector<ports::WorkflowFile>{
        {.source = "plan", .path = id_ + ".json", .text = text_, .problem = {}}};
  }
  Result<std::vector<ports::WorkflowFile>> named(std::string_view) override { return all(); }
  void read(ports::WorkflowFile&) override {}
  Result<std::vector<ports::WorkflowFile>> find(const ports::WantedText&) override {
    return std::vector<ports::WorkflowFile>();
  }

 private:
  const std::string id_;
  const std::string text_;
};

/// One id for every plan of every project.
std::string workflow_id(const ports::Description& description) {
  return cat("plan-", sha256(description.owner).hex().substr(0, 16));
}

/// The open tasks of the steps that were settled last, up to the first whose task is not open.
Result<std::vector<plan::TaskPath>> newly_settled(const engine::LoadContext& loading,
                                                  const run::RunRow& run,
                                                  const plan::Plan& document) {
  std::vector<plan::TaskPath> tasks;
  std::optional<run::NodeNo> at = run.tip;
  while (at) {
    const run::NodeRow node = TRY(load_node(loading, *at));
    at = node.parent;
    if (node.settled_step.empty()) continue;  // a checkpoint
    const auto found = plan::tasks_of_steps(document.tasks, {node.settled_step});
    if (found.empty()) break;
    tasks.insert(tasks.end(), found.begin(), found.end());
  }
  return tasks;
}

}  // namespace

Result<engine::NodeAnswer> start_plan_run(engine::Engine& engine, const Planner& planner,
                                          const engine::Principal& principal) {
  const ports::Description description = TRY(planner.version_control.read());
  const plan::Plan document = plan::outline_of(description.text, planner.config).document;
  const std::string id = workflow_id(description);
  const std::string text = TRY(plan::workflow_text(document, id));
  OneWorkflow source(id, text);
  engine::Engine with_plan{engine.store,   source,     engine.signer, engine.clock,
                           engine.entropy, engine.ids, engine.caches};
  const std::string goal = document.header->title.value_or(document.header->type);
  return start_run(with_plan, principal,
                   {.workflow_id = id,
                    .goal = goal,
                    .context = plan::workflow_context(text),
                    .preferences = {}});
}

Result<PlanSettled> settle_plan(const engine::LoadContext& loading, const Planner& planner,
                                const RunId& run) {
  const auto row = TRY(loading.store.run(run));
  if (!row || !row->workflow_id.starts_with("plan-")) return PlanSettled{};
  const ports::Description description = TRY(planner.version_control.read());
  // On another branch, or from another project: perhaps not for ever.
  if (row->workflow_id != workflow_id(description)) return PlanSettled{.of_plan = true};
  PlanSettled settled{.of_plan = true};
  const PlanEdit mark = [&](const plan::Outline& outline) -> Result<plan::Edited> {
    plan::Edited edited{outline.text};
    const auto tasks = TRY(newly_settled(loading, *row, outline.document));
    for (const plan::TaskPath& path : tasks) {
      const plan::Outline now = plan::outline_of(edited.text, planner.config);
      edited = TRY(plan::mark_task(now, path, true, planner.config));
    }
    settled.marked = tasks.size();
    return edited;
  };
  TRY(change_plan(planner, mark));
  return settled;
}

void PlanMarker::advanced(const engine::LoadContext& loading, const RunId& run) {
  if (others_.find(run.text()) != nullptr) return;
  const auto settled = settle_plan(loading, planner_(), run);
  if (settled && !settled->of_plan) others_.put(run.text(), true);
}

}  // namespace baton::verbs
