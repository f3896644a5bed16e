#pragma once
// The events of a run and its nodes: how it began, which nodes it has, what was sent. Values.

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
  std::int64_t workflow_form = 0;    // of the compiled workflow; 0: the first, which 0.1.0 knows
  bool operator==(const RunStarted&) const = default;

  static constexpr std::string_view name = "run_started";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("workflow", e.workflow_id);
    v("workflowHash", e.workflow_hash);
    v("goal", e.goal);
    v.unless_empty("task", e.task);
    v.unless_empty("workflowForm", e.workflow_form);
    v.must("workflowForm", "a number that is not negative", [&] { return e.workflow_form >= 0; });
  }
};

/// An immutable point of a run. No open step: the run is complete here.
struct NodeCreated {
  RunId run;
  NodeId node;
  std::optional<NodeId> parent;  // none for the root
  NodeKind kind = NodeKind::step;
  std::int64_t position = 0;             // of the cursor
  std::vector<std::string> open_steps;   // step keys; a token's ordinal counts into these
  std::string settled_step;              // the open step of the parent that led here, if one did
  std::vector<CursorFrame> frames = {};  // of the cursor, without what the parent's holds already
  json::Object shown = {};               // the results of the scripts in the open step's prompt
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
struct FreshInputs {
  WallMs now;
  std::uint64_t seed = 0;
  bool operator==(const FreshInputs&) const = default;

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
  FreshInputs drawn;
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

/// One piece of what an attempt at `node` sent.
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

}  // namespace baton::run
