#pragma once
// A gate that the path has for the open step, with what was said at it. An output that comes again
// is the same question: what decided it then decides it now, whatever came between. Values.

#include <span>
#include <vector>

#include "run/log/gate_events.h"

namespace baton::run {

struct HeardGate {
  Gate gate;
  std::vector<GateWord> words;  // in order; those whose seals are not genuine are left out
};

/// Whether a gate of that kind is about what an agent sent, which may be sent again. A gate that
/// opens before its step begins asks anew each time the step is tried.
constexpr bool is_about_output(GateKind kind) {
  return kind == GateKind::confirmation || kind == GateKind::question || kind == GateKind::step ||
         kind == GateKind::raise;
}

/// Whether both ask the same of the same output.
bool asks_the_same(const Gate& gate, const Gate& other);

/// The words of the first of these gates, which are oldest first, that decided what `gate` asks.
/// An approval at a gate that has expired decides nothing; a refusal does.
std::vector<GateWord> words_before(std::span<const HeardGate> heard, const Gate& gate, WallMs now);

}  // namespace baton::run
