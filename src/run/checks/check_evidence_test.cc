// Runs whose steps have to prove their work, from the first look to what is recorded of the last.

#include "run/checks/check_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/text/text.h"
#include "run/decide/decide.h"
#include "run/testing/sample_run.h"
#include "run/testing/yaml_workflow.h"

namespace baton::run {
namespace {

using json::Object;
using testing::decide_with;
using testing::draw_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ProbeResult file(std::string_view text) {
  ProbeResult out;
  out.kind = ProbeResult::Kind::file;
  out.bytes = static_cast<std::int64_t>(text.size());
  out.digest = sha256(text);
  out.text = std::string(text);
  return out;
}

StepInput saying(std::string notes) {
  StepInput input;
  input.notes = std::move(notes);
  return input;
}

/// A run and the workspace that it is about: what is in `files` can be seen, all else is nothing.
class ProvedRun {
 public:
  explicit ProvedRun(std::string_view text, std::map<std::string, ProbeResult> seen = {})
      : files(std::move(seen)), pinned_(testing::yaml_workflow(text)) {
    schemas_ = MUST(Schemas::of(pinned_.workflow));
  }

  Result<Decided> start(StartCommand command = {}) {
    command.workflow = &pinned_;
    command.schemas = schemas_.get();
    if (!command.workspace_path) command.workspace_path = "/work";
    if (command.workspace_path->empty()) command.workspace_path.reset();
    auto decided =
        decide_with(Decider::start(std::move(command)), draw_of(1), testing::no_script, watch());
    if (decided) keep({}, *decided);
    return decided;
  }

  Result<Decided> attempt(StepInput input = {}) {
    return attempt_at(last_.state, std::move(input));
  }

  Result<Decided> attempt_at(const NodeState& parent, StepInput input,
                             AttemptKind kind = AttemptKind::advance) {
    AdvanceCommand command;
    command.workflow = &pinned_.workflow;
    command.schemas = schemas_.get();
    command.parent = parent;
    command.token_node = parent.node;
    command.attempt = {kind, 0, 0};
    if (kind == AttemptKind::advance) command.step = parent.open_steps.at(0);
    command.input = std::move(input);
    command.may_run = may_run;
    auto decided =
        decide_with(Decider::advance(command), draw_of(++nodes_), testing::no_script, watch());
    if (decided) keep(parent, *decided);
    return decided;
  }

  const Decided& last() const { return last_; }
  const NodeState& state() const { return last_.state; }

  std::vector<EvidenceRecorded> evidence() const {
    std::vector<EvidenceRecorded> out;
    for (const Event& event : last_.commit.events) {
      if (const auto* each = std::get_if<EvidenceRecorded>(&event)) out.push_back(*each);
    }
    return out;
  }

  std::map<std::string, ProbeResult> files;
  std::vector<std::string> looked;  // cleared since then
  bool may_run = false;

 private:
  testing::Watch watch() {
    return [this](const Probe& look) {
      const std::string what = look.kind == Probe::Kind::command     ? look.argv.front()
                               : look.kind == Probe::Kind::workspace ? "(workspace)"
                                                                     : look.what;
      looked.push_back(what);
      const auto found = files.find(what);
      ProbeResult seen = found == files.end() ? ProbeResult() : found->second;
      if (look.kind == Probe::Kind::command && !may_run) seen.kind = ProbeResult::Kind::untrusted;
      return seen;
    };
  }

  /// What was decided is what the log says, also through a snapshot.
  void keep(NodeState parent, const Decided& decided) {
    parent.session = decided.state.session;
    EXPECT_EQ(MUST(fold(std::move(parent),
                        MUST(decode_events(MUST(encode_events(decided.commit.events)))))),
              decided.state);
    EXPECT_EQ(MUST(read_snapshot(MUST(write_snapshot(decided.state)))), decided.state);
    last_ = decided;
  }

  workflow::Pinned pinned_;
  std::shared_ptr<const Schemas> schemas_;
  Decided last_;
  std::size_t nodes_ = 1;
};

constexpr std::string_view two_steps = R"(
id: w
steps:
  - {id: write, prompt: Write it., evidence: [{file_changed: out.txt}, {file_exists: log.txt}]}
  - {id: rest, prompt: Rest.}
)";

TEST(step_evidence, a_step_says_what_it_has_to_prove_and_is_probed_when_it_opens) {
  ProvedRun run(two_steps, {{"out.txt", file("old")}});
  ASSERT_TRUE(run.start());
  EXPECT_EQ(run.last().reply.pending->prompt,
            "Write it.\n\n## Output requirements\n\n"
            "- The server checks before the step closes: The file out.txt has changed since the "
            "step began.\n"
            "- The server checks before the step closes: The file log.txt is not empty.");
  EXPECT_THAT(run.looked, ElementsAre("(workspace)", "out.txt"));
  ASSERT_THAT(run.evidence(), SizeIs(1));
  const EvidenceRecorded begun = run.evidence()[0];
  EXPECT_EQ(begun.step, "write");
  EXPECT_EQ(begun.requirements.if_array()->size(), 2u);
  ASSERT_THAT(begun.baseline, SizeIs(2));
  EXPECT_EQ(begun.baseline[1].seen.digest, sha256("old"));
  EXPECT_EQ(begun.baseline[1].seen.text, std::nullopt);
}

// Enforces: G15
TEST(step_evidence, a_claim_without_work_is_blocked_by_what_was_expected_and_found) {
  ProvedRun run(two_steps, {{"out.txt", file("old")}});
  ASSERT_TRUE(run.start());
  ASSERT_TRUE(run.attempt(saying("All done.")));
  EXPECT_EQ(run.last().reply.kind, ReplyKind::blocked);
  EXPECT_TRUE(run.last().reply.retryable);
  const auto& blockers = run.last().reply.blockers;
  ASSERT_THAT(blockers, SizeIs(2));
  EXPECT_EQ(blockers[0].code, BlockerCode::EVIDENCE_MISSING);
  EXPECT_EQ(blockers[0].pointer, (Pointer{PointerKind::evidence, "file_changed out.txt"}));
  EXPECT_EQ(blockers[0].message,
            "expected a file out.txt whose content has changed since the step began; found: a file "
            "of 3 bytes, unchanged");
  EXPECT_EQ(blockers[1].pointer, (Pointer{PointerKind::evidence, "file_exists log.txt"}));
  ASSERT_THAT(run.evidence(), SizeIs(1));
  const EvidenceRecorded judged = run.evidence()[0];
  EXPECT_TRUE(judged.requirements.is_null());
  ASSERT_THAT(judged.entries, SizeIs(2));
  EXPECT_FALSE(judged.entries[0].is_met);
  EXPECT_EQ(judged.entries[0].digest, sha256("old"));
  EXPECT_THAT(run.state().open_steps, ElementsAre("write"));

  run.files = {{"out.txt", file("new")}, {"log.txt", file("log")}};
  ASSERT_TRUE(run.attempt());
  EXPECT_EQ(run.last().reply.kind, ReplyKind::ok);
  EXPECT_TRUE(run.evidence().at(0).entries.at(1).is_met);
  EXPECT_THAT(run.state().open_steps, ElementsAre("rest"));
  EXPECT_EQ(run.state().evidence, nullptr);
}

TEST(step_evidence, evidence_is_not_read_when_something_else_is_missing) {
  ProvedRun run(R"(
id: w
steps:
  - {id: a, prompt: p, evidence: [{file_exists: x}],
     validationCriteria: {type: contains, value: DONE}}
)");
  ASSERT_TRUE(run.start());
  run.looked.clear();
  ASSERT_TRUE(run.attempt(saying("no")));
  EXPECT_THAT(run.looked, IsEmpty());
  EXPECT_THAT(run.last().reply.blockers, SizeIs(1));
  ASSERT_TRUE(run.attempt(saying("DONE")));
  EXPECT_THAT(run.looked, ElementsAre("(workspace)", "x"));
  EXPECT_EQ(run.last().reply.blockers.at(0).code, BlockerCode::EVIDENCE_MISSING);
}

// Enforces: G15
TEST(step_evidence, every_round_of_a_loop_starts_fresh) {
  ProvedRun run(R"(
id: w
steps:
  - id: each
    type: loop
    loop: {type: for, count: 2, maxIterations: 2}
    body: [{id: write, prompt: p, evidence: [{file_changed: out.txt}]}]
)",
                {{"out.txt", file("0")}});
  ASSERT_TRUE(run.start());
  EXPECT_EQ(run.state().evidence->step, "each@0::write");
  run.files["out.txt"] = file("1");
  ASSERT_TRUE(run.attempt());
  ASSERT_THAT(run.evidence(), SizeIs(2));
  EXPECT_EQ(run.state().evidence->step, "each@1::write");
  EXPECT_EQ(run.state().evidence->baseline.at(1).seen.digest, sha256("1"));
  ASSERT_TRUE(run.attempt());
  EXPECT_EQ(run.last().reply.kind, ReplyKind::blocked);
}

// Enforces: G6
TEST(step_evidence, a_fork_is_held_against_the_workspace_as_its_own_node_found_it) {
  ProvedRun run(two_steps, {{"out.txt", file("old")}, {"log.txt", file("log")}});
  ASSERT_TRUE(run.start());
  const NodeState root = run.state();
  run.files["out.txt"] = file("new");
  ASSERT_TRUE(run.attempt());
  EXPECT_EQ(run.last().reply.kind, ReplyKind::ok);
  ASSERT_TRUE(run.attempt_at(root, {}));
  EXPECT_EQ(run.last().reply.kind, ReplyKind::ok);
  run.files["out.txt"] = file("old");
  ASSERT_TRUE(run.attempt_at(root, {}));
  EXPECT_EQ(run.last().reply.kind, ReplyKind::blocked);
}

TEST(step_evidence, a_checkpoint_probes_nothing_and_keeps_the_requirements) {
  ProvedRun run(two_steps, {{"out.txt", file("old")}});
  ASSERT_TRUE(run.start());
  run.looked.clear();
  ASSERT_TRUE(run.attempt_at(run.state(), {}, AttemptKind::checkpoint));
  EXPECT_THAT(run.looked, IsEmpty());
  EXPECT_EQ(run.state().evidence->step, "write");
}

constexpr std::string_view named_file = R"(
id: w
steps:
  - {id: a, prompt: p, evidence: [{file_exists: "{{ name }}.txt"}]}
)";

// Enforces: G15
TEST(step_evidence, values_are_those_of_the_moment_in_which_the_step_became_open) {
  ProvedRun run(named_file, {{"b.txt", file("b")}});
  StartCommand command;
  command.context = {{"name", "a"}};
  ASSERT_TRUE(run.start(std::move(command)));
  EXPECT_THAT(run.last().reply.pending->prompt, HasSubstr("The file a.txt is not empty."));
  StepInput input;
  input.context = {{"name", "b"}};
  ASSERT_TRUE(run.attempt(std::move(input)));
  EXPECT_EQ(run.last().reply.kind, ReplyKind::blocked);
  EXPECT_EQ(run.last().reply.blockers.at(0).pointer.value, "file_exists a.txt");
}

TEST(step_evidence, a_step_whose_evidence_cannot_be_named_does_not_become_open) {
  ProvedRun run(named_file);
  const auto started = run.start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("the evidence of the step \"a\": "));
  EXPECT_THAT(started.error().message, HasSubstr("nothing was recorded"));
}

// Enforces: G15
TEST(step_evidence, the_state_that_counts_is_the_one_that_the_step_would_leave) {
  ProvedRun run(R"(
id: w
default_state: {raw: {done: false}}
state_schema: {raw: {done: boolean, retry_counts: object}}
steps:
  - {id: a, prompt: p, evidence: [{state: done}],
     state_update: {path: raw.done, value: "{{ result }}"}}
)");
  ASSERT_TRUE(run.start());
  const auto result = [](bool value) {
    StepInput input;
    input.artifacts = {Object{{"kind", "baton.result"}, {"value", value}}};
    return input;
  };
  const json::Value before = run.state().states->at("").raw.to_json();
  ASSERT_TRUE(run.attempt(result(false)));
  EXPECT_EQ(run.last().reply.kind, ReplyKind::blocked);
  EXPECT_EQ(run.last().reply.blockers.at(0).message,
            "expected that this is true: done; found: it is false");
  const json::Value raw = run.state().states->at("").raw.to_json();
  EXPECT_EQ(*raw.find("done"), *before.find("done"));
  EXPECT_EQ(json::print(*raw.find("retry_counts")), R"({"a":1})");
  ASSERT_TRUE(run.attempt(result(true)));
  EXPECT_TRUE(run.last().reply.is_complete());
}

TEST(step_evidence, commands_are_run_only_when_they_may_be) {
  ProvedRun run("{id: w, steps: [{id: a, prompt: p, evidence: [{command: {argv: [make]}}]}]}");
  ProbeResult ended;
  ended.kind = ProbeResult::Kind::ended;
  run.files["make"] = ended;
  ASSERT_TRUE(run.start());
  ASSERT_TRUE(run.attempt());
  ASSERT_THAT(run.last().reply.blockers, SizeIs(1));
  EXPECT_THAT(run.last().reply.blockers[0].suggested_fix, HasSubstr("`baton trust w`"));
  run.may_run = true;
  ASSERT_TRUE(run.attempt());
  EXPECT_TRUE(run.last().reply.is_complete());
}

TEST(step_evidence, without_a_workspace_no_evidence_is_read_and_the_start_says_so) {
  ProvedRun run(two_steps);
  StartCommand command;
  command.workspace_path = "";
  ASSERT_TRUE(run.start(std::move(command)));
  EXPECT_THAT(run.last().reply.warnings, ElementsAre(HasSubstr("workspace")));
  ASSERT_TRUE(run.attempt());
  EXPECT_THAT(run.looked, IsEmpty());
  ASSERT_THAT(run.last().reply.blockers, SizeIs(2));
  EXPECT_THAT(run.last().reply.blockers[0].message, HasSubstr("the run has no workspace"));
  EXPECT_THAT(run.last().reply.blockers[0].suggested_fix, HasSubstr("workspace"));
}

TEST(step_evidence, artifacts_and_state_need_no_workspace) {
  ProvedRun run("{id: w, steps: [{id: a, prompt: p, evidence: [{artifact: {type: report}}]}]}");
  StartCommand command;
  command.workspace_path = "";
  ASSERT_TRUE(run.start(std::move(command)));
  EXPECT_THAT(run.last().reply.warnings, IsEmpty());
  EXPECT_THAT(json::print(json::Value(run.last().reply.example)), HasSubstr(R"("kind":"report")"));
  ASSERT_TRUE(run.attempt());
  EXPECT_EQ(run.last().reply.blockers.at(0).pointer.value, "artifact report");
  StepInput input;
  input.artifacts = {Object{{"kind", "report"}}};
  ASSERT_TRUE(run.attempt(std::move(input)));
  EXPECT_TRUE(run.last().reply.is_complete());
}

}  // namespace
}  // namespace baton::run
