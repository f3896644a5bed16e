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
WorkResult refuse_arguments(const Responder& responder, const CheckedTool& entry,
                            const Error& error) {
  ToolResult refusal = tool_error(error);
  if (responder.context.version >= Version::v2025_11_25) {
    return responder.answer(shape(entry, std::move(refusal), responder.context.version));
  }
  return responder.refuse(RpcError{RpcCode::invalid_params,
                                   cat(error.message, ' ', error.next.text()),
                                   std::move(refusal.structured)});
}

struct ToolRequest {
  const CheckedTool* entry;
  json::Object arguments;
  json::Object params;
};

WorkResult run_call(const Responder& responder, const ToolRequest& wanted, CallHost& host) {
  const CheckedTool& entry = *wanted.entry;
  Result<json::Object> arguments = accept_arguments(entry, wanted.arguments);
  if (!arguments) return refuse_arguments(responder, entry, arguments.error());
  auto conversation =
      Conversation::open(responder, host, "tools/call", entry.tool.name, wanted.params);
  if (!conversation) return responder.refuse(conversation.error());
  conversation->call().arguments = std::move(*arguments);
  if (becomes_task(responder, entry.tool)) return start_task(responder, entry.tool, *conversation);
  auto result = conversation->run<ToolResult>(entry.tool.handler);
  if (!result) return std::move(result.error());
  if (goes_on_as_task(responder, entry.tool, *result)) {
    // What was sent is done; only what is left to do is kept.
    conversation->call().arguments = {};
    conversation->call().state = std::move(*result->goes_on_from);
    return start_task(responder, entry.tool, *conversation);
  }
  return responder.answer(shape(entry, std::move(*result), responder.context.version));
}

RpcError unknown_tool(const ToolTable& tools, std::string_view name) {
  std::vector<std::string_view> names;
  for (const CheckedTool& entry : tools.all()) names.push_back(entry.tool.name);
  const auto near = nearest(name, names);
  return invalid_params(cat("There is no tool ", in_quotes(name), '.',
                            near ? cat(" Did you mean '", *near, "'?") : std::string{}));
}

std::expected<ToolRequest, RpcError> read_request(const MethodRequest& request) {
  const json::Value* const name = request.params.find("name");
  if (name == nullptr || !name->is_string()) {
    return std::unexpected(invalid_params("tools/call needs params.name, a string."));
  }
  const ToolTable& tools = request.responder.catalog().tools;
  const CheckedTool* const entry = tools.find(*name->if_string());
  if (entry == nullptr) return std::unexpected(unknown_tool(tools, *name->if_string()));
  auto arguments = read_arguments(request.params);
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

SingleAction list_tools(MethodRequest& request) {
  const Version version = request.responder.context.version;
  MethodResult answer = page(
      "tools", request.params, request.responder.catalog().tools.all(),
      [](const CheckedTool& entry) { return std::string_view(entry.tool.name); },
      [&](const CheckedTool& entry) { return describe(entry.tool, version); });
  if (answer) add_cache_hints(*answer, version, CacheScope::shared);
  return reply(request.responder.answer(std::move(answer)));
}

SingleAction call_tool(MethodRequest& request) {
  auto wanted = read_request(request);
  if (!wanted) return reply(request.responder.refuse(wanted.error()));
  if (auto problem = lacks_tasks(request.responder, wanted->entry->tool)) {
    return reply(request.responder.refuse(std::move(*problem)));
  }
  wanted->params = std::move(request.params);
  const bool quick = wanted->entry->tool.annotations.read_only;
  Work called = work(std::move(request.responder),
                     [wanted = std::move(*wanted)](const Responder& responder, CallHost& host) {
                       return run_call(responder, wanted, host);
                     });
  called.quick = quick;
  return called;
}

}  // namespace baton::protocol
