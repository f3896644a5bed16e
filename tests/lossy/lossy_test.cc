// Agents that lose things, against the real server: every run ends correctly, and no fault
// costs more than one call more. BATON_LOSSY_RUNS and BATON_LOSSY_SEED say how many runs and which.
// Origin: 004-12

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/text/text.h"
#include "play.h"
#include "record.h"
#include "support/server.h"

namespace baton::lossy {
namespace {

std::int64_t number_in(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : parse_int(text).value_or(otherwise);
}

/// A fresh store with the workflow beside it, and the server on it.
class Lossy : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* binary = std::getenv("BATON_BINARY");
    ASSERT_NE(binary, nullptr) << "BATON_BINARY names no server";
    std::filesystem::create_directories(folder_.path() / "flows");
    std::ofstream(folder_.path() / "flows/lossy.yaml") << workflow_text();
    auto wire = Wire::start(binary, folder_.path());
    ASSERT_TRUE(wire) << wire.error().message;
    wire_.emplace(*std::move(wire));
  }

  Result<std::map<std::string, RunRecord>> end() {
    TRY(wire_->end());
    return read_records(folder_.path() / "runs.db");
  }

  /// How often a command left its mark.
  std::int64_t marks() const {
    std::ifstream file(folder_.path() / "marks");
    std::int64_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }

  crash::Scratch folder_;
  std::optional<Wire> wire_;
};

/// An artifact without what may be said in more than one way: the namespace of its kind, and a
/// loopId that names the loop which the step is in anyway.
json::Value plainly(const json::Value& artifact, std::string_view step) {
  json::Value out = artifact;
  const std::string kind = *get_at(artifact, "/kind")->if_string();
  set_at(out, "/kind", kind.substr(kind.find('.') + 1));
  const json::Value* loop = get_at(artifact, "/loopId");
  if (loop != nullptr && *loop == json::Value(step.substr(0, step.find('@')))) {
    erase_at(out, "/loopId");
  }
  return out;
}

bool is_what(const Content& content, const Settled& settled) {
  return content.notes == settled.notes &&
         std::ranges::equal(content.artifacts, settled.artifacts,
                            [&](const json::Value& meant, const json::Value& recorded) {
                              return plainly(meant, settled.step) ==
                                     plainly(recorded, settled.step);
                            });
}

/// What is wrong with the record of a run, or nothing.
std::string wrong_with(const RunRecord& record, const Driven& driven) {
  if (!record.is_complete) return "it is not complete";
  const auto steps = driven.story.steps();
  if (record.path.size() != steps.size()) return cat("it settled ", record.path.size(), " steps");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Settled& settled = record.path[i];
    if (settled.step != steps[i]) return cat("it settled ", settled.step, ", not ", steps[i]);
    const auto handed = driven.handed.find(steps[i]);
    const bool is_right = handed != driven.handed.end() &&
                          std::ranges::any_of(handed->second, [&](const Content& each) {
                            return is_what(each, settled);
                          });
    if (!is_right) return cat("it settled ", steps[i], " with ", settled.notes);
  }
  return {};
}

TEST_F(Lossy, every_run_ends_right_and_no_fault_costs_more_than_one_call) {
  const std::int64_t pairs = number_in("BATON_LOSSY_RUNS", 1000) / 2;
  const auto seed = static_cast<std::uint64_t>(number_in("BATON_LOSSY_SEED", 1));
  std::mt19937_64 lengths(seed);
  Play play(*wire_, seed);
  std::vector<Driven> runs;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    for (int i = 0; i < 2; ++i) {
      const auto files = static_cast<std::int64_t>(1 + lengths() % 3);
      const auto rounds = static_cast<std::int64_t>(1 + lengths() % 3);
      runs.emplace_back(Story(2 * pair + i, files, rounds));
    }
    const auto driven = play.drive(runs[runs.size() - 2], runs.back());
    ASSERT_TRUE(driven) << "runs " << 2 * pair << " and " << 2 * pair + 1 << ", seed " << seed
                        << ": " << driven.error().message;
  }
  const auto records = end();
  ASSERT_TRUE(records) << records.error().message;
  std::int64_t right = 0;
  std::int64_t branches = 0;
  std::int64_t allowed = 0;
  std::int64_t commands = 0;
  for (const Driven& driven : runs) {
    const auto record = records->find(driven.memory.run);
    ASSERT_NE(record, records->end()) << driven.memory.run;
    EXPECT_EQ(wrong_with(record->second, driven), "") << driven.memory.run;
    if (wrong_with(record->second, driven).empty()) ++right;
    // No branch from calls that were repeated, doubled, late or lost.
    EXPECT_LE(record->second.branches, driven.branches_max) << driven.memory.run;
    EXPECT_GE(record->second.commands, 1) << driven.memory.run;
    EXPECT_LE(record->second.commands, 1 + record->second.branches) << driven.memory.run;
    branches += record->second.branches;
    allowed += driven.branches_max;
  }
  for (const auto& [run, record] : *records) commands += record.commands;
  EXPECT_EQ(marks(), commands) << "each command was run once";
  EXPECT_GT(branches, 0);
  const Figures& figures = play.figures();
  EXPECT_EQ(right, std::ssize(runs));
  EXPECT_LE(figures.extra_calls(), figures.faults());
  std::int64_t owed_to_faults = 0;
  for (std::size_t i = 0; i < fault_count; ++i) {
    const auto fault = static_cast<Fault>(i);
    EXPECT_LE(figures.by_fault[i].extra_calls_most, 1) << words_of(fault);
    owed_to_faults += figures.by_fault[i].extra_calls;
    if (runs.size() >= 1000) {
      EXPECT_GT(figures.by_fault[i].times, 0) << words_of(fault);
    }
  }
  EXPECT_EQ(owed_to_faults, figures.extra_calls());
  std::printf(
      "%lld of %lld runs right; %lld calls, %lld faults, %lld extra calls; %lld branches left "
      "behind "
      "of %lld allowed; %lld commands\n\n%s",
      static_cast<long long>(right), static_cast<long long>(runs.size()),
      static_cast<long long>(figures.calls), static_cast<long long>(figures.faults()),
      static_cast<long long>(figures.extra_calls()), static_cast<long long>(branches),
      static_cast<long long>(allowed), static_cast<long long>(commands), figures.table().c_str());
}

/// Starts a run, and settles its steps with plain words from its pending one on.
class Honest {
 public:
  Honest(Wire& wire, Story story) : wire_(wire), driven(std::move(story)) {}

  Told ask(const Call& call) { return MUST(wire_.hear(MUST(wire_.send(call)))); }

  void start() { driven.memory = remember(ask(start_call("honestly"))); }

  Call next() {
    const Content content = driven.story.content(driven.memory.step, Words::plain);
    driven.handed[driven.memory.step] = {content};
    return advance_call(driven.memory, content, false);
  }

  void finish() {
    while (!driven.memory.is_complete) driven.memory = remember(ask(next()));
  }

 private:
  Wire& wire_;

 public:
  Driven driven;
};

// Without the stateToken beside it nothing shows that an ackToken is not of the run that was meant.
TEST_F(Lossy, an_ack_of_another_run_sent_alone_is_put_right_by_a_fork) {
  Honest mine(*wire_, Story(1, 2, 2));
  Honest other(*wire_, Story(2, 1, 1));
  mine.start();
  other.start();
  Call mixed_up = mine.next();
  set_at(mixed_up.arguments, "/ackToken", other.driven.memory.ack);
  const Told told = mine.ask(mixed_up);
  EXPECT_EQ(remember(told).run, other.driven.memory.run);
  EXPECT_FALSE(is_settled(told, mine.driven.memory));
  mine.finish();

  const Told forked = other.ask(other.next());
  EXPECT_TRUE(is_settled(forked, other.driven.memory)) << forked.text;
  EXPECT_TRUE(forked.fields.contains("fork")) << forked.text;
  other.driven.memory = remember(forked);
  other.finish();

  const auto records = end();
  ASSERT_TRUE(records) << records.error().message;
  for (const Honest* each : {&mine, &other}) {
    EXPECT_EQ(wrong_with(records->at(each->driven.memory.run), each->driven), "");
  }
}

// An output that cannot begin a branch leaves none, and the error names the step of the token.
TEST_F(Lossy, an_old_ack_with_an_output_that_is_refused_changes_nothing) {
  Honest mine(*wire_, Story(1, 1, 1));
  mine.start();
  const Call first = mine.next();
  const Told recorded = mine.ask(first);
  ASSERT_TRUE(is_settled(recorded, mine.driven.memory)) << recorded.text;
  Call unfit = first;
  set_at(unfit.arguments, "/output/artifacts",
         json::Array{json::Object{{"kind", "baton.loop_control"}, {"decision", "stop"}}});
  const Told told = mine.ask(unfit);
  EXPECT_TRUE(told.is_error) << told.text;
  Memory later = remember(recorded);
  const Call next = correct(told, unfit, unfit, later);
  EXPECT_EQ(*get_at(next.arguments, "/ackToken"), json::Value(later.ack)) << told.text;
  EXPECT_EQ(mine.ask(first), recorded);
  mine.driven.memory = std::move(later);
  mine.finish();
  const auto records = end();
  ASSERT_TRUE(records) << records.error().message;
  const RunRecord& record = records->at(mine.driven.memory.run);
  EXPECT_EQ(wrong_with(record, mine.driven), "");
  EXPECT_EQ(record.branches, 0);
  EXPECT_EQ(marks(), 1);
}

}  // namespace
}  // namespace baton::lossy
