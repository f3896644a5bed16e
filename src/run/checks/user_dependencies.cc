#include "run/checks/user_dependencies.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "run/checks/slots.h"

namespace baton::run {
namespace {

constexpr std::string_view choice_texts[] = {
    "a trade-off that depends on what the user prefers", "what is in scope and what is left out",
    "something that cannot be undone", "something that others outside this project will notice",
    "something that a policy or a law regulates"};

std::string_view text_of(UserChoice choice) { return choice_texts[std::to_underlying(choice)]; }

std::string need_text(Reason need) {
  switch (need) {
    case Reason::needs_user_secret_or_token: return "a secret or token of the user is needed";
    case Reason::needs_user_account_access: return "access to an account of the user is needed";
    case Reason::needs_user_artifact: return "something that only the user has is needed";
    case Reason::needs_user_approval: return "the user's approval is needed";
    case Reason::needs_user_environment_action:
      return "the user must do something in their environment";
    default: return "the user must choose";
  }
}

}  // namespace

std::optional<UserChoice> choice_of(const workflow::Step& step) {
  const auto* prompt = step.as<workflow::PromptStep>();
  if (prompt == nullptr || !prompt->user_choice) return std::nullopt;
  return from_name<UserChoice>(*prompt->user_choice);
}

Result<void> check_user_needs(const workflow::Step& step,
                              const std::vector<UserDependency>& dependencies) {
  const bool asks_for_choice = std::ranges::any_of(dependencies, [](const UserDependency& each) {
    return each.need == Reason::needs_user_choice && each.answer.empty();
  });
  if (!asks_for_choice || choice_of(step)) return {};
  return fail(Code::INVALID_INPUT,
              cat("the step \"", step.id,
                  "\" leaves its choices to you, but you sent needs_user_choice; "
                  "nothing was recorded"),
              "decide, say in the notes what you assumed and why, and send the call again without "
              "that artifact");
}

std::vector<Finding> open_user_needs(const workflow::Step& step, std::string_view step_key,
                                     const std::vector<UserDependency>& dependencies) {
  std::vector<Finding> out;
  bool is_chosen = false;
  bool is_asked = false;
  for (const UserDependency& each : dependencies) {
    if (each.need == Reason::needs_user_choice) (each.answer.empty() ? is_asked : is_chosen) = true;
    if (!each.answer.empty()) continue;
    out.push_back({each.need,
                   {PointerKind::workflow_step, std::string(step_key)},
                   cat(need_text(each.need), ": ", each.summary),
                   "Tell the user what is needed and wait. Then send the whole output again, with "
                   "the user's answer in the \"answer\" of the artifact."});
  }
  const auto choice = choice_of(step);
  if (!choice || is_chosen || is_asked) return out;
  out.push_back({Reason::needs_user_choice,
                 {PointerKind::workflow_step, std::string(step_key)},
                 cat("the step leaves a choice to the user (", name_of(*choice), ": ",
                     text_of(*choice), "), and no answer from the user was sent"),
                 cat("Ask the user, then send the whole output again with ",
                     json::print(example_answer(step)), " as an artifact.")});
  return out;
}

std::string describe_user_choice(const workflow::Step& step, const Preferences& preferences) {
  const auto choice = choice_of(step);
  if (!choice) return {};
  const std::string out =
      cat("An artifact of kind baton.user_dependency: the step has a choice "
          "that only the user can make (",
          name_of(*choice), ": ", text_of(*choice), "). ");
  if (preferences.autonomy == Autonomy::full_auto_never_stop) {
    return out +
           "In this mode the user is not asked: without an answer take the safest choice; say in "
           "the notes what you assumed; it is recorded as a gap.";
  }
  return out + "Ask the user; do not assume the answer. Leave out \"answer\" until there is one.";
}

json::Value example_answer(const workflow::Step& step) {
  json::Value example = example_of("user_dependency");
  const auto choice = choice_of(step);
  if (choice) {
    example.if_object()->set("need", name_of(Reason::needs_user_choice));
    example.if_object()->set("summary", slot(cat("what was asked: ", text_of(*choice))));
  }
  return example;
}

}  // namespace baton::run
