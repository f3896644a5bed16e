#pragma once
// What the atomic tools say to agents.

#include <string>
#include <string_view>

#include "run/log/types.h"
#include "surface/prompts/prompts.h"
#include "surface/words.h"

namespace baton::surface::atomic {

/// A next move.
std::string say(const NextMove& next);

/// What the prompt `workflow` says.
const prompts::PromptWords& prompt_words();

/// How an agent behaves in a mode, for one that begins or returns.
std::string_view mode_text(run::Autonomy autonomy);

/// How an agent begins, for the answer to `initialize`.
std::string_view instructions();

/// What a sub-agent does with its task, unless the workflow says otherwise.
std::string_view sub_agent_prompt();

}  // namespace baton::surface::atomic
