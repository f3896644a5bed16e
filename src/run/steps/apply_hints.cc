#include "base/text/text.h"
#include "run/checks/slots.h"
#include "run/steps/behaviour.h"
#include "run/steps/instructions.h"
#include "run/steps/results.h"

namespace baton::run {
namespace {

using json::Value;
using workflow::ApplyHints;
using workflow::Step;

Known<void> instruct(Instructions& to) {
  const ApplyHints& apply = *to.step.as<ApplyHints>();
  auto named = to.exact("file", apply.file);
  auto hints = to.exact("hints", apply.hints);
  const std::string file = text_in(TRY(std::move(named)));
  const Value list = TRY(std::move(hints));
  to.words =
      cat("Apply these hints to the file `", file, "`:\n\n", fenced("json", json::print(list)));
  to.set("file", file);
  to.set("hints", list);
  return {};
}

std::vector<std::string> describe(const Step&, std::string_view) {
  return {cat("How many hints were applied: ", artifact_text("{\"applied_count\": number}"), '.'),
          failure_text()};
}

/// The number, by a name of its own.
state::Scope add_names(state::Scope names, const std::optional<Value>& result) {
  const Value* count = result ? result->find("applied_count") : nullptr;
  if (count == nullptr && result && result->is_number()) count = &*result;
  std::optional<state::Tree> applied;
  if (count != nullptr) applied = state::Tree::from(*count);
  return std::move(names).with("applied_count", std::move(applied));
}

std::optional<Value> example(const Step&) {
  return json::Object{{"applied_count", slot("a number: how many you applied")}};
}

}  // namespace

StepBehaviour behaviour_of(std::type_identity<ApplyHints>) {
  return {.is_for_agent = true,
          .may_fail = true,
          .may_write = true,
          .instruct = instruct,
          .describe_result = describe,
          .example_result = example,
          .add_names = add_names};
}

}  // namespace baton::run
