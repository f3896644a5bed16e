#include "run/steps/tasks.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/core/sha256.h"
#include "base/text/text.h"

namespace baton::run {
namespace {

using json::Fields;
using json::Object;
using json::Value;

constexpr std::string_view mark = ".item";
constexpr std::string_view batch = "batch_";
constexpr std::int64_t default_retries = 2;

/// An id with the instant of `node`'s and the rest from a digest, formed like any other.
IdBytes derived_id(const NodeId& node, std::string_view what, std::string_view of) {
  const Sha256 digest = sha256(cat("baton task ", what, '\n', node.text(), '\n', of));
  IdBytes bytes = node.bytes;
  std::ranges::copy_n(digest.bytes.begin(), 10, bytes.begin() + 6);
  bytes[6] = static_cast<std::uint8_t>(0x70 | (bytes[6] & 0x0F));
  bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[8] & 0x3F));
  return bytes;
}

}  // namespace

std::string task_id(std::string_view step_key, std::size_t item) {
  return cat(step_key, mark, item);
}

std::string batch_name(const Value& item, std::size_t index) {
  const Value* id = item.find("id");
  const bool is_named = id != nullptr && id->is_string() && !id->if_string()->empty();
  return is_named ? *id->if_string() : cat(batch, index);
}

std::optional<std::size_t> item_called(const json::Array& items, std::string_view name) {
  for (std::size_t at = 0; at < items.size(); ++at) {
    if (batch_name(items[at], at) == name) return at;
  }
  if (!name.starts_with(batch)) return std::nullopt;
  const auto number = parse_int(name.substr(batch.size()));
  const bool is_one = number && *number >= 0 && cat(batch, *number) == name &&
                      static_cast<std::size_t>(*number) < items.size();
  return is_one ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

std::optional<TaskName> read_task_id(std::string_view id) {
  const std::size_t at = id.rfind(mark);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view digits = id.substr(at + mark.size());
  const auto item = parse_int(digits);
  // One spelling for each.
  if (!item || *item < 0 || cat(*item) != digits) return std::nullopt;
  return TaskName{id.substr(0, at), static_cast<std::size_t>(*item)};
}

TaskIds ids_of(const NodeId& node, std::string_view task, std::int64_t attempt) {
  const std::string of = cat(task, '\n', attempt);
  return {SessionId{derived_id(node, "session", of)}, RunId{derived_id(node, "run", of)},
          NodeId{derived_id(node, "node", of)}};
}

json::Array to_json(std::span<const state::Write> writes) {
  json::Array out;
  for (const state::Write& each : writes) {
    out.push_back(Object{{"path", state::print(each.path)},
                         {"operation", state::name_of(each.operation)},
                         {"value", each.value}});
  }
  return out;
}

Result<std::vector<state::Write>> writes_from(const json::Array& list) {
  std::vector<state::Write> out;
  for (const Value& each : list) {
    Fields f(each, "write", Code::STORE_CORRUPT);
    auto path = state::parse_path(TRY(f.string("path")));
    if (!path) return f.wrong("path", "a path of the state");
    const auto operation = state::operation_of(TRY(f.string("operation")));
    if (!operation) return f.wrong("operation", "a known name");
    state::Write write{*std::move(path), *operation, {}};
    write.value = *TRY(f.any("value"));
    TRY(f.done());
    out.push_back(std::move(write));
  }
  return out;
}

TaskPolicy task_policy(const workflow::Step& step) {
  TaskPolicy out;
  out.timeout_ms = step.timeout_ms;
  const auto* spread = step.as<workflow::ParallelForeach>();
  if (spread == nullptr) return out;
  out.max_parallel = std::max<std::int64_t>(1, spread->max_parallel);
  out.wait_for_all = spread->wait_for_all;
  if (spread->sub_agent_prompt) out.prompt = *spread->sub_agent_prompt;
  if (!spread->on_sub_agent_error) return out;
  const workflow::TaskErrors& errors = *spread->on_sub_agent_error;
  out.strategy = errors.strategy;
  if (out.strategy == workflow::TaskStrategy::retry_failed) {
    out.max_retries = errors.max_retries.value_or(default_retries);
  }
  if (errors.collect_errors.value_or(true) && errors.error_state_path) {
    out.errors_path = *errors.error_state_path;
  }
  return out;
}

bool is_isolated(const workflow::CompiledWorkflow& workflow, const workflow::Step& step) {
  const Value* task = workflow::task_of(workflow, step);
  return task != nullptr && task->find("state") != nullptr;
}

}  // namespace baton::run
