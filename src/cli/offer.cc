#include "cli/offer.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>

#include "base/text.h"
#include "conformance/fixtures.h"
#include "plan/config.h"
#include "surface/atomic/tools.h"
#include "surface/planner/tools.h"
#include "surface/prompts/prompts.h"
#include "surface/rail/tools.h"
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

/// The backend's engine, with somebody who is told of advances.
class WatchedEngine {
 public:
  WatchedEngine(std::shared_ptr<Backend> backend, std::unique_ptr<verbs::RunWatcher> watcher)
      : backend_(std::move(backend)), watcher_(std::move(watcher)) {}

  Result<verbs::Engine*> get() {
    const std::scoped_lock lock(mutex_);
    if (!engine_) {
      engine_.emplace(*TRY(backend_->engine()));
      engine_->watcher = watcher_.get();
    }
    return &*engine_;
  }

 private:
  const std::shared_ptr<Backend> backend_;
  const std::unique_ptr<verbs::RunWatcher> watcher_;
  std::mutex mutex_;
  std::optional<verbs::Engine> engine_;  // guarded by mutex_ until it is made
};

/// REQUIRES: a name that the configuration lets through.
std::vector<protocol::Tool> tools_of(const std::string& surface,
                                     const std::shared_ptr<WatchedEngine>& engine,
                                     const surface::planner::PlannerSource& planner) {
  const surface::EngineSource source = [engine] { return engine->get(); };
  if (surface == "rail") return surface::rail::tools(source);
  if (surface == "atomic") return surface::atomic::tools(source);
  ASSERT(surface == "planner");
  return surface::planner::tools(planner);
}

/// Those of runs only beside tools that can drive one.
std::vector<protocol::Prompt> prompts_of(const Config& config,
                                         const std::shared_ptr<WatchedEngine>& engine,
                                         const surface::planner::PlannerSource& planner) {
  using surface::prompts::Tools;
  std::vector<protocol::Prompt> out{surface::planner::plan_prompt(planner)};
  const surface::EngineSource source = [engine] { return engine->get(); };
  const auto& surfaces = config.surfaces();
  const bool atomic = std::ranges::count(surfaces, "atomic") > 0;
  if (atomic) {
    out.push_back(surface::prompts::workflow_prompt(source, Tools::atomic));
    out.push_back(surface::prompts::sub_agent_prompt(source));
  } else if (std::ranges::count(surfaces, "rail") > 0) {
    out.push_back(surface::prompts::workflow_prompt(source, Tools::rail));
  }
  return out;
}

Result<protocol::Catalog> surfaces_of(const Config& config, const std::shared_ptr<Backend>& backend,
                                      std::shared_ptr<ports::VersionControl> plan) {
  const surface::planner::PlannerSource planner = [plan = std::move(plan)] {
    return verbs::Planner{*plan, plan::default_config()};
  };
  const auto engine =
      std::make_shared<WatchedEngine>(backend, std::make_unique<verbs::PlanMarker>(planner));
  std::vector<protocol::Tool> tools;
  for (const std::string& surface : config.surfaces()) {
    std::vector<protocol::Tool> some = tools_of(surface, engine, planner);
    tools.insert(tools.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
  }
  protocol::Catalog catalog;
  catalog.tools = TRY(protocol::ToolTable::make(std::move(tools)));
  catalog.resources =
      TRY(protocol::ResourceTable::make({surface::planner::plan_resource(planner)}, {}, nullptr));
  catalog.prompts = TRY(protocol::PromptTable::make(prompts_of(config, engine, planner)));
  catalog.resources_subscribe = true;
  return catalog;
}

}  // namespace

std::string_view instructions_of(Offer offer, const Config& config) {
  const auto& surfaces = config.surfaces();
  const bool only_atomic =
      std::ranges::count(surfaces, "atomic") > 0 && std::ranges::count(surfaces, "rail") == 0;
  return offer == Offer::surfaces && only_atomic ? surface::atomic::instructions()
                                                 : protocol::default_instructions();
}

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
