#include "run/walk/walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/text/text.h"
#include "run/steps/loop.h"
#include "run/testing/sample_run.h"
#include "run/testing/yaml_workflow.h"
#include "run/walk/scope.h"

namespace baton::run {
namespace {

using json::Array;
using json::Object;
using json::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What happens at a step before the walk continues: the context may change, loops be decided.
struct Act {
  Object context = {};
  std::vector<LoopControl> controls = {};
};
using Acting = std::function<Act(const std::string& step, const Object& variables)>;

struct Way {
  std::vector<std::string> steps;
  std::vector<std::string> trace;  // "kind summary"
  std::string ended;               // "complete", an error's code, or the obstacle
  std::vector<LoopCut> cuts = {};
};

void add_trace(Way& way, const Walked& walked) {
  for (const TraceEntry& entry : walked.trace) {
    way.trace.push_back(cat(name_of(entry.kind), ' ', entry.summary));
  }
  way.cuts.insert(way.cuts.end(), walked.cuts.begin(), walked.cuts.end());
}

/// A walk to its end.
Result<Walked> arrive(Walk walk, const testing::Play& play = testing::no_script) {
  TRY(testing::ask_until_known(play, [&](state::ScriptAnswers& answers) {
    return walk.go(answers, FreshInputs{{1'000}, 5});
  }));
  return std::move(walk).arrived();
}

NodeState state_with(const Object& context) {
  NodeState state;
  state.context = std::make_shared<Object>(context);
  return state;
}

Result<Walked> first_step(const workflow::CompiledWorkflow& workflow, const Object& context) {
  return arrive(Walk::to_first(workflow, nullptr, state_with(context)));
}

Result<Walked> next_step(const workflow::CompiledWorkflow& workflow, Cursor cursor,
                         const Object& context, std::vector<std::string> given_up = {}) {
  return arrive(TRY(Walk::onwards(workflow, nullptr, state_with(context), std::move(cursor),
                                  std::move(given_up))));
}

/// Walks from the first step to the end.
Way way_of(std::string_view yaml, Object context = {}, const Acting& acting = {}) {
  const auto pinned = testing::yaml_workflow(yaml);
  const workflow::CompiledWorkflow& workflow = pinned.workflow;
  Way way;
  auto walked = first_step(workflow, context);
  while (walked && !walked->obstacle) {
    add_trace(way, *walked);
    Cursor cursor = walked->cursor;
    if (step_at(workflow, cursor) == nullptr) {
      way.ended = "complete";
      return way;
    }
    way.steps.push_back(key_at(workflow, cursor));
    if (acting) {
      Act act = acting(way.steps.back(), loop_variables(workflow, cursor));
      for (const json::Member& member : act.context) context.set(member.key, member.value);
      const auto noted = note_decisions(workflow, cursor, act.controls);
      if (!noted) {
        way.ended = std::string(name_of(noted.error().code));
        return way;
      }
    }
    walked = next_step(workflow, std::move(cursor), context);
  }
  way.ended = walked ? cat(name_of(walked->obstacle->finding.reason), ' ',
                           name_of(walked->obstacle->finding.pointer.kind), ' ',
                           walked->obstacle->finding.pointer.value, " for ", walked->obstacle->loop)
                     : std::string(name_of(walked.error().code));
  return way;
}

TEST(walk, plain_steps_follow_each_other_without_a_trace) {
  const Way way = way_of("{id: x, steps: [{id: a, prompt: p}, {id: b, prompt: p}]}");
  EXPECT_THAT(way.steps, ElementsAre("a", "b"));
  EXPECT_TRUE(way.trace.empty());
  EXPECT_EQ(way.ended, "complete");
}

TEST(walk, run_conditions_leave_steps_out) {
  const auto yaml = R"(
id: x
steps:
  - {id: a, prompt: p, runCondition: {var: deep}}
  - {id: b, prompt: p}
  - {id: c, prompt: p, runCondition: {var: size, equals: large}}
)";
  EXPECT_THAT(way_of(yaml).steps, ElementsAre("b"));
  EXPECT_THAT(way_of(yaml, {{"deep", true}, {"size", " Large"}}).steps, ElementsAre("a", "b", "c"));
  EXPECT_THAT(way_of(yaml).trace,
              ElementsAre("evaluated_condition a.runCondition: deep is false",
                          "selected_next_step the next step is b",
                          "evaluated_condition c.runCondition: size equals \"large\" is false",
                          "selected_next_step no step is left: the run is complete"));
}

TEST(walk, context_that_changes_on_the_way_counts) {
  const auto yaml = R"(
id: x
steps:
  - {id: a, prompt: p}
  - {id: b, prompt: p, runCondition: {var: found}}
)";
  const Acting found = [](const std::string&, const Object&) { return Act{{{"found", 1}}, {}}; };
  EXPECT_THAT(way_of(yaml, {}, found).steps, ElementsAre("a", "b"));
}

TEST(walk, conditionals_take_one_branch) {
  const auto yaml = R"(
id: x
steps:
  - id: choose
    type: conditional
    condition: {var: big}
    then: [{id: a, prompt: p}, {id: b, prompt: p}]
    else: [{id: c, prompt: p}]
  - {id: d, type: conditional, condition: {var: big}, then: [{id: e, prompt: p}]}
  - {id: f, prompt: p}
)";
  EXPECT_THAT(way_of(yaml, {{"big", true}}).steps, ElementsAre("a", "b", "e", "f"));
  EXPECT_THAT(way_of(yaml).steps, ElementsAre("c", "f"));
}

TEST(walk, for_loops_have_as_many_rounds_as_they_say) {
  const auto yaml = R"(
id: x
steps:
  - id: l
    type: loop
    loop: {type: for, count: 2, maxIterations: 5}
    body: [{id: a, prompt: p}, {id: b, prompt: p}]
)";
  const Way way = way_of(yaml);
  EXPECT_THAT(way.steps, ElementsAre("l@0::a", "l@0::b", "l@1::a", "l@1::b"));
  EXPECT_THAT(way.trace,
              ElementsAre("entered_loop the loop \"l\" starts, with at most 5 rounds",
                          "evaluated_condition the loop \"l\" continues: 0 of 2 rounds are done",
                          "selected_next_step the next step is l@0::a",
                          "evaluated_condition the loop \"l\" continues: 1 of 2 rounds are done",
                          "selected_next_step the next step is l@1::a",
                          "evaluated_condition the loop \"l\" ends: 2 of 2 rounds are done",
                          "exited_loop the loop \"l\" ends after 2 rounds: it is complete",
                          "selected_next_step no step is left: the run is complete"));
}

TEST(walk, loops_without_rounds_are_traced_too) {
  const auto yaml = R"(
id: x
steps:
  - {id: l, type: loop, loop: {type: for, count: 0, maxIterations: 5}, body: [{id: a, prompt: p}]}
  - {id: w, type: loop, loop: {type: while, condition: {var: more}, maxIterations: 5},
     body: [{id: b, prompt: p}]}
  - {id: u, type: loop, loop: {type: until, condition: {not: {var: more}}, maxIterations: 5},
     body: [{id: c, prompt: p}]}
)";
  const Way way = way_of(yaml);
  EXPECT_TRUE(way.steps.empty());
  EXPECT_EQ(way.ended, "complete");
  EXPECT_THAT(way.trace,
              ElementsAre("entered_loop the loop \"l\" starts, with at most 5 rounds",
                          "evaluated_condition the loop \"l\" ends: 0 of 0 rounds are done",
                          "exited_loop the loop \"l\" ends after 0 rounds: it is complete",
                          "entered_loop the loop \"w\" starts, with at most 5 rounds",
                          "evaluated_condition w.condition: more is false",
                          "exited_loop the loop \"w\" ends after 0 rounds: it is complete",
                          "entered_loop the loop \"u\" starts, with at most 5 rounds",
                          "evaluated_condition u.condition: not more is true",
                          "exited_loop the loop \"u\" ends after 0 rounds: it is complete",
                          "selected_next_step no step is left: the run is complete"));
}

TEST(walk, counts_and_items_of_the_context_are_pinned_where_the_loop_begins) {
  const auto yaml = R"(
id: x
steps:
  - id: l
    type: loop
    loop: {type: for, count: times, maxIterations: 5}
    body: [{id: a, prompt: p}]
  - id: e
    type: loop
    loop: {type: forEach, items: files, maxIterations: 5}
    body: [{id: b, prompt: p}]
)";
  // No matter what the steps do with them later.
  const Acting changing = [](const std::string&, const Object&) {
    return Act{{{"times", 5}, {"files", Array{}}}, {}};
  };
  EXPECT_THAT(way_of(yaml, {{"times", "2"}, {"files", Array{"x", "y"}}}).steps,
              ElementsAre("l@0::a", "l@1::a", "e@0::b", "e@1::b"));
  EXPECT_THAT(way_of(yaml, {{"times", 1}, {"files", Array{"x"}}}, changing).steps,
              ElementsAre("l@0::a"));
}

TEST(walk, loop_variables_are_those_of_the_round) {
  const auto yaml = R"(
id: x
steps:
  - id: e
    type: loop
    loop: {type: forEach, items: files, maxIterations: 5}
    body:
      - {id: a, prompt: p}
      - {id: b, prompt: p, runCondition: {var: currentItem.big}}
      - {id: c, prompt: p, runCondition: {var: currentIteration, gte: 2}}
  - {id: f, type: foreach, items: [1, 2], body: [{id: d, prompt: p}]}
)";
  std::vector<std::string> seen;
  const Acting looking = [&](const std::string& step, const Object& variables) {
    seen.push_back(cat(step, ' ', json::print(variables)));
    return Act{};
  };
  const Object context{{"files", Array{Object{{"big", true}}, Object{{"big", false}}}}};
  EXPECT_THAT(way_of(yaml, context, looking).steps,
              ElementsAre("e@0::a", "e@0::b", "e@1::a", "e@1::c", "f@0::d", "f@1::d"));
  EXPECT_EQ(seen[2],
            R"(e@1::a {"currentIteration":2,"currentItem":{"big":false},"currentIndex":1})");
  EXPECT_EQ(seen[5], R"(f@1::d {"loop":{"iteration":2,"item":2,"index":1},"item":2,"index":1})");
}

TEST(walk, nested_loops_start_fresh_in_every_round) {
  const auto yaml = R"(
id: x
steps:
  - id: o
    type: loop
    loop: {type: forEach, items: groups, maxIterations: 5, itemVar: group}
    body:
      - {id: i, type: loop, loop: {type: forEach, items: group.files, maxIterations: 5},
         body: [{id: a, prompt: p}]}
)";
  const Object context{{"groups", Array{Object{{"files", Array{1, 2}}}, Object{{"files", Array{}}},
                                        Object{{"files", Array{3}}}}}};
  EXPECT_THAT(way_of(yaml, context).steps, ElementsAre("o@0/i@0::a", "o@0/i@1::a", "o@2/i@0::a"));
}

TEST(walk, while_and_until_check_before_every_round) {
  const auto yaml = [](std::string_view kind) {
    return cat("{id: x, steps: [{id: l, type: loop, loop: {type: ", kind,
               ", condition: {var: c}, maxIterations: 5}, body: [{id: a, prompt: p}]}]}");
  };
  const Acting third = [](const std::string& step, const Object&) {
    return Act{{{"c", step != "l@2::a"}}, {}};
  };
  const Acting until_third = [](const std::string& step, const Object&) {
    return Act{{{"c", step == "l@2::a"}}, {}};
  };
  EXPECT_THAT(way_of(yaml("while"), {{"c", true}}, third).steps,
              ElementsAre("l@0::a", "l@1::a", "l@2::a"));
  EXPECT_THAT(way_of(yaml("until"), {}, until_third).steps,
              ElementsAre("l@0::a", "l@1::a", "l@2::a"));
}

constexpr std::string_view controlled = R"(
id: x
steps:
  - id: l
    type: loop
    loop:
      type: while
      conditionSource: {kind: artifact_contract, contractRef: loop_control, loopId: other-name}
      maxIterations: 3
    body: [{id: a, prompt: p}, {id: b, prompt: p}]
  - {id: z, prompt: p}
)";

TEST(walk, agent_decides_about_the_loop_it_controls) {
  const auto saying = [](std::string loop, std::string_view at, LoopDecision decision) {
    return Acting([=](const std::string& step, const Object&) {
      if (step == at) return Act{{}, {{loop, LoopDecision::go_on}, {loop, decision}}};
      return step.ends_with("::b") ? Act{{}, {{loop, LoopDecision::go_on}}} : Act{};
    });
  };
  const auto all = ElementsAre("l@0::a", "l@0::b", "l@1::a", "l@1::b", "z");
  EXPECT_THAT(way_of(controlled, {}, saying("", "l@1::b", LoopDecision::stop)).steps, all);
  EXPECT_THAT(way_of(controlled, {}, saying("l", "l@1::b", LoopDecision::stop)).steps, all);
  EXPECT_THAT(way_of(controlled, {}, saying("other-name", "l@1::b", LoopDecision::stop)).steps,
              all);
  const Way at_bound = way_of(controlled, {}, saying("l", "never", LoopDecision::stop));
  EXPECT_EQ(at_bound.ended, "complete");
  ASSERT_EQ(at_bound.cuts.size(), 1u);
  EXPECT_THAT(at_bound.cuts[0].message, HasSubstr("though the agent would have continued"));
  EXPECT_TRUE(at_bound.cuts[0].leaves_work);
  EXPECT_EQ(way_of(controlled, {}, saying("z", "l@0::a", LoopDecision::stop)).ended,
            "INVALID_INPUT");
}

TEST(walk, decision_counts_for_its_round_only) {
  const Acting at_first = [](const std::string& step, const Object&) {
    return step == "l@0::a" ? Act{{}, {{"", LoopDecision::go_on}}} : Act{};
  };
  const Way way = way_of(controlled, {}, at_first);
  EXPECT_THAT(way.steps, ElementsAre("l@0::a", "l@0::b", "l@1::a", "l@1::b"));
  EXPECT_EQ(way.ended, "missing_required_output output_contract loop_control for l");
}

TEST(walk, agent_overrides_a_condition) {
  const auto yaml = R"(
id: x
steps:
  - {id: l, type: while, condition: "more", max_iterations: 5, body: [{id: a, prompt: p}]}
)";
  const Acting stopping = [](const std::string& step, const Object&) {
    return step == "l@1::a" ? Act{{}, {{"l", LoopDecision::stop}}} : Act{};
  };
  EXPECT_THAT(way_of(yaml, {{"more", 1}}, stopping).steps, ElementsAre("l@0::a", "l@1::a"));
}

TEST(walk, what_is_said_before_a_loop_counts_for_its_entry) {
  const auto yaml = R"(
id: x
steps:
  - {id: b, prompt: Its name is far-loop.}
  - {id: l, type: while, condition: "more", max_iterations: 5, body: [{id: a, prompt: p}]}
  - {id: z, prompt: p}
)";
  const auto saying_before = [](std::string loop, LoopDecision decision) {
    return Acting([=](const std::string& step, const Object&) {
      return step == "b" ? Act{{}, {{loop, decision}}} : Act{};
    });
  };
  for (const std::string loop : {"", "l", "far-loop"}) {
    EXPECT_THAT(way_of(yaml, {}, saying_before(loop, LoopDecision::go_on)).steps,
                ElementsAre("b", "l@0::a", "z"))
        << loop;
    EXPECT_THAT(way_of(yaml, {{"more", 1}}, saying_before(loop, LoopDecision::stop)).steps,
                ElementsAre("b", "z"))
        << loop;
  }
  EXPECT_EQ(way_of(yaml, {}, saying_before("other", LoopDecision::stop)).ended, "INVALID_INPUT")
      << "no loop has that name, and no prompt gives it";
}

TEST(walk, rounds_know_their_item_by_the_name_of_loop) {
  const auto yaml = R"(
id: x
steps:
  - {id: f, type: foreach, items: [7, 8], variable_name: v, index_name: at,
     body: [{id: a, prompt: p}]}
)";
  std::vector<std::string> seen;
  const Acting looking = [&](const std::string&, const Object& variables) {
    seen.push_back(json::print(variables));
    return Act{};
  };
  EXPECT_EQ(way_of(yaml, {}, looking).ended, "complete");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1], R"({"loop":{"iteration":2,"item":8,"index":1},"v":8,"at":1})");
}

TEST(walk, innermost_loop_is_meant_unless_another_is_named) {
  const auto yaml = R"(
id: x
steps:
  - id: o
    type: loop
    loop: {type: while, condition: {var: c}, maxIterations: 2}
    body:
      - {id: f, type: loop, loop: {type: while, condition: {var: c}, maxIterations: 2},
         body: [{id: n, type: foreach, items: [1, 2], body: [{id: a, prompt: p}]}]}
)";
  const auto stopping = [](std::string loop) {
    return Acting([=](const std::string&, const Object&) {
      return Act{{}, {{loop, LoopDecision::stop}, {loop.empty() ? "o" : "f", LoopDecision::stop}}};
    });
  };
  EXPECT_THAT(way_of(yaml, {{"c", 1}}, stopping("o")).steps,
              ElementsAre("o@0/f@0/n@0::a", "o@0/f@0/n@1::a"));
  EXPECT_THAT(way_of(yaml, {{"c", 1}}, stopping("")).steps,
              ElementsAre("o@0/f@0/n@0::a", "o@0/f@0/n@1::a"));
  // A loop over items is not the agent's to decide.
  EXPECT_EQ(way_of(yaml, {{"c", 1}}, stopping("n")).ended, "INVALID_INPUT");
}

TEST(walk, break_continue_and_exit_do_as_they_say) {
  const auto yaml = [](std::string_view type) {
    return cat(R"(
id: x
steps:
  - id: l
    type: loop
    loop: {type: for, count: 3, maxIterations: 3}
    body:
      - {id: a, prompt: p}
      - {id: c, type: conditional, condition: {var: currentIteration, equals: 2},
         then: [{id: s, type: )",
               type, R"(}]}
      - {id: b, prompt: p}
  - {id: z, prompt: p}
)");
  };
  EXPECT_THAT(way_of(yaml("break")).steps, ElementsAre("l@0::a", "l@0::b", "l@1::a", "z"));
  EXPECT_THAT(way_of(yaml("continue")).steps,
              ElementsAre("l@0::a", "l@0::b", "l@1::a", "l@2::a", "l@2::b", "z"));
  const Way way = way_of(yaml("exit"));
  EXPECT_THAT(way.steps, ElementsAre("l@0::a", "l@0::b", "l@1::a"));
  EXPECT_EQ(way.ended, "complete");
  EXPECT_EQ(way.trace.back(), "selected_next_step the run ends at the step \"s\"");
}

// Enforces: G29
TEST(walk, loop_ends_at_its_bound_and_says_what_is_left) {
  const auto yaml = [](std::string_view kind, std::string_view bound) {
    return cat("{id: x, steps: [{id: l, type: loop, loop: {type: ", kind,
               ", condition: {var: more}, maxIterations: ", bound,
               "}, body: [{id: a, prompt: p}]}, {id: z, prompt: p}]}");
  };
  const Way way = way_of(yaml("while", "2"), {{"more", true}});
  EXPECT_THAT(way.steps, ElementsAre("l@0::a", "l@1::a", "z"));
  EXPECT_EQ(way.ended, "complete");
  EXPECT_THAT(way.cuts, ElementsAre(LoopCut{
                            "l",
                            "the loop \"l\" ended at its bound of 2 rounds, though its condition "
                            "would have it continue",
                            true}));
  EXPECT_EQ(gap_of(way.cuts[0]),
            (Gap{"", GapSeverity::critical, Reason::loop_bound_reached, way.cuts[0].message, "l"}));
  // One that ends by itself in its last round has no more to say than another.
  const Acting at_last = [](const std::string& step, const Object&) {
    return step == "l@1::a" ? Act{{{"more", false}}, {}} : Act{};
  };
  EXPECT_TRUE(way_of(yaml("while", "2"), {{"more", true}}, at_last).cuts.empty());
  EXPECT_EQ(way_of(yaml("until", "1"), {{"more", false}}).cuts.size(), 1u);
  EXPECT_TRUE(way_of(yaml("until", "1"), {{"more", true}}).cuts.empty());
  // The agent would continue, the condition would not: nothing is left out.
  const Way insisted =
      way_of(yaml("while", "2"), {{"more", true}}, [](const std::string& step, const Object&) {
        const Object context = step == "l@1::a" ? Object{{"more", false}} : Object{};
        return step == "z" ? Act{} : Act{context, {{"l", LoopDecision::go_on}}};
      });
  ASSERT_EQ(insisted.cuts.size(), 1u);
  EXPECT_FALSE(insisted.cuts[0].leaves_work);
}

TEST(walk, counts_and_items_must_be_there_and_within_the_bound) {
  const auto looping = [](std::string_view loop) {
    return cat("{id: x, steps: [{id: z, prompt: p}, {id: l, type: loop, loop: {", loop,
               ": n, maxIterations: 2}, body: [{id: a, prompt: p}]}]}");
  };
  const std::string for_loop = looping("type: for, count");
  const std::string for_each = looping("type: forEach, items");
  for (const Value& wrong : {Value(-1), Value("many"), Value(1.5), Value(Array{}), Value(true)}) {
    EXPECT_EQ(way_of(for_loop, {{"n", wrong}}).ended, "evaluation_error context_key n for l");
  }
  for (const Value& wrong : {Value(3), Value("abc"), Value(Object{})}) {
    EXPECT_EQ(way_of(for_each, {{"n", wrong}}).ended, "evaluation_error context_key n for l");
  }
  EXPECT_EQ(way_of(for_loop).ended, "missing_required_output context_key n for l");
  EXPECT_EQ(way_of(for_loop, {{"n", 2}}).ended, "complete");
  const Way counted = way_of(for_loop, {{"n", 4}});
  EXPECT_THAT(counted.steps, ElementsAre("z", "l@0::a", "l@1::a"));
  EXPECT_EQ(counted.ended, "complete");
  ASSERT_EQ(counted.cuts.size(), 1u);
  EXPECT_THAT(counted.cuts[0].message, HasSubstr("left out: 2 rounds of 4"));
  EXPECT_TRUE(way_of(for_loop, {{"n", 2}}).cuts.empty());
  EXPECT_EQ(way_of(for_each, {{"n", Array{1, 2}}}).ended, "complete");
  const Way listed = way_of(for_each, {{"n", Array{"a", "b", "c", "d", "e", "f", "g", "h"}}});
  EXPECT_THAT(listed.steps, ElementsAre("z", "l@0::a", "l@1::a"));
  ASSERT_EQ(listed.cuts.size(), 1u);
  EXPECT_THAT(listed.cuts[0].message,
              HasSubstr(R"(left out: 6 items of 8: "c", "d", "e", "f", "g" and 1 more)"));
  EXPECT_TRUE(listed.cuts[0].leaves_work);
}

TEST(walk, run_that_would_begin_with_a_loop_it_has_nothing_for_is_not_started) {
  const auto pinned = testing::yaml_workflow(
      "{id: x, steps: [{id: l, type: foreach, items: '{{ files }}', body: [{id: a, prompt: p}]}]}");
  const auto error =
      testing::decide_with(
          Decider::start(
              {.workflow = &pinned, .goal = {}, .context = {}, .preferences = {}, .minting = {}}),
          testing::draw_of(1))
          .error();
  EXPECT_EQ(error.code, Code::INVALID_INPUT);
  EXPECT_EQ(error.message,
            "context: the loop \"l\" needs a list at \"files\", which is not set; nothing was "
            "started");
}

TEST(walk, abandoned_loops_are_left) {
  const auto pinned = testing::yaml_workflow(R"(
id: x
steps:
  - {id: a, prompt: p}
  - {id: l, type: loop, loop: {type: for, count: n, maxIterations: 2}, body: [{id: b, prompt: p}]}
  - {id: c, prompt: p}
)");
  const std::vector<std::string> given_up{"l"};
  const Walked walked = next_step(pinned.workflow, {0, {}}, {}, given_up).value();
  EXPECT_FALSE(walked.obstacle);
  EXPECT_EQ(key_at(pinned.workflow, walked.cursor), "c");
  ASSERT_EQ(walked.trace.size(), 3u);
  EXPECT_EQ(walked.trace[1].kind, TraceKind::exited_loop);
}

// Enforces: G9
TEST(walk, rounds_without_work_are_bounded) {
  const auto yaml = [](std::size_t rounds) {
    return cat("{id: x, steps: [{id: l, type: while, condition: 'true', max_iterations: ", rounds,
               ", body: [{id: a, prompt: p, runCondition: {var: never}}]}]}");
  };
  // Each round looks at one step and at the end of the body.
  EXPECT_EQ(way_of(yaml(limits::walk_rounds_max / 2 - 1)).ended, "complete");
  EXPECT_EQ(way_of(yaml(limits::walk_rounds_max)).ended, "LIMIT_EXCEEDED");
}

TEST(walk, place_that_the_workflow_does_not_have_is_corrupt) {
  const auto pinned = testing::yaml_workflow("{id: x, steps: [{id: a, prompt: p}]}");
  EXPECT_EQ(next_step(pinned.workflow, {0, {CursorFrame{}}}, {}).error().code, Code::STORE_CORRUPT);
}

// Enforces: G9
TEST(append_trace, events_stay_within_their_bounds) {
  const auto events_of = [](std::size_t entries, std::size_t bytes) {
    std::vector<Event> events;
    append_trace(
        events, {}, {},
        std::vector<TraceEntry>(entries, {TraceKind::entered_loop, std::string(bytes, 's'), {}}));
    return events.size();
  };
  EXPECT_EQ(events_of(0, 1), 0u);
  EXPECT_EQ(events_of(limits::trace_entries_max, 1), 1u);
  EXPECT_EQ(events_of(limits::trace_entries_max + 1, 1), 2u);
  EXPECT_EQ(events_of(limits::trace_event_bytes_max / 512, 512), 1u);
  EXPECT_EQ(events_of(limits::trace_event_bytes_max / 512 + 1, 512), 2u);
}

// Enforces: G9
TEST(walk, summaries_are_cut) {
  const auto yaml = [](std::size_t bytes) {
    return cat("{id: x, steps: [{id: a, prompt: p, runCondition: {var: v, equals: \"",
               std::string(bytes, 'q'), "\"}}]}");
  };
  const auto summary = [&](std::size_t bytes) {
    const auto pinned = testing::yaml_workflow(yaml(bytes));
    return first_step(pinned.workflow, {}).value().trace.at(0).summary;
  };
  const std::size_t around = summary(1).size() - 1;
  EXPECT_EQ(summary(limits::trace_summary_bytes_max - around).size(),
            limits::trace_summary_bytes_max);
  EXPECT_LE(summary(limits::trace_summary_bytes_max - around + 1).size(),
            limits::trace_summary_bytes_max);
  EXPECT_THAT(summary(9'999), HasSubstr("[TRUNCATED]"));
}

// --- scripts ---

/// The scripted results for these tests: the value of each script, by its text.
state::ScriptResult plays(const state::Evaluation& each) {
  const auto scope = MUST(json::parse(each.scope));
  const auto number = [&](std::string_view name) {
    const json::Value* found = scope.find(name);
    return found == nullptr ? 0 : found->if_int() == nullptr ? 0 : *found->if_int();
  };
  const std::string_view source = each.script.source;
  if (source == "loop.iteration < 4") {
    return *scope.find("loop")->find("iteration")->if_int() < 4;
  }
  if (source == "n > 1") return number("n") > 1;
  if (source == "files.slice(1)") {
    json::Array rest = *scope.find("files")->if_array();
    rest.erase(rest.begin());
    return rest;
  }
  if (source == "n + 1") return number("n") + 1;
  if (source == "nothing?.x") {
    return std::unexpected(state::ScriptProblem{state::ScriptFault::undefined, "none", {}, 0, 0});
  }
  return std::unexpected(
      state::ScriptProblem{state::ScriptFault::thrown, "no part", "write one", 1, 1});
}

Result<Walked> played(const workflow::Pinned& pinned, const Object& context) {
  return arrive(Walk::to_first(pinned.workflow, nullptr, state_with(context)), plays);
}

TEST(walk, scripts_decide_conditions_items_and_counts) {
  const auto pinned = testing::yaml_workflow(R"(
id: x
steps:
  - {id: a, prompt: p, runCondition: "n > 1"}
  - id: l
    type: foreach
    items: "{{ files.slice(1) }}"
    body: [{id: b, prompt: p}]
)");
  EXPECT_EQ(key_at(pinned.workflow, MUST(played(pinned, {{"n", 2}})).cursor), "a");
  const Object context{{"n", 1}, {"files", json::Array{"x", "y", "z"}}};
  const Walked walked = MUST(played(pinned, context));
  EXPECT_EQ(key_at(pinned.workflow, walked.cursor), "l@0::b");
  EXPECT_EQ(*walked.cursor.frames[0].pinned, (json::Array{"y", "z"}));
  const auto counted = testing::yaml_workflow(
      "{id: x, steps: [{id: l, type: loop, loop: {type: for, count: '{{ n + 1 }}', maxIterations: "
      "9}, body: [{id: b, prompt: p}]}]}");
  EXPECT_EQ(*MUST(played(counted, {{"n", 2}})).cursor.frames[0].pinned, json::Value(3));
}

TEST(walk, a_list_that_is_written_down_is_evaluated_where_the_loop_begins) {
  const auto pinned = testing::yaml_workflow(R"(
id: x
steps:
  - id: outer
    type: foreach
    items: [a, b]
    body:
      - {id: inner, type: foreach, items: ["{{ item }}", {name: "{{ item }}!"}, "{{ list }}"],
         body: [{id: s, prompt: p}]}
)");
  const auto walked = first_step(pinned.workflow, {{"list", Array{1, 2}}});
  ASSERT_TRUE(walked) << walked.error().message;
  ASSERT_EQ(walked->cursor.frames.size(), 2u);
  EXPECT_EQ(walked->cursor.frames[0].pinned, nullptr);
  EXPECT_EQ(json::print(*walked->cursor.frames[1].pinned), R"(["a",{"name":"a!"},[1,2]])");
  EXPECT_FALSE(first_step(pinned.workflow, {}));
}

TEST(walk, a_step_that_asks_is_done_again_and_nothing_else_is) {
  const auto pinned = testing::yaml_workflow(R"(
id: x
steps:
  - id: l
    type: while
    condition: "loop.iteration < 4"
    body: [{id: c, type: conditional, condition: "n > 1", then: [{id: d, type: continue}]},
           {id: e, prompt: p}]
)");
  const Object context{{"n", 2}};
  Walk walk = Walk::to_first(pinned.workflow, nullptr, state_with(context));
  state::ScriptAnswers answers;
  int batches = 0;
  std::vector<std::string> trace;
  while (true) {
    const auto gone = walk.go(answers, FreshInputs{{1'000}, 5});
    if (gone) break;
    ASSERT_TRUE(is_not_yet(gone));
    ASSERT_EQ(answers.asked().size(), 1u);
    ++batches;
    answers.supply(testing::play_all(plays, answers.asked()));
  }
  const Walked walked = std::move(walk).arrived();
  for (const TraceEntry& entry : walked.trace) trace.push_back(entry.summary);
  EXPECT_EQ(batches, 4 + 3);
  EXPECT_EQ(step_at(pinned.workflow, walked.cursor), nullptr);
  EXPECT_EQ(trace, (std::vector<std::string>{
                       "the loop \"l\" starts, with at most 100 rounds",
                       "l.condition: loop.iteration < 4 is true", "c.condition: n > 1 is true",
                       "l.condition: loop.iteration < 4 is true", "c.condition: n > 1 is true",
                       "l.condition: loop.iteration < 4 is true", "c.condition: n > 1 is true",
                       "l.condition: loop.iteration < 4 is false",
                       "the loop \"l\" ends after 3 rounds: it is complete",
                       "no step is left: the run is complete"}));
}

TEST(walk, a_script_that_fails_is_an_error_and_one_without_a_result_lacks_what_the_loop_needs) {
  const auto failing =
      testing::yaml_workflow("{id: x, steps: [{id: a, prompt: p, runCondition: 'boom()'}]}");
  const auto failed = played(failing, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::SCRIPT_FAILED);
  EXPECT_EQ(failed.error().message,
            "\"runCondition\" of the step \"a\": no part at line 1, column 1, in `boom()`; nothing "
            "was recorded");
  EXPECT_EQ(failed.error().next.text(), "write one");
  const auto empty = testing::yaml_workflow(
      "{id: x, steps: [{id: l, type: foreach, items: '{{ nothing?.x }}', body: [{id: a, prompt: "
      "p}]}]}");
  const Walked walked = MUST(played(empty, {}));
  ASSERT_TRUE(walked.obstacle);
  EXPECT_EQ(walked.obstacle->finding.message,
            "context: the loop \"l\" needs a list at \"nothing?.x\", which is not set");
}

TEST(walk, acts_of_one_advance_have_its_instant_and_chances_of_their_own) {
  const FreshInputs drawn{{1'000}, 5};
  EXPECT_EQ(draw_of_act(drawn, 0), (state::ScriptSeed{{1'000}, 5}));
  EXPECT_EQ(draw_of_act(drawn, 3).now, drawn.now);
  EXPECT_NE(draw_of_act(drawn, 3).seed, draw_of_act(drawn, 2).seed);
}

}  // namespace
}  // namespace baton::run
