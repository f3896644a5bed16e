#pragma once
// What the rail says to agents, in the words of its tools.

#include <string>
#include <string_view>

#include "run/show/reply.h"
#include "surface/prompts/prompts.h"
#include "surface/tokens.h"
#include "surface/words.h"

namespace baton::surface::rail {

/// A next move.
std::string say(const NextMove& next);

/// What the prompt `workflow` says.
const prompts::PromptWords& prompt_words();

/// The argument that a token is sent in.
std::string_view argument_of(run::TokenKind kind);

/// How an agent behaves in a mode, for one that begins or returns.
std::string_view mode_text(run::Autonomy autonomy);

/// How an agent begins, for the answer to `initialize`.
std::string_view instructions();

/// What the reply of a fork begins with. `state_token` leads back to the branch left behind.
std::string fork_text(const run::LeftBranch& left, std::string_view state_token);

/// That an attempt was recorded with another output. It names the step, so that a caller with a
/// wrong token sees it.
std::string notice_text(const Notice& notice);

/// How a command of the branch left behind ended, in a few words.
std::string outcome_text(const run::StartedCommand& command);

/// What the pending step asks for. Of a step that sub-agents do: how to start them, and their
/// tasks.
std::string prompt_text(const run::Reply& reply);

}  // namespace baton::surface::rail
