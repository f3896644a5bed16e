// What holds in every mode: the ceilings of the owner in the middle of a run, and commands that
// wait behind open critical gaps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using testing::SampleRun;

Policy with_ceilings(std::optional<Autonomy> autonomy, std::optional<RiskPolicy> risk) {
  const PolicyStatement said{
      .source = PolicySource::user_policy, .autonomy = autonomy, .risk = risk};
  return resolve(std::span(&said, 1));
}

// Enforces: G29
TEST(ceilings, a_change_in_the_middle_of_a_run_stays_below_them) {
  for (const std::string_view most : names<Autonomy>()) {
    for (const std::string_view wish : names<Autonomy>()) {
      for (const AttemptKind kind : {AttemptKind::advance, AttemptKind::checkpoint}) {
        const SampleRun run;
        AdvanceCommand command = run.command(1, kind, 0);
        command.policy = with_ceilings(from_name<Autonomy>(most), {});
        command.input.preferences.autonomy = from_name<Autonomy>(wish);
        const Decided decided = MUST(decide_with(Decider::advance(command), draw_of(2)));
        const Autonomy kept = std::min(*from_name<Autonomy>(wish), *from_name<Autonomy>(most));
        EXPECT_EQ(decided.state.preferences.autonomy, kept) << wish << " below " << most;
        const auto is_told = [](const std::string& each) {
          return each.contains("the owner's ceiling is");
        };
        EXPECT_EQ(std::ranges::count_if(decided.reply.warnings, is_told),
                  *from_name<Autonomy>(wish) > *from_name<Autonomy>(most) ? 1 : 0);
      }
    }
  }
  for (const std::string_view most : names<RiskPolicy>()) {
    for (const std::string_view wish : names<RiskPolicy>()) {
      const SampleRun run;
      AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
      command.policy = with_ceilings({}, from_name<RiskPolicy>(most));
      command.input.preferences.risk_policy = from_name<RiskPolicy>(wish);
      const Decided decided = MUST(decide_with(Decider::advance(command), draw_of(2)));
      EXPECT_EQ(decided.state.preferences.risk_policy,
                std::min(*from_name<RiskPolicy>(wish), *from_name<RiskPolicy>(most)));
    }
  }
}

// Enforces: G29
TEST(ceilings, a_person_is_asked_about_the_ceiling_and_not_about_the_wish) {
  const SampleRun run;
  AdvanceCommand command = run.command(1, AttemptKind::advance, 0);
  command.source = {};
  command.policy = with_ceilings(Autonomy::full_auto_stop_on_user_deps, {});
  command.input.preferences.autonomy = Autonomy::full_auto_never_stop;
  const Decided decided = MUST(decide_with(Decider::advance(command), draw_of(2)));
  ASSERT_TRUE(decided.reply.gate);
  EXPECT_EQ(decided.reply.gate->question,
            "May the run go further without you: autonomy full_auto_stop_on_user_deps in place of "
            "guided?");
  EXPECT_THAT(decided.reply.warnings, ElementsAre(HasSubstr("the owner's ceiling is")));
}

/// A run in full_auto_never_stop whose commands the server runs; its first step leaves a critical
/// gap.
class Gapped {
 public:
  explicit Gapped(std::string_view of_command)
      : pinned_(testing::yaml_workflow(cat(R"(
id: w
steps:
  - {id: one, prompt: p, nonAssumableChoice: scope_boundary}
  - {id: tag, type: shell_command, command: date, )",
                                           of_command, R"(}
  - {id: rest, prompt: p}
)"))),
        schemas_(MUST(Schemas::of(pinned_.workflow))) {
    keep(decide_with(Decider::start({.workflow = &pinned_,
                                     .schemas = schemas_.get(),
                                     .goal = "",
                                     .context = {},
                                     .preferences = {.autonomy = Autonomy::full_auto_never_stop,
                                                     .risk_policy = {}},
                                     .minting = {},
                                     .may_run = true,
                                     .runner = "tests"}),
                     draw_of(1)));
    send();
  }

  void send(json::Array artifacts = {}, AttemptKind kind = AttemptKind::advance,
            ChangedHow how = ChangedHow::call, PreferencesDelta preferences = {}) {
    AdvanceCommand command;
    command.workflow = &pinned_.workflow;
    command.schemas = schemas_.get();
    command.token_node = last_.state.node;
    command.attempt = {kind, 0, 0};
    if (kind == AttemptKind::advance) command.step = last_.state.open_steps.at(0);
    command.parent = last_.state;
    command.input.notes = "did it";
    command.input.artifacts = std::move(artifacts);
    command.input.preferences = preferences;
    command.source.how = how;
    command.may_run = true;
    command.runner = "tests";
    keep(decide_with(Decider::advance(command), draw_of(++node_)));
  }

  bool runs() const { return last_.state.process != nullptr; }
  bool waits() const { return last_.state.gate != nullptr; }
  const Decided& last() const { return last_; }

  static json::Array resolution() {
    return {Object{{"kind", "baton.gap_resolution"}, {"gapId", "gap-1"}, {"summary", "Asked."}}};
  }
  static json::Array word() {
    return {Object{{"kind", "baton.confirmation"}, {"words", "Yes, run it."}}};
  }

 private:
  void keep(Result<Decided> decided) {
    ASSERT_TRUE(decided) << decided.error().message;
    const auto events = MUST(decode_events(MUST(encode_events(decided->commit.events))));
    NodeState before = last_.state;
    before.session = decided->state.session;
    EXPECT_EQ(MUST(fold(before, events)), decided->state);
    EXPECT_EQ(MUST(read_snapshot(MUST(write_snapshot(decided->state)))), decided->state);
    last_ = *std::move(decided);
  }

  workflow::Pinned pinned_;
  std::shared_ptr<const Schemas> schemas_;
  Decided last_;
  std::size_t node_ = 1;
};

// Enforces: G29
TEST(gapped_command, waits_for_a_person_behind_an_open_critical_gap) {
  Gapped run("timeout: 5");
  EXPECT_FALSE(run.runs());
  ASSERT_TRUE(run.waits());
  EXPECT_EQ(run.last().state.gate->kind, GateKind::gap);
  EXPECT_THAT(run.last().reply.gate->question, HasSubstr("gap-1"));
  run.send();
  EXPECT_FALSE(run.runs());
  EXPECT_TRUE(run.waits());
  run.send(Gapped::word());
  EXPECT_TRUE(run.runs());
  EXPECT_FALSE(run.waits());
}

// Enforces: G29
TEST(gapped_command, starts_without_a_word_when_its_author_says_so_or_it_only_reads) {
  EXPECT_TRUE(Gapped("despite_gaps: true").runs());
  EXPECT_TRUE(Gapped("effect: false").runs());
}

TEST(gapped_command, starts_once_the_gap_is_closed) {
  Gapped run("timeout: 5");
  run.send(Gapped::resolution());
  EXPECT_TRUE(run.runs());
  EXPECT_FALSE(run.waits());
  EXPECT_THAT(run.last().state.known().open_gaps, IsEmpty());
}

TEST(gapped_command, starts_at_the_call_after_a_checkpoint_that_closed_the_gap) {
  Gapped run("timeout: 5");
  run.send(Gapped::resolution(), AttemptKind::checkpoint);
  EXPECT_FALSE(run.runs());
  EXPECT_TRUE(run.waits());
  run.send();
  EXPECT_TRUE(run.runs());
  EXPECT_FALSE(run.waits());
}

// Enforces: G27, G29
TEST(gapped_command, a_wish_for_more_risk_does_not_take_the_place_of_its_gate) {
  Gapped run("timeout: 5");
  run.send({}, AttemptKind::advance, ChangedHow::call,
           {.autonomy = {}, .risk_policy = RiskPolicy::aggressive});
  ASSERT_TRUE(run.waits());
  EXPECT_EQ(run.last().state.gate->kind, GateKind::gap);
  EXPECT_EQ(run.last().state.preferences.risk_policy, RiskPolicy::conservative);
  EXPECT_THAT(run.last().reply.warnings, ElementsAre(HasSubstr("preferences stay as they are")));
  run.send();
  EXPECT_FALSE(run.runs());
}

TEST(gapped_command, an_explicit_gate_is_asked_about_after_the_gaps) {
  Gapped run("gate: true");
  ASSERT_TRUE(run.waits());
  EXPECT_EQ(run.last().state.gate->kind, GateKind::gap);
  run.send(Gapped::word());
  ASSERT_TRUE(run.waits());
  EXPECT_EQ(run.last().state.gate->kind, GateKind::command);
  run.send(Gapped::word());
  EXPECT_TRUE(run.runs());
}

}  // namespace
}  // namespace baton::run
