#include "engine/commands/server_steps.h"
#include "surface/arguments.h"
#include "surface/ask_user.h"
#include "surface/rail/encode.h"
#include "surface/rail/tools.h"
#include "surface/rail/words.h"
#include "surface/tokens.h"
#include "surface/waiting.h"

namespace baton::surface::rail {
namespace {

std::unexpected<Error> unclear(std::string message, std::string hint) {
  return fail(Code::INVALID_INPUT, std::move(message), std::move(hint));
}

AttemptRequest request_of(const protocol::ToolCall& call, const std::string& ack) {
  return {.token = ack,
          .state_token = text_argument(call.arguments, "stateToken"),
          .input = input_arguments(call.arguments),
          .wait = wait_policy_of(call),
          .tool = "continue_workflow",
          .other = run::OtherInput::fork,
          .names = argument_of};
}

Result<SignedReply> call_continue_workflow(const EngineSource& source,
                                           const protocol::ToolCall& call) {
  engine::Engine& engine = *TRY(source());
  if (const auto node = awaited_node(call)) {
    return sign(engine.reading(), principal_of(call),
                TRY(engine::run_server_steps_at(engine, *node, wait_policy_of(call))));
  }
  const auto ack = text_argument(call.arguments, "ackToken");
  const auto state = text_argument(call.arguments, "stateToken");
  const auto intent = text_argument(call.arguments, "intent");
  if (ack && intent != "rehydrate") {
    return advance(engine, principal_of(call), request_of(call, *ack));
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
  return rehydrate(engine.reading(), principal_of(call), *state, engine::RecoveryDetail::told,
                   argument_of);
}

/// The reply of the last call, with what the one before said of a fork.
SignedReply with_fork_of(const SignedReply& before, SignedReply after) {
  if (after.reply.left) return after;
  after.reply.left = before.reply.left;
  after.left_token = before.left_token;
  return after;
}

/// What is sent next for a run whose user was asked: nothing to do before the gate of a step, the
/// output that waits, or the answer to a question.
struct NextSend {
  std::string warning = {};  // that the user's answer came too late
  std::optional<protocol::NeedInput> question = {};
  std::optional<AttemptRequest> request = {};
};

Result<NextSend> ask(engine::Engine& engine, const protocol::ToolCall& call,
                     const SignedReply& reply, const AttemptRequest& last) {
  AttemptRequest next{.token = *reply.ack_token,
                      .state_token = {},
                      .input = {},
                      .wait = wait_policy_of(call),
                      .other = run::OtherInput::notice};
  if (reply.reply.gate) {
    AskedGate asked = TRY(decide_gate(engine, call, reply.reply));
    if (asked.question) return NextSend{.question = std::move(asked.question)};
    if (!asked.decided) return NextSend{};
    const bool is_blocked = reply.reply.kind == run::ReplyKind::blocked;
    return NextSend{.warning = std::move(asked.warning),
                    .request = is_blocked ? last : std::move(next)};
  }
  UserAnswer asked = ask_user(call, reply.reply);
  if (asked.question) return NextSend{.question = std::move(asked.question)};
  if (!asked.answer) return NextSend{};
  next.input = *std::move(asked.answer);
  next.asked = std::move(asked.word);
  return NextSend{.request = std::move(next)};
}

/// A question to the user that comes next is asked through the client, if that is possible. A call
/// that is repeated asks the user again. Another answer then is not the agent's wish to begin a
/// branch.
protocol::ToolAnswer advance_and_ask(const EngineSource& engine, const protocol::ToolCall& call) {
  auto reply = call_continue_workflow(engine, call);
  const auto ack = text_argument(call.arguments, "ackToken");
  AttemptRequest last = request_of(call, ack.value_or(""));
  while (reply && ack && reply->ack_token && can_ask(call)) {
    const auto opened = engine();
    if (!opened) return encode(std::unexpected(opened.error()));
    auto next = ask(**opened, call, *reply, last);
    if (!next) return encode(std::unexpected(next.error()));
    if (next->question) return *std::move(next->question);
    if (!next->request) break;
    last = *std::move(next->request);
    auto after = advance(**opened, principal_of(call), last);
    // What is still blocked at the same gate is not asked again in this call.
    const bool stays = after && reply->reply.gate && after->reply.gate &&
                       after->reply.gate->node == reply->reply.gate->node;
    reply = after ? with_fork_of(*reply, *std::move(after)) : std::move(after);
    if (reply && !next->warning.empty()) reply->reply.warnings.push_back(std::move(next->warning));
    if (stays) break;
  }
  const bool is_new = !ack || call.arguments.contains("preferences");
  return encode(reply, is_new ? ModeWords::told : ModeWords::left_out);
}

}  // namespace

protocol::Tool continue_workflow(const EngineSource& engine) {
  return {
      .name = "continue_workflow",
      .title = "Continue a workflow",
      .description =
          "Use this when the pending step is done, to record it and get the next one: send its "
          "ackToken and your output. The same call again is safe and returns the recorded answer. "
          "With only a stateToken it writes nothing and shows that node again: use that after a "
          "rewound, compacted or lost chat. An ackToken of a settled step with another output "
          "starts a new branch; the reply says so first, and nothing is lost. nextIntent says what "
          "is next: perform_pending_then_continue: do the step, then send nextCall with its "
          "`missing` filled in; await_user_confirmation: ask the user before you send it; "
          "rehydrate_only: no step for you here, send nextCall as it is; complete: tell the user.",
      .input_schema =
          schema(R"({"type":"object","additionalProperties":false,"properties":{
        "ackToken":{"type":"string","description":"Token (ack1...) of the step that is done."},
        "stateToken":{"type":"string",
          "description":"Token (st1...) of a node. If you send only it, nothing is recorded."},
        "intent":{"type":"string","enum":["advance","rehydrate"],
          "description":"Optional: Baton derives it from the tokens sent."},
        "output":{"type":"object","additionalProperties":false,
          "description":"The result of the step.","properties":{
          "notesMarkdown":{"type":"string",
            "description":"What you did and found in this step only: facts, decisions, files, )"
                 R"(open questions. Right: \"Fixed the bound in a.cc:12; 14 tests pass.\" )"
                 R"(Wrong: \"Done.\", or earlier notes again."},
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
            "enum":["conservative","balanced","aggressive"]}}},
        "tokensUsed":{"type":"integer","minimum":0,
          "description":"Tokens used for this step, if known."}}})"),
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
