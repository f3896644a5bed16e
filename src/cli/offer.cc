#include "cli/offer.h"

#include "base/text.h"
#include "conformance/fixtures.h"
#include "surface/rail/tools.h"
#include "verbs/signed_states.h"

namespace baton::cli {
namespace {

Result<protocol::Catalog> surfaces_of(const Config& config,
                                      const std::shared_ptr<Backend>& backend) {
  for (const std::string& surface : config.surfaces()) {
    if (surface != "rail") {
      return fail(Code::CONFIG_INVALID, cat("this release has no surface '", surface, '\''),
                  "use --surface rail");
    }
  }
  protocol::Catalog catalog;
  catalog.tools =
      TRY(protocol::ToolTable::make(surface::rail::tools([backend] { return backend->engine(); })));
  return catalog;
}

}  // namespace

Result<protocol::Catalog> catalog_of(Offer offer, const Config& config,
                                     const std::shared_ptr<Backend>& backend, transport::Hub& hub) {
  const auto publish = [&hub](const protocol::Change& change) { hub.publish(change); };
  protocol::Catalog catalog = TRY(offer == Offer::conformance ? conformance::catalog(publish)
                                                              : surfaces_of(config, backend));
  const auto engine = [backend] { return backend->engine(); };
  catalog.sealer = std::make_shared<verbs::SignedStates>(engine);
  catalog.publish = publish;
  return catalog;
}

}  // namespace baton::cli
