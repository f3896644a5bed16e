#include "surface/arguments.h"
#include "surface/rail/encode.h"
#include "surface/rail/tools.h"
#include "surface/rail/words.h"
#include "surface/tokens.h"

namespace baton::surface::rail {
namespace {

Result<SignedReply> call_checkpoint_workflow(const EngineSource& engine,
                                             const protocol::ToolCall& call) {
  return checkpoint(*TRY(engine()), principal_of(call),
                    {.token = text_argument(call.arguments, "checkpointToken").value_or(""),
                     .state_token = text_argument(call.arguments, "stateToken"),
                     .input = input_arguments(call.arguments),
                     .tool = "checkpoint_workflow",
                     .names = argument_of});
}

}  // namespace

protocol::Tool checkpoint_workflow(const EngineSource& engine) {
  return {
      .name = "checkpoint_workflow",
      .title = "Save progress within a step",
      .description =
          "Use this in the middle of a long step to save notes without finishing the step. The "
          "step stays pending and its ackToken stays valid. Sending the same checkpointToken again "
          "returns the recorded answer; with another output it changes nothing and says so.",
      .input_schema = schema(R"({"type":"object","additionalProperties":false,
        "required":["checkpointToken"],"properties":{
        "checkpointToken":{"type":"string","description":"Token (chk1...) from the last reply."},
        "stateToken":{"type":"string","description":"Optional: the node it belongs to."},
        "output":{"type":"object","additionalProperties":false,
          "description":"Progress so far.","properties":{
          "notesMarkdown":{"type":"string","description":"Notes to keep, in Markdown."},
          "artifacts":{"type":"array","description":"Structured results so far.",
            "items":{"type":"object","description":"One result, with a kind."}}}}}})"),
      .output_schema = checkpoint_schema(),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .handler =
          [engine](const protocol::ToolCall& call) {
            return encode_checkpoint(call_checkpoint_workflow(engine, call));
          },
  };
}

}  // namespace baton::surface::rail
