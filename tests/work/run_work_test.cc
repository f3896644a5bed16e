// What a caller hands to a run, and what is kept of it: contexts, outputs, state, plans, logs.

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "counted_work.h"
#include "plan/edit.h"
#include "plan/parse.h"
#include "plan/validate.h"
#include "protocol/arguments.h"
#include "protocol/message.h"
#include "run/decide/append_events.h"
#include "run/show/resume.h"
#include "run/testing/sample_run.h"
#include "state/testing/schemas.h"
#include "state/update.h"
#include "verbs/workflow/test_transformation.h"

namespace baton::work {
namespace {

using json::Array;
using json::Object;
using json::Value;
using Run = std::function<void()>;

Object context_of(std::size_t size, const Value& value = 1) {
  Object out;
  for (std::size_t i = 0; i < size; ++i) out.append_new(key_of(i), value);
  return out;
}

/// Compares each name of a script with those before it, as a compiler does.
class ComparingHost final : public ports::ScriptHost {
 public:
  std::vector<std::optional<state::ScriptProblem>> check(
      std::span<const state::Script> scripts) override {
    return std::vector<std::optional<state::ScriptProblem>>(scripts.size());
  }
  std::vector<state::ScriptResult> evaluate(std::span<const state::Evaluation> batch,
                                            const ports::ScriptQueueKey&) override {
    for (const state::Evaluation& each : batch) {
      const std::vector<std::string>& names = each.script.names;
      for (auto name = names.begin(); name != names.end(); ++name) {
        use(std::find(names.begin(), name, *name));
      }
    }
    return {batch.size(), Value(1)};
  }
};

class StoppedClock final : public ports::Clock {
 public:
  WallMs wall() override { return {}; }
  MonoMs mono() override { return {}; }
};

class NoEntropy final : public ports::Entropy {
 public:
  void fill(std::span<std::uint8_t> bytes) override { std::ranges::fill(bytes, 0); }
};

Run try_a_transform(std::size_t size) {
  return [context = context_of(size)] {
    ComparingHost host;
    StoppedClock clock;
    NoEntropy entropy;
    use(verbs::test_transformation(host, clock, entropy, "input + 1", context));
  };
}

// --- context and outputs ---

Run merge(Object context, Object delta) {
  return [context = std::move(context), delta = std::move(delta)] {
    Object merged = context;
    use(run::merge_context(merged, delta));
  };
}
Run merge_new(std::size_t size) { return merge({}, context_of(size)); }
Run merge_changed(std::size_t size) { return merge(context_of(size), context_of(size, 2)); }
Run merge_deleted(std::size_t size) { return merge(context_of(size), context_of(size, nullptr)); }
Run merge_nulls(std::size_t size) { return merge({}, context_of(size, nullptr)); }

Run start_with_context(std::size_t size) {
  const auto pinned = std::make_shared<workflow::Pinned>(run::testing::sample_workflow());
  return [pinned, context = context_of(size)] {
    use(run::testing::decide_with(run::Decider::start({.workflow = pinned.get(),
                                                       .goal = "g",
                                                       .context = context,
                                                       .preferences = {},
                                                       .minting = {}}),
                                  run::testing::draw_of(1)));
  };
}

Run advance(const run::StepInput& input) {
  const auto sample = std::make_shared<run::testing::SampleRun>();
  run::AdvanceCommand command = sample->command(1, run::AttemptKind::advance, 0);
  command.input = input;
  return [sample, command] {
    use(run::testing::decide_with(run::Decider::advance(command), run::testing::draw_of(2)));
  };
}
Run advance_with_context(std::size_t size) {
  run::StepInput input;
  input.context = context_of(size);
  return advance(input);
}
Run advance_with_an_artifact(std::size_t size) {
  run::StepInput input;
  input.artifacts = {context_of(size)};
  return advance(input);
}
Run read_a_snapshot(std::size_t size) {
  const run::testing::SampleRun sample;
  run::NodeState state = sample.states().begin()->second;
  state.context = std::make_shared<Object>(context_of(size));
  return [text = MUST(run::write_snapshot(state))] { use(run::read_snapshot(text)); };
}

// --- state ---

Run write_fields(std::size_t size) {
  std::vector<state::Write> writes;
  for (std::size_t i = 0; i < size; ++i) {
    writes.push_back({{state::Root::raw, {key_of(i)}}, state::Operation::set, 1});
  }
  return [writes, schema = state::testing::schema("{}")] {
    state::ScriptAnswers answers;
    use(state::apply_writes(schema, {}, writes, {}, answers));
  };
}
Run append_to_a_list(std::size_t size) {
  const std::vector<state::Write> writes(
      size, {state::testing::path("raw.list"), state::Operation::append, "another"});
  return [writes, schema = state::testing::schema("{}")] {
    state::ScriptAnswers answers;
    use(state::apply_writes(schema, {}, writes, {}, answers));
  };
}
Run merge_into_a_field(std::size_t size) {
  const std::vector<state::Write> writes{
      {state::testing::path("raw.map"), state::Operation::set, Object{{"first", 1}}},
      {state::testing::path("raw.map"), state::Operation::merge, context_of(size)}};
  return [writes, schema = state::testing::schema("{}")] {
    state::ScriptAnswers answers;
    use(state::apply_writes(schema, {}, writes, {}, answers));
  };
}
Run read_computed_fields(std::size_t size) {
  Array fields;
  for (std::size_t i = 0; i < size; ++i) {
    // A few levels, not one upon the other.
    const std::string from = i % 8 == 0 ? "raw.x" : cat("computed.", key_of(i - 1));
    fields.push_back(state::testing::computed(key_of(i), {from}, "input"));
  }
  return [declared = Object{{"computed", std::move(fields)}}] {
    use(state::StateSchema::read(declared, {}));
  };
}
Run flatten_included_frames(std::size_t size) {
  state::Frame frame;
  Object included;
  for (std::size_t i = 0; i < size; ++i)
    included.append_new(key_of(i), Object{{"own", 1}, {key_of(i), 2}});
  frame.included = state::Tree::from(Value(std::move(included)));
  return [frame] { use(state::flattened(frame)); };
}

// --- logs and tasks ---

Run read_a_bundle(std::size_t size) {
  run::testing::SampleRun sample;
  for (std::size_t i = 0; i < size; ++i) sample.append(key_of(i), {});
  return [text = MUST(run::encode_bundle(sample.bundle()))] { use(run::decode_bundle(text)); };
}
Run rank_runs(std::size_t size) {
  return [size] {
    const run::ResumeQuestion question;
    run::ResumeRanking ranking(question, 5);
    ranking.begin(static_cast<std::int64_t>(size), {});
    run::FoundRun found;
    for (std::size_t i = 0; i < size; ++i) {
      found.workflow_name = key_of(i);
      found.last = {static_cast<std::int64_t>(i)};
      ranking.add(found);
    }
    use(std::move(ranking).best());
  };
}

// --- plans ---

plan::PlanConfig roomy() {
  plan::PlanConfig config = plan::default_config();
  config.bytes_max = limits::plan_bytes_ceiling;
  config.tasks_max = limits::plan_tasks_ceiling;
  return config;
}
std::string plan_of(std::size_t tasks) {
  std::string out = "feat: Much to do\n\nWhy.\n\n";
  for (std::size_t i = 0; i < tasks; ++i) out += cat("- [ ]: ", key_of(i), '\n');
  return out;
}
Run read_a_plan(std::size_t size) {
  return [text = plan_of(size), config = roomy()] {
    const plan::Parsed parsed = plan::parse(text, config);
    use(plan::validate(parsed, config));
    use(plan::to_json(parsed));
    use(plan::format(parsed.document, config));
  };
}
Run mark_a_task(std::size_t size) {
  return [text = plan_of(size), config = roomy(), size] {
    use(plan::mark_task(plan::outline_of(text, config), key_of(size / 2), true, config));
  };
}
Run finish_a_plan_with_a_long_direction(std::size_t size) {
  std::string text = "feat: Done\n\nWhy.\n\n- [x]: all\n\nThe direction.\n";
  for (std::size_t i = 0; i < size; ++i) text += cat("Line ", key_of(i), '\n');
  return [text, config = roomy()] { use(plan::finish(plan::outline_of(text, config), config)); };
}

// --- messages ---

Run read_a_message(std::size_t size) {
  const std::string text =
      json::print(Object{{"jsonrpc", "2.0"},
                         {"id", 1},
                         {"method", "tools/call"},
                         {"params", Object{{"name", "x"}, {"arguments", context_of(size)}}}});
  return [text] { use(protocol::decode(text)); };
}
Run accept(std::size_t size, std::string_view schema) {
  protocol::Tool tool{.name = "probe",
                      .input_schema = MUST(json::parse(schema)),
                      .handler = [](const protocol::ToolCall&) { return protocol::ToolResult{}; }};
  const auto tools =
      std::make_shared<protocol::ToolTable>(MUST(protocol::ToolTable::make({std::move(tool)})));
  return [tools, given = context_of(size)] {
    use(protocol::accept_arguments(tools->all()[0], given));
  };
}
Run accept_known_arguments(std::size_t size) {
  return accept(size, R"({"type":"object","additionalProperties":true})");
}
Run refuse_unknown_arguments(std::size_t size) {
  return accept(size, R"({"type":"object","properties":{"a":{"type":"string"}}})");
}

constexpr std::size_t many = 4'000;
constexpr Operation operations[] = {
    {"merging_new_keys_into_a_context", many, merge_new},
    {"merging_changed_keys_into_a_context", many, merge_changed},
    {"deleting_the_keys_of_a_context", many, merge_deleted},
    {"deleting_keys_that_are_not_there", many, merge_nulls},
    {"starting_with_a_context", many, start_with_context},
    {"advancing_with_a_context", many, advance_with_context},
    {"advancing_with_an_artifact", many, advance_with_an_artifact},
    {"reading_a_snapshot", many, read_a_snapshot},
    {"writing_fields", many, write_fields},
    {"appending_to_a_list", many, append_to_a_list},
    {"merging_into_a_field", many, merge_into_a_field},
    {"reading_computed_fields", many, read_computed_fields},
    {"flattening_included_frames", many, flatten_included_frames},
    {"reading_a_bundle", many, read_a_bundle},
    {"ranking_runs", many, rank_runs},
    {"trying_a_transform_with_a_context", many, try_a_transform},
    {"reading_a_plan", many, read_a_plan},
    {"marking_a_task_of_a_plan", many, mark_a_task},
    {"finishing_a_plan_with_a_long_direction", many, finish_a_plan_with_a_long_direction},
    {"reading_a_message", many, read_a_message},
    {"accepting_arguments", many, accept_known_arguments},
    {"refusing_arguments_that_are_not_known", many, refuse_unknown_arguments},
};

class RunWork : public ::testing::TestWithParam<Operation> {};

// Enforces: G9
TEST_P(RunWork, is_about_linear_in) { expect_about_linear(GetParam()); }
INSTANTIATE_TEST_SUITE_P(calls, RunWork, ::testing::ValuesIn(operations),
                         [](const auto& each) { return name_of(each); });

// --- sizes first ---

/// The work for an input that is rejected, with a part of it longer than its limit by far.
std::uint64_t work_for(const Run& rejected) {
  const std::uint64_t before = counted();
  rejected();
  return counted() - before;
}

// Enforces: G9
TEST(rejecting, a_context_that_is_too_long_takes_no_more_work_for_more_of_it) {
  // Twice and four times what is kept; to copy or to merge would be work for each key.
  constexpr std::size_t enough = 2 * limits::context_bytes_max / 12;
  for (const auto& make : {merge_new, start_with_context, advance_with_context}) {
    const std::uint64_t some = work_for(make(enough));
    const std::uint64_t more = work_for(make(2 * enough));
    // The command itself is copied: that is all that may grow.
    const Object context = context_of(enough);
    const std::uint64_t copying = work_for([&context] { use(Object(context)); });
    EXPECT_LE(more, some + 4 * copying);
  }
  const std::uint64_t some = work_for(merge({}, context_of(enough)));
  EXPECT_LT(some, enough / 10) << "something was done with each key";
}

// Enforces: G9
TEST(rejecting, an_artifact_that_is_too_long_is_not_printed_first) {
  run::StepInput input;
  input.artifacts = {Array(limits::blob_bytes_max, Value(1))};
  EXPECT_EQ(run::check_sizes(input).error().code, Code::LIMIT_EXCEEDED);
  EXPECT_LT(work_for([&input] { use(run::check_sizes(input)); }), 100u);
  input.artifacts = {std::string(limits::blob_bytes_max - 2, 'a')};
  EXPECT_TRUE(run::check_sizes(input));
  input.artifacts = {std::string(limits::blob_bytes_max - 1, 'a')};
  EXPECT_FALSE(run::check_sizes(input));
}

}  // namespace
}  // namespace baton::work
