// tools/list and tools/call, shaped for the revision the caller speaks.

#include <algorithm>
#include <cmath>
#include <exception>

#include "base/text.h"
#include "protocol/arguments.h"
#include "protocol/methods.h"
#include "protocol/quoted.h"

namespace baton::protocol {
namespace {

constexpr std::string_view cursor_prefix = "after:";

RpcError invalid_params(std::string message) {
  return {RpcCode::invalid_params, std::move(message)};
}

json::Object describe(const Tool& tool, Version version) {
  json::Object out{{"name", tool.name}};
  if (version >= Version::v2025_06_18) out.append_new("title", tool.title);
  out.append_new("description", tool.description);
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

/// The index of the first tool of the page. A cursor names the last tool of the page before, so it
/// stays right in every process that offers the same tools. Empty and absent both mean the start.
std::expected<std::size_t, RpcError> page_start(const ToolTable& tools,
                                                const json::Object& params) {
  const json::Value* const given = params.find("cursor");
  if (given == nullptr || given->is_null()) return 0;
  const std::string* const cursor = given->if_string();
  if (cursor != nullptr && cursor->empty()) return 0;
  if (cursor != nullptr && cursor->starts_with(cursor_prefix)) {
    const std::string_view name = std::string_view(*cursor).substr(cursor_prefix.size());
    const auto last = std::ranges::find(tools.all(), name,
                                        [](const CheckedTool& entry) { return entry.tool.name; });
    if (last != tools.all().end()) return static_cast<std::size_t>(last - tools.all().begin()) + 1;
  }
  return std::unexpected(
      invalid_params("The cursor is not one that tools/list gave. Leave it out to start again."));
}

/// Whether a result may be structured. Clients check structuredContent against the output schema
/// even when isError is set, and drop the whole result when it does not fit; a failure's text says
/// the same. That a success fits is the surface's promise, kept by its tests.
bool is_structured(const CheckedTool& entry, const ToolResult& result, Version version) {
  if (version < Version::v2025_06_18) return false;
  if (!entry.output) return !result.structured.empty();
  return !result.is_error || entry.output->accepts(result.structured);
}

json::Object shape(const CheckedTool& entry, ToolResult result, Version version) {
  if (result.text.empty()) result.text = json::print(result.structured);
  json::Array content;
  content.emplace_back(json::Object{{"type", "text"}, {"text", std::move(result.text)}});
  json::Object out{{"content", std::move(content)}};
  if (is_structured(entry, result, version)) {
    out.append_new("structuredContent", std::move(result.structured));
  }
  if (result.is_error) out.append_new("isError", true);
  return out;
}

/// Turns reports into progress notifications, which must grow.
class Reporter {
 public:
  Reporter(json::Value token, Version version, CallHost& host)
      : token_(std::move(token)), version_(version), host_(host) {}

  void operator()(const Progress& progress) {
    if (!std::isfinite(progress.done) || (last_ && progress.done <= *last_)) return;
    last_ = progress.done;
    json::Object params{{"progressToken", token_}, {"progress", progress.done}};
    if (progress.total && std::isfinite(*progress.total)) {
      params.append_new("total", *progress.total);
    }
    if (version_ >= Version::v2025_03_26 && !progress.message.empty()) {
      params.append_new("message", progress.message);
    }
    host_.send(encode_notification("notifications/progress", std::move(params)));
  }

 private:
  json::Value token_;
  Version version_;
  CallHost& host_;
  std::optional<double> last_;
};

struct Prepared {
  RequestId id;
  const CheckedTool* entry;
  json::Object arguments;
  RequestContext context;
};

Outcome answer(const Server::Parts& parts, const Prepared& call, ToolResult result) {
  const Version version = call.context.version;
  return {encode_result(call.id,
                        finish(parts, shape(*call.entry, std::move(result), version), version))};
}

/// Revisions before 2025-11-25 want unfit arguments as a protocol error.
Outcome refuse_arguments(const Server::Parts& parts, const Prepared& call, const Error& error) {
  ToolResult refusal = tool_error(error);
  if (call.context.version >= Version::v2025_11_25) return answer(parts, call, std::move(refusal));
  return {
      encode_error(call.id, RpcError{RpcCode::invalid_params, cat(error.message, ' ', error.hint),
                                     std::move(refusal.structured)})};
}

Outcome run_call(const Server::Parts& parts, const Prepared& call, CallHost& host) {
  Result<json::Object> arguments = accept_arguments(*call.entry, call.arguments);
  if (!arguments) return refuse_arguments(parts, call, arguments.error());
  ToolCall given;
  given.arguments = std::move(*arguments);
  given.principal = call.context.principal;
  given.version = call.context.version;
  given.client_capabilities = call.context.client_capabilities;
  given.cancelled = [&host] { return host.cancelled(); };
  if (call.context.progress_token) {
    given.report = Reporter(*call.context.progress_token, call.context.version, host);
  }
  // Handlers do not throw; should one, its caller learns of it and the other calls go on.
  try {
    return answer(parts, call, std::get<ToolResult>(call.entry->tool.handler(given)));
  } catch (const std::exception& defect) {
    return {encode_error(
        call.id, RpcError{RpcCode::internal_error,
                          cat(call.entry->tool.name, " failed inside Baton: ", defect.what()),
                          {}})};
  }
}

RpcError unknown_tool(const ToolTable& tools, std::string_view name) {
  std::vector<std::string_view> names;
  for (const CheckedTool& entry : tools.all()) names.push_back(entry.tool.name);
  const auto near = nearest(name, names);
  return invalid_params(cat("There is no tool ", quoted(name), '.',
                            near ? cat(" Did you mean '", *near, "'?") : std::string{}));
}

/// The arguments as an object; absent and null mean none.
std::expected<json::Object, RpcError> read_arguments(json::Object& params) {
  json::Value* const given = params.find("arguments");
  if (given == nullptr || given->is_null()) return json::Object{};
  if (json::Object* const object = given->if_object()) return std::move(*object);
  if (const std::string* const text = given->if_string()) {
    Result<json::Value> parsed = json::parse(*text);
    if (parsed && parsed->is_object()) return std::move(*parsed->if_object());
  }
  return std::unexpected(invalid_params("params.arguments must be an object."));
}

}  // namespace

std::expected<json::Object, RpcError> list_tools(const ToolTable& tools, const json::Object& params,
                                                 const RequestContext& context) {
  const auto start = page_start(tools, params);
  if (!start) return std::unexpected(start.error());
  const std::size_t end = std::min(tools.all().size(), *start + limits::list_page_items_max);
  json::Array page;
  for (std::size_t i = *start; i < end; ++i) {
    page.emplace_back(describe(tools.all()[i].tool, context.version));
  }
  json::Object result{{"tools", std::move(page)}};
  if (end < tools.all().size()) {
    result.append_new("nextCursor", cat(cursor_prefix, tools.all()[end - 1].tool.name));
  }
  add_cache_hints(result, context.version);
  return result;
}

Step call_tool(const std::shared_ptr<const Server::Parts>& parts, Request& request,
               const RequestContext& context) {
  const auto refuse = [&](const RpcError& error) { return Reply{encode_error(request.id, error)}; };
  const json::Value* const name = request.params.find("name");
  if (name == nullptr || !name->is_string()) {
    return refuse(invalid_params("tools/call needs params.name, a string."));
  }
  const CheckedTool* const entry = parts->catalog.tools.find(*name->if_string());
  if (entry == nullptr) return refuse(unknown_tool(parts->catalog.tools, *name->if_string()));
  auto arguments = read_arguments(request.params);
  if (!arguments) return refuse(arguments.error());
  Prepared call{request.id, entry, std::move(*arguments), context};
  return Work{request.id, context.version, [parts, call = std::move(call)](CallHost& host) {
                return run_call(*parts, call, host);
              }};
}

}  // namespace baton::protocol
