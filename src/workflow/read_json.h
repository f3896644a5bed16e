#pragma once
// Workflow files in JSON: text in, CompiledWorkflow or an explained error out.

#include <string_view>

#include "workflow/compiled.h"

namespace baton::workflow {

/// `file` is only for messages. WORKFLOW_INVALID names every mistake at once.
Result<CompiledWorkflow> read_json(std::string_view text, std::string_view file);

}  // namespace baton::workflow
