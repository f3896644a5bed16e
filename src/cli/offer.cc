#include "cli/offer.h"

#include "base/limits.h"
#include "base/text.h"
#include "conformance/fixtures.h"
#include "plan/config.h"
#include "surface/planner/tools.h"
#include "surface/rail/tools.h"
#include "verbs/lru.h"
#include "verbs/mcp_tasks.h"
#include "verbs/plan_run.h"
#include "verbs/signed_states.h"

namespace baton::cli {
namespace {

using Publish = std::function<void(const protocol::Change&)>;

/// A plan whose changes are published.
class PublishedPlan final : public ports::VersionControl {
 public:
  PublishedPlan(std::shared_ptr<ports::VersionControl> plan, Publish publish)
      : plan_(std::move(plan)), publish_(std::move(publish)) {}

  Result<ports::Description> read() override { return plan_->read(); }
  Result<ports::Replaced> replace(const ports::Description& expected,
                                  std::string_view text) override {
    const ports::Replaced replaced = TRY(plan_->replace(expected, text));
    if (replaced == ports::Replaced::yes) {
      publish_(protocol::ResourceUpdated{std::string(surface::planner::plan_uri)});
    }
    return replaced;
  }
  Result<ports::ChangedFiles> changed_files() override { return plan_->changed_files(); }

 private:
  const std::shared_ptr<ports::VersionControl> plan_;
  const Publish publish_;
};

Result<std::vector<protocol::Tool>> tools_of(const std::string& surface,
                                             const std::shared_ptr<Backend>& backend,
                                             const surface::planner::PlannerSource& planner) {
  if (surface == "rail") return surface::rail::tools([backend] { return backend->engine(); });
  if (surface == "planner") return surface::planner::tools(planner);
  return fail(Code::CONFIG_INVALID, cat("this release has no surface '", surface, '\''),
              "use --surface rail, planner or rail,planner");
}

/// The run that a result is about, by whichever name its surface gives it.
std::optional<RunId> run_of(const json::Object& structured) {
  const json::Value* session = structured.find("session");
  const json::Value* nested = session == nullptr ? nullptr : session->find("runId");
  for (const json::Value* value :
       {nested, structured.find("runId"), structured.find("task_id"),
        structured.find("workflow_id"), structured.find("execution_id")}) {
    if (value == nullptr || !value->is_string()) continue;
    if (const auto run = RunId::parse(*value->if_string())) return *run;
  }
  return std::nullopt;
}

/// Looks at the plan after calls that may have settled a step of a run of it. Any thread.
class PlanMarker {
 public:
  PlanMarker(std::shared_ptr<Backend> backend, surface::planner::PlannerSource planner)
      : backend_(std::move(backend)), planner_(std::move(planner)) {}

  /// What goes wrong here is no fault of the call, whose result is settled already.
  void look(const json::Object& structured) {
    const auto run = run_of(structured);
    if (!run || others_.find(run->text()) != nullptr) return;
    const auto engine = backend_->engine();
    if (!engine) return;
    const auto settled = verbs::settle_plan((*engine)->reading(), planner_(), *run);
    if (settled && !settled->of_plan) others_.put(run->text(), true);
  }

 private:
  const std::shared_ptr<Backend> backend_;
  const surface::planner::PlannerSource planner_;
  verbs::Lru<std::string, bool> others_{limits::cached_states_max};  // runs that came from no plan
};

/// The tool, and a look at the plan after it. The result stays as it was, so that a replay is the
/// same whatever became of the plan.
protocol::Tool marking(protocol::Tool tool, const std::shared_ptr<PlanMarker>& marker) {
  if (tool.annotations.read_only) return tool;
  tool.handler = [handler = std::move(tool.handler), marker](const protocol::ToolCall& call) {
    protocol::ToolAnswer answer = handler(call);
    const auto* result = std::get_if<protocol::ToolResult>(&answer);
    if (result != nullptr && !result->is_error) marker->look(result->structured);
    return answer;
  };
  return tool;
}

Result<protocol::Catalog> surfaces_of(const Config& config, const std::shared_ptr<Backend>& backend,
                                      std::shared_ptr<ports::VersionControl> plan) {
  const surface::planner::PlannerSource planner = [plan = std::move(plan)] {
    return verbs::Planner{*plan, plan::default_config()};
  };
  const auto marker = std::make_shared<PlanMarker>(backend, planner);
  std::vector<protocol::Tool> tools;
  for (const std::string& surface : config.surfaces()) {
    std::vector<protocol::Tool> some = TRY(tools_of(surface, backend, planner));
    for (protocol::Tool& tool : some) {
      tools.push_back(surface == "planner" ? std::move(tool) : marking(std::move(tool), marker));
    }
  }
  protocol::Catalog catalog;
  catalog.tools = TRY(protocol::ToolTable::make(std::move(tools)));
  catalog.resources =
      TRY(protocol::ResourceTable::make({surface::planner::plan_resource(planner)}, {}, nullptr));
  catalog.prompts = TRY(protocol::PromptTable::make({surface::planner::plan_prompt(planner)}));
  catalog.resources_subscribe = true;
  return catalog;
}

}  // namespace

Result<protocol::Catalog> catalog_of(Offer offer, const Config& config,
                                     const std::shared_ptr<Backend>& backend,
                                     const std::shared_ptr<ports::VersionControl>& plan,
                                     transport::Hub& hub) {
  const auto publish = [&hub](const protocol::Change& change) { hub.publish(change); };
  const auto published = std::make_shared<PublishedPlan>(plan, publish);
  protocol::Catalog catalog =
      TRY(offer == Offer::conformance ? conformance::catalog(publish)
                                      : surfaces_of(config, backend, published));
  const auto engine = [backend] { return backend->engine(); };
  catalog.sealer = std::make_shared<verbs::SignedStates>(engine);
  catalog.tasks = std::make_shared<verbs::McpTasks>(engine);
  catalog.publish = publish;
  return catalog;
}

}  // namespace baton::cli
