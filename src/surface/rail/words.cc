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
    case Move::send_run_id:
    case Move::list_runs: return "call resume_session to find the run";
    case Move::send_task_id:
      return "send workflowId \"<run id>/<task id>\", both exactly as the step gave them";
    default: return ask_owner(next);
  }
}

std::string prompt_text(const run::Reply& reply) {
  return run::is_task_step(*reply.pending) ? tasks_text(reply) : reply.pending->prompt;
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
         "3. Do exactly what the step asks, with your own tools.\n"
         "4. continue_workflow {ackToken, output: {notesMarkdown}} records your notes and returns "
         "the next step with a new ackToken. Repeat until isComplete is true. Every reply has "
         "nextCall: the next call already filled in.\n"
         "\n"
         "Rules:\n"
         "- Copy tokens exactly as given. They are short, and each names one node of one run.\n"
         "- Send an ackToken only after the step is really done. Sending the same one again is "
         "safe: you get the recorded reply, and nothing happens twice.\n"
         "- After a rewind, a lost chat or any doubt, send the last token you have: "
         "continue_workflow {stateToken} shows where you are and changes nothing. An older "
         "ackToken with another output gets a notice and a token that starts a new branch; the old "
         "one is kept.\n"
         "- No token left? resume_session {query} finds the run.\n"
         "- kind \"blocked\" means the step stays open: read blockers, fix what they name, and "
         "send "
         "retryAckToken.\n"
         "- An error's message says what to change. A refused call changes nothing.\n"
         "- When nextIntent is await_user_confirmation, ask the user before you continue.\n";
}

}  // namespace baton::surface::rail
