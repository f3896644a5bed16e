#include <gtest/gtest.h>

#include "base/text/text.h"
#include "run/decide/decide.h"
#include "run/decide/settle_task.h"
#include "run/graph/schemas.h"
#include "run/testing/play.h"
#include "run/testing/yaml_workflow.h"
#include "run/walk/scope.h"

namespace baton::run {
namespace {

using testing::Play;

/// Runs of one workflow without a store.
class TaskRun {
 public:
  explicit TaskRun(std::string_view yaml)
      : pinned(testing::yaml_workflow(yaml)), schemas(Schemas::of(pinned.workflow).value()) {}

  Result<Decided> pump(Decider decider) {
    while (true) {
      auto next = TRY(decider.next());
      if (auto* decided = std::get_if<Decided>(&next)) return std::move(*decided);
      if (const auto* need = std::get_if<NeedAnswers>(&next)) {
        decider.supply(testing::play_all(play, need->evaluations));
      } else {
        decider.supply(FreshValues{{WallMs{1}, 1},
                                   SessionId{IdBytes{++drawn}},
                                   RunId{IdBytes{++drawn}},
                                   NodeId{IdBytes{++drawn}}});
      }
    }
  }

  Result<Decided> start(json::Object context = {}) {
    return pump(Decider::start({.workflow = &pinned,
                                .schemas = schemas.get(),
                                .goal = {},
                                .context = std::move(context),
                                .preferences = {Autonomy::full_auto_never_stop, {}},
                                .minting = {}}));
  }

  static TaskRef ref(const NodeState& parent, std::size_t item) {
    return {parent.run, parent.node, task_id(parent.open_steps.front(), item), 0};
  }

  Result<Decided> begin(const NodeState& parent, std::size_t item) {
    const TaskRef task = ref(parent, item);
    return pump(Decider::start_task({.workflow = &pinned,
                                     .schemas = schemas.get(),
                                     .parent = parent,
                                     .task = task,
                                     .ids = ids_of(parent.node, task.task, 0),
                                     .observed = {{ObservationKey::workspace_path, "/here"}},
                                     .minting = {}}));
  }

  Result<Decided> advance(const NodeState& at, StepInput input) {
    return pump(Decider::advance({.workflow = &pinned.workflow,
                                  .schemas = schemas.get(),
                                  .token_node = at.node,
                                  .attempt = {},
                                  .step = at.open_steps.front(),
                                  .parent = at,
                                  .input = std::move(input),
                                  .minting = {}}));
  }

  workflow::Pinned pinned;
  std::shared_ptr<const Schemas> schemas;
  Play play = testing::no_script;
  std::uint8_t drawn = 0;
};

StepInput notes(std::string text) {
  StepInput input;
  input.notes = std::move(text);
  return input;
}

constexpr std::string_view shared = R"(
id: w
default_state: {raw: {list: [], n: 1}}
state_schema: {raw: {list: array, n: integer}}
steps:
  - id: spread
    type: parallel_foreach
    items: [x, y]
    max_parallel: 2
    steps:
      - {id: do, prompt: "{{ item }} {{ index }} {{ total }} {{ task_id }} {{ n }}"}
      - {id: add, type: state_update, path: raw.list, operation: append, value: "{{ item }}"}
  - {id: end, prompt: End.}
)";

TEST(task, is_independent_from_its_first_commit_on) {
  TaskRun run(shared);
  const Decided parent = run.start({{"k", "v"}}).value();
  EXPECT_EQ(parent.reply.pending->kind, workflow::StepKind::parallel_foreach);
  const Decided task = run.begin(parent.state, 1).value();
  EXPECT_EQ(task.reply.pending->step_id, "spread@1::do");
  EXPECT_EQ(task.reply.pending->prompt, "y 1 2 spread.item1 1");
  EXPECT_EQ(task.reply.task, TaskRun::ref(parent.state, 1));
  EXPECT_EQ(*task.state.context->find("k"), json::Value("v"));
  EXPECT_EQ(task.state.preferences.autonomy, Autonomy::full_auto_never_stop);
  NodeState cold;
  cold.session = task.state.session;
  EXPECT_EQ(fold(std::move(cold), task.commit.events).value(), task.state);
  const auto* started = std::get_if<RunStarted>(&task.commit.events[1]);
  ASSERT_NE(started, nullptr);
  EXPECT_EQ(started->task, task.reply.task);
}

TEST(task, ends_with_its_block_and_says_what_it_wrote) {
  TaskRun run(shared);
  const Decided parent = run.start().value();
  const Decided begun = run.begin(parent.state, 0).value();
  const Decided done = run.advance(begun.state, notes("looked")).value();
  EXPECT_TRUE(done.reply.is_complete());
  const std::vector<std::vector<Event>> path{begun.commit.events, done.commit.events};
  const workflow::Step& step = *step_at(run.pinned.workflow, parent.state.cursor);
  const TaskSettled settled = settled_by(run.pinned.workflow, step, done.state, path);
  EXPECT_EQ(settled.status, TaskStatus::completed);
  EXPECT_EQ(settled.result, json::Value("looked"));
  ASSERT_EQ(settled.writes.size(), 1U);
  EXPECT_EQ(settled.writes[0].operation, state::Operation::append);
  EXPECT_EQ(settled.writes[0].value, json::Value("x"));
  EXPECT_EQ(decode_events(encode_events(done.commit.events).value()).value(), done.commit.events);
}

TEST(task, joins_in_the_state_around_its_step) {
  TaskRun run(shared);
  const Decided parent = run.start().value();
  const auto early = run.advance(parent.state, notes("too early"));
  EXPECT_EQ(early.error().code, Code::TASKS_OPEN);
  StepInput input;
  input.tasks = TasksOutcome{
      .results = {"one", "two"},
      .writes = {{{state::Root::raw, {"list"}}, state::Operation::append, json::Value("y")}},
      .failure = {},
      .notes = {}};
  const Decided joined = run.advance(parent.state, input).value();
  EXPECT_EQ(joined.reply.pending->step_id, "end");
  EXPECT_EQ(json::print(joined.state.states->at("").raw.find("list")->to_json()), R"(["y"])");
  EXPECT_EQ(joined.state.items, nullptr);
  const auto* record = std::get_if<AdvanceRecorded>(&joined.commit.events.front());
  EXPECT_EQ(record->input, Sha256{});
}

TEST(task, has_a_frame_of_its_own_when_it_declares_state) {
  TaskRun run(R"(
id: w
default_state: {raw: {n: 1}}
state_schema: {raw: {n: integer}}
steps:
  - {id: spread, type: parallel_foreach, items: [{size: 3}], sub_agent_task: t}
  - {id: end, prompt: End.}
sub_agent_tasks:
  t:
    inputs: {size: {type: integer, required: true}}
    default_state: {raw: {n: 10}}
    state_schema: {raw: {n: integer}}
    steps:
      - {id: add, type: state_update, path: raw.n, operation: increment, value: "{{ inputs.size }}"}
      - {id: do, prompt: "{{ n }} {{ global.n }}"}
)");
  const Decided parent = run.start().value();
  const Decided task = run.begin(parent.state, 0).value();
  EXPECT_EQ(task.reply.pending->prompt, "13 1");
  const Decided done = run.advance(task.state, notes("ok")).value();
  const std::vector<std::vector<Event>> path{task.commit.events, done.commit.events};
  const workflow::Step& step = *step_at(run.pinned.workflow, parent.state.cursor);
  EXPECT_TRUE(settled_by(run.pinned.workflow, step, done.state, path).writes.empty());
}

TEST(task, that_lacks_an_input_cannot_begin) {
  TaskRun run(R"(
id: w
steps:
  - {id: spread, type: parallel_foreach, items: [{a: 1}], sub_agent_task: t}
sub_agent_tasks:
  t:
    inputs: {size: {type: integer, required: true}, more: {type: string, required: true}}
    steps: [{id: do, prompt: Do.}]
)");
  const Decided parent = run.start().value();
  const auto task = run.begin(parent.state, 0);
  ASSERT_FALSE(task);
  EXPECT_TRUE(task.error().message.contains("\"size\" is missing")) << task.error().message;
}

TEST(task, of_one_prompt_is_one_step) {
  TaskRun run(R"(
id: w
steps:
  - {id: spread, type: parallel_foreach, items: [7], sub_agent_task: t}
sub_agent_tasks:
  t:
    description: Look
    inputs: {number: {type: integer}}
    prompt_template: "See {{ inputs.number }}."
)");
  const Decided parent = run.start().value();
  const Decided task = run.begin(parent.state, 0).value();
  EXPECT_EQ(task.reply.pending->step_id, "spread@0::t");
  EXPECT_EQ(task.reply.pending->title, "Look");
  EXPECT_EQ(task.reply.pending->prompt, "See 7.");
  EXPECT_TRUE(run.advance(task.state, notes("ok")).value().reply.is_complete());
}

TEST(walk, passes_a_step_without_items_for_sub_agents) {
  TaskRun run(R"(
id: w
steps:
  - {id: spread, type: parallel_foreach, items: [], steps: [{id: do, prompt: Do.}]}
  - {id: end, prompt: End.}
)");
  EXPECT_EQ(run.start().value().reply.pending->step_id, "end");
}

TEST(walk, takes_as_many_items_for_sub_agents_as_may_be) {
  TaskRun run(R"(
id: w
inputs: {list: {type: array}}
steps:
  - {id: spread, type: parallel_foreach, items: "{{ inputs.list }}", steps: [{id: do, prompt: Do.}]}
)");
  json::Array list(limits::parallel_tasks_max, json::Value(1));
  const Decided most = run.start({{"list", list}}).value();
  EXPECT_EQ(most.state.items->if_array()->size(), limits::parallel_tasks_max);
  // The list in a reply is bounded, and says so.
  EXPECT_LE(json::print(*most.reply.pending->definition.find("tasks")).size(),
            limits::tasks_shown_bytes_max + 200);
  EXPECT_TRUE(most.reply.pending->definition.contains("tasks_left_out"));
  list.emplace_back(1);
  EXPECT_EQ(run.start({{"list", list}}).error().code, Code::LIMIT_EXCEEDED);
}

}  // namespace
}  // namespace baton::run
