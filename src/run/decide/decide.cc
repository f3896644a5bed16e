#include "run/decide/decide.h"

#include "run/decide/advance.h"
#include "run/decide/start.h"
#include "run/decide/start_task.h"

namespace baton::run {

Result<std::variant<NeedDraw, NeedAnswers, NeedProbes, NeedEffects, Decided>> Decider::next() {
  if (work_ == nullptr) return NeedDraw{};
  auto decided = work_->go(answers_, looks_);
  while (!is_not_yet(decided)) {
    if (decided) return *std::move(decided);
    const Error* error = decided.error().if_error();
    auto instead = work_->after(*error);
    if (instead == nullptr) return std::unexpected(*error);
    work_ = std::move(instead);
    answers_ = {};
    looks_ = {};
    decided = work_->go(answers_, looks_);
  }
  if (answers_.is_lacking()) return NeedAnswers{answers_.asked()};
  if (looks_.asked_step()) return NeedEffects{*looks_.asked_step()};
  ASSERT(looks_.is_lacking());
  return NeedProbes{looks_.workspace(), looks_.asked(), work_->may_run()};
}

void Decider::supply(const FreshValues& draw) {
  if (auto* start = std::get_if<StartCommand>(&command_)) {
    work_ = std::make_unique<StartDecision>(std::move(*start), draw);
  } else if (auto* task = std::get_if<TaskCommand>(&command_)) {
    work_ = std::make_unique<StartTaskDecision>(std::move(*task), draw);
  } else {
    work_ = std::make_unique<AdvanceDecision>(std::move(std::get<AdvanceCommand>(command_)), draw);
  }
}

}  // namespace baton::run
