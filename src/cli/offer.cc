#include "cli/offer.h"

#include "base/text.h"
#include "conformance/fixtures.h"
#include "plan/config.h"
#include "surface/planner/tools.h"
#include "surface/rail/tools.h"
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

Result<protocol::Catalog> surfaces_of(const Config& config, const std::shared_ptr<Backend>& backend,
                                      std::shared_ptr<ports::VersionControl> plan) {
  const surface::planner::PlannerSource planner = [plan = std::move(plan)] {
    return verbs::Planner{*plan, plan::default_config()};
  };
  std::vector<protocol::Tool> tools;
  for (const std::string& surface : config.surfaces()) {
    for (protocol::Tool& tool : TRY(tools_of(surface, backend, planner))) {
      tools.push_back(std::move(tool));
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
  catalog.publish = publish;
  return catalog;
}

}  // namespace baton::cli
