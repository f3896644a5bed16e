#include "surface/rail/encode.h"

#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "run/checks/slots.h"
#include "run/decide/gates.h"
#include "run/steps/parallel_foreach.h"
#include "run/steps/shell_command.h"
#include "surface/arguments.h"
#include "surface/owner_words.h"
#include "surface/rail/encode_recovery.h"
#include "surface/rail/words.h"
#include "surface/waiting.h"

namespace baton::surface::rail {
namespace {

using json::Object;
using json::Value;

Value pending_json(const run::Reply& reply) {
  const run::Pending& pending = *reply.pending;
  Object out{{"stepId", pending.step_id},
             {"title", pending.title},
             {"prompt", prompt_text(reply)},
             {"requireConfirmation", pending.require_confirmation}};
  if (pending.agent_role) out.set("agentRole", *pending.agent_role);
  return out;
}

/// Whether a person decides before the step begins, so that there is nothing to tell of it.
bool waits_to_begin(const run::Reply& reply) {
  return reply.gate && run::opens_on_arrival(reply.gate->kind);
}

/// The arguments of the next call but for its token. What only the agent knows is a slot.
Object sample_of(const run::Reply& reply) {
  Object out;
  Object output;
  for (const json::Member& each : reply.example) {
    (each.key == run::context_key ? out : output).set(each.key, each.value);
  }
  if (!output.contains(run::notes_key) && !waits_to_begin(reply)) {
    output.set(run::notes_key, run::notes_placeholder);
  }
  if (!output.empty()) out.set("output", std::move(output));
  return out;
}

/// Whether the run has continued behind the step that is shown.
bool is_passed(const SignedReply& reply) {
  return reply.recovery && reply.recovery->is_passed && !reply.reply.is_complete();
}

/// The next call, and what is missing in it.
Object next_call(const SignedReply& reply) {
  if (is_passed(reply)) {
    return {{"tool", "continue_workflow"}, {"arguments", Object{{"stateToken", reply.tip_token}}}};
  }
  Object arguments{{"ackToken", *reply.ack_token}};
  json::Array missing;
  const bool is_task_step = reply.reply.pending && run::is_task_step(*reply.reply.pending);
  if (!is_waiting(reply.reply) && !is_task_step) {
    const Object sample = sample_of(reply.reply);
    for (const json::Member& each : sample) arguments.set(each.key, each.value);
    for (const run::Slot& each : run::slots_in(sample)) {
      missing.push_back(Object{{"argument", each.at}, {"what", each.what}});
    }
  }
  Object out{{"tool", "continue_workflow"}, {"arguments", std::move(arguments)}};
  if (!missing.empty()) out.set("missing", std::move(missing));
  return out;
}

Value blocker_json(const run::Blocker& blocker) {
  return Object{{"code", name_of(blocker.code)},
                {"pointer",
                 Object{{"kind", name_of(blocker.pointer.kind)}, {"value", blocker.pointer.value}}},
                {"message", blocker.message},
                {"suggestedFix", blocker.suggested_fix}};
}

Value gap_json(const run::Gap& gap) {
  return Object{{"gapId", gap.id},
                {"severity", name_of(gap.severity)},
                {"category", name_of(category_of(gap.reason))},
                {"reason", name_of(gap.reason)},
                {"summary", gap.summary},
                {"stepId", gap.step}};
}

/// What only some replies have.
void add_judgement(Object& out, const SignedReply& reply) {
  const run::Reply& told = reply.reply;
  if (told.kind == run::ReplyKind::blocked) {
    json::Array blockers;
    for (const run::Blocker& each : told.blockers) blockers.push_back(blocker_json(each));
    out.set("blockers", std::move(blockers));
    out.set("retryable", told.retryable);
    if (reply.ack_token) out.set("retryAckToken", *reply.ack_token);
  }
  add_gate(out, told);
  if (told.open_gaps > 0) {
    json::Array gaps;
    for (const run::Gap& each : told.gaps) gaps.push_back(gap_json(each));
    out.set("gaps", std::move(gaps));
    out.set("openGaps", told.open_gaps);
  }
  Object capabilities;
  for (const auto& [capability, known] : told.capabilities) {
    capabilities.set(name_of(capability), Object{{"status", name_of(known.status)},
                                                 {"provenance", name_of(known.provenance)}});
  }
  if (!capabilities.empty()) out.set("capabilities", std::move(capabilities));
  if (!told.step_context.empty()) out.set("stepContext", told.step_context);
  json::Array assumptions;
  for (const run::Assumption& each : told.assumptions) {
    assumptions.emplace_back(Object{{"stepId", each.step}, {"summary", each.summary}});
  }
  if (!assumptions.empty()) out.set("assumptions", std::move(assumptions));
}

void add_tokens(Object& out, const SignedReply& reply) {
  out.set("stateToken", reply.state_token);
  if (reply.ack_token) out.set("ackToken", *reply.ack_token);
  if (reply.checkpoint_token) out.set("checkpointToken", *reply.checkpoint_token);
}

/// What the token of a notice is sent as.
std::string_view token_name(const Notice& notice) {
  return argument_of(notice.kind == run::AttemptKind::checkpoint ? run::TokenKind::checkpoint
                                                                 : run::TokenKind::ack);
}

void add_notice(Object& out, const SignedReply& reply) {
  if (!reply.notice) return;
  out.set("notice", Object{{"message", notice_text(*reply.notice)},
                           {token_name(*reply.notice), reply.notice->ack_token}});
}

void add_fork(Object& out, const SignedReply& reply) {
  if (!reply.reply.left) return;
  const run::LeftBranch& left = *reply.reply.left;
  json::Array commands;
  for (const run::StartedCommand& each : left.commands) {
    Object command{{"stepId", each.step}, {"outcome", outcome_text(each)}};
    if (each.is_undone) command.set("undone", true);
    commands.push_back(std::move(command));
  }
  Object fork{{"stateToken", reply.left_token}, {"commands", std::move(commands)}};
  if (!left.step.empty()) fork.set("stepId", left.step);
  if (left.commands_omitted > 0) fork.set("commandsOmitted", left.commands_omitted);
  json::Array reported(left.reported.begin(), left.reported.end());
  if (!reported.empty()) fork.set("reported", std::move(reported));
  if (left.reported_omitted > 0) fork.set("reportedOmitted", left.reported_omitted);
  if (left.nodes_unread > 0) fork.set("nodesUnread", left.nodes_unread);
  out.set("fork", std::move(fork));
}

Value warnings_json(const std::vector<std::string>& warnings) {
  json::Array out;
  for (const std::string& warning : warnings) out.emplace_back(warning);
  return out;
}

Object reply_json(const SignedReply& reply) {
  Object out{{"kind", name_of(reply.reply.kind)}, {"status", name_of(reply.reply.status)}};
  add_tokens(out, reply);
  add_judgement(out, reply);
  if (reply.reply.pending) out.set("pending", pending_json(reply.reply));
  out.set("isComplete", reply.reply.is_complete());
  if (reply.is_silent) out.set("withoutOutput", true);
  out.set("nextIntent", name_of(reply.reply.next_intent));
  if (reply.ack_token) out.set("nextCall", next_call(reply));
  out.set("session",
          Object{{"sessionId", reply.reply.session.text()}, {"runId", reply.reply.run.text()}});
  out.set("preferences", Object{{"autonomy", name_of(reply.reply.preferences.autonomy)},
                                {"riskPolicy", name_of(reply.reply.preferences.risk_policy)}});
  out.set("warnings", warnings_json(reply.reply.warnings));
  add_notice(out, reply);
  add_fork(out, reply);
  if (reply.recovery) out.set("recovery", recovery_json(reply));
  return out;
}

std::string blocked_text(const SignedReply& signed_reply) {
  const run::Reply& reply = signed_reply.reply;
  if (reply.kind != run::ReplyKind::blocked) return {};
  std::string out =
      cat("The step did not pass", signed_reply.is_recorded
                                       ? ". Your output is recorded, but the step stays pending:\n"
                                       : ", and nothing was recorded:\n");
  for (const run::Blocker& each : reply.blockers) {
    out += cat("- ", name_of(each.code), " (", name_of(each.pointer.kind),
               each.pointer.value.empty() ? "" : " ", each.pointer.value, "): ", each.message,
               "\n  ", each.suggested_fix, '\n');
  }
  if (!reply.retryable) {
    out +=
        "You cannot fix all of this yourself: ask the user first, then send the ackToken below.\n";
  }
  if (reply.gate) out += gate_help(*reply.gate, reply.run);
  return out + '\n';
}

std::string known_text(const run::Reply& reply) {
  std::string out;
  if (reply.open_gaps > 0) {
    out += cat("Open gaps: ", reply.open_gaps, " (close one with the artifact ",
               json::print(run::example_of("gap_resolution")),
               reply.is_complete() ? " in the output of checkpoint_workflow" : "", ")\n");
  }
  for (const run::Gap& gap : reply.gaps) {
    out += cat("- ", gap.id, ", ", name_of(gap.severity), ", ", name_of(gap.reason), " at ",
               gap.step, ": ", gap.summary, '\n');
  }
  for (const auto& [capability, known] : reply.capabilities) {
    out += cat("Capability ", name_of(capability), ": ", name_of(known.status), " (",
               name_of(known.provenance), ")\n");
  }
  if (!reply.step_context.empty())
    out += cat("stepContext: ", json::print(reply.step_context), '\n');
  return out;
}

std::string tail_text(const SignedReply& reply) {
  std::string out =
      cat("stateToken: ", reply.state_token, " (returns this step and its tokens at any time)\n");
  if (reply.checkpoint_token) {
    out += cat("checkpointToken: ", *reply.checkpoint_token,
               reply.reply.is_complete()
                   ? " (for checkpoint_workflow, to close gaps)\n"
                   : " (for checkpoint_workflow, to save progress in the middle of the step)\n");
  }
  out += cat("session: ", reply.reply.session.text(), ", run: ", reply.reply.run.text(),
             ", autonomy: ", name_of(reply.reply.preferences.autonomy),
             ", riskPolicy: ", name_of(reply.reply.preferences.risk_policy), '\n');
  out += known_text(reply.reply);
  for (const std::string& warning : reply.reply.warnings) out += cat("Warning: ", warning, '\n');
  if (reply.recovery) out += recovery_text(reply);
  if (reply.notice) {
    out += cat("Notice: ", notice_text(*reply.notice), '\n', token_name(*reply.notice), ": ",
               reply.notice->ack_token, '\n');
  }
  return out;
}

std::string_view end_text(const SignedReply& reply) {
  if (reply.is_silent) {
    return "The workflow is complete, but without any output: no step has a note or an artifact. "
           "Tell the user.\n\n";
  }
  switch (reply.reply.status) {
    case run::RunStatus::complete_with_gaps:
      return "The workflow is complete, but critical gaps are open. Tell the user about them.\n\n";
    case run::RunStatus::failed: return "The run failed. No step is open.\n\n";
    case run::RunStatus::abandoned: return "The run was abandoned. No step is open.\n\n";
    default: return "The workflow is complete. There is nothing left to do.\n\n";
  }
}

std::string_view command_call_reason(run::CommandStatus status) {
  switch (status) {
    case run::CommandStatus::running: return "To wait until it ends";
    case run::CommandStatus::ended: return "To continue after it";
    case run::CommandStatus::unknown: return "To do the step yourself";
    case run::CommandStatus::held: return "When the user has resumed the run";
  }
  return {};
}

/// What was decided in the user's place, at the end of a run.
std::string assumptions_text(const run::Reply& reply) {
  if (reply.assumptions.empty()) return {};
  std::string out = "Decided in the user's place; tell the user:\n";
  for (const run::Assumption& each : reply.assumptions) {
    out += cat("- ", each.step, ": ", each.summary, '\n');
  }
  return out + '\n';
}

std::string branch_text(const SignedReply& reply) {
  return reply.reply.left ? fork_text(*reply.reply.left, reply.left_token) : std::string();
}

std::string reply_text(const SignedReply& reply) {
  if (!reply.reply.pending) {
    return cat(end_text(reply), assumptions_text(reply.reply), tail_text(reply));
  }
  std::string out = blocked_text(reply);
  const run::Pending& pending = *reply.reply.pending;
  out += cat("Step ", pending.step_id, ": ", pending.title, '\n');
  if (pending.agent_role) out += cat("Role: ", *pending.agent_role, '\n');
  out += cat('\n', prompt_text(reply.reply), "\n\n");
  if (const auto status = run::command_status_of(pending)) {
    return cat(out, command_call_reason(*status), ", call continue_workflow with ackToken ",
               *reply.ack_token, " only. (nextIntent: ", name_of(reply.reply.next_intent), ")\n",
               tail_text(reply));
  }
  if (waits_to_begin(reply.reply)) {
    return cat(out, "Once the user has answered, call continue_workflow with ackToken ",
               *reply.ack_token, ". (nextIntent: ", name_of(reply.reply.next_intent), ")\n",
               reply.reply.example.empty() ? std::string()
                                           : cat("What to send, each <fill in: ...> replaced: ",
                                                 json::print(sample_of(reply.reply)), '\n'),
               tail_text(reply));
  }
  if (run::is_task_step(pending)) {
    return cat(out, "Then call continue_workflow with ackToken ", *reply.ack_token,
               " only. (nextIntent: ", name_of(reply.reply.next_intent), ")\n", tail_text(reply));
  }
  if (is_passed(reply)) {
    return cat(out,
               "This step is done: to continue the run, call continue_workflow with only "
               "stateToken ",
               reply.tip_token, ". (nextIntent: ", name_of(reply.reply.next_intent),
               ")\nOnly to do it another way, on a new branch, send ackToken ", *reply.ack_token,
               ".\n", tail_text(reply));
  }
  if (pending.require_confirmation) out += cat(confirmation_words(reply.reply), '\n');
  out += cat("When the step is done, call continue_workflow with ackToken ", *reply.ack_token,
             " and what you did in output.notesMarkdown. (nextIntent: ",
             name_of(reply.reply.next_intent), ")\n");
  if (!reply.reply.example.empty()) {
    out += cat("What to send, each <fill in: ...> replaced: ", json::print(sample_of(reply.reply)),
               '\n');
  }
  return out + tail_text(reply);
}

}  // namespace

protocol::ToolResult encode(const Result<SignedReply>& reply, ModeWords mode) {
  if (!reply) return tool_error(reply.error(), say);
  Object out = reply_json(*reply);
  std::string text = branch_text(*reply);
  text += add_owner_words(out, reply->reply, reply->hold);
  // A sub-agent decides nothing, and a run that is over needs nothing decided.
  if (mode == ModeWords::told && reply->reply.pending && !reply->reply.task) {
    const std::string_view words = mode_text(reply->reply.preferences.autonomy);
    out.set("mode", words);
    text += cat(words, "\n\n");
  }
  text += reply_text(*reply);
  return to_be_awaited({.structured = std::move(out), .text = std::move(text)}, reply->reply);
}

protocol::ToolResult encode_checkpoint(const Result<SignedReply>& reply) {
  if (!reply) return tool_error(reply.error(), say);
  const std::string node =
      reply->reply.checkpoint_node ? reply->reply.checkpoint_node->text() : std::string();
  Object out{{"checkpointNodeId", node}};
  out.set("stateToken", reply->state_token);
  if (reply->checkpoint_token) out.set("checkpointToken", *reply->checkpoint_token);
  if (reply->ack_token) out.set("nextCall", next_call(*reply));
  add_notice(out, *reply);
  add_fork(out, *reply);
  std::string text = branch_text(*reply);
  text += add_owner_words(out, reply->reply);
  text += reply->ack_token
              ? cat("Progress is saved as ", node,
                    "; the step is still pending. Continue it, then call continue_workflow with "
                    "ackToken ",
                    *reply->ack_token, ".\n")
              : cat("Recorded as ", node, ". The run is ", name_of(reply->reply.status), ".\n");
  text += tail_text(*reply);
  return {.structured = std::move(out), .text = std::move(text), .is_error = false};
}

json::Value reply_schema() {
  return schema(cat(R"({"type":"object","properties":{)", owner_properties, R"(,
    "kind":{"type":"string","enum":["ok","blocked"]},
    "status":{"type":"string"},
    "stateToken":{"type":"string"},"ackToken":{"type":"string"},"checkpointToken":{"type":"string"},
    "blockers":{"type":"array","items":{"type":"object"}},"retryable":{"type":"boolean"},
)",
                    gate_property, R"(,
    "retryAckToken":{"type":"string"},"gaps":{"type":"array","items":{"type":"object"}},
    "openGaps":{"type":"integer"},"assumptions":{"type":"array","items":{"type":"object"}},
    "capabilities":{"type":"object"},"stepContext":{"type":"object"},
    "pending":{"type":"object","description":"The step to do now; absent when complete."},
    "isComplete":{"type":"boolean"},
    "withoutOutput":{"type":"boolean","description":"Complete, and no step has an output."},
    "nextIntent":{"type":"string"},
    "nextCall":{"type":"object","description":
      "The next call; `missing` names what is to be filled in. Absent when complete."},
    "session":{"type":"object","properties":{
      "sessionId":{"type":"string"},"runId":{"type":"string"}}},
    "preferences":{"type":"object","properties":{
      "autonomy":{"type":"string"},"riskPolicy":{"type":"string"}}},
    "mode":{"type":"string"},
    "warnings":{"type":"array","items":{"type":"string"}},
    "recovery":{"type":"object","description":
      "When you read a node: recap, children, preferredTip, raises, functions, references."},
    "fork":{"type":"object","description":
      "Of a new branch: stepId and stateToken of the old one, its commands and reported effects."},
    "notice":{"type":"object","properties":{
      "message":{"type":"string"},"ackToken":{"type":"string"}}}}})"));
}

json::Value start_schema() {
  return schema(R"({"type":"object","properties":{
    "stateToken":{"type":"string"},"ackToken":{"type":"string"},
    "pending":{"type":"object"},"nextCall":{"type":"object"},"isComplete":{"type":"boolean"}}})");
}

json::Value checkpoint_schema() {
  return schema(cat(R"({"type":"object","properties":{)", owner_properties, R"(,
    "checkpointNodeId":{"type":"string"},
    "stateToken":{"type":"string"},"checkpointToken":{"type":"string"},
    "nextCall":{"type":"object","description":"The next call; `missing` is to be filled in."},
    "fork":{"type":"object","description":
      "Of a new branch: stepId and stateToken of the old one, its commands and reported effects."},
    "notice":{"type":"object","properties":{
      "message":{"type":"string"},"checkpointToken":{"type":"string"}}}}})"));
}

}  // namespace baton::surface::rail
