#include <algorithm>
#include <functional>
#include <map>

#include "base/text/text.h"
#include "run/steps/shell_command.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "verbs/run/read_state.h"
#include "verbs/run/step_history.h"
#include "verbs/run/traces.h"

namespace baton::surface::atomic {
namespace {

using json::Object;

/// What the transformations of a run took.
struct Timing {
  std::int64_t count = 0;
  std::int64_t microseconds = 0;

  double average_ms() const {
    return count == 0 ? 0 : static_cast<double>(microseconds) / static_cast<double>(count) / 1'000;
  }
};

constexpr std::size_t slowest_max = 5;

/// What is known of the command that Baton runs for the open step; empty when it runs none.
std::string_view command_text(const std::optional<run::CommandStatus>& status) {
  if (!status) return {};
  switch (*status) {
    case run::CommandStatus::running: return "Command of this step: running\n";
    case run::CommandStatus::ended: return "Command of this step: ended\n";
    case run::CommandStatus::held:
      return "Command of this step: not started, because the user holds the run\n";
    case run::CommandStatus::unknown: break;
  }
  return "Command of this step: not running; the result of the last one is unknown\n";
}

/// The fields that take longest on average.
json::Array slowest_json(const std::map<std::string, Timing>& by_field) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [field, timing] : by_field) order.emplace_back(timing.average_ms(), field);
  std::ranges::sort(order, std::greater());
  json::Array out;
  for (const auto& [average, field] : order) {
    if (out.size() == slowest_max) break;
    out.emplace_back(Object{{"field", field}, {"avg_ms", average}});
  }
  return out;
}

Result<protocol::ToolResult> call_workflow_debug_info(const EngineSource& engine,
                                                      const protocol::ToolCall& call) {
  const engine::ReadContext reading = TRY(engine())->reading();
  const verbs::TaskRun of = TRY(run_argument(reading, call));
  const engine::RunPoint point =
      TRY(engine::find_open_step(reading, principal_of(call), of.run.run.text()));
  const auto why = TRY(verbs::why_ended(reading, point));
  const verbs::StepHistory history = TRY(verbs::step_history(reading, point));
  const run::Reply& reply = point.answer.reply;
  const std::string current = reply.pending ? reply.pending->step_id : std::string();
  const auto command = reply.pending ? run::command_status_of(*reply.pending) : std::nullopt;
  json::Array steps;
  std::string text =
      cat("Run ", point.run.run.text(), " of ", point.run.workflow_id, ", ", name_of(reply.status),
          '\n',
          failure_text(why, reply.status == run::RunStatus::failed ? "It failed" : "It was ended"),
          "Current step: ", current.empty() ? "none" : current, '\n', command_text(command),
          "Steps done, the newest first:\n");
  for (const verbs::StepRecord& each : history.steps) {
    const std::string_view status = each.failed ? "failed" : "success";
    Object shown{{"step_id", each.step},
                 {"started_at", to_rfc3339(each.started)},
                 {"completed_at", to_rfc3339(each.completed)},
                 {"status", status}};
    if (!each.problem.empty()) shown.set("error", each.problem);
    steps.emplace_back(std::move(shown));
    text +=
        cat("- ", each.step, ": ", status, each.problem.empty() ? "" : cat(" (", each.problem, ')'),
            ", ", to_rfc3339(each.started), " to ", to_rfc3339(each.completed), '\n');
  }
  if (!history.is_whole) text += "(older ones are not shown)\n";
  const verbs::StateView view =
      TRY(verbs::read_state(reading, point.run, {.node = {}, .frame = of.frame, .paths = {}}));
  // A workflow without state has its context in place of it.
  const bool has_state = !view.frames.empty();
  const auto raw_bytes =
      static_cast<std::int64_t>(has_state ? view.raw_bytes : json::print(view.values).size());
  const auto computed_bytes = static_cast<std::int64_t>(has_state ? view.computed_bytes : 0);
  Timing all;
  std::map<std::string, Timing> by_field;
  for (const verbs::TransformTrace& each : TRY(verbs::traces(reading, point.run)).traces) {
    for (Timing* timing : {&all, &by_field[each.field]}) {
      ++timing->count;
      timing->microseconds += each.elapsed_us;
    }
  }
  json::Array slowest = slowest_json(by_field);
  text += cat("State: ", raw_bytes, " bytes raw, ", computed_bytes, " computed; ", all.count,
              " transformations\n");
  for (const json::Value& each : slowest) text += cat("Slowest: ", json::print(each), '\n');
  protocol::ToolResult out{
      .structured = {{"workflow_id", point.run.run.text()},
                     {"workflow", point.run.workflow_id},
                     {"status", name_of(reply.status)},
                     {"current_step", current},
                     {"step_history", std::move(steps)},
                     {"step_history_is_whole", history.is_whole},
                     {"state_size", Object{{"raw_bytes", raw_bytes},
                                           {"computed_bytes", computed_bytes},
                                           {"total_transformations", all.count}}},
                     {"performance", Object{{"avg_transformation_time", all.average_ms()},
                                            {"slowest_transformations", std::move(slowest)}}}},
      .text = std::move(text)};
  add_failure(out.structured, why);
  if (command) out.structured.set("command_status", name_of(*command));
  return out;
}

}  // namespace

protocol::Tool workflow_debug_info(const EngineSource& engine) {
  return {
      .name = "workflow_debug_info",
      .title = "Inspect a run",
      .description =
          "Use this to see where a run is, why it failed and the steps that led there; it changes "
          "nothing.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id"],"properties":{)",
                                 workflow_id_property, ',', sub_agent_property, "}}")),
      .output_schema = schema(cat(R"({"type":"object","properties":{)", failure_property, R"(,
        "workflow_id":{"type":"string"},"workflow":{"type":"string"},"status":{"type":"string"},
        "current_step":{"type":"string","description":"Empty when no step is open."},
        "command_status":{"type":"string","enum":["running","ended","unknown","held"],
          "description":"The command that Baton runs for the step; absent when there is none."},
        "step_history":{"type":"array","items":{"type":"object"},
          "description":"Newest first: step_id, started_at, completed_at, status, error."},
        "step_history_is_whole":{"type":"boolean"},
        "state_size":{"type":"object"},"performance":{"type":"object"}}})")),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_debug_info(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
