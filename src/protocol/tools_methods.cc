// tools/list and tools/call, shaped for the revision the caller speaks.

#include "base/text/text.h"
#include "protocol/arguments.h"
#include "protocol/conversation.h"
#include "protocol/pages.h"
#include "protocol/quoted.h"
#include "protocol/task_runner.h"

namespace baton::protocol {
namespace {

json::Object describe(const Tool& tool, Version version) {
  json::Object out{{"name", tool.name}};
  if (version >= Version::v2025_06_18) out.append_new("title", tool.title);
  out.append_new("description", tool.description);
  if (version >= Version::v2025_11_25 && !tool.icons.empty()) {
    out.append_new("icons", to_json(tool.icons));
  }
  out.append_new("inputSchema", tool.input_schema);
  if (version >= Version::v2025_06_18 && !tool.output_schema.is_null()) {
    out.append_new("outputSchema", tool.output_schema);
  }
  if (version >= Version::v2025_03_26) {
    out.append_new("annotations", json::Object{{"title", tool.title},
                                               {"readOnlyHint", tool.annotations.read_only},
                                               {"destructiveHint", tool.annotations.destructive},
                                               {"idempotentHint", tool.annotations.idempotent},
                                               {"openWorldHint", tool.annotations.open_world}});
  }
  return out;
}

/// Whether a result may be structured. Clients check structuredContent against the output schema
/// even when isError is set, and drop the whole result when it does not fit; a failure's text says
/// the same. That a success fits is the surface's promise, kept by its tests.
bool is_structured(const CheckedTool& entry, const ToolResult& result, Version version) {
  if (version < Version::v2025_06_18) return false;
  if (!entry.output) return !result.structured.empty();
  return !result.is_error || entry.output->accepts(result.structured);
}

/// Revisions before 2025-11-25 want unfit arguments as a protocol error.
Outcome refuse_arguments(const Ticket& ticket, const CheckedTool& entry, const Error& error) {
  ToolResult refusal = tool_error(error);
  if (ticket.context.version >= Version::v2025_11_25) {
    return ticket.answer(shape(entry, std::move(refusal), ticket.context.version));
  }
  return ticket.refuse(RpcError{RpcCode::invalid_params, cat(error.message, ' ', error.next.text()),
                                std::move(refusal.structured)});
}

struct ToolRequest {
  const CheckedTool* entry;
  json::Object arguments;
  json::Object params;
};

Outcome run_call(const Ticket& ticket, const ToolRequest& request, CallHost& host) {
  const CheckedTool& entry = *request.entry;
  Result<json::Object> arguments = accept_arguments(entry, request.arguments);
  if (!arguments) return refuse_arguments(ticket, entry, arguments.error());
  auto conversation =
      Conversation::open(ticket, host, "tools/call", entry.tool.name, request.params);
  if (!conversation) return ticket.refuse(conversation.error());
  conversation->call().arguments = std::move(*arguments);
  if (becomes_task(ticket, entry.tool)) return start_task(ticket, entry.tool, *conversation);
  auto result = conversation->run<ToolResult>(entry.tool.handler);
  if (!result) return std::move(result.error());
  if (goes_on_as_task(ticket, entry.tool, *result)) {
    // What was sent is done; only what is left to do is kept.
    conversation->call().arguments = {};
    conversation->call().state = std::move(*result->goes_on_from);
    return start_task(ticket, entry.tool, *conversation);
  }
  return ticket.answer(shape(entry, std::move(*result), ticket.context.version));
}

RpcError unknown_tool(const ToolTable& tools, std::string_view name) {
  std::vector<std::string_view> names;
  for (const CheckedTool& entry : tools.all()) names.push_back(entry.tool.name);
  const auto near = nearest(name, names);
  return invalid_params(cat("There is no tool ", in_quotes(name), '.',
                            near ? cat(" Did you mean '", *near, "'?") : std::string{}));
}

std::expected<ToolRequest, RpcError> read_request(const Asked& asked) {
  const json::Value* const name = asked.params.find("name");
  if (name == nullptr || !name->is_string()) {
    return std::unexpected(invalid_params("tools/call needs params.name, a string."));
  }
  const ToolTable& tools = asked.ticket.catalog().tools;
  const CheckedTool* const entry = tools.find(*name->if_string());
  if (entry == nullptr) return std::unexpected(unknown_tool(tools, *name->if_string()));
  auto arguments = read_arguments(asked.params);
  if (!arguments) {
    return std::unexpected(invalid_params("params.arguments must be an object."));
  }
  return ToolRequest{entry, std::move(*arguments), {}};
}

}  // namespace

json::Object shape(const CheckedTool& entry, ToolResult result, Version version) {
  if (result.text.empty() && result.content.empty()) result.text = json::print(result.structured);
  json::Array content;
  if (!result.text.empty()) content.emplace_back(text_content(std::move(result.text)));
  for (json::Object& block : result.content) {
    content.emplace_back(fit_content(std::move(block), version));
  }
  json::Object out{{"content", std::move(content)}};
  if (is_structured(entry, result, version)) {
    out.append_new("structuredContent", std::move(result.structured));
  }
  if (result.is_error) out.append_new("isError", true);
  return out;
}

SingleStep list_tools(Asked& asked) {
  const Version version = asked.ticket.context.version;
  Answer answer = page(
      "tools", asked.params, asked.ticket.catalog().tools.all(),
      [](const CheckedTool& entry) { return std::string_view(entry.tool.name); },
      [&](const CheckedTool& entry) { return describe(entry.tool, version); });
  if (answer) add_cache_hints(*answer, version, CacheScope::shared);
  return reply(asked.ticket.answer(std::move(answer)));
}

SingleStep call_tool(Asked& asked) {
  auto request = read_request(asked);
  if (!request) return reply(asked.ticket.refuse(request.error()));
  if (auto problem = lacks_tasks(asked.ticket, request->entry->tool)) {
    return reply(asked.ticket.refuse(std::move(*problem)));
  }
  request->params = std::move(asked.params);
  const bool quick = request->entry->tool.annotations.read_only;
  Work called = work(std::move(asked.ticket),
                     [request = std::move(*request)](const Ticket& ticket, CallHost& host) {
                       return run_call(ticket, request, host);
                     });
  called.quick = quick;
  return called;
}

}  // namespace baton::protocol
