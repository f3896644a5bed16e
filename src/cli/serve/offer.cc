#include "cli/serve/offer.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/core/thread_safety.h"
#include "base/text/text.h"
#include "cli/serve/change_watch.h"
#include "plan/config.h"
#include "surface/gates.h"
#include "surface/surfaces.h"
#include "verbs/plan/plan_run.h"
#include "verbs/run/mcp_tasks.h"
#include "verbs/run/signed_states.h"

namespace baton::cli {
namespace {

using Publish = std::function<void(const protocol::Change&)>;

/// A plan whose changes are published.
class PublishedPlan final : public ports::SharedPlan {
 public:
  PublishedPlan(std::shared_ptr<ports::SharedPlan> plan, Publish publish)
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
  Result<std::unique_ptr<ports::PlanTurn>> take_turn() override { return plan_->take_turn(); }

 private:
  const std::shared_ptr<ports::SharedPlan> plan_;
  const Publish publish_;
};

/// The backend's engine, with a watcher of advances.
class WatchedEngine {
 public:
  WatchedEngine(std::shared_ptr<Backend> backend, std::unique_ptr<engine::RunWatcher> watcher)
      : backend_(std::move(backend)), watcher_(std::move(watcher)) {}

  Result<engine::Engine*> get() {
    const MutexLock lock(mutex_);
    if (!engine_) {
      engine_.emplace(*TRY(backend_->engine()));
      engine_->watcher = watcher_.get();
    }
    return &*engine_;
  }

 private:
  const std::shared_ptr<Backend> backend_;
  const std::unique_ptr<engine::RunWatcher> watcher_;
  Mutex mutex_;
  std::optional<engine::Engine> engine_ GUARDED_BY(mutex_);
};

/// Those that the configuration names, the most important first.
std::vector<surface::Surface> offered(const Config& config) {
  std::vector<surface::Surface> out;
  for (const surface::Surface& each : surface::surfaces()) {
    if (std::ranges::count(config.surfaces(), each.name) > 0) out.push_back(each);
  }
  return out;
}

/// Of two prompts with one name only the later surface's is offered.
std::vector<protocol::Prompt> prompts_of(const Config& config,
                                         const surface::SurfaceSources& sources) {
  std::vector<protocol::Prompt> out;
  for (const surface::Surface& each : offered(config)) {
    for (protocol::Prompt& prompt : each.prompts(sources)) {
      std::erase_if(out, [&](const protocol::Prompt& other) { return other.name == prompt.name; });
      out.push_back(std::move(prompt));
    }
  }
  return out;
}

Result<protocol::Catalog> surfaces_of(const Config& config, const std::shared_ptr<Backend>& backend,
                                      std::shared_ptr<ports::SharedPlan> plan) {
  const surface::planner::PlannerSource planner =
      [plan = std::move(plan),
       form = std::make_shared<const plan::PlanConfig>(config.plan_form())] {
        return verbs::Planner{*plan, *form, plan.get()};
      };
  const auto engine =
      std::make_shared<WatchedEngine>(backend, std::make_unique<verbs::PlanMarker>(planner));
  const surface::SurfaceSources sources{[engine] { return engine->get(); }, planner};
  std::vector<protocol::Tool> tools;
  for (const std::string& name : config.surfaces()) {
    // The configuration lets only names through that the table has.
    const auto found = std::ranges::find(surface::surfaces(), name, &surface::Surface::name);
    std::vector<protocol::Tool> some = found->tools(sources);
    tools.insert(tools.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
  }
  protocol::Catalog catalog;
  catalog.tools = TRY(protocol::ToolTable::make(std::move(tools)));
  catalog.resources = TRY(protocol::ResourceTable::make(
      {surface::planner::plan_resource(planner), surface::gates_resource(sources.engine)}, {},
      nullptr));
  catalog.prompts = TRY(protocol::PromptTable::make(prompts_of(config, sources)));
  catalog.resources_subscribe = true;
  return catalog;
}

std::vector<std::string> changed_uris(const std::vector<run::Event>& events) {
  if (!surface::changes_gates(events)) return {};
  return {std::string(surface::gates_uri)};
}

}  // namespace

std::string_view instructions_of(const Config& config) {
  return offered(config).front().instructions();
}

Result<protocol::Catalog> catalog_of(const Config& config, const std::shared_ptr<Backend>& backend,
                                     const std::shared_ptr<ports::SharedPlan>& plan,
                                     transport::Hub& hub) {
  const auto publish = [&hub](const protocol::Change& change) { hub.publish(change); };
  const auto published = std::make_shared<PublishedPlan>(plan, publish);
  protocol::Catalog catalog = TRY(surfaces_of(config, backend, published));
  const auto engine = [backend] { return backend->engine(); };
  catalog.sealer = std::make_shared<verbs::SignedStates>(engine);
  catalog.tasks = std::make_shared<verbs::McpTasks>(engine);
  catalog.publish = publish;
  const auto watch = std::make_shared<ChangeWatch>(
      backend, std::vector<std::string>{std::string(surface::gates_uri)}, changed_uris, publish);
  catalog.watch = [watch](std::string_view uri) { return watch->watch(uri); };
  return catalog;
}

}  // namespace baton::cli
