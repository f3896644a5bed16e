#pragma once
// The planning document as a value: what a commit description says when it is a plan. Fields hold
// the characters a person wrote; case is never folded. Values only; no owner, any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/json/json.h"

namespace baton::plan {

/// `type(scope)!: title`
struct Header {
  std::string type;
  std::optional<std::string> scope = {};
  bool breaking = false;
  std::optional<std::string> title = {};
  bool operator==(const Header&) const = default;
};

/// `- Never: rewrite history`
struct Constraint {
  std::string key;
  std::string value;
  bool operator==(const Constraint&) const = default;
};

/// `- [x]: text`, with the tasks indented below it.
struct PlanTask {
  bool done = false;
  std::string text;
  std::vector<PlanTask> children = {};
  bool operator==(const PlanTask&) const = default;
};

/// How the text was written, so that writing it again changes nothing else.
struct TextStyle {
  bool byte_order_mark = false;
  bool crlf = false;  // every line of it
  bool operator==(const TextStyle&) const = default;
};

struct Plan {
  std::optional<Header> header = {};
  std::optional<std::string> description = {};
  std::vector<Constraint> constraints = {};  // none counts as absent
  std::vector<PlanTask> tasks = {};
  std::optional<std::string> direction = {};  // the free text at the end
  TextStyle style = {};
  bool operator==(const Plan&) const = default;
};

/// The word of the last `~~~ WORD ~~~` line of the direction.
std::optional<std::string_view> directive_of(const Plan& document);

/// The word between the tildes, when `line` is a directive.
std::optional<std::string_view> directive_in(std::string_view line);

inline constexpr std::string_view complete_directive = "COMPLETE";

struct PlanProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  bool operator==(const PlanProgress&) const = default;
};

/// Counts every task, parents included.
PlanProgress progress_of(const std::vector<PlanTask>& tasks);

/// A task's place: "2.1" is the first child of the second task.
using TaskPath = std::vector<std::size_t>;  // from 0
std::string path_text(const TaskPath& path);
/// REQUIRES: the path exists.
const PlanTask& task_at(const std::vector<PlanTask>& tasks, const TaskPath& path);

/// Every task in the order of the text.
struct PlacedTask {
  TaskPath path;
  const PlanTask* task;
};
std::vector<PlacedTask> all_tasks(const std::vector<PlanTask>& tasks);

/// {header, description, constraints: [[key, value]], tasks: [[done, text, [...]]], direction,
/// directive}; absent fields are left out.
json::Object to_json(const Plan& document);

/// A task as [done, text, [...]].
json::Value to_json(const PlanTask& task);

/// Reads what to_json writes, and tasks as {done, text, children} and constraints as
/// {key, value} or "Key: value" too. INVALID_INPUT says where it is wrong.
Result<Plan> document_from_json(const json::Value& value);
Result<std::vector<PlanTask>> tasks_from_json(const json::Value& value);
Result<std::vector<Constraint>> constraints_from_json(const json::Value& value);
Result<Header> header_from_json(const json::Value& value);

}  // namespace baton::plan
