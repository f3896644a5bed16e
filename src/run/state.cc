#include "run/state.h"

#include <algorithm>
#include <array>

#include "base/json_fields.h"
#include "base/overloaded.h"
#include "base/text.h"

namespace baton::run {
namespace {

using json::Fields;
using json::Object;
using json::Value;

/// Keys that the engine itself gives a meaning to.
constexpr std::array<std::string_view, 4> reserved_keys = {"__proto__", "constructor", "prototype",
                                                           "_baton"};

void merge(Object& context, const Object& delta) {
  for (const json::Member& member : delta) {
    if (member.value.is_null()) {
      context.erase(member.key);
    } else {
      context.set(member.key, member.value);
    }
  }
}

std::size_t depth_of(const Value& value) {
  std::size_t deepest = 0;
  std::vector<std::pair<const Value*, std::size_t>> todo{{&value, 0}};
  while (!todo.empty()) {
    const auto [next, depth] = todo.back();
    todo.pop_back();
    deepest = std::max(deepest, depth);
    if (const json::Array* array = next->if_array()) {
      for (const Value& element : *array) todo.emplace_back(&element, depth + 1);
    } else if (const Object* object = next->if_object()) {
      for (const json::Member& member : *object) todo.emplace_back(&member.value, depth + 1);
    }
  }
  return deepest;
}

}  // namespace

bool NodeState::operator==(const NodeState& other) const {
  return session == other.session && run == other.run && node == other.node &&
         workflow_id == other.workflow_id && workflow_hash == other.workflow_hash &&
         position == other.position && open_steps == other.open_steps &&
         *context == *other.context && preferences == other.preferences;
}

Result<NodeState> fold(NodeState state, std::span<const Event> events) {
  bool has_node = false;
  for (const Event& event : events) {
    std::visit(Overloaded{
                   [&](const RunStarted& e) {
                     state.run = e.run;
                     state.workflow_id = e.workflow_id;
                     state.workflow_hash = e.workflow_hash;
                   },
                   [&](const NodeCreated& e) {
                     state.node = e.node;
                     state.position = e.position;
                     state.open_steps = e.open_steps;
                     has_node = true;
                   },
                   [&](const ContextSet& e) {
                     auto context = std::make_shared<Object>(*state.context);
                     merge(*context, e.delta);
                     state.context = std::move(context);
                   },
                   [&](const PreferencesChanged& e) { state.preferences = e.effective; },
                   [](const auto&) {},
               },
               event);
  }
  if (!has_node) return fail(Code::STORE_CORRUPT, "a commit on a node's path creates no node");
  return state;
}

Result<std::string> write_snapshot(const NodeState& state) {
  json::Array open;
  for (const std::string& step : state.open_steps) open.emplace_back(step);
  return json::canonical(Object{{"v", event_format},
                                {"session", state.session.text()},
                                {"run", state.run.text()},
                                {"node", state.node.text()},
                                {"workflow", state.workflow_id},
                                {"workflowHash", state.workflow_hash.hex()},
                                {"position", state.position},
                                {"open", std::move(open)},
                                {"context", *state.context},
                                {"autonomy", name_of(state.preferences.autonomy)},
                                {"riskPolicy", name_of(state.preferences.risk_policy)}});
}

Result<NodeState> read_snapshot(std::string_view text) {
  const json::ReadLimits bounds{limits::commit_bytes_max, limits::commit_depth_max};
  const auto parsed = json::parse(text, bounds);
  if (!parsed) return fail(Code::STORE_CORRUPT, "a snapshot is not JSON");
  Fields f(*parsed, "snapshot", Code::STORE_CORRUPT);
  if (TRY(f.integer("v")) > event_format) {
    return fail(Code::STORE_NEWER, "a snapshot was written by a newer release");
  }
  NodeState state;
  state.session = TRY(f.id<SessionId>("session"));
  state.run = TRY(f.id<RunId>("run"));
  state.node = TRY(f.id<NodeId>("node"));
  state.workflow_id = TRY(f.string("workflow"));
  state.workflow_hash = TRY(f.sha256("workflowHash"));
  state.position = TRY(f.integer("position"));
  state.open_steps = TRY(f.strings("open"));
  state.context = std::make_shared<Object>(*TRY(f.object("context")));
  const auto autonomy = from_name<Autonomy>(TRY(f.string("autonomy")));
  const auto risk = from_name<RiskPolicy>(TRY(f.string("riskPolicy")));
  if (!autonomy || !risk) return f.wrong("autonomy", "a known name");
  state.preferences = {*autonomy, *risk};
  TRY(f.done());
  return state;
}

bool snapshot_due(std::int64_t path_events, std::int64_t path_bytes, std::size_t snapshot_bytes) {
  return path_events > limits::snapshot_path_events_min &&
         path_bytes > static_cast<std::int64_t>(snapshot_bytes);
}

Result<void> merge_context(Object& context, const Object& delta) {
  for (const json::Member& member : delta) {
    if (std::ranges::find(reserved_keys, member.key) != reserved_keys.end()) {
      return fail(Code::INVALID_INPUT, cat("context: the key \"", member.key, "\" is reserved"),
                  "use another name for it");
    }
  }
  if (depth_of(Value(delta)) > limits::context_depth_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("context: nested deeper than ", limits::context_depth_max, " levels"));
  }
  Object merged = context;
  merge(merged, delta);
  const std::size_t bytes = TRY(json::canonical(merged)).size();
  if (bytes > limits::context_bytes_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("context: it would have ", bytes, " bytes; at most ", limits::context_bytes_max,
                    " are kept"),
                "delete keys by sending null for them, or put large content in artifacts");
  }
  context = std::move(merged);
  return {};
}

}  // namespace baton::run
