#include "run/graph/state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "base/core/budget_limits.h"
#include "base/core/gate_limits.h"
#include "run/log/description.h"

namespace baton::run {
namespace {

using json::Fields;
using json::Object;
using json::Value;

/// Keys that the engine itself gives a meaning to.
constexpr std::array<std::string_view, 4> reserved_keys = {"__proto__", "constructor", "prototype",
                                                           "_baton"};

// Up to here every integer is a double of its own, and its canonical text says just that.
constexpr double exact_integer_max = 9007199254740992.0;

/// In one pass over each, no matter how much of it is removed.
void merge(Object& context, const Object& delta) {
  Object merged;
  for (json::Member& member : context) {
    const Value* changed = delta.find(member.key);
    if (changed != nullptr && changed->is_null()) continue;
    merged.append_new(member.key, changed != nullptr ? *changed : std::move(member.value));
  }
  for (const json::Member& member : delta) {
    if (!member.value.is_null() && !context.contains(member.key)) {
      merged.append_new(member.key, member.value);
    }
  }
  context = std::move(merged);
}

std::unexpected<Error> too_long(std::string_view would_have) {
  return fail(
      Code::LIMIT_EXCEEDED,
      cat("context: it would have ", would_have, " bytes; at most ", limits::context_bytes_max,
          " are kept"),
      "send less of it, or delete keys that are not needed any more by setting them to null");
}

/// How deep arrays and objects are nested, as JSON readers count it.
std::size_t depth_of(const Value& value) {
  std::size_t deepest = 0;
  std::vector<std::pair<const Value*, std::size_t>> todo{{&value, 1}};
  while (!todo.empty()) {
    const auto [next, depth] = todo.back();
    todo.pop_back();
    if (const json::Array* array = next->if_array()) {
      deepest = std::max(deepest, depth);
      for (const Value& element : *array) todo.emplace_back(&element, depth + 1);
    } else if (const Object* object = next->if_object()) {
      deepest = std::max(deepest, depth);
      for (const json::Member& member : *object) todo.emplace_back(&member.value, depth + 1);
    }
  }
  return deepest;
}

/// A copy of what is known at a node, to be changed.
std::shared_ptr<KnownFacts> ledger_to_change(const NodeState& state) {
  return std::make_shared<KnownFacts>(state.known());
}

/// The counts of the step that is open.
FailureCounts& counted_at_open_step(KnownFacts& ledger, const NodeState& state) {
  FailureCounts& setbacks = ledger.setbacks;
  const std::string step = state.open_steps.empty() ? std::string() : state.open_steps.front();
  if (setbacks.step != step) {
    setbacks.step = step;
    setbacks.refused = setbacks.failed = setbacks.unproven = 0;
  }
  return setbacks;
}

void count_try(KnownFacts& ledger, const NodeState& state) {
  const std::string step = state.open_steps.empty() ? std::string() : state.open_steps.front();
  if (ledger.tries.step != step) ledger.tries = {step, 0};
  ++ledger.tries.count;
}

Object states_json(const States& states) {
  Object out;
  for (const auto& [key, frame] : states) out.set(key, state::to_json(frame));
  return out;
}

Result<std::shared_ptr<const States>> states_from(const Object& object) {
  auto states = std::make_shared<States>();
  for (const json::Member& each : object) {
    state::Frame frame = TRY(state::frame_from_json(each.value));
    states->emplace(each.key, std::move(frame));
  }
  return states;
}

/// A fact of an earlier node that still counts. Its run is the state's own and is not written.
template <class Fact>
Object fact_json(const Fact& fact) {
  Object out = to_json(fact);
  out.erase("run");
  return out;
}

template <class Fact>
Result<std::shared_ptr<const Fact>> fact_from(const RunId& run, const Value& value) {
  const Object* written = value.if_object();
  if (written == nullptr || written->contains("run")) {
    return fail(Code::STORE_CORRUPT, cat("a snapshot does not hold ", Fact::name, " as it should"));
  }
  Object whole = *written;
  whole.append_new("run", run.text());
  return std::make_shared<const Fact>(TRY(from_json<Fact>(whole)));
}

template <class Shared>
bool is_same(const Shared& left, const Shared& right) {
  return left == right || (left != nullptr && right != nullptr && *left == *right);
}

/// Applies the events of one commit of a path; each must continue the state before it.
class StateFolder {
 public:
  explicit StateFolder(NodeState state) : state_(std::move(state)) {}

  void operator()(const RunStarted& e) {
    continues_ &= state_.run == RunId{} && state_.node == NodeId{};
    state_.run = e.run;
    state_.workflow_id = e.workflow_id;
    state_.workflow_hash = e.workflow_hash;
    state_.workflow_form = e.workflow_form;
    state_.task = e.task;
  }
  void operator()(const AdvanceRecorded& e) {
    if (e.attempt.kind == AttemptKind::advance) output_.emplace(e.step, e.input);
  }
  void operator()(const NodeCreated& e) {
    continues_ &= e.run == state_.run && e.parent.value_or(NodeId{}) == state_.node;
    state_.node = e.node;
    state_.kind = e.kind;
    state_.cursor = inherited(state_.cursor, {e.position, e.frames});
    state_.open_steps = e.open_steps;
    keep_shown(state_, e.shown);
    drop_settled_evidence(state_);
    ran_here_ = state_.process;
    reused_here_ = state_.reuse;
    inherit_command(state_);
    if (e.items != nullptr || e.kind == NodeKind::step) state_.items = e.items;
    has_node_ = true;
  }
  void operator()(const ObservationRecorded& e) {
    continues_ &= e.run == state_.run;
    if (e.key == ObservationKey::workspace_path) state_.workspace = e.value;
  }
  void operator()(const ProcessFinished& e) {
    expect_here(e.run, e.node);
    const bool is_its = ran_here_ != nullptr && ran_here_->node == e.intended;
    const bool is_reused = reused_here_ != nullptr && reused_here_->from == e.intended;
    continues_ &= is_its || is_reused;
    apply(state_, e);
  }
  void operator()(const GateOpened& e) {
    expect_here(e.run, e.gate.node);
    apply(state_, e);
  }
  void operator()(const ContextSet& e) {
    expect_here(e.run, e.node);
    auto context = std::make_shared<Object>(*state_.context);
    merge(*context, e.delta);
    state_.context = std::move(context);
  }
  void operator()(const StateUpdated& e) {
    expect_here(e.run, e.node);
    continues_ &= replay(state_.states, e).has_value();
  }
  template <class Fact>
    requires requires(NodeState& state, const Fact& fact) { apply(state, fact); }
  void operator()(const Fact& e) {
    expect_here(e.run, e.node);
    apply(state_, e);
  }
  void operator()(const auto&) {}

  Result<NodeState> result() && {
    if (!has_node_) return fail(Code::STORE_CORRUPT, "a commit on a node's path creates no node");
    if (!continues_) {
      return fail(Code::STORE_CORRUPT,
                  cat("the commit of ", state_.node.text(), " does not follow its parent"));
    }
    if (output_) note_output(state_, output_->first, output_->second);
    drop_settled_command(state_);
    return std::move(state_);
  }

 private:
  void expect_here(const RunId& run, const NodeId& node) {
    continues_ &= has_node_ && run == state_.run && node == state_.node;
  }

  NodeState state_;
  std::optional<std::pair<std::string, Sha256>> output_;  // that led to the node, and its step
  std::shared_ptr<const ProcessIntended> ran_here_;       // what the parent's open step runs
  std::shared_ptr<const EffectReused> reused_here_;       // or whose result is taken for it
  bool has_node_ = false;
  bool continues_ = true;
};

}  // namespace

const KnownFacts& NodeState::known() const {
  static const KnownFacts nothing;
  return ledger == nullptr ? nothing : *ledger;
}

Result<void> replay(std::shared_ptr<const States>& states, const StateUpdated& fact) {
  auto changed = states == nullptr ? std::make_shared<States>() : std::make_shared<States>(*states);
  state::Frame& frame = (*changed)[fact.frame];
  frame = TRY(state::replayed(std::move(frame), fact.delta));
  if (!fact.ended.empty()) changed->erase(fact.ended);
  states = std::move(changed);
  return {};
}

std::size_t bytes_of(const States* states) {
  std::size_t bytes = 0;
  if (states == nullptr) return bytes;
  for (const auto& [key, frame] : *states) bytes += frame.bytes();
  return bytes;
}

const Object& NodeState::shown_values() const {
  static const Object nothing;
  return shown == nullptr ? nothing : *shown;
}

void keep_shown(NodeState& state, Object shown) {
  state.shown = shown.empty() ? nullptr : std::make_shared<const Object>(std::move(shown));
}

RunStatus NodeState::status() const {
  if (run_state == RunState::failed) return RunStatus::failed;
  if (run_state == RunState::abandoned) return RunStatus::abandoned;
  if (!open_steps.empty()) {
    const bool is_blocked = kind == NodeKind::blocked_attempt && !is_servers_turn(*this);
    return is_blocked ? RunStatus::blocked : RunStatus::in_progress;
  }
  return has_critical_gap() ? RunStatus::complete_with_gaps : RunStatus::complete;
}

bool NodeState::has_critical_gap() const {
  return std::ranges::any_of(known().open_gaps,
                             [](const Gap& gap) { return gap.severity == GapSeverity::critical; });
}

void apply(NodeState& state, const PreferencesChanged& fact) {
  state.preferences = fact.effective;
  if (!fact.change || !is_raise(fact.change->from, fact.effective)) return;
  auto ledger = ledger_to_change(state);
  const auto found = std::ranges::find_if(ledger->raises, [&](const PreferenceRaise& each) {
    return each.to == fact.effective && each.last.source.how == fact.change->source.how;
  });
  if (found == ledger->raises.end()) {
    ledger->raises.push_back({fact.effective, *fact.change});
  } else {
    found->last = *fact.change;
    ++found->times;
  }
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const GapRecorded& fact) {
  auto ledger = ledger_to_change(state);
  ++ledger->gaps_recorded;
  ledger->open_gaps.push_back(fact.gap);
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const GapResolved& fact) {
  auto ledger = ledger_to_change(state);
  std::erase_if(ledger->open_gaps, [&](const Gap& gap) { return gap.id == fact.gap; });
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const CapabilityObserved& fact) {
  auto ledger = ledger_to_change(state);
  KnownCapability& known = ledger->capabilities[fact.capability];
  if (is_strong(fact.provenance) || !is_strong(known.provenance)) {
    known = {fact.status, fact.provenance};
  }
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const AssessmentRecorded& fact) {
  auto ledger = ledger_to_change(state);
  const auto found = std::ranges::find(ledger->assessments, fact.assessment.id, &Assessment::id);
  if (found != ledger->assessments.end()) {
    *found = fact.assessment;
  } else {
    ledger->assessments.push_back(fact.assessment);
  }
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const RunStateChanged& fact) {
  state.run_state = fact.to;
  if (!fact.resets_counts) return;
  auto ledger = ledger_to_change(state);
  ledger->setbacks = {.step = {}, .error = ledger->setbacks.error};
  ledger->tries = {};
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const ValidationPerformed& fact) {
  if (fact.valid || state.kind != NodeKind::blocked_attempt) return;
  auto ledger = ledger_to_change(state);
  ++counted_at_open_step(*ledger, state).refused;
  count_try(*ledger, state);
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const StepFailed& fact) {
  if (fact.consequence == Consequence::go_on) return;
  auto ledger = ledger_to_change(state);
  FailureCounts& setbacks = ledger->setbacks;
  switch (fact.consequence) {
    case Consequence::retry:
      ++counted_at_open_step(*ledger, state).failed;
      count_try(*ledger, state);
      break;
    // Its steps come again, under the names they had.
    case Consequence::restart: setbacks = {.step = {}, .restarts = setbacks.restarts + 1}; break;
    case Consequence::fail:
      // The results of its on-failure steps do not change why it fails.
      if (!setbacks.error) setbacks.error = fact.error;
      break;
    case Consequence::go_on: break;
  }
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const EvidenceRecorded& fact) {
  if (fact.requirements.is_null()) {
    const bool is_refused =
        state.kind == NodeKind::blocked_attempt &&
        std::ranges::any_of(fact.entries, std::logical_not<>(), &EvidenceEntry::is_met);
    if (!is_refused) return;
    auto ledger = ledger_to_change(state);
    count_try(*ledger, state);
    // Only a run that never stops gives up on proof, so only its refusals count for that.
    if (state.preferences.autonomy == Autonomy::full_auto_never_stop) {
      ++counted_at_open_step(*ledger, state).unproven;
    }
    state.ledger = std::move(ledger);
    return;
  }
  state.evidence = std::make_shared<const StepEvidence>(
      StepEvidence{fact.step, fact.requirements, fact.baseline});
}

void drop_settled_evidence(NodeState& state) {
  if (state.evidence == nullptr) return;
  const auto open = std::ranges::find(state.open_steps, state.evidence->step);
  if (open == state.open_steps.end()) state.evidence = nullptr;
}

void apply(NodeState& state, const ProcessIntended& fact) {
  state.process = std::make_shared<const ProcessIntended>(fact);
  state.ran = nullptr;
}

void apply(NodeState& state, const ProcessFinished& fact) {
  state.ran = std::make_shared<const ProcessFinished>(fact);
}

void apply(NodeState& state, const GuidanceDelivered& fact) {
  auto ledger = ledger_to_change(state);
  ledger->guidance = fact.number;
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const EffectReused& fact) {
  state.reuse = std::make_shared<const EffectReused>(fact);
}

void apply(NodeState& state, const GateOpened& fact) {
  state.gate = std::make_shared<const Gate>(fact.gate);
}

void apply(NodeState& state, const GateDecided& fact) {
  const bool is_open = state.gate != nullptr && state.gate->step == fact.step &&
                       state.gate->kind == fact.kind && state.gate->output == fact.output;
  if (is_open) state.gate = nullptr;
  if (fact.word.decision != GateDecision::approved) return;
  auto ledger = ledger_to_change(state);
  ledger->passed.push_back({fact.step, fact.kind, fact.output, fact.word.choice});
  if (fact.kind == GateKind::breaker) {
    ledger->tries = {};
    ledger->repeated.clear();
  }
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const AssumptionRecorded& fact) {
  if (state.known().assumptions.size() >= limits::kept_assumptions_max) return;
  auto ledger = ledger_to_change(state);
  ledger->assumptions.push_back(fact.assumption);
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const PolicyApplied& fact) {
  auto ledger = ledger_to_change(state);
  ledger->policy = fact.entries;
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const BudgetSet& fact) {
  auto ledger = ledger_to_change(state);
  ledger->budget = fact.budget;
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const TokensUsed& fact) {
  auto ledger = ledger_to_change(state);
  ledger->usage.tokens += fact.tokens;
  state.ledger = std::move(ledger);
}

void apply(NodeState& state, const UsageCounted& fact) {
  auto ledger = ledger_to_change(state);
  ledger->usage = fact.usage;
  state.ledger = std::move(ledger);
}

void note_output(NodeState& state, std::string_view step, const Sha256& input) {
  if (state.kind != NodeKind::step) return;
  const std::size_t rounds = step.rfind("::");
  if (rounds == step.npos) {
    if (state.known().repeated.empty()) return;
    auto ledger = ledger_to_change(state);
    ledger->repeated.clear();
    state.ledger = std::move(ledger);
    return;
  }
  if (input == Sha256{}) return;
  const std::string_view id = step.substr(rounds + 2);
  auto ledger = ledger_to_change(state);
  std::vector<RepeatedOutput>& list = ledger->repeated;
  const auto found = std::ranges::find(list, id, &RepeatedOutput::step);
  if (found == list.end()) {
    if (list.size() >= limits::watched_steps_max) list.erase(list.begin());
    list.push_back({std::string(id), input, 1});
  } else if (found->output == input) {
    ++found->times;
  } else {
    *found = {std::string(id), input, 1};
  }
  state.ledger = std::move(ledger);
}

void inherit_command(NodeState& state) {
  if (state.kind != NodeKind::checkpoint || state.open_steps.empty()) {
    state.process = nullptr;
    state.reuse = nullptr;
  }
  drop_settled_command(state);
}

void drop_settled_command(NodeState& state) {
  const bool is_passed = state.kind == NodeKind::step || state.open_steps.empty();
  if (is_passed && state.gate != nullptr && state.gate->node != state.node) state.gate = nullptr;
  // A gate about gaps is passed without a word once they are closed.
  const bool is_closed = state.kind == NodeKind::blocked_attempt && state.gate != nullptr &&
                         state.gate->kind == GateKind::gap && !state.has_critical_gap();
  if (is_closed) state.gate = nullptr;
  if (state.kind != NodeKind::step) return;
  state.ran = nullptr;
  if (state.known().passed.empty()) return;
  auto ledger = ledger_to_change(state);
  ledger->passed.clear();
  state.ledger = std::move(ledger);
}

std::string next_gap_id(const NodeState& state) {
  return cat("gap-", state.known().gaps_recorded + 1);
}

Result<void> check_numbers(std::string_view what, const Value& value) {
  std::vector<const Value*> todo{&value};
  while (!todo.empty()) {
    const Value& next = *todo.back();
    todo.pop_back();
    if (const json::Array* array = next.if_array()) {
      for (const Value& element : *array) todo.push_back(&element);
    } else if (const Object* object = next.if_object()) {
      for (const json::Member& member : *object) todo.push_back(&member.value);
    } else if (next.is_number() && std::abs(next.as_double()) > exact_integer_max) {
      const auto text = json::canonical(next);
      const auto back = text ? json::parse(*text) : std::unexpected(text.error());
      if (back && *back == next) continue;
      return fail(Code::NUMBER_INEXACT,
                  cat(what, ": the number ", json::print(next), " cannot be stored exactly"),
                  "send it as a string");
    }
  }
  return {};
}

bool NodeState::operator==(const NodeState& other) const {
  const bool same_states =
      states == other.states ||
      (states != nullptr && other.states != nullptr && *states == *other.states);
  return same_states && is_same(evidence, other.evidence) && is_same(process, other.process) &&
         is_same(ran, other.ran) && is_same(gate, other.gate) && is_same(reuse, other.reuse) &&
         is_same(items, other.items) && task == other.task && workspace == other.workspace &&
         session == other.session && run == other.run && node == other.node &&
         workflow_id == other.workflow_id && workflow_hash == other.workflow_hash &&
         workflow_form == other.workflow_form && kind == other.kind && cursor == other.cursor &&
         open_steps == other.open_steps && *context == *other.context &&
         preferences == other.preferences && run_state == other.run_state &&
         known() == other.known() && shown_values() == other.shown_values();
}

Result<NodeState> fold(NodeState state, std::span<const Event> events) {
  StateFolder folding(std::move(state));
  for (const Event& event : events) std::visit(folding, event);
  return std::move(folding).result();
}

namespace {

/// The newest version of a snapshot that this release reads and writes. As in the log, a snapshot
/// has the lowest version that holds all its fields.
constexpr std::int64_t snapshot_format = 2;

std::int64_t snapshot_format_of(const NodeState& state) {
  // Each field that 0.1.0 does not know is named here.
  const bool has_new_proof =
      state.evidence != nullptr && is_newer_than_format_1(state.evidence->baseline);
  const bool has_new =
      state.known().setbacks.unproven > 0 || !state.known().raises.empty() ||
      state.known().guidance > 0 || !state.known().assumptions.empty() ||
      !state.known().passed.empty() || !state.known().policy.empty() ||
      !state.known().budget.empty() || !state.known().usage.empty() ||
      !state.known().repeated.empty() || !state.known().tries.empty() || state.gate != nullptr ||
      state.reuse != nullptr || state.workflow_form != 0 ||
      std::ranges::any_of(state.known().open_gaps,
                          [](const Gap& gap) { return gap.reason > Reason::evidence_missing; });
  return has_new || has_new_proof ? 2 : 1;
}

}  // namespace

Result<std::string> write_snapshot(const NodeState& state) {
  json::Array open;
  for (const std::string& step : state.open_steps) open.emplace_back(step);
  Object out{{"v", snapshot_format_of(state)},
             {"session", state.session.text()},
             {"run", state.run.text()},
             {"node", state.node.text()},
             {"nodeKind", name_of(state.kind)},
             {"workflow", state.workflow_id},
             {"workflowHash", state.workflow_hash.hex()},
             {"position", state.cursor.position},
             {"open", std::move(open)},
             {"context", *state.context},
             {"autonomy", name_of(state.preferences.autonomy)},
             {"riskPolicy", name_of(state.preferences.risk_policy)}};
  if (state.workflow_form != 0) out.set("workflowForm", state.workflow_form);
  if (!state.cursor.frames.empty()) out.set("frames", to_json(state.cursor.frames));
  if (state.run_state != RunState::running) out.set("runState", name_of(state.run_state));
  if (state.known() != KnownFacts{}) out.set("ledger", to_json(state.known()));
  if (state.shown != nullptr) out.set("shown", *state.shown);
  if (state.states != nullptr) out.set("states", states_json(*state.states));
  if (!state.workspace.empty()) out.set("workspace", state.workspace);
  if (state.evidence != nullptr) out.set("evidence", to_json(*state.evidence));
  if (state.process != nullptr) out.set("process", fact_json(*state.process));
  if (state.ran != nullptr) out.set("ran", fact_json(*state.ran));
  if (state.reuse != nullptr) out.set("reuse", fact_json(*state.reuse));
  if (state.gate != nullptr) out.set("gate", to_json(*state.gate));
  if (state.items != nullptr) out.set("items", *state.items);
  if (state.task) out.set("task", to_json(*state.task));
  return json::canonical(out);
}

Result<NodeState> read_snapshot(std::string_view text) {
  const json::ReadLimits bounds{limits::commit_bytes_max, limits::commit_depth_max};
  const auto parsed = json::parse(text, bounds);
  if (!parsed) return fail(Code::STORE_CORRUPT, "a snapshot is not JSON");
  Fields f(*parsed, "snapshot", Code::STORE_CORRUPT);
  const std::int64_t version = TRY(f.integer("v"));
  if (version > snapshot_format) {
    return fail(Code::STORE_NEWER, "a snapshot was written by a newer release");
  }
  if (version < 1) return f.wrong("v", "a version of the format");
  NodeState state;
  state.session = TRY(f.id<SessionId>("session"));
  state.run = TRY(f.id<RunId>("run"));
  state.node = TRY(f.id<NodeId>("node"));
  state.kind = TRY(member_of<NodeKind>(f, "nodeKind"));
  state.workflow_id = TRY(f.string("workflow"));
  state.workflow_hash = TRY(f.sha256("workflowHash"));
  if (f.has("workflowForm")) state.workflow_form = TRY(f.integer("workflowForm"));
  state.cursor.position = TRY(f.integer("position"));
  if (f.has("frames")) state.cursor.frames = TRY(frames_from_json(*TRY(f.any("frames"))));
  state.open_steps = TRY(f.strings("open"));
  state.context = std::make_shared<Object>(*TRY(f.object("context")));
  state.preferences.autonomy = TRY(member_of<Autonomy>(f, "autonomy"));
  state.preferences.risk_policy = TRY(member_of<RiskPolicy>(f, "riskPolicy"));
  if (f.has("runState")) state.run_state = TRY(member_of<RunState>(f, "runState"));
  if (f.has("ledger")) {
    state.ledger =
        std::make_shared<const KnownFacts>(TRY(from_json<KnownFacts>(*TRY(f.any("ledger")))));
  }
  if (f.has("shown")) keep_shown(state, *TRY(f.object("shown")));
  if (f.has("states")) state.states = TRY(states_from(*TRY(f.object("states"))));
  if (f.has("workspace")) state.workspace = TRY(f.string("workspace"));
  if (f.has("evidence")) {
    state.evidence =
        std::make_shared<const StepEvidence>(TRY(from_json<StepEvidence>(*TRY(f.any("evidence")))));
  }
  if (f.has("process")) {
    state.process = TRY(fact_from<ProcessIntended>(state.run, *TRY(f.any("process"))));
  }
  if (f.has("ran")) state.ran = TRY(fact_from<ProcessFinished>(state.run, *TRY(f.any("ran"))));
  if (f.has("reuse")) state.reuse = TRY(fact_from<EffectReused>(state.run, *TRY(f.any("reuse"))));
  if (f.has("gate")) {
    state.gate = std::make_shared<const Gate>(TRY(from_json<Gate>(*TRY(f.any("gate")))));
  }
  if (f.has("items")) state.items = std::make_shared<const Value>(*TRY(f.any("items")));
  if (f.has("task")) state.task = TRY(from_json<TaskRef>(*TRY(f.any("task"))));
  TRY(f.done());
  return state;
}

bool snapshot_due(std::int64_t path_events, std::int64_t path_bytes, std::size_t snapshot_bytes) {
  return path_events > limits::snapshot_path_events_min &&
         path_bytes > static_cast<std::int64_t>(snapshot_bytes);
}

Result<void> check_context_size(const Object& delta) {
  // Every null may take something away, so it does not count.
  std::size_t nulls = 0;
  for (const json::Member& member : delta) {
    if (member.value.is_null()) nulls += member.key.size() + std::string_view("\"\":null,").size();
  }
  if (!json::is_longer_than(delta, limits::context_bytes_max + nulls)) return {};
  return too_long(cat("more than ", limits::context_bytes_max));
}

Result<void> merge_context(Object& context, const Object& delta) {
  TRY(check_context_size(delta));
  for (const json::Member& member : delta) {
    if (std::ranges::find(reserved_keys, member.key) != reserved_keys.end()) {
      return fail(Code::INVALID_INPUT, cat("context: the key \"", member.key, "\" is reserved"),
                  "use another name for it");
    }
  }
  const Value value(delta);
  if (depth_of(value) > limits::context_depth_max) {
    return fail(Code::LIMIT_EXCEEDED,
                cat("context: nested deeper than ", limits::context_depth_max, " levels"));
  }
  TRY(check_numbers("context", value));
  Object merged = context;
  merge(merged, delta);
  const std::size_t bytes = TRY(json::canonical(merged)).size();
  if (bytes > limits::context_bytes_max) return too_long(cat(bytes));
  context = std::move(merged);
  return {};
}

template Object to_json(const PreferenceRaise&);

}  // namespace baton::run
