// The step types by their names, and the keys that every step may have.

#include <algorithm>
#include <vector>

#include "workflow/check/shapes.h"
#include "workflow/compiled.h"
#include "workflow/read/node.h"

namespace baton::workflow {

StepBody::StepBody() = default;
StepBody::StepBody(const StepBody& other) = default;
StepBody::StepBody(StepBody&& other) noexcept = default;
StepBody& StepBody::operator=(const StepBody& other) = default;
StepBody& StepBody::operator=(StepBody&& other) noexcept = default;
StepBody::~StepBody() = default;
bool StepBody::operator==(const StepBody& other) const {
  return static_cast<const AnyBody&>(*this) == static_cast<const AnyBody&>(other);
}
namespace shapes {
namespace {

constexpr Key common_keys[] = {
    {"id", &filled, "Its name in this workflow; default derived from its position"},
    {"type", &text, "What it does"},
    {"title", &text, "What people read"},
    {"description", &text, "What it is for"},
    {"runCondition", &condition, "Skip the step unless this is true"},
    {"dependencies", &texts, "Steps of the same block that must be done before"},
    {"dependsOn", &texts, "", alias, "dependencies"},
    {"tags", &texts},
    {"pathPatterns", &texts, "Globs of the files it is about"},
    {"allowParallel", &boolean, "Whether other steps may run at the same time"}};

constexpr Key condition_table[] = {{"var", &filled, "A name or dotted path"},
                                   {"and", &any, "All of a list"},
                                   {"or", &any, "One of a list"},
                                   {"not", &any, "The opposite of one"}};

}  // namespace
}  // namespace shapes

namespace {

#define BATON_TYPE(kind, Payload, name) &Payload::spellings,
constexpr std::span<const StepType> (*spellings[])() = {BATON_STEP_TYPES(BATON_TYPE)};
#undef BATON_TYPE

}  // namespace

std::span<const StepType> step_types() {
  static const std::vector<StepType> all = [] {
    std::vector<StepType> out;
    for (const auto types_of : spellings) {
      for (const StepType& each : types_of()) out.push_back(each);
    }
    return out;
  }();
  return all;
}

const StepType* find_step_type(std::string_view name) {
  const auto found = std::ranges::find(step_types(), name, &StepType::name);
  return found == step_types().end() ? nullptr : &*found;
}

const StepType& expanded_type(const SyntaxNode& step) {
  const std::string_view name = step.text_of("type");
  if (const StepType* found = find_step_type(name)) return *found;
  const StepKind kind = step_kind(name).value_or(StepKind::prompt);
  return spellings[static_cast<std::size_t>(kind)]().front();
}

std::span<const Key> common_step_keys() { return shapes::common_keys; }
std::span<const Key> condition_keys() { return shapes::condition_table; }

}  // namespace baton::workflow
