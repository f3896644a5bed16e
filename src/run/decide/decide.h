#pragma once
// Decider: what a command does to a run, as a value. It is asked for the next thing until it has
// decided; it says what it needs from outside, and a verb fetches it.
//
//   Decider decider = Decider::advance(...);
//   while (true) {
//     auto next = TRY(decider.next());
//     if (auto* decided = std::get_if<Decided>(&next)) { append(decided->commit); ... }
//     else if (auto* need = std::get_if<NeedAnswers>(&next))
//       decider.supply(run(need->evaluations));
//     else if (auto* need = std::get_if<NeedLooks>(&next)) decider.supply(look(need->looks));
//     else decider.supply(draw());
//   }

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "run/decide/submission.h"
#include "run/walk/probes.h"
#include "run/show/reply.h"
#include "run/log/rows.h"
#include "run/walk/scripts.h"
#include "run/graph/state.h"
#include "workflow/compiled.h"

namespace baton::run {

/// How the tokens of a reply are to be claimed.
struct Minting {
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
  Minting minting;
  bool may_run = false;     // commands of the workflow, by the server
  std::string runner = {};  // names the process that would run them; empty: none does
  ChangeSource source = {.how = ChangedHow::start};  // of the preferences
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
  Input input;
  Minting minting;
  bool may_run = false;      // commands of the workflow, by the server
  std::string runner = {};   // names the process that would run them; empty: none does
  ChangeSource source = {};  // of what the input changes
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
  Minting minting;
  bool may_run = false;     // commands of the workflow, by the server
  std::string runner = {};  // names the process that would run them; empty: none does
};

/// Fresh from outside: an instant, a seed and ids.
struct Draw {
  Drawn drawn;
  SessionId session;
  RunId run;
  NodeId node;
};
struct NeedDraw {};
struct NeedAnswers {
  std::span<const state::Evaluation> evaluations;  // until the decider is asked or told anything
};

struct NeedLooks {
  const std::string& workspace;
  std::span<const Look> looks;  // until the decider is asked or told anything
  bool may_run = false;         // whether those that are commands may be run
};

struct Decided {
  CommitDraft commit;
  Reply reply;
  NodeState state;  // at the new node
};

/// A decision in progress, which keeps its intermediate results.
class Deciding {
 public:
  virtual ~Deciding() = default;

  /// What it asked for and is not known yet is in `answers` or in `looks`.
  virtual Known<Decided> go(state::Answers& answers, Looks& looks) = 0;
  virtual bool may_run() const = 0;
};

class Decider {
 public:
  static Decider start(StartCommand command) { return Decider(std::move(command)); }
  static Decider advance(AdvanceCommand command) { return Decider(std::move(command)); }
  static Decider start_task(TaskCommand command) { return Decider(std::move(command)); }

  /// Bad input is an error and decides nothing. Decided is the last thing said.
  Result<std::variant<NeedDraw, NeedAnswers, NeedLooks, Decided>> next();
  void supply(const Draw& draw);
  /// REQUIRES: one for each of the evaluations that were needed.
  void supply(std::vector<state::Answer> answers) { answers_.supply(std::move(answers)); }
  /// REQUIRES: one for each of the looks that were needed.
  void supply(std::vector<Seen> seen) { looks_.supply(std::move(seen)); }

 private:
  using Command = std::variant<StartCommand, AdvanceCommand, TaskCommand>;
  explicit Decider(Command command) : command_(std::move(command)) {}

  Command command_;
  std::unique_ptr<Deciding> work_;  // once drawn
  state::Answers answers_;
  Looks looks_;
};

/// Whether sub-agents settle the step that `state` is at, so that `input` cannot.
bool needs_tasks(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                 const Input& input);

/// The key under which an attempt is recorded, once, in its session.
std::string attempt_dedupe_key(const NodeId& node, const AttemptKey& attempt);

/// The answer to a caller that reads a node: tokens for it, its pending step.
struct Settled {
  std::uint16_t advances = 0;     // attempts already settled at the node's first open step
  std::uint16_t checkpoints = 0;  // and checkpoints taken at it
};
Known<Reply> reply_at(const workflow::CompiledWorkflow& workflow, const NodeState& state,
                      const Settled& settled, const Minting& minting, Scripts& scripts);

}  // namespace baton::run
