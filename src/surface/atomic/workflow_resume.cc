#include <algorithm>

#include "base/text/text.h"
#include "run/decide/preferences.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "surface/owner_words.h"
#include "verbs/run/complete_step.h"
#include "verbs/run/read_state.h"

namespace baton::surface::atomic {
namespace {

using json::Object;

/// Whether a list of the workflow's on_resume speaks of something.
bool lists(const workflow::CompiledWorkflow& workflow, std::string_view key,
           std::string_view word) {
  const json::Value* found = workflow.declared.find("on_resume");
  const json::Value* list = found == nullptr ? nullptr : found->find(key);
  if (list == nullptr || !list->is_array()) return false;
  return std::ranges::any_of(*list->if_array(), [&](const json::Value& each) {
    return each.is_string() && each.if_string()->contains(word);
  });
}

/// How the computed fields are computed, by name.
Object computed_fields(const workflow::CompiledWorkflow& workflow) {
  Object out;
  const json::Value* state = workflow.declared.find("state");
  const json::Value* fields = state == nullptr ? nullptr : state->find("computed");
  if (fields == nullptr || !fields->is_array()) return out;
  for (const json::Value& each : *fields->if_array()) {
    out.set(*each.find("name")->if_string(),
            Object{{"from", *each.find("from")}, {"transform", *each.find("transform")}});
  }
  return out;
}

Result<protocol::ToolResult> call_workflow_resume(const EngineSource& source,
                                                  const protocol::ToolCall& call) {
  engine::Engine& engine = *TRY(source());
  const std::string run = text_argument(call.arguments, "workflow_id").value_or("");
  const auto reopened = TRY(verbs::reopen_failed(engine, principal_of(call), run));
  const engine::ReadContext reading = engine.reading();
  const engine::RunPoint point =
      TRY(engine::find_open_step(reading, principal_of(call), run, engine::RecoveryDetail::told));
  verbs::NextStep open;
  TRY(verbs::add_open_tasks(reading, point, open));
  const auto why = TRY(verbs::why_ended(reading, point));
  const StepAddress asked{
      .open_tasks = open.tasks ? &*open.tasks : nullptr, .settled = open.settled, .why = why};
  const run::Reply& reply = point.answer.reply;
  const workflow::CompiledWorkflow& workflow = point.workflow->workflow;
  const std::string id = point.run.run.text();
  const std::string step = reply.pending ? reply.pending->step_id : std::string();
  const Object state = shown_state(TRY(verbs::read_state(reading, point.run)).values);
  Object out{
      {"workflow_id", id},
      {"workflow", workflow.id},
      {"status", name_of(reply.status)},
      {"state", state},
      {"last_checkpoint", Object{{"step_id", step}, {"timestamp", to_rfc3339(point.node.created)}}},
      {"step", step_json(point, asked)}};
  add_failure(out, reopened ? reopened : why);
  std::string text = add_owner_words(out, reply, point.answer.hold);
  text += cat("The run ", id, " of ", workflow.id, " is ",
              step.empty() ? std::string("at its end") : cat("at the step ", step), ", saved ",
              to_rfc3339(point.node.created), ".\nState: ", json::print(state), '\n');
  text += add_mode(out, reply);
  text += add_assumptions(out, reply);
  if (reopened) {
    text += cat(failure_text(reopened, "The run had failed"), "The failed step is open again.\n");
  }
  if (lists(workflow, "load_from_checkpoint", "computed")) {
    out.set("computed_fields", computed_fields(workflow));
    text += cat("Computed fields: ", json::print(*out.find("computed_fields")), '\n');
  }
  json::Array warnings;
  for (const std::string& warning : reply.warnings) {
    warnings.emplace_back(warning);
    text += cat("Warning: ", warning, '\n');
  }
  if (!warnings.empty()) out.set("warnings", std::move(warnings));
  if (!reply.blockers.empty()) {
    out.set("blockers", blockers_json(reply));
    text += cat("The last attempt at this step did not pass:\n", blockers_text(reply));
  }
  // Reported even when the workflow leaves it out of the recap.
  json::Array raises;
  if (point.answer.recovery) {
    for (const run::PreferenceRaise& each : point.answer.recovery->raises) {
      raises.emplace_back(to_json(each));
      text += cat("Earlier in this run: ", run::raise_text(each), '\n');
    }
  }
  if (!raises.empty()) out.set("raises", std::move(raises));
  const bool is_brief =
      lists(workflow, "exclude", "histor") || lists(workflow, "exclude", "completed");
  if (!is_brief && point.answer.recovery && !point.answer.recovery->recap.empty()) {
    out.set("recap", point.answer.recovery->recap);
    text += cat('\n', point.answer.recovery->recap);
  }
  return protocol::ToolResult{.structured = std::move(out),
                              .text = cat(text, '\n', step_text(point, asked))};
}

}  // namespace

protocol::Tool workflow_resume(const EngineSource& engine) {
  return {
      .name = "workflow_resume",
      .title = "Continue a run in a new chat",
      .description =
          "Use this when you return to a run: it gives the state, what was done so far and the "
          "open step. It may reopen a failed step, where the workflow says so.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id"],"properties":{)",
                                 workflow_id_property, "}}")),
      .output_schema = schema(cat(R"({"type":"object","properties":{)", owner_properties, ',',
                                  failure_property, R"(,
        "workflow_id":{"type":"string"},"workflow":{"type":"string"},"status":{"type":"string"},
        "state":{"type":"object","description":"All values."},
        "last_checkpoint":{"type":"object","properties":{
          "step_id":{"type":"string"},"timestamp":{"type":"string"}}},
        "computed_fields":{"type":"object","description":"How they are computed."},
        "step":{"description":"As workflow_get_next_step gives it."},
        "mode":{"type":"string","description":"How to behave in this run."},)",
                                  assumptions_property, R"(,
        "recap":{"type":"string","description":"Newest first."},
        "raises":{"type":"array","items":{"type":"object"},
          "description":"Preferences that were raised: to what, by whom."},
        "blockers":{"type":"array","items":{"type":"object"}},
        "warnings":{"type":"array","items":{"type":"string"}}}})")),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_resume(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
