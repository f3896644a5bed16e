#include "engine/commands/server_steps.h"
#include "surface/arguments.h"
#include "surface/ask_user.h"
#include "surface/rail/encode.h"
#include "surface/rail/tools.h"
#include "surface/tokens.h"
#include "surface/waiting.h"

namespace baton::surface::rail {
namespace {

std::unexpected<Error> unclear(std::string message, std::string hint) {
  return fail(Code::INVALID_INPUT, std::move(message), std::move(hint));
}

Result<SignedReply> call_continue_workflow(const EngineSource& source,
                                           const protocol::ToolCall& call) {
  engine::Engine& engine = *TRY(source());
  if (const auto node = awaited_node(call)) {
    return sign(engine.reading(), {call.principal},
                TRY(engine::run_server_steps_at(engine, *node, wait_policy_of(call))));
  }
  const auto ack = text_argument(call.arguments, "ackToken");
  const auto state = text_argument(call.arguments, "stateToken");
  const auto intent = text_argument(call.arguments, "intent");
  if (ack && intent != "rehydrate") {
    return advance(engine, {call.principal},
                   {.token = *ack,
                    .state_token = state,
                    .input = input_arguments(call.arguments),
                    .wait = wait_policy_of(call),
                    .tool = "continue_workflow"});
  }
  if (ack) {
    return unclear("intent \"rehydrate\" takes no ackToken; nothing was recorded",
                   "leave out the ackToken to get the step again, or the intent to advance");
  }
  if (intent == "advance") {
    return unclear("intent \"advance\" needs the ackToken of the pending step",
                   "send the ackToken from the reply that gave you the step");
  }
  if (!state) {
    return unclear("neither an ackToken nor a stateToken was sent",
                   "send the ackToken to advance, or only the stateToken to get the step again");
  }
  for (const std::string_view key : {"output", "context", "preferences"}) {
    if (call.arguments.contains(key)) {
      return unclear(
          "output, context or preferences can be recorded only with an ackToken, and none "
          "was sent",
          "send the ackToken too, or only the stateToken");
    }
  }
  return rehydrate(engine.reading(), {call.principal}, *state);
}

/// A question to the user that comes next is asked through the client, if that is possible.
protocol::ToolAnswer advance_and_ask(const EngineSource& engine, const protocol::ToolCall& call) {
  auto reply = call_continue_workflow(engine, call);
  const bool is_advance = call.arguments.contains("ackToken");
  while (reply && is_advance && reply->ack_token) {
    UserAnswer asked = ask_user(call, reply->reply);
    if (asked.question) return *std::move(asked.question);
    if (!asked.answer) break;
    const auto opened = engine();
    if (!opened) return encode(std::unexpected(opened.error()));
    reply = advance(**opened, {call.principal},
                    {.token = *reply->ack_token,
                     .state_token = {},
                     .input = *std::move(asked.answer),
                     .wait = wait_policy_of(call)});
  }
  return encode(reply);
}

}  // namespace

protocol::Tool continue_workflow(const EngineSource& engine) {
  return {
      .name = "continue_workflow",
      .title = "Continue a workflow",
      .description =
          "Use this when the pending step is done, to record it and get the next one: send its "
          "ackToken and your output. Sending the same ackToken again is safe and returns the "
          "recorded answer. With only a stateToken it writes nothing and returns the pending "
          "step and tokens of that node again: use that after a rewound, compacted or lost chat. "
          "Advancing from an older node starts a new branch; nothing is lost.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,"properties":{
        "ackToken":{"type":"string","description":"Token (ack1...) of the step that is done."},
        "stateToken":{"type":"string",
          "description":"Token (st1...) of a node. If you send only it, nothing is recorded."},
        "intent":{"type":"string","enum":["advance","rehydrate"],
          "description":"Optional: Baton derives it from the tokens sent."},
        "output":{"type":"object","additionalProperties":false,
          "description":"The result of the step.","properties":{
          "notesMarkdown":{"type":"string",
            "description":"What you did and found in this step only, in Markdown."},
          "artifacts":{"type":"array","description":"Structured results. Baton acts on the kinds )"
                             R"(baton.loop_control {decision}, baton.capability_observation )"
                             R"({capability, status, provenance}, baton.divergence {reason, )"
                             R"(summary}, baton.gap_resolution {gapId, summary}, )"
                             R"(baton.assessment {assessmentId, dimensions} and )"
                             R"(baton.user_dependency {need, summary, answer?}: what only the )"
                             R"(user can give, open until answered; baton.result {value}: )"
                             R"(the result of the step; baton.step_failure {message}: the step )"
                             R"(could not be done.",
            "items":{"type":"object","description":"One result, with a kind."}}}},
        "context":{"type":"object",
          "description":"Facts to add or change, by name; null removes one."},
        "preferences":{"type":"object","additionalProperties":false,
          "description":"How far to go without the user, from now on.","properties":{
          "autonomy":{"type":"string","description":"When to stop for the user.",
            "enum":["guided","full_auto_stop_on_user_deps","full_auto_never_stop"]},
          "riskPolicy":{"type":"string","description":"How much risk to take.",
            "enum":["conservative","balanced","aggressive"]}}}}})"),
      .output_schema = reply_schema(),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .task = protocol::TaskMode::when_slow,
      .handler = [engine](const protocol::ToolCall& call) { return advance_and_ask(engine, call); },
  };
}

}  // namespace baton::surface::rail
