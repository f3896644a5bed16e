#pragma once
// Facts about the steps and the state of a run: assessments, ends, failures, writes. Values.

#include <map>
#include <string>
#include <vector>

#include "base/json/fields.h"
#include "run/log/signals.h"
#include "state/delta.h"

namespace baton::run {

struct AssessedDimension {
  std::string id;
  std::string level;
  std::string rationale;  // may be empty
  bool operator==(const AssessedDimension&) const = default;

  static constexpr std::string_view name = "assessed dimension";
  static void describe(auto& e, auto& v) {
    v("id", e.id);
    v("level", e.level);
    v.unless_empty("rationale", e.rationale);
  }
};

struct Assessment {
  std::string id;
  std::vector<AssessedDimension> dimensions;
  std::string summary;                // may be empty
  std::vector<std::string> guidance;  // of the consequences that its levels have
  bool operator==(const Assessment&) const = default;

  static constexpr std::string_view name = "assessment";
  static void describe(auto& e, auto& v) {
    v("assessment", e.id);
    v("dimensions", e.dimensions);
    v.unless_empty("summary", e.summary);
    v.unless_empty("guidance", e.guidance);
  }
};

struct AssessmentRecorded {
  RunId run;
  NodeId node;
  Assessment assessment;
  bool operator==(const AssessmentRecorded&) const = default;

  static constexpr std::string_view name = "assessment_recorded";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.flat(e.assessment);
  }
};

/// The run ends here, or is reopened.
struct RunStateChanged {
  RunId run;
  NodeId node;
  RunState to = RunState::running;
  std::string reason;          // may be empty
  bool resets_counts = false;  // of attempts that went wrong
  bool operator==(const RunStateChanged&) const = default;

  static constexpr std::string_view name = "run_state_changed";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("to", e.to);
    v.unless_empty("why", e.reason);
    v.unless_empty("resetsCounts", e.resets_counts);
  }
};

/// What went wrong with a step, as expressions see it under the name `error`.
struct StepError {
  std::string step;  // its key
  std::string type;  // agent, command, timeout, input, ...
  std::string message;
  bool operator==(const StepError&) const = default;

  static constexpr std::string_view name = "error of a run";
  static void describe(auto& e, auto& v) {
    v("step", e.step);
    v("type", e.type);
    v.may_lack("message", e.message);
  }
};

/// A step could not be done.
struct StepFailed {
  RunId run;
  NodeId node;
  StepError error;
  Consequence consequence = Consequence::fail;
  bool operator==(const StepFailed&) const = default;

  static constexpr std::string_view name = "step_failed";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.flat(e.error);
    v("consequence", e.consequence);
  }
};

/// What a step did to the state of one frame.
struct StateUpdated {
  RunId run;
  NodeId node;
  std::string frame;  // the key of the include step whose frame it is; empty: the root's
  state::Delta delta;
  std::string cause;  // the key of the step, "start", or who changed it from outside
  std::string ended;  // the frame that ended with this; empty: none
  /// Of a task: what was asked for that goes to the state of the run it belongs to as well.
  std::vector<state::Write> writes = {};
  bool operator==(const StateUpdated&) const = default;

  static constexpr std::string_view name = "state_updated";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v.unless_empty("frame", e.frame);
    v("cause", e.cause);
    v.unless_empty("ended", e.ended);
    v.unless_empty("writes", e.writes);
    v.delta(e.delta);
  }
};

}  // namespace baton::run
