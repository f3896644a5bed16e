#include "surface/atomic/words.h"

#include "base/text/text.h"

namespace baton::surface::atomic {

std::string say(const NextMove& next) {
  switch (next.kind) {
    case Move::list_workflows: return "call workflow_list and copy a name";
    case Move::start_run: return "call workflow_start to start a new run";
    case Move::start_again: return cat("call workflow_start again: ", next.value);
    case Move::give_inputs: return "call workflow_start again with these names in inputs";
    case Move::resend:
      return next.value.empty()
                 ? "fix it and send the call again with the same step_id"
                 : cat("send the call again with the same step_id and, for example, ", next.value);
    case Move::look_again: return "call workflow_get_next_step to see where the run is";
    case Move::ask_next_step:
      return "call workflow_get_next_step with the same sub_agent_context first";
    case Move::send_open_step: return "send the id of the step from workflow_get_next_step";
    case Move::end_run: return "call workflow_complete to end the run";
    case Move::complete_or_end:
      return "do the step and call workflow_step_complete, or send status failed or cancelled to "
             "end the run";
    case Move::send_run_id: return "send the workflow_id from workflow_start";
    case Move::send_task_id:
      return "send the workflow_id and the task_id of the same task's context, exactly as the "
             "parallel_tasks step gave them";
    default: return ask_owner(next);
  }
}

const prompts::PromptWords& prompt_words() {
  static constexpr prompts::PromptWords words = {
      "workflow_get_info {workflow}", "workflow_start {workflow, inputs}",
      "workflow_resume {workflow_id}", "workflow_debug_info {workflow_id}",
      "1. Call workflow_get_next_step. It gives one action with everything decided.\n"
      "2. Carry it out exactly as its instructions and definition say, with your own tools.\n"
      "3. Call workflow_step_complete with its id, the status and the result. When success is "
      "false, fix what the blockers say and complete it again.\n"
      "4. Repeat until step is null, then call workflow_complete and tell me the result.\n"
      "By type: show a user_message to me; ask me a user_input and send my answer as the result; "
      "make an mcp_call with just its parameters; run an agent_shell_command and send its output "
      "in "
      "the requested form; start a sub-agent for each of the parallel_tasks and wait for all; "
      "after "
      "a wait_step ask again.\n"
      "You need not understand the workflow: Baton handles conditions, loops and state. When your "
      "context is nearly full, call workflow_checkpoint and ask me to continue in a new chat.\n"};
  return words;
}

std::string_view mode_text(run::Autonomy autonomy) {
  switch (autonomy) {
    case run::Autonomy::guided: break;
    case run::Autonomy::full_auto_stop_on_user_deps:
      return "Mode full_auto_stop_on_user_deps: work on without asking. Where a step wants "
             "agreement, decide in the user's place and disclose it: a baton.assumption artifact "
             "in output.artifacts. Stop only for what the user alone can give.";
    case run::Autonomy::full_auto_never_stop:
      return "Mode full_auto_never_stop: you are agent and user. Do not ask and do not wait: "
             "assume, derive or skip, and disclose each of these: a baton.assumption artifact in "
             "output.artifacts. A step's own gate still waits for a person.";
  }
  return "Mode guided: the user decides. Ask before you complete what needs agreement, pass "
         "questions on as they are, and answer nothing in the user's place.";
}

std::string_view instructions() {
  return "Baton keeps long work on course. It holds workflows (reviewed procedures), decides what "
         "comes next, gives you one action at a time, and records what you did, so that a crash or "
         "a new chat loses nothing.\n"
         "\n"
         "How to begin:\n"
         "1. workflow_list shows the workflows. If one fits the user's request, use it instead of "
         "improvising. workflow_get_info says which inputs it needs.\n"
         "2. workflow_start {workflow, inputs} returns a workflow_id.\n"
         "3. workflow_get_next_step {workflow_id} returns one step, or step null at the end. "
         "Asking again returns the same step until it is completed.\n"
         "4. Do exactly what the step's instructions and definition ask, with your own tools.\n"
         "5. workflow_step_complete {workflow_id, step_id, status, result} records it. Then go "
         "back to 3.\n"
         "6. When step is null: workflow_complete {workflow_id, status: \"success\"}, and a "
         "summary for the user.\n"
         "\n"
         "Rules:\n"
         "- Conditions, loops and state are Baton's. Never skip, reorder or invent steps.\n"
         "- success false with blockers means the step stays open: fix what they say and complete "
         "it again.\n"
         "- If a step cannot be done, complete it with status \"failed\" and the error. The "
         "workflow decides what follows.\n"
         "- Completing the same step twice is safe: you get the recorded answer.\n"
         "- When your context runs short: workflow_checkpoint. In a new chat: workflow_resume "
         "{workflow_id}.\n"
         "- An error's message says what to change. A refused call changes nothing.\n";
}

std::string_view sub_agent_prompt() {
  return "You are a sub-agent of a workflow. Carry out one task of it, to its end.\n"
         "\n"
         "1. Call workflow_get_next_step with the workflow_id of your task's context and "
         "sub_agent_context {\"task_id\": your task's id}.\n"
         "2. Carry out the step exactly as its instructions and definition say, with your own "
         "tools. After a wait_step, wait and ask again.\n"
         "3. Call workflow_step_complete with the step's id, its result and the same "
         "sub_agent_context. If the step cannot be done, send status \"failed\" and say why in "
         "error.\n"
         "4. Repeat from 1 until step is null. Then report in one sentence, and stop.\n"
         "\n"
         "The steps say everything to do: decide nothing yourself, and do not touch what belongs "
         "to other tasks. Sending the same call twice is safe.";
}

}  // namespace baton::surface::atomic
