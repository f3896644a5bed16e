#pragma once
// Events: the only truth about a run. A commit holds the events of one act, all or none.
// docs/formats/event-log.md describes their JSON; what each type says of itself in `name` and
// `describe` is all that the code knows of it (run/log/description.h). `name` is the event's kind.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/limits.h"
#include "base/json/json.h"
#include "run/graph/cursor.h"
#include "run/log/approval_events.h"
#include "run/log/effect_events.h"
#include "run/log/evidence_record.h"
#include "run/log/facts.h"
#include "run/log/gate_events.h"
#include "run/log/mcp_task_events.h"
#include "run/log/owner_events.h"
#include "run/log/policy_events.h"
#include "run/log/process.h"
#include "run/log/run_events.h"
#include "run/steps/tasks.h"

namespace baton::run {

/// The newest version of the event format that this release reads and writes. Release 0.1.0 reads
/// version 1 and takes an unknown kind or field for damage, so a commit is written with the lowest
/// version that has all its events: an older release that meets a newer commit says STORE_NEWER.
inline constexpr std::int64_t event_format = 2;

using AnyEvent = std::variant<
    SessionCreated, RunStarted, NodeCreated, EdgeCreated, AdvanceRecorded, NodeOutputAppended,
    ContextSet, PreferencesChanged, TokensRevoked, ObservationRecorded, McpTaskChanged,
    ApprovalKeyChanged, PolicySigned, DecisionTraceAppended, ValidationPerformed, GapRecorded,
    GapResolved, CapabilityObserved, DivergenceRecorded, AssessmentRecorded, RunStateChanged,
    StateUpdated, StepFailed, EvidenceRecorded, ProcessIntended, ProcessFinished, TaskLeased,
    TaskSettled, RunHeld, GuidanceGiven, GuidanceDelivered, GateOpened, GateAnswered, GateDecided,
    AssumptionRecorded, EffectReported, EffectReused, UndoIntended, UndoFinished, PolicyApplied,
    BudgetSet, TokensUsed, UsageCounted, DecisionsImported>;

/// One of them. How it is copied, moved, compared and ended is compiled once, in event.cc, and not
/// in every file that has one.
struct Event : AnyEvent {
  using AnyEvent::AnyEvent;
  using AnyEvent::operator=;
  Event();
  Event(const Event& other);
  Event(Event&& other) noexcept;
  Event& operator=(const Event& other);
  Event& operator=(Event&& other) noexcept;
  ~Event();
  bool operator==(const Event& other) const;
};

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
