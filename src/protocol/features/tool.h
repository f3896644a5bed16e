#pragma once
// Tools as data: what tools/list shows and the function that tools/call runs. A surface makes
// Tools; the ToolTable checks them once and finds them by name.
//
// A ToolTable is immutable after make(); any thread may read it. A handler runs on a worker thread
// and may run many times at once, so it holds no state of its own.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "base/json/json.h"
#include "base/schema/schema.h"
#include "protocol/call.h"
#include "protocol/features/content.h"
#include "protocol/version.h"

namespace baton::protocol {

using ToolCall = Call;

/// What a handler gives back. `text` tells a reader everything `structured` tells a program; when
/// it is left empty the JSON itself is sent as text.
struct ToolResult {
  json::Object structured = {};
  std::string text = {};
  std::vector<json::Object> content = {};  // see content.h; sent after `text`, or instead of it
  bool is_error = false;
  /// Set: there is more to come. A tool with TaskMode::when_slow continues as a task, with this as
  /// its state and without arguments, for clients that know tasks; others get this result.
  std::optional<json::Value> goes_on_from = {};
};

/// The one shape of a failure that an agent can fix, its next move already in a surface's words:
/// {code, message, retry{kind, retryAfterMs?}, hint?} and the same as text.
ToolResult tool_error(const Error& error);

struct ToolAnnotations {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;
};

using ToolAnswer = std::variant<ToolResult, NeedInput, RpcError>;
using ToolHandler = std::function<ToolAnswer(const ToolCall&)>;

/// Whether a call may be answered by a task, for clients that know tasks.
enum class TaskMode : std::uint8_t {
  never,
  optional,  // a task if the client knows them, else the result itself
  required,  // refused to clients that do not
  when_slow  // a task if the client knows them and the result says that there is more to come
};

struct Tool {
  std::string name = {};  // [a-z][a-z0-9_]*, at most limits::tool_name_bytes_max
  std::string title = {};
  std::string description = {};    // the first sentence says when to use it
  json::Value input_schema = {};   // an object with type "object"
  json::Value output_schema = {};  // the same, or null for none
  ToolAnnotations annotations = {};
  std::vector<Icon> icons = {};
  TaskMode task = TaskMode::never;
  /// Of a tool with tasks: what is asked in the call itself, before the task begins. May be null.
  std::function<std::optional<NeedInput>(const ToolCall&)> before_task = {};
  ToolHandler handler = {};
};

/// An argument that modern HTTP clients repeat as the header Mcp-Param-<name>, as `x-mcp-header` of
/// its schema asks.
struct HeaderParameter {
  std::string name;
  std::vector<std::string> path;  // property names from the root
};

/// A tool with its schemas ready for use.
struct CheckedTool {
  Tool tool;
  schema::Schema input;
  std::optional<schema::Schema> output;
  std::vector<HeaderParameter> header_parameters;
};

/// Tools in the order given, which is the order of tools/list.
class ToolTable {
 public:
  ToolTable() = default;

  /// Fails on a bad or repeated name, a missing handler, a schema that is not of type object or
  /// cannot be compiled, or an x-mcp-header that clients would refuse.
  static Result<ToolTable> make(std::vector<Tool> tools);

  /// By its name, or by a spelling with dots for underscores: workflow.next_step.
  const CheckedTool* find(std::string_view name) const;

  const std::vector<CheckedTool>& all() const { return tools_; }

 private:
  std::vector<CheckedTool> tools_;
};

}  // namespace baton::protocol
