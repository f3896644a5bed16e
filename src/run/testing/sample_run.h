#pragma once
// A small run decided step by step without any store, for tests. Only tests include this.

#include <map>

#include "run/decide/decide.h"
#include "run/log/bundle.h"
#include "run/testing/event_generator.h"
#include "run/testing/play.h"

namespace baton::run::testing {

inline workflow::Pinned sample_workflow(std::size_t steps = 3, std::size_t prompt_bytes = 10) {
  workflow::CompiledWorkflow workflow;
  workflow.id = "demo";
  workflow.name = "Demo";
  workflow.version = "1";
  for (std::size_t i = 0; i < steps; ++i) {
    const std::string id(1, static_cast<char>('a' + i));
    workflow.steps.push_back(
        workflow::prompt_step(id, "Step " + id, std::string(prompt_bytes, 'p') + id, i == 1));
  }
  return MUST(workflow::pin(std::move(workflow)));
}

inline FreshValues draw_of(std::size_t n) {
  return {{{1'000 + static_cast<std::int64_t>(n)}, n},
          id_of<SessionId>(1),
          id_of<RunId>(1),
          id_of<NodeId>(n)};
}

using Watch = std::function<ProbeResult(const Probe&)>;

/// A look at a workspace here is a mistake of the test.
inline ProbeResult no_look(const Probe& look) {
  ADD_FAILURE() << "a probe was made of " << look.what;
  return {};
}

using Elsewhere = std::function<std::vector<EffectReceipt>(const std::string& step)>;

/// A run that has not forked.
inline std::vector<EffectReceipt> no_effects(const std::string&) { return {}; }

inline Result<Decided> decide_with(Decider decider, const FreshValues& draw,
                                   const Play& play = no_script, const Watch& watch = no_look,
                                   const Elsewhere& elsewhere = no_effects) {
  decider.supply(draw);
  while (true) {
    auto next = TRY(decider.next());
    if (auto* decided = std::get_if<Decided>(&next)) return std::move(*decided);
    if (const auto* need = std::get_if<NeedProbes>(&next)) {
      std::vector<ProbeResult> seen;
      for (const Probe& each : need->looks) seen.push_back(watch(each));
      decider.supply(std::move(seen));
    } else if (const auto* effects = std::get_if<NeedEffects>(&next)) {
      decider.supply(elsewhere(effects->step));
    } else {
      decider.supply(play_all(play, std::get<NeedAnswers>(next).evaluations));
    }
  }
}

/// One session's log, grown by deciding. Nodes are numbered from 1 in the order of creation.
class SampleRun {
 public:
  explicit SampleRun(workflow::Pinned pinned = sample_workflow()) : pinned_(std::move(pinned)) {
    bundle_.session = id_of<SessionId>(1);
    bundle_.workflows[pinned_.hash] = pinned_.text;
    add(MUST(decide_with(Decider::start({.workflow = &pinned_,
                                         .goal = "try it",
                                         .context = {{"from", "start"}},
                                         .preferences = {},
                                         .minting = {}}),
                         draw_of(1))));
  }

  AdvanceCommand command(std::size_t node, AttemptKind kind, std::uint16_t count) const {
    const NodeState& parent = states_.at(id_of<NodeId>(node));
    AdvanceCommand command;
    command.workflow = &pinned_.workflow;
    command.token_node = parent.node;
    command.attempt = {kind, 0, count};
    if (kind == AttemptKind::advance) command.step = parent.open_steps.at(0);
    command.parent = parent;
    command.cause = count == 0 ? EdgeCause::advance : EdgeCause::non_tip_advance;
    command.input.notes = "did it";
    command.source.how = ChangedHow::terminal;  // a person agrees to all of it
    return command;
  }

  void attempt(const AdvanceCommand& command) {
    add(MUST(decide_with(Decider::advance(command), draw_of(states_.size() + 1))));
  }

  void revoke() { append("revoke:1", {TokensRevoked{id_of<RunId>(1)}}); }

  void append(std::string key, const std::vector<Event>& events) {
    Commit commit;
    commit.session = bundle_.session;
    commit.seq.value = static_cast<std::int64_t>(bundle_.commits.size()) + 1;
    commit.dedupe_key = std::move(key);
    commit.at.value = 1'000 + commit.seq.value;
    if (!bundle_.commits.empty()) commit.previous = bundle_.commits.back().hash;
    commit.body = MUST(encode_events(events));
    commit.hash = commit_hash(commit);
    bundle_.commits.push_back(std::move(commit));
  }

  void keep_snapshot(std::size_t node) {
    bundle_.snapshots[id_of<NodeId>(node)] = MUST(write_snapshot(states_.at(id_of<NodeId>(node))));
  }

  const workflow::Pinned& pinned() const { return pinned_; }
  const Bundle& bundle() const { return bundle_; }
  const std::map<NodeId, NodeState>& states() const { return states_; }

 private:
  void add(Decided decided) {
    append(decided.commit.dedupe_key, decided.commit.events);
    for (Content& blob : decided.commit.blobs) {
      bundle_.blobs.emplace(blob.hash, std::move(blob.data));
    }
    states_[decided.state.node] = std::move(decided.state);
  }

  workflow::Pinned pinned_;
  Bundle bundle_;
  std::map<NodeId, NodeState> states_;
};

/// Start, a checkpoint, an advance with all sorts of input, a fork, a revocation, a snapshot.
inline SampleRun small_run(std::size_t prompt_bytes = 10) {
  SampleRun run(sample_workflow(3, prompt_bytes));
  run.attempt(run.command(1, AttemptKind::checkpoint, 0));
  AdvanceCommand full = run.command(2, AttemptKind::advance, 0);
  full.input.artifacts = {json::Object{{"kind", "x"}, {"n", 0.5}}};
  full.input.context = {{"from", nullptr}, {"k", json::Array{1, "two"}}};
  full.input.preferences.autonomy = Autonomy::full_auto_never_stop;
  run.attempt(full);
  run.attempt(run.command(2, AttemptKind::advance, 1));
  run.revoke();
  run.keep_snapshot(3);
  return run;
}

}  // namespace baton::run::testing
