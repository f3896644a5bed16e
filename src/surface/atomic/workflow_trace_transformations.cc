#include "base/text/text.h"
#include "base/text/utf8.h"
#include "surface/atomic/encode.h"
#include "surface/atomic/tools.h"
#include "surface/atomic/words.h"
#include "surface/page.h"
#include "verbs/run/traces.h"

namespace baton::surface::atomic {
namespace {

using json::Object;

constexpr std::size_t page_bytes = limits::result_bytes_max - 1'024;
constexpr std::size_t value_bytes = 1'000;  // of one input or output

json::Value shown(const json::Value& value) {
  const std::string text = json::print(value);
  if (text.size() <= value_bytes) return value;
  return cat(utf8::prefix(text, value_bytes), "... [", text.size(), " bytes]");
}

Object entry_json(const verbs::TransformTrace& trace, bool with_timing) {
  Object out{{"field", trace.field},
             {"timestamp", to_rfc3339(trace.at)},
             {"trigger", trace.trigger},
             {"caused_by", trace.cause},
             {"outcome", trace.outcome}};
  if (trace.input) out.set("input", shown(*trace.input));
  if (trace.output) out.set("output", shown(*trace.output));
  if (with_timing) out.set("duration_ms", static_cast<double>(trace.elapsed_us) / 1'000);
  if (!trace.problem.empty()) out.set("error", trace.problem);
  return out;
}

Result<protocol::ToolResult> call_workflow_trace_transformations(const EngineSource& engine,
                                                                 const protocol::ToolCall& call) {
  const engine::ReadContext reading = TRY(engine())->reading();
  const run::RunRow row = TRY(run_argument(reading, call)).run;
  const json::Value* timing = call.arguments.find("include_timing");
  const bool with_timing = timing == nullptr || *timing->if_bool();
  verbs::TraceQuery query;
  query.field = text_argument(call.arguments, "field");
  const verbs::Traced traced = TRY(verbs::traces(reading, row, query));
  const std::vector<verbs::TransformTrace>& all = traced.traces;
  const std::size_t first = TRY(first_of_page(text_argument(call.arguments, "cursor"), all.size(),
                                              "workflow_trace_transformations"));
  Page page(page_bytes);
  std::size_t last = first;
  for (; last < all.size(); ++last) {
    Object entry = entry_json(all[last], with_timing);
    const std::string line = cat("- ", json::print(entry), '\n');
    if (!page.add(std::move(entry), line)) break;
  }
  std::string text = all.empty() ? "Nothing was computed.\n" : std::move(page.text);
  Object out{{"traces", std::move(page.entries)}};
  if (last < all.size()) {
    out.set("next_cursor", cat(last));
    text += cat("More: call workflow_trace_transformations with cursor \"", last, "\".\n");
  }
  if (!traced.is_whole) {
    out.set("is_whole", false);
    text += "(older ones are not shown; `baton trace` shows them all)\n";
  }
  return protocol::ToolResult{.structured = std::move(out), .text = std::move(text)};
}

}  // namespace

protocol::Tool workflow_trace_transformations(const EngineSource& engine) {
  return {
      .name = "workflow_trace_transformations",
      .title = "Trace what was computed",
      .description =
          "Use this when a computed value is not what you expect: it shows every transformation, "
          "oldest first.",
      .input_schema = schema(cat(R"({"type":"object","additionalProperties":false,
        "required":["workflow_id"],"properties":{)",
                                 workflow_id_property, R"(,
        "field":{"type":"string","description":"Only this computed field."},
        "include_timing":{"type":"boolean","description":"Also durations; default true."},
        "cursor":{"type":"string","description":"The last next_cursor."},)",
                                 sub_agent_property, "}}")),
      .output_schema = schema(R"({"type":"object","properties":{
        "traces":{"type":"array","items":{"type":"object"},
          "description":"field, timestamp, trigger, caused_by, outcome, input, output, )"
                              R"(duration_ms, error."},
        "next_cursor":{"type":"string"},
        "is_whole":{"type":"boolean","description":"false: older ones are not shown."}}})"),
      .annotations = reads_only,
      .handler =
          [engine](const protocol::ToolCall& call) {
            return answer(call_workflow_trace_transformations(engine, call), say);
          },
  };
}

}  // namespace baton::surface::atomic
