// Evidence through the verbs: who looks, when, and that a recorded answer looks at nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/evidence/testing/scripted_evidence.h"
#include "adapters/trust/testing/memory_trust.h"
#include "base/text/text.h"
#include "support/world.h"
#include "verbs/store/export_bundle.h"
#include "verbs/store/import_bundle.h"
#include "verbs/store/verify.h"

namespace baton::testing {
namespace {

using run::Probe;
using run::ProbeResult;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view proving = R"json({"id":"proving","steps":[
  {"id":"a","prompt":"A.","evidence":[{"file_exists":"a.txt"},{"command":{"argv":["make"]}}]},
  {"id":"b","prompt":"B.","evidence":[{"file_changed":"b.txt"}]}]})json";

/// Passes on and notes what was looked at.
class WatchedEvidence final : public ports::EvidenceReader {
 public:
  std::vector<ProbeResult> look(const std::string& workspace, std::span<const Probe> looks,
                                ports::Commands commands) override {
    for (const Probe& each : looks) {
      const bool is_command = each.kind == Probe::Kind::command;
      const std::string what = is_command ? each.argv.front() : each.what;
      looked.push_back(what.empty() ? workspace : cat(workspace, ' ', what));
    }
    return inner.look(workspace, looks, commands);
  }
  adapters::ScriptedEvidence inner;
  std::vector<std::string> looked;
};

ProbeResult file(std::string_view text) {
  ProbeResult out;
  out.kind = ProbeResult::Kind::file;
  out.bytes = static_cast<std::int64_t>(text.size());
  out.digest = sha256(text);
  return out;
}

class evidence : public ::testing::Test {
 protected:
  evidence() {
    world.workflows.files.push_back({"project", "flows/proving.json", std::string(proving), {}});
    ProbeResult ended;
    ended.kind = ProbeResult::Kind::ended;
    reader.inner.write(Probe::Kind::command, "make", ended);
  }

  engine::Engine engine() {
    engine::Engine out = world.engine();
    out.evidence = &reader;
    out.trust = &trust;
    return out;
  }

  surface::SignedReply start() {
    engine::Engine held = engine();
    auto started = surface::start(held, world.principal,
                                  {.workflow_id = "proving",
                                   .goal = {},
                                   .context = {},
                                   .preferences = {},
                                   .workspace_path = "/tmp"});
    EXPECT_TRUE(started) << started.error().message;
    return *started;
  }

  surface::SignedReply advance(const std::string& token, const std::string& notes = "done") {
    engine::Engine held = engine();
    auto reply = surface::advance(held, world.principal,
                                  {.token = token, .state_token = {}, .input = notes_of(notes)});
    EXPECT_TRUE(reply) << reply.error().message;
    return *reply;
  }

  void let_it_run(const surface::SignedReply& reply) {
    const auto state = world.cold_state(reply.reply.state.node);
    ASSERT_TRUE(state);
    const auto binding = trust.look("/tmp", {});
    ASSERT_TRUE(binding) << binding.error().message;
    ASSERT_TRUE(trust.add({state->workflow_hash, "proving", morning, binding->project}));
  }

  World world;
  WatchedEvidence reader;
  adapters::MemoryTrust trust;
};

// Enforces: G15
TEST_F(evidence, commands_run_when_the_workflow_is_trusted_and_not_before) {
  const surface::SignedReply begun = start();
  reader.inner.write(Probe::Kind::file, "a.txt", file("a"));
  const surface::SignedReply blocked = advance(*begun.ack_token);
  ASSERT_EQ(blocked.reply.blockers.size(), 1u);
  EXPECT_EQ(blocked.reply.blockers[0].pointer.value, "command make");
  let_it_run(begun);
  const surface::SignedReply passed = advance(*blocked.ack_token);
  EXPECT_THAT(passed.reply.blockers, IsEmpty());
  EXPECT_EQ(passed.reply.pending->step_id, "b");
}

// Enforces: G22, G6, G15
TEST_F(evidence, a_recorded_answer_probes_nothing) {
  const surface::SignedReply begun = start();
  EXPECT_THAT(reader.looked, ElementsAre("/tmp"));
  reader.looked.clear();
  let_it_run(begun);
  const surface::SignedReply blocked = advance(*begun.ack_token);
  EXPECT_THAT(reader.looked, ElementsAre("/tmp", "/tmp a.txt", "/tmp make"));
  reader.inner.write(Probe::Kind::file, "a.txt", file("a"));
  reader.looked.clear();
  const surface::SignedReply passed = advance(*blocked.ack_token);
  EXPECT_THAT(reader.looked, ElementsAre("/tmp", "/tmp a.txt", "/tmp make", "/tmp", "/tmp b.txt"));
  reader.looked.clear();
  for (int process = 0; process < 2; ++process) {
    EXPECT_TRUE(same(advance(*begun.ack_token), blocked));
    EXPECT_TRUE(same(advance(*blocked.ack_token), passed));
    ASSERT_TRUE(world.rehydrate(passed.state_token));
    ASSERT_TRUE(verbs::verify(world.store)->problems.empty());
    world.forget();
  }
  EXPECT_THAT(reader.looked, IsEmpty());
}

// Enforces: G15
TEST_F(evidence, goes_with_a_bundle) {
  const surface::SignedReply begun = start();
  let_it_run(begun);
  reader.inner.write(Probe::Kind::file, "a.txt", file("a"));
  reader.inner.write(Probe::Kind::file, "b.txt", file("b"));
  const surface::SignedReply passed = advance(*begun.ack_token);
  const auto text = verbs::export_bundle(world.store, passed.reply.session);
  ASSERT_TRUE(text);
  World other(2);
  engine::Engine held = other.engine();
  // Twice: as it is, and with new names because its own are taken.
  for (const bool is_renamed : {false, true}) {
    const auto taken = verbs::import_bundle(held, *text);
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_EQ(taken->renamed, is_renamed);
  }
  ASSERT_TRUE(verbs::verify(other.store)->problems.empty());
  std::size_t open = 0;
  for (const auto& [node, state] : other.folded_states()) {
    EXPECT_EQ(state.workspace, "/tmp");
    ASSERT_NE(state.evidence, nullptr);
    if (state.evidence->step != "b") continue;
    ++open;
    EXPECT_EQ(state.evidence->baseline.back().seen.digest, sha256("b"));
  }
  EXPECT_EQ(open, 2u);
}

}  // namespace
}  // namespace baton::testing
