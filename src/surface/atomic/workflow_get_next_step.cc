#include "base/text/text.h"
#include "run/decide/gates.h"
#include "surface/ask_user.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "surface/owner_words.h"
#include "surface/waiting.h"
#include "verbs/run/complete_step.h"
#include "verbs/run/next_step.h"

namespace baton::surface::atomic {
namespace {

/// What a sub-agent is told that has nothing to do, or nothing yet.
protocol::ToolResult idle(const std::string& run, const verbs::NextStep& next) {
  json::Object out{{"workflow_id", run}};
  if (next.wait_ms > 0) {
    out.set("status", "waiting");
    out.set("step", json::Object{{"id", "wait"},
                                 {"type", "wait_step"},
                                 {"instructions", "Wait, then call workflow_get_next_step again."},
                                 {"definition", json::Object{{"retry_after_ms", next.wait_ms}}}});
    return {.structured = std::move(out),
            .text = cat("The limit of parallel sub-agents is reached. Call workflow_get_next_step "
                        "again in ",
                        next.wait_ms, " ms.\n")};
  }
  out.set("status", next.status ? name_of(*next.status) : "cancelled");
  out.set("step", nullptr);
  add_failure(out, next.why);
  std::string text = failure_text(next.why, "The task failed");
  if (text.empty()) {
    text = !next.status                                 ? "The task was abandoned.\n"
           : *next.status == run::TaskStatus::completed ? "The task is completed.\n"
                                                        : "The task failed.\n";
  }
  return {.structured = std::move(out), .text = text + "Nothing is left to do for it.\n"};
}

/// The open step; a question to the user is asked through the client first, if that is possible.
Result<std::variant<verbs::NextStep, protocol::NeedInput>> open_step(
    engine::Engine& engine, const protocol::ToolCall& call, const std::string& run,
    const std::optional<std::string>& task) {
  while (true) {
    verbs::NextStep next =
        task ? TRY(verbs::next_step_of_task(engine, principal_of(call), run, *task,
                                            wait_policy_of(call)))
             : TRY(verbs::next_step(engine, principal_of(call), run, wait_policy_of(call)));
    if (!next.point) return next;
    const run::Reply& reply = next.point->answer.reply;
    if (!reply.pending) return next;
    verbs::StepRequest request{.run = next.point->run.run.text(),
                               .step = reply.pending->step_id,
                               .input = {},
                               .wait = wait_policy_of(call)};
    if (reply.gate) {
      // An output that waits is the agent's to send again.
      if (!run::opens_on_arrival(reply.gate->kind)) return next;
      AskedGate asked = TRY(decide_gate(engine, call, reply));
      if (asked.question) return *std::move(asked.question);
      if (!asked.decided) return next;
      const auto after = TRY(verbs::complete_step(engine, principal_of(call), request));
      if (after.reply.gate && after.reply.gate->node == reply.gate->node) return next;
      continue;
    }
    UserAnswer asked = ask_user(call, reply);
    if (asked.question) return *std::move(asked.question);
    if (!asked.answer) return next;
    request.input = *std::move(asked.answer);
    request.asked = std::move(asked.word);
    TRY(verbs::complete_step(engine, principal_of(call), request));
  }
}

protocol::ToolResult encode(const verbs::NextStep& next, const std::string& run,
                            const std::optional<std::string>& task) {
  if (!next.point) return idle(run, next);
  const StepAddress asked{.workflow_id = task ? run : "",
                          .task = task,
                          .open_tasks = next.tasks ? &*next.tasks : nullptr,
                          .settled = next.settled,
                          .why = next.why};
  const run::Reply& reply = next.point->answer.reply;
  json::Object out{{"workflow_id", task ? run : reply.run.text()},
                   {"status", name_of(reply.status)},
                   {"step", step_json(*next.point, asked)}};
  std::string text = add_owner_words(out, reply);
  add_gate(out, reply);
  add_failure(out, next.why);
  if (reply.gate) text += gate_help(*reply.gate, reply.run);
  if (!reply.blockers.empty()) {
    out.set("blockers", blockers_json(reply));
    text += cat("The last attempt at this step did not pass:\n", blockers_text(reply), '\n');
  }
  text += step_text(*next.point, asked);
  text += add_assumptions(out, reply);
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

protocol::ToolAnswer call_workflow_get_next_step(const EngineSource& source,
                                                 const protocol::ToolCall& call) {
  const std::string run = text_argument(call.arguments, "workflow_id").value_or("");
  const auto task = task_argument(call.arguments);
  if (!task) return tool_error(task.error(), say);
  const auto engine = source();
  if (!engine) return tool_error(engine.error(), say);
  const auto opened = open_step(**engine, call, run, *task);
  if (!opened) return tool_error(opened.error(), say);
  if (const auto* question = std::get_if<protocol::NeedInput>(&*opened)) return *question;
  return encode(std::get<verbs::NextStep>(*opened), run, *task);
}

}  // namespace

protocol::Tool workflow_get_next_step(const EngineSource& engine) {
  return {
      .name = "workflow_get_next_step",
      .title = "Get the next step",
      .description =
          "Use this to get the next action of a run, ready to carry out. It returns the same step "
          "until workflow_step_complete, and step null when none is left. A sub-agent sends its "
          "sub_agent_context.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id"],"properties":{)",
                                 workflow_id_property, ',', sub_agent_property, "}}")),
      .output_schema =
          schema(cat(R"({"type":"object","properties":{)", owner_properties,
                     R"(,
        "workflow_id":{"type":"string"},
        "status":{"type":"string","description":"in_progress, blocked, complete, )"
                     R"(complete_with_gaps, failed, abandoned; of a task also waiting, )"
                     R"(completed, cancelled."},
        "step":{"description":"id, type, instructions, definition, variable_replacements, )"
                     R"(original_expression, complete_with; or null."},)",
                     gate_property, ',', assumptions_property, ',', failure_property, R"(,
        "blockers":{"type":"array","items":{"type":"object"},
          "description":"Why the last attempt did not pass."}}})")),
      .annotations = {.read_only = false,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .handler =
          [engine](const protocol::ToolCall& call) {
            return call_workflow_get_next_step(engine, call);
          },
  };
}

}  // namespace baton::surface::atomic
