#include "run/judge.h"

namespace baton::run {

Result<Judgement> judge(const Judging& judging) {
  Judgement judgement;
  if (judging.input.artifacts.empty()) return judgement;
  Signals signals = read_artifacts(judging.input.artifacts);
  TRY(check_artifacts(signals));
  judgement.loop_controls = std::move(signals.loop_controls);
  return judgement;
}

}  // namespace baton::run
