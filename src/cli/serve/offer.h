#pragma once
// What a server offers: the tools, resources and prompts of the surfaces in use.

#include <memory>

#include "cli/config/config.h"
#include "cli/parts.h"
#include "ports/plan_turns.h"
#include "protocol/server.h"
#include "transport/hub.h"

namespace baton::cli {

/// Keeps the backend and the plan alive. Changes go to `hub`, which must outlive the catalog.
Result<protocol::Catalog> catalog_of(const Config& config, const std::shared_ptr<Backend>& backend,
                                     const std::shared_ptr<ports::SharedPlan>& plan,
                                     transport::Hub& hub);

/// How an agent begins with what a server offers.
std::string_view instructions_of(const Config& config);

}  // namespace baton::cli
