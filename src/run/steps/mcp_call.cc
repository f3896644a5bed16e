#include "base/text/text.h"
#include "run/checks/slots.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"
#include "run/steps/results.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::McpCall;
using workflow::Step;

Known<void> instruct(Instructions& to) {
  const McpCall& call = *to.step.as<McpCall>();
  // Both are asked for before either is needed, so that their scripts run together.
  auto named = to.exact("tool", call.tool);
  auto given = to.exact("parameters", call.parameters);
  const std::string tool = text_in(TRY(std::move(named)));
  const Value params = TRY(std::move(given));
  to.words = cat("Call the MCP tool `", tool, "` with these arguments:\n\n",
                 fenced("json", json::print(params)));
  to.set("method", tool);
  to.set("params", params);
  to.limit("Time limit: ");
  return {};
}

std::vector<std::string> describe(const Step&, std::string_view) {
  return {cat("What the tool returned: ", artifact_text("the tool's result"),
              ". Without one, the notes are the result."),
          failure_text()};
}

std::optional<Value> example(const Step&) { return slot("what the tool returned"); }

}  // namespace

StepBehaviour behaviour_of(std::type_identity<McpCall>) {
  return {.is_for_agent = true,
          .may_fail = true,
          .may_write = true,
          .tool = [](const Step& step) { return std::string_view(step.as<McpCall>()->tool); },
          .instruct = instruct,
          .describe_result = describe,
          .example_result = example};
}

}  // namespace baton::run
