#pragma once
// Asking the user through the client: where a client shows forms, a user_input step, a gate and the
// missing inputs of a start are answered in the call that came to them, and the agent gets what
// follows. Values; any thread.

#include <optional>
#include <string>

#include "engine/engine.h"
#include "protocol/call.h"
#include "run/decide/submission.h"
#include "run/show/reply.h"
#include "verbs/run/answer_gate.h"

namespace baton::surface {

/// Whether the client of a call shows its user forms.
bool can_ask(const protocol::Call& call);

/// A question that is still to be asked, or what the user answered. Neither: the step is the
/// agent's, because it asks nothing, the client shows no forms, this mode does not ask the user,
/// or the user did not want to answer there.
struct UserAnswer {
  std::optional<protocol::NeedInput> question = {};
  std::optional<run::StepInput> answer = {};
  std::optional<run::GateWord> word = {};  // that it is the user's
};
UserAnswer ask_user(const protocol::Call& call, const run::Reply& reply);

/// The same for the gate where a reply says that the run waits: asks, and records what the user
/// decided. Neither also where a form is not sure enough for the gate.
struct AskedGate {
  std::optional<protocol::NeedInput> question = {};
  bool decided = false;      // here or elsewhere: the output that waits can be sent again
  std::string warning = {};  // that the user's answer does not count, and why
};
Result<AskedGate> decide_gate(engine::Engine& engine, const protocol::Call& call,
                              const run::Reply& reply);

/// The inputs of a start, with those that were missing and that the user gave in a form.
struct AskedInputs {
  std::optional<protocol::NeedInput> question = {};
  json::Object inputs;
};
AskedInputs ask_inputs(engine::Engine& engine, const protocol::Call& call,
                       const std::string& workflow, json::Object given);

}  // namespace baton::surface
