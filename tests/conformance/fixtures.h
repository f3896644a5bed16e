#pragma once
// The tools, resources and prompts that the official conformance suite calls by name. They show the
// protocol at work and touch no run.
//
// Handlers hold no state of their own; any thread.

#include <functional>
#include <vector>

#include "base/core/result.h"
#include "protocol/server.h"

namespace baton::conformance {

using Publish = std::function<void(const protocol::Change&)>;

/// Everything the suite wants, but for the task book and the sealer, which the caller adds.
/// `publish` hears of the changes that some tools make on demand; it must outlive the catalog.
Result<protocol::Catalog> catalog(const Publish& publish);

// Its parts.
std::vector<protocol::Tool> content_tools();
std::vector<protocol::Tool> behaviour_tools(const Publish& publish);
std::vector<protocol::Tool> legacy_question_tools();
std::vector<protocol::Tool> modern_question_tools();
std::vector<protocol::Tool> task_tools();
std::vector<protocol::Resource> resources();
std::vector<protocol::ResourceTemplate> resource_templates();
/// More resources than one page shows.
protocol::ResourceLister numbered_resources();
std::vector<protocol::Prompt> prompts();

}  // namespace baton::conformance
