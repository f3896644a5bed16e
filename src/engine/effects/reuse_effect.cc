#include "engine/effects/reuse_effect.h"

#include "base/text/text.h"
#include "engine/effects/read_effects.h"
#include "engine/load/load.h"

namespace baton::engine {
namespace {

/// What an agent sent for a step, as the commit of its report has it.
Result<run::StepInput> sent_output(const LoadContext& loading, const NodeId& report) {
  run::StepInput out;
  const run::NodeRow node = TRY(load_node(loading, report));
  for (const run::Event& event : TRY(load_events(loading, node.no.commit()))) {
    if (const auto* part = std::get_if<run::NodeOutputAppended>(&event)) {
      if (const auto* notes = std::get_if<run::Notes>(&part->payload)) {
        out.notes = notes->markdown;
      } else {
        out.artifacts.push_back(std::get<run::Artifact>(part->payload).content);
      }
    } else if (const auto* set = std::get_if<run::ContextSet>(&event)) {
      out.context = set->delta;
    }
  }
  return out;
}

}  // namespace

Result<Submission> reused_result(const ReadContext& reading, const run::NodeState& state) {
  const run::EffectReused& reuse = *state.reuse;
  run::EffectReceipt receipt;
  {
    const HeldEffects held = TRY(read_effects(reading, state.session));
    const run::EffectReceipt* found = held->ledger.find(reuse.from, reuse.step);
    if (found == nullptr) {
      return fail(Code::STORAGE_CORRUPTION_DETECTED,
                  cat(reuse.node.text(),
                      " takes the result of an effect that the log does not "
                      "have"));
    }
    receipt = *found;
  }
  std::string problem;
  if (!receipt.is_reusable()) problem = "the effect whose result was to be taken was undone since";
  Submission out;
  if (receipt.by == run::EffectBy::server) {
    run::ProcessReport& report = out.input.process.emplace();
    report.result.end = receipt.end.value_or(run::ProcessEnd::unknown);
    report.result.code = static_cast<int>(receipt.code);
    report.result.output = receipt.output.value_or("");
    report.problem = std::move(problem);
  } else if (problem.empty()) {
    out.input = TRY(sent_output(reading, reuse.from));
  } else {
    out.input.failure = run::StepFailure{"effect", std::move(problem)};
  }
  out.input.is_reused = true;
  return out;
}

}  // namespace baton::engine
