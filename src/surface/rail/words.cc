#include "surface/rail/words.h"

#include "base/text/text.h"
#include "run/steps/parallel_foreach.h"

namespace baton::surface::rail {
namespace {

constexpr std::string_view sub_agent_prompt =
    "You are a sub-agent of a workflow and do one task of it, to its end.\n"
    "\n"
    "1. Call start_workflow with the workflowId that you were given.\n"
    "2. Do the pending step exactly as it says, with your own tools.\n"
    "3. Call continue_workflow with the step's ackToken and what you did in output.notesMarkdown.\n"
    "4. Repeat 2 and 3 until isComplete is true. Then report in one sentence, and stop.\n"
    "\n"
    "The steps say everything there is to do: decide nothing yourself, and do not touch what "
    "belongs to other tasks. It is safe to send the same call twice.";

std::string tasks_text(const run::Reply& reply) {
  const run::TaskStep step = run::task_step(*reply.pending);
  std::string out =
      cat("Sub-agents do this step: ", step.total, step.total == 1 ? " task" : " tasks",
          ", at most ", step.max_parallel,
          " at the same time. Start a sub-agent for each of the tasks below "
          "and give it the task's id and context and the instructions that follow. It begins with "
          "start_workflow {\"workflowId\":\"",
          reply.run.text(), "/<task id>\"} and continues with the tokens that it gets.\n\n",
          step.prompt.value_or(std::string(sub_agent_prompt)), "\n\nTasks:\n", step.list);
  return out + (step.wait_for_all
                    ? "\nWhen the last one is done, the run continues by itself: then send this "
                      "step's ackToken.\n"
                    : "\nSend this step's ackToken when enough of them are done; those still open "
                      "are abandoned.\n");
}

}  // namespace

std::string say(const NextMove& next) {
  switch (next.kind) {
    case Move::list_workflows: return "call list_workflows and copy a workflowId";
    case Move::start_run: return "call start_workflow to start a new run";
    case Move::start_again: return cat("call start_workflow again: ", next.value);
    case Move::give_inputs: return "call start_workflow again with these names in context";
    case Move::resend:
      return next.value.empty()
                 ? "fix it and send the call again with the same ackToken"
                 : cat("send the call again with the same ackToken and, for example, ", next.value);
    case Move::look_again:
      return "call continue_workflow with only the stateToken to see where the run is";
    case Move::ask_next_step:
    case Move::send_open_step:
      return "call continue_workflow with only the stateToken: it shows the open step";
    case Move::end_run: return "nothing is left to do in this run";
    case Move::complete_or_end:
      return "do the open step and call continue_workflow with its ackToken";
    case Move::send_latest_token:
      return "send the token from the latest reply; if it is lost, call resume_session to find the "
             "run";
    case Move::send_run_id:
    case Move::list_runs: return "call resume_session to find the run";
    case Move::send_task_id:
      return "send workflowId \"<run id>/<task id>\", both exactly as the step gave them";
    default: return ask_owner(next);
  }
}

std::string_view argument_of(run::TokenKind kind) {
  switch (kind) {
    case run::TokenKind::state: return "stateToken";
    case run::TokenKind::ack: return "ackToken";
    case run::TokenKind::checkpoint: return "checkpointToken";
    case run::TokenKind::step: break;
  }
  return plain_token_name(kind);
}

std::string outcome_text(const run::StartedCommand& command) {
  using enum run::ProcessEnd;
  if (!command.end) return "its result is not recorded yet";
  switch (*command.end) {
    case exited: return cat("exit code ", command.code);
    case signalled: return cat("ended by signal ", command.code);
    case timed_out: return "stopped: its time was up";
    case stopped: return "stopped by the server";
    case unknown: return "its result is unknown";
    case not_found:
    case not_started: break;
  }
  return "not started";
}

std::string fork_text(const run::LeftBranch& left, std::string_view state_token) {
  std::string out =
      left.step.empty()
          ? std::string(
                "New branch: the run has continued from this node, so this checkpoint began "
                "a new branch at it.")
          : cat("New branch: the step \"", left.step,
                "\" is settled on another branch, so this output is on a new branch that begins at "
                "that step. If it was for another step, send it again with the ackToken of that "
                "step.");
  std::string commands;
  for (const run::StartedCommand& each : left.commands) {
    commands += cat(commands.empty() ? "" : ", ", each.step, " (", outcome_text(each),
                    each.is_undone ? ", undone since)" : ")");
  }
  if (left.commands_omitted > 0) commands += cat(" and ", left.commands_omitted, " more");
  out += commands.empty() ? std::string(" The server ran no command on the branch left behind")
                          : cat(" On the branch left behind the server ran ", commands,
                                "; Baton does not undo what they did");
  if (!left.reported.empty()) {
    out += ". Its agent reported that it changed something outside at";
    for (const std::string& step : left.reported) {
      out += cat(&step == &left.reported.front() ? " " : ", ", step);
    }
    if (left.reported_omitted > 0) out += cat(" and ", left.reported_omitted, " more");
  }
  if (left.nodes_unread > 0) {
    out += cat(" (its ", left.nodes_unread, " oldest nodes were not searched)");
  }
  return cat(out, ". To return to that branch, call continue_workflow with only stateToken ",
             state_token, ".\n\n");
}

std::string notice_text(const Notice& notice) {
  if (notice.kind == run::AttemptKind::checkpoint) {
    return "This checkpointToken already saved another output; the recorded answer is above and "
           "nothing was changed. To save the new output, send it again with the token of this "
           "notice.";
  }
  return cat("This ackToken belongs to the step \"", notice.step,
             "\", which was already recorded with another output; the recorded answer is above and "
             "nothing was changed. If the new output is for another step, send it again with the "
             "ackToken of that step. To record it for this step as a fork, send it again with the "
             "ackToken of this notice.");
}

std::string prompt_text(const run::Reply& reply) {
  return run::is_task_step(*reply.pending) ? tasks_text(reply) : reply.pending->prompt;
}

const prompts::PromptWords& prompt_words() {
  static constexpr prompts::PromptWords words = {
      "inspect_workflow {workflowId}", "start_workflow {workflowId, context, goal}",
      "resume_session {query: the id}, then continue_workflow with only the stateToken",
      "resume_session {query: the id}, then continue_workflow with only the stateToken",
      "1. Do exactly what the pending step asks, with your own tools, and nothing beyond it.\n"
      "2. Call continue_workflow with the step's ackToken and your notes.\n"
      "3. When the answer is blocked, fix what its blockers say and send retryAckToken.\n"
      "4. When nextIntent is await_user_confirmation, ask me before you continue.\n"
      "5. Repeat until isComplete is true, then tell me the result.\n"
      "When your context is nearly full, call checkpoint_workflow with what must not be lost.\n"};
  return words;
}

std::string_view mode_text(run::Autonomy autonomy) {
  switch (autonomy) {
    case run::Autonomy::guided: break;
    case run::Autonomy::full_auto_stop_on_user_deps:
      return "Mode full_auto_stop_on_user_deps: work on without asking. Where a step wants "
             "agreement, decide in the user's place and disclose it in a baton.assumption "
             "artifact. Stop only for what the user alone can give.";
    case run::Autonomy::full_auto_never_stop:
      return "Mode full_auto_never_stop: you are agent and user. Do not ask and do not wait: "
             "assume, derive or skip, and disclose each of these in a baton.assumption artifact. "
             "A step's own gate still waits for a person.";
  }
  return "Mode guided: the user decides. Ask before you send what needs agreement, pass questions "
         "on as they are, and answer nothing in the user's place.";
}

std::string_view instructions() {
  return "Baton keeps long work on track. It has workflows (reviewed procedures), gives you one "
         "step at a time, and records what you did, so that a crash, a rewind or a new chat loses "
         "nothing.\n"
         "\n"
         "How to begin:\n"
         "1. list_workflows shows the workflows. If one fits the user's request, use it instead of "
         "improvising.\n"
         "2. start_workflow {workflowId, goal} returns the first step (pending.prompt) and an "
         "ackToken.\n"
         "3. Do exactly what the step asks, with your own tools. A workflow is the user speaking: "
         "a step counts as much as a message of the user.\n"
         "4. continue_workflow {ackToken, output: {notesMarkdown}} records your notes and returns "
         "the next step with a new ackToken. Repeat until isComplete is true. Every reply has "
         "nextCall: the next call, and in `missing` what you fill in.\n"
         "\n"
         "Rules:\n"
         "- Copy tokens exactly as given. They are short, and each names one node of one run.\n"
         "- Send an ackToken only after the step is really done. Sending the same call again is "
         "safe: you get the recorded reply, and nothing happens twice.\n"
         "- After a rewind, a lost chat or any doubt, send the last token you have: "
         "continue_workflow {stateToken} shows where you are and changes nothing. An older "
         "ackToken with another output starts a new branch; the reply begins with \"New branch\" "
         "and tells you how to return to the old one, which is kept.\n"
         "- No token left? resume_session {query} finds the run.\n"
         "- kind \"blocked\" means the step stays open: read blockers, fix what they name, and "
         "send "
         "retryAckToken.\n"
         "- An error's message says what to change. A refused call changes nothing.\n"
         "- Good notes say what you did and found in this step only, so that a new chat could "
         "continue from them: facts, decisions, files, what is open. Not \"done\".\n"
         "- nextIntent: perform_pending_then_continue: do the step. await_user_confirmation: ask "
         "the user before you continue. rehydrate_only: no step for you here, send nextCall as it "
         "is. complete: tell the user the result.\n";
}

}  // namespace baton::surface::rail
