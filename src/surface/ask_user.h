#pragma once
// Asking the user through the client: where a client shows forms, a user_input step is answered in
// the call that reached it, and the agent gets the step after it. Values; any thread.

#include <optional>
#include <variant>

#include "protocol/call.h"
#include "run/decide/submission.h"
#include "run/show/reply.h"

namespace baton::surface {

/// A question that is still to be asked, or what the user answered. Neither: the step is the
/// agent's, because it asks nothing, the client shows no forms, this mode does not ask the user,
/// or the user did not want to answer there.
struct UserAnswer {
  std::optional<protocol::NeedInput> question = {};
  std::optional<run::StepInput> answer = {};
};
UserAnswer ask_user(const protocol::Call& call, const run::Reply& reply);

}  // namespace baton::surface
