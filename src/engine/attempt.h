#pragma once
// One attempt at a place of a run: settling an open step, or a checkpoint. An attempt has one
// outcome; making it again gets the recorded answer. Where a surface forks, the node, the step and
// the input say which attempt a call means, and the count of its place does not: the same input
// gets its recorded answer, and another one is the next attempt. Code that has a node makes an
// attempt at it; tokens are opened and signed by surfaces (surface/tokens.h).

#include "engine/place.h"

namespace baton::engine {

/// What is submitted, and where it comes from.
struct Submission {
  run::StepInput input;
  run::ChangeSource source = {};
  // Of an advance. A checkpoint settles no step, so another one always gets the notice.
  run::OtherInput other = run::OtherInput::notice;
  std::optional<run::GateWord> asked = {};  // what a form came back with; `asked` at most
  bool is_owners = false;    // a setting of the run's owner, which a hold lets through
  bool client_asks = false;  // the caller's client can show its user a form
};

/// How an attempt came out.
struct Outcome {
  enum class Kind : std::uint8_t {
    recorded,     // it changed the run
    replayed,     // the recorded answer; nothing was changed
    commanded,    // the server runs the command of this step, which no caller settles
    needs_tasks,  // sub-agents settle this step; there is no answer yet
  };
  Kind kind = Kind::recorded;
  NodeAnswer answer = {};
};

/// TOKEN_REVOKED, TOKEN_UNKNOWN_NODE: the place is not one any more. INVALID_INPUT also when the
/// run was ended while the server ran a command of it; then nothing is recorded.
Result<Outcome> attempt(Engine& engine, Place place, const Submission& submission);

}  // namespace baton::engine
