#pragma once
// Events: the only truth about a run. A commit holds the events of one act, all or none.
// docs/formats/event-log.md describes their JSON; what each type says of itself in `name` and
// `describe` is all that the code knows of it (run/log/description.h). `name` is the event's kind.

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/core/limits.h"
#include "base/json/json.h"
#include "run/graph/cursor.h"
#include "run/log/evidence_record.h"
#include "run/log/facts.h"
#include "run/log/process.h"
#include "run/steps/tasks.h"

namespace baton::run {

/// The newest version of the event format that this release reads and writes. Release 0.1.0 reads
/// version 1 and takes an unknown kind or field for damage, so a commit is written with the lowest
/// version that has all its events: an older release that meets a newer commit says STORE_NEWER.
inline constexpr std::int64_t event_format = 2;

struct SessionCreated {
  bool operator==(const SessionCreated&) const = default;

  static constexpr std::string_view name = "session_created";
  static void describe(auto&, auto&) {}
};

struct RunStarted {
  RunId run;
  std::string workflow_id;
  Sha256 workflow_hash;
  std::string goal;                  // what the caller said the run is for; may be empty
  std::optional<TaskRef> task = {};  // what it carries out, when it is a sub-agent's
  bool operator==(const RunStarted&) const = default;

  static constexpr std::string_view name = "run_started";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("workflow", e.workflow_id);
    v("workflowHash", e.workflow_hash);
    v("goal", e.goal);
    v.unless_empty("task", e.task);
  }
};

/// An immutable point of a run. No open step: the run is complete here.
struct NodeCreated {
  RunId run;
  NodeId node;
  std::optional<NodeId> parent;  // none for the root
  NodeKind kind = NodeKind::step;
  std::int64_t position = 0;            // of the cursor
  std::vector<std::string> open_steps;  // step keys; a token's ordinal counts into these
  std::string settled_step;             // the open step of the parent that led here, if one did
  std::vector<Frame> frames = {};       // of the cursor, without what the parent's holds already
  json::Object shown = {};              // the results of the scripts in the open step's prompt
  /// What the open step hands to sub-agents, one each, where it became pending; else null.
  std::shared_ptr<const json::Value> items = {};
  bool operator==(const NodeCreated& other) const;

  static constexpr std::string_view name = "node_created";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.unless_empty("parent", e.parent);
    v("nodeKind", e.kind);
    v("position", e.position);
    v("open", e.open_steps);
    v.unless_empty("settled", e.settled_step);
    v.unless_empty("frames", e.frames);
    v.unless_empty("shown", e.shown);
    v.unless_empty("items", e.items);
    v.must("items", "a list", [&] { return e.items == nullptr || e.items->is_array(); });
  }
};

struct EdgeCreated {
  RunId run;
  NodeId from;
  NodeId to;
  EdgeKind kind = EdgeKind::acked_step;
  EdgeCause cause = EdgeCause::advance;
  bool operator==(const EdgeCreated&) const = default;

  static constexpr std::string_view name = "edge_created";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("from", e.from);
    v("to", e.to);
    v("edgeKind", e.kind);
    v("cause", e.cause);
  }
};

/// What was drawn from the world for one advance; a replay draws nothing.
struct Drawn {
  WallMs now;
  std::uint64_t seed = 0;
  bool operator==(const Drawn&) const = default;

  static constexpr std::string_view name = "drawn";
  static void describe(auto& e, auto& v) {
    v("now_ms", e.now);
    v("seed", e.seed);
  }
};

/// An attempt has this one outcome. `reply` is what the caller was told (run/show/reply.h).
struct AdvanceRecorded {
  RunId run;
  NodeId node;  // the node the token named
  AttemptKey attempt;
  std::string step;  // its step key; empty for a checkpoint
  NodeId to;
  Drawn drawn;
  Sha256 input;  // of the canonical input, to notice a redelivery with another output
  json::Value reply;
  bool operator==(const AdvanceRecorded&) const = default;

  static constexpr std::string_view name = "advance_recorded";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("intent", e.attempt.kind);
    v.at_most("ordinal", e.attempt.ordinal, limits::open_steps_max - 1);
    v.at_most("attempt", e.attempt.count, limits::attempts_per_step_max - 1);
    v("step", e.step);
    v("to", e.to);
    v("drawn", e.drawn);
    v("input", e.input);
    v("reply", e.reply);
  }
};

/// The name of a payload is that of its channel.
struct Notes {
  std::string markdown;
  bool operator==(const Notes&) const = default;

  static constexpr std::string_view name = "recap";
  static void describe(auto& e, auto& v) { v("notes", e.markdown); }
};
struct Artifact {
  Sha256 hash;  // of the canonical text of `content`
  json::Value content;
  bool operator==(const Artifact&) const = default;

  static constexpr std::string_view name = "artifact";
  static void describe(auto& e, auto& v) {
    v("sha256", e.hash);
    v("content", e.content);
  }
};

/// One piece of what an attempt at `node` handed in.
struct NodeOutputAppended {
  RunId run;
  NodeId node;
  std::variant<Notes, Artifact> payload;
  bool operator==(const NodeOutputAppended&) const = default;

  static constexpr std::string_view name = "node_output_appended";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.one_of("channel", e.payload);
  }
};

/// A shallow merge into the context, valid at `node` and below; a null deletes its key.
struct ContextSet {
  RunId run;
  NodeId node;
  ContextSource source = ContextSource::initial;
  json::Object delta;
  bool operator==(const ContextSet&) const = default;

  static constexpr std::string_view name = "context_set";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("source", e.source);
    v("context", e.delta);
  }
};

/// Holds at `node` and below. `change` is there for every change after the start, and for a start
/// that goes further than the server's own preferences.
struct PreferencesChanged {
  RunId run;
  NodeId node;
  Preferences effective;
  std::optional<PreferenceChange> change = {};
  bool operator==(const PreferencesChanged&) const = default;

  static constexpr std::string_view name = "preferences_changed";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.flat(e.effective);
    v.unless_empty("change", e.change);
  }
};

/// Every token of every node the run has so far is void.
struct TokensRevoked {
  RunId run;
  bool operator==(const TokensRevoked&) const = default;

  static constexpr std::string_view name = "tokens_revoked";
  static void describe(auto& e, auto& v) { v("run", e.run); }
};

/// Something seen around a run, for people and for finding it again. Steps depend on the workspace
/// alone: it is where evidence is looked for and commands are run.
struct ObservationRecorded {
  RunId run;
  ObservationKey key = ObservationKey::workspace_path;
  std::string value;
  bool operator==(const ObservationRecorded&) const = default;

  static constexpr std::string_view name = "observation_recorded";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("key", e.key);
    v("value", e.value);
  }
};

/// The call that an MCP task carries out.
struct McpTaskCall {
  std::string principal;
  std::string tool;
  json::Object arguments;
  json::Object client_capabilities;
  std::optional<std::int64_t> ttl_ms;  // after the task's first commit
  std::int64_t poll_interval_ms = 0;
  bool operator==(const McpTaskCall&) const = default;

  static constexpr std::string_view name = "call";
  static void describe(auto& e, auto& v) {
    v("principal", e.principal);
    v("tool", e.tool);
    v("arguments", e.arguments);
    v("clientCapabilities", e.client_capabilities);
    v("pollIntervalMs", e.poll_interval_ms);
    v.unless_empty("ttlMs", e.ttl_ms);
  }
};

/// The state of an MCP task from here on. A task has a session of its own, without a run: its log
/// is the task's life, and a run's log is not moved by it.
struct McpTaskChanged {
  TaskId task;
  std::optional<McpTaskCall> call;  // in the task's first event only
  McpTaskStatus status = McpTaskStatus::working;
  std::string worker;      // the process that runs a working one; empty: not known
  std::string message;     // for people; may be empty
  json::Value state;       // what the call keeps while it waits for answers; null: nothing
  json::Object requests;   // what is asked and not answered yet, by key
  json::Object responses;  // every answer so far, by key
  json::Object result;     // of a completed one
  json::Object error;      // of a failed one
  bool operator==(const McpTaskChanged&) const = default;

  static constexpr std::string_view name = "mcp_task_changed";
  static void describe(auto& e, auto& v) {
    v("task", e.task);
    v("status", e.status);
    v.unless_empty("call", e.call);
    v.unless_empty("worker", e.worker);
    v.unless_empty("message", e.message);
    v.unless_empty("state", e.state);
    v.unless_empty("requests", e.requests);
    v.unless_empty("responses", e.responses);
    v.unless_empty("result", e.result);
    v.unless_empty("error", e.error);
  }
};

using Event =
    std::variant<SessionCreated, RunStarted, NodeCreated, EdgeCreated, AdvanceRecorded,
                 NodeOutputAppended, ContextSet, PreferencesChanged, TokensRevoked,
                 ObservationRecorded, McpTaskChanged, DecisionTraceAppended, ValidationPerformed,
                 GapRecorded, GapResolved, CapabilityObserved, DivergenceRecorded,
                 AssessmentRecorded, RunStateChanged, StateUpdated, StepFailed, EvidenceRecorded,
                 ProcessIntended, ProcessFinished, TaskLeased, TaskSettled>;

/// The JSON of anything described that is not an event, and back: STORE_CORRUPT when it has another
/// shape. Both exist for the types that description.cc names at its end.
template <class T>
concept Described = requires { T::name.size(); };
template <Described T>
json::Object to_json(const T& part);
template <Described T>
Result<T> from_json(const json::Value& value);

/// The event's kind as written in the log, e.g. "advance_recorded".
std::string_view kind_name(const Event& event);

json::Value to_json(const Event& event);

/// Refuses a kind or field that this release does not know: STORE_NEWER for a kind of the closed
/// set that is not written yet, else STORE_CORRUPT.
Result<Event> event_from_json(const json::Value& value);

/// The lowest version of the format that has this event with all its fields.
std::int64_t format_of(const Event& event);

/// The body of a commit: canonical JSON {"events":[...],"v":1}, with the highest `v` that one of
/// its events needs.
Result<std::string> encode_events(std::span<const Event> events);
Result<std::vector<Event>> decode_events(std::string_view body);

/// A node as its commit records it, without what only folding needs.
struct NodeOutline {
  NodeId id;
  RunId run;
  std::optional<NodeId> parent;
  NodeKind kind = NodeKind::step;
  std::vector<std::string> open_steps;
  std::string settled_step;
  bool operator==(const NodeOutline&) const = default;
};

/// What the store must index about a commit; follows from its events alone.
struct CommitIndex {
  struct Run {
    RunId run;
    std::string workflow_id;
    Sha256 workflow_hash;
    std::string goal;
    std::optional<RunId> parent;  // whose task it carries out
  };
  struct Attempt {
    NodeId node;  // the node the attempt was made at
    AttemptKey key;
    NodeId to;  // the node that settled it
  };
  std::int64_t events = 0;  // how many there are
  std::optional<Run> started;
  std::vector<NodeOutline> nodes;
  std::vector<Attempt> attempts;
  std::vector<RunId> revoked;
};

CommitIndex index_of(std::span<const Event> events);

}  // namespace baton::run
