#pragma once
// What a decision is made of: the commands, what it needs from outside, what it comes to, and the
// reply at a node. Values; decide.h decides.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/decide/heard_gate.h"
#include "run/decide/submission.h"
#include "run/graph/state.h"
#include "run/log/rows.h"
#include "run/policy/policy.h"
#include "run/show/reply.h"
#include "run/steps/stored_result.h"
#include "run/walk/probes.h"
#include "run/walk/scripts.h"
#include "workflow/compiled.h"

namespace baton::run {

/// How the tokens of a reply are to be claimed.
struct TokenSettings {
  std::uint8_t key_slot = 0;
  std::uint16_t life_minutes = 0;
};

struct StartCommand {
  const workflow::Pinned* workflow = nullptr;
  const Schemas* schemas = nullptr;  // of that workflow; nullptr when it needs none
  std::string goal;
  std::optional<std::string> workspace_path = {};  // the folder the work is about
  std::vector<std::pair<ObservationKey, std::string>> observed = {};  // beside that
  json::Object context;
  PreferencesDelta preferences;
  Preferences defaults = {};  // where that says nothing
  TokenSettings minting;
  bool may_run = false;     // commands of the workflow, by the server
  std::string runner = {};  // names the process that would run them; empty: none does
  ChangeSource source = {.how = ChangedHow::start};  // of the preferences
  Policy policy = {};
  Budget budget = {};  // that the caller asks for; the author's counts beside it
};

struct AdvanceCommand {
  const workflow::CompiledWorkflow* workflow = nullptr;
  const Schemas* schemas = nullptr;  // of that workflow; nullptr when it needs none
  NodeId token_node;
  AttemptKey attempt;
  std::string step;  // the open step it settles; empty for a checkpoint
  NodeState parent;  // of the node that place_advance chose
  EdgeCause cause = EdgeCause::advance;
  std::int64_t path_events = 0;  // of that node, since its snapshot
  std::int64_t path_bytes = 0;
  StepInput input;
  TokenSettings minting;
  bool may_run = false;                 // commands of the workflow, by the server
  std::string runner = {};              // names the process that would run them; empty: none does
  ChangeSource source = {};             // of what the input changes
  std::vector<Guidance> guidance = {};  // of the owner, that no reply on the way to `parent` had
  std::optional<LeftBranch> left = {};  // of a fork: told with its reply
  Policy policy = {};
  std::vector<GateWord> words = {};        // of persons, at the gate where `parent` waits
  std::vector<HeardGate> heard = {};       // the other gates of its step on the path, oldest first
  std::optional<GateWord> asked = {};      // what the form that the surface showed came back with
  std::vector<EarlierWrite> earlier = {};  // to the state, since the step is open
  // A simulation cannot make up every proof: what it lacks is a gap there. No caller can ask for
  // this.
  bool is_simulated = false;
};

/// Begins one attempt at a task.
struct TaskCommand {
  const workflow::Pinned* workflow = nullptr;
  const Schemas* schemas = nullptr;  // of that workflow; nullptr when it needs none
  NodeState parent;                  // where the step is pending whose task it is
  TaskRef task;                      // one of its items
  TaskIds ids;
  std::vector<std::pair<ObservationKey, std::string>> observed;  // around the parent
  TokenSettings minting;
  bool may_run = false;     // commands of the workflow, by the server
  std::string runner = {};  // names the process that would run them; empty: none does
  Policy policy = {};
};

/// Fresh from outside: an instant, a seed and ids.
struct FreshValues {
  FreshInputs drawn;
  SessionId session;
  RunId run;
  NodeId node;
};
struct NeedDraw {};
struct NeedAnswers {
  std::span<const state::Evaluation> evaluations;  // until the decider is asked or told anything
};

struct NeedProbes {
  const std::string& workspace;
  std::span<const Probe> looks;  // until the decider is asked or told anything
  bool may_run = false;          // whether those that are commands may be run
};

/// What other branches of the run did outside at this step.
struct NeedEffects {
  const std::string& step;  // until the decider is asked or told anything
};

struct Decided {
  CommitDraft commit;
  Reply reply;
  NodeState state;               // at the new node
  bool leaves_guidance = false;  // for which there was no caller, or no room in the reply
};

/// A decision in progress, which keeps its intermediate results.
class Decision {
 public:
  virtual ~Decision() = default;

  /// What it asked for and is not known yet is in `answers` or in `looks`.
  virtual Known<Decided> go(state::ScriptAnswers& answers, Probes& looks) = 0;
  virtual bool may_run() const = 0;
  /// What is decided instead when this came to an error; nullptr: the caller gets the error.
  virtual std::unique_ptr<Decision> after(const Error&) const { return nullptr; }
};

/// Whether sub-agents settle the step that `state` is at, so that `input` cannot.
bool needs_tasks(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                 const StepInput& input);

/// The key under which an attempt is recorded, once, in its session.
std::string attempt_dedupe_key(const NodeId& node, const AttemptKey& attempt);

/// The answer to a caller that reads a node: tokens for it, its pending step.
struct Settled {
  std::uint16_t advances = 0;     // attempts already settled at the node's first open step
  std::uint16_t checkpoints = 0;  // and checkpoints taken at it
};
Known<Reply> reply_at(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                      const Settled& settled, const TokenSettings& minting, Scripts& scripts);

}  // namespace baton::run
