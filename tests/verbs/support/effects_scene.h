#pragma once
// A server without a process, whose programs are scripts, and a run whose step has an effect.

#include <string>
#include <vector>

#include "adapters/process/testing/scripted_processes.h"
#include "engine/effects/undo_effect.h"
#include "run/effects/receipts.h"
#include "support/world.h"
#include "surface/tokens.h"
#include "verbs/run/answer_gate.h"
#include "verbs/run/effects.h"
#include "verbs/store/verify.h"

namespace baton::testing {

using run::EffectReceipt;
using surface::SignedReply;

class TrustsAll final : public ports::Trust {
 public:
  Result<ports::TrustVerdict> judge(const Sha256&, const std::string&) override {
    return ports::TrustVerdict{is_trusting, ""};
  }
  Result<ports::TrustVerdict> judge(const Sha256&, const std::string&,
                                    const ports::NamedFiles&) override {
    return ports::TrustVerdict{is_trusting, is_trusting ? "" : "no longer"};
  }
  bool is_trusting = true;
};

/// A server without a process, whose programs are scripts.
class Scene {
 public:
  explicit Scene(std::uint64_t seed = 1) : world(seed) {}

  /// A step that plans, one that tags with the keys `keys`, and one that tells.
  void write(const std::string& keys, const std::string& command = "tag") {
    world.workflows.files.front().text =
        cat(R"({"id": "demo", "inputs": {"who": {"type": "string", "default": "ann"}},
  "default_state": {"raw": {"out": "", "name": "v1"}},
  "state_schema": {"raw": {"out": "string", "name": "string"}}, "steps": [
  {"id": "plan", "prompt": "Plan."},
  {"id": "tag", "type": "shell_command", "command": ")",
            command, R"(", "state_update": {"path": "raw.out", "value": "{{ result }}"})",
            keys.empty() ? "" : cat(", ", keys), R"(},
  {"id": "tell", "prompt": "It said {{ out }}."}]})");
  }
  void write_agents(const std::string& keys) {
    world.workflows.files.front().text = cat(R"({"id": "demo", "steps": [
  {"id": "plan", "prompt": "Plan."},
  {"id": "mail", "prompt": "Send the mail to {{ who }}.", )",
                                             keys, R"(},
  {"id": "tell", "prompt": "Tell."}]})");
  }
  void script(const std::string& command, adapters::ScriptedProgram program = {}) {
    processes.write(command, [program](const ports::Process&) { return program; });
  }
  engine::Engine engine() {
    engine::Engine out = world.engine();
    out.processes = &processes;
    out.trust = &trust;
    return out;
  }
  SignedReply start(run::PreferencesDelta delta = {}, json::Object context = {}) {
    engine::Engine with = engine();
    return surface::start(with, world.principal,
                          {.workflow_id = "demo",
                           .goal = {},
                           .context = std::move(context),
                           .preferences = delta,
                           .workspace_path = "/work",
                           .wait = {}})
        .value();
  }
  SignedReply advance(const std::string& ack, const std::string& notes = "done",
                      json::Object context = {}) {
    engine::Engine with = engine();
    run::StepInput input = notes_of(notes);
    input.context = std::move(context);
    return surface::advance(with, world.principal,
                            {.token = ack, .state_token = {}, .input = input, .wait = {}})
        .value();
  }
  Result<engine::Undone> undo(const RunId& run, const std::string& step = "tag") {
    engine::Engine with = engine();
    return engine::undo_effect(with, *world.store.run(run).value(),
                               {.step = step, .source = {.how = run::ChangedHow::terminal}});
  }
  /// At the gate where the run waits, from a terminal.
  Result<verbs::AnsweredGate> approve(const RunId& run, const std::string& choice,
                                      run::GateDecision decision = run::GateDecision::approved) {
    engine::Engine with = engine();
    return verbs::answer_gate(with, *world.store.run(run).value(), {},
                              {.decision = decision,
                               .assurance = run::Assurance::present,
                               .choice = choice,
                               .source = {.how = run::ChangedHow::terminal}});
  }
  std::vector<EffectReceipt> receipts(const RunId& run) {
    const run::RunRow row = *world.store.run(run).value();
    std::vector<EffectReceipt> out;
    const auto branches = verbs::effects_of(engine().reading(), row).value();
    for (const verbs::EffectBranch& branch : branches) {
      out.insert(out.end(), branch.receipts.begin(), branch.receipts.end());
    }
    return out;
  }
  std::size_t times(const std::string& command) const {
    std::size_t out = 0;
    for (const ports::Process& each : processes.started()) out += each.argv.back() == command;
    return out;
  }
  std::size_t events(std::string_view kind) {
    std::size_t out = 0;
    for (const run::Commit& commit : world.whole_log()) {
      out += commit.body.contains(cat("\"kind\":\"", kind, '"'));
    }
    return out;
  }
  run::NodeState at(const SignedReply& reply) {
    return world.cold_state(reply.reply.state.node).value();
  }
  void expect_sound() {
    EXPECT_TRUE(verbs::verify(world.store).value().ok());
    for (const auto& [node, state] : world.folded_states()) {
      EXPECT_EQ(world.cold_state(node).value(), state);
    }
  }
  /// From now on as another server, after this one was killed.
  void restart() {
    world.forget();
    processes.call("another");
  }

  World world;
  adapters::ScriptedProcesses processes;
  TrustsAll trust;
};

}  // namespace baton::testing
