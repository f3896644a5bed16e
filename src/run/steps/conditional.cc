#include <algorithm>

#include "base/text/text.h"
#include "run/steps/behaviour.h"
#include "run/walk/condition.h"
#include "run/walk/walk_moves.h"

namespace baton::run {
namespace {

using workflow::Conditional;
using workflow::Step;

Known<void> visit(WalkMoves& walk, const Step& step, Scripts& scripts) {
  const Boxed<json::Value>& condition = step.as<Conditional>()->condition;
  const bool is_true = condition && TRY(walk.evaluate(*condition, step, "condition", scripts));
  const auto block =
      std::ranges::find(step.blocks, is_true ? "then" : "else", &workflow::Block::name);
  if (block == step.blocks.end()) {
    walk.pass();
  } else {
    walk.enter(step, static_cast<std::size_t>(block - step.blocks.begin()));
  }
  return {};
}

std::string block_condition(const Step& step, std::string_view block) {
  const Boxed<json::Value>& condition = step.as<Conditional>()->condition;
  const std::string text = condition ? condition_text(*condition) : step.id;
  return block == "else" ? cat("not (", text, ')') : text;
}

}  // namespace

StepBehaviour behaviour_of(std::type_identity<Conditional>) {
  return {.visit = visit,
          .condition = [](const Step& step) { return step.as<Conditional>()->condition.get(); },
          .block_condition = block_condition};
}

}  // namespace baton::run
