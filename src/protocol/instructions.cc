#include "protocol/server.h"

namespace baton::protocol {

std::string_view default_instructions() {
  return "Baton keeps long work on course. It holds workflows (reviewed procedures), hands you one "
         "step at a time, and records what you did, so that a crash, a rewind or a new chat loses "
         "nothing.\n"
         "\n"
         "How to begin:\n"
         "1. list_workflows shows what there is. If one fits the user's request, use it instead of "
         "improvising.\n"
         "2. start_workflow {workflowId, goal} returns the first step (pending.prompt) and an "
         "ackToken.\n"
         "3. Do exactly what the step asks, with your own tools.\n"
         "4. continue_workflow {ackToken, output: {notesMarkdown}} records your notes and returns "
         "the next step with a new ackToken. Repeat until isComplete is true. Every reply has "
         "nextCall: the next call already filled in.\n"
         "\n"
         "Rules:\n"
         "- Copy tokens exactly as given. They are short, and each names one point of one run.\n"
         "- Send an ackToken only after the step is really done. Sending the same one again is "
         "safe: you get the recorded reply, and nothing happens twice.\n"
         "- After a rewind, a lost chat or any doubt, send the last token you have: "
         "continue_workflow {stateToken} shows where you are and changes nothing. An older "
         "ackToken with another output gets a notice and a token that starts a new branch; the old "
         "one is kept.\n"
         "- No token left? resume_session {query} finds the run.\n"
         "- kind \"blocked\" means the step stays open: read blockers, mend them, and send "
         "retryAckToken.\n"
         "- An error's message says what to change. A refused call changes nothing.\n"
         "- When nextIntent is await_user_confirmation, ask the user before you go on.\n";
}

}  // namespace baton::protocol
