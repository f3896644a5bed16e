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
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/result.h"
#include "base/schema.h"
#include "protocol/version.h"

namespace baton::protocol {

/// The transport's end of one running call: whether the caller still wants it, and the way for
/// notifications that belong to it. Used by the thread that runs the call.
class CallHost {
 public:
  virtual ~CallHost() = default;
  virtual bool cancelled() const = 0;
  /// `line` is one encoded message. Nothing is sent once the call is cancelled.
  virtual void send(std::string_view line) = 0;
};

struct Progress {
  double done = 0;  // must grow from report to report; others are dropped
  std::optional<double> total = {};
  std::string message = {};
};

/// What a handler is given.
struct ToolCall {
  json::Object arguments = {};  // checked against the tool's input schema
  std::string principal = "local";
  Version version = newest_legacy_version;
  json::Object client_capabilities = {};
  std::function<bool()> cancelled = [] { return false; };
  std::function<void(const Progress&)> report = [](const Progress&) {};
};

/// What a handler gives back. `text` tells a reader everything `structured` tells a program; when
/// it is left empty the JSON itself is sent as text.
struct ToolResult {
  json::Object structured = {};
  std::string text = {};
  bool is_error = false;
};

/// The one shape of a failure that an agent can mend:
/// {code, message, retry{kind, retryAfterMs?}, hint?} and the same as text.
ToolResult tool_error(const Error& error);

struct ToolAnnotations {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;
};

using ToolHandler = std::function<ToolResult(const ToolCall&)>;

struct Tool {
  std::string name = {};  // [a-z][a-z0-9_]*, at most limits::tool_name_bytes_max
  std::string title = {};
  std::string description = {};    // the first sentence says when to use it
  json::Value input_schema = {};   // an object with type "object"
  json::Value output_schema = {};  // the same, or null for none
  ToolAnnotations annotations = {};
  ToolHandler handler = {};
};

/// A tool with its schemas ready for use.
struct CheckedTool {
  Tool tool;
  schema::Schema input;
  std::optional<schema::Schema> output;
};

/// Tools in the order given, which is the order of tools/list.
class ToolTable {
 public:
  ToolTable() = default;

  /// Fails on a bad or repeated name, a missing handler, or a schema that is not of type object or
  /// cannot be compiled.
  static Result<ToolTable> make(std::vector<Tool> tools);

  /// By its name, or by a spelling with dots for underscores: workflow.next_step.
  const CheckedTool* find(std::string_view name) const;

  const std::vector<CheckedTool>& all() const { return tools_; }

 private:
  std::vector<CheckedTool> tools_;
};

}  // namespace baton::protocol
