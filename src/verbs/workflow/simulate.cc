#include "verbs/workflow/simulate.h"

#include <algorithm>
#include <deque>
#include <set>

#include "base/text/text.h"
#include "engine/advance.h"
#include "engine/load/find_open_step.h"
#include "run/checks/artifacts.h"
#include "run/checks/slots.h"
#include "run/steps/behaviour.h"
#include "run/steps/user_message.h"
#include "run/walk/simulation_values.h"
#include "verbs/run/lease_task.h"
#include "verbs/run/read_state.h"
#include "verbs/run/start_run.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::verbs {
namespace {

using json::Object;
using json::Value;
using workflow::Step;
using workflow::StepKind;

// Beyond so many, single guesses are varied and not all of them together.
constexpr std::size_t combinations_max = 32;
constexpr int failures_max = 16;                // of one step, one after the other
constexpr std::int64_t state_rounds_max = 100;  // of a loop that the state ends
constexpr std::int64_t walked_tasks_max = 8;    // of one step, each a way of its own

/// A node with its description: where on a path it is.
struct Point {
  run::NodeRow node;
  std::string step;  // empty at an end
  std::vector<std::size_t> next;
};

std::string id_of(std::string_view key) {
  const std::size_t colons = key.rfind("::");
  return std::string(colons == std::string_view::npos ? key : key.substr(colons + 2));
}

/// Every combination of the values when they are few, else each value once beside the first ones.
std::vector<Object> combinations(const run::Guesses& guesses) {
  std::size_t count = 1;
  for (const auto& [name, values] : guesses) {
    count = std::min(combinations_max + 1, count * std::max<std::size_t>(values.size(), 1));
  }
  std::vector<Object> out{{}};
  for (const auto& [name, values] : guesses) out[0].set(name, values.front());
  for (const auto& [name, values] : guesses) {
    const std::vector<Object> before = out;
    const std::size_t bases = count <= combinations_max ? before.size() : 1;
    for (std::size_t i = 1; i < values.size(); ++i) {
      for (std::size_t base = 0; base < bases; ++base) {
        out.push_back(before[base]);
        out.back().set(name, values[i]);
      }
    }
  }
  return out;
}

class Walk {
 public:
  Walk(engine::Engine& engine, const SimulateRequest& request,
       const workflow::CompiledWorkflow& workflow)
      : engine_(engine), request_(request), workflow_(workflow) {}

  Result<Simulation> run() {
    TRY(start());
    while (!open_.empty()) {
      if (points_.size() > request_.points_max) {
        out_.is_whole = false;
        break;
      }
      const std::size_t at = open_.front();
      open_.pop_front();
      TRY(go_on(at));
    }
    sum_up();
    return std::move(out_);
  }

 private:
  Result<void> start() {
    Object inputs = request_.inputs;
    out_.made_up = run::missing_inputs(workflow_, inputs);
    const Value* declared = workflow_.declared.find("inputs");
    for (const std::string& name : out_.made_up) {
      inputs.set(name, run::made_up_input(*declared->find(name)));
    }
    run::Guesses of_inputs;
    for (auto& [name, values] : run::guesses_of(workflow_)) {
      const bool is_input = declared != nullptr && declared->find(name) != nullptr;
      names_.push_back(name);
      if (!is_input) {
        guesses_.emplace(name, std::move(values));
      } else if (!request_.inputs.contains(name)) {
        of_inputs.emplace(name, std::move(values));
      }
    }
    add_by_type(declared, inputs, of_inputs);
    // A plain start first, so that what is wrong with it is told and not taken for a guess gone
    // wrong.
    std::vector<Object> starts{inputs};
    for (const Object& guess : combinations(of_inputs)) {
      starts.push_back(inputs);
      for (const json::Member& each : guess) starts.back().set(each.key, each.value);
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      auto reply = start_run(engine_, {},
                             {.workflow_id = request_.workflow,
                              .goal = {},
                              .context = starts[i],
                              .preferences = {run::Autonomy::full_auto_never_stop, {}},
                              .workspace_path = rehearsal_workspace});
      if (!reply && i == 0) return std::unexpected(std::move(reply).error());
      if (reply) roots_.insert(TRY(add(*reply)));
    }
    return {};
  }

  /// What a script makes of an input cannot be told; by its type it may be this or that.
  void add_by_type(const Value* declared, const Object& inputs, run::Guesses& out) const {
    if (declared == nullptr || !declared->is_object()) return;
    for (const json::Member& each : *declared->if_object()) {
      if (out.contains(each.key) || request_.inputs.contains(each.key)) continue;
      const Value* type = each.value.find("type");
      const std::string_view name = type != nullptr && type->is_string() ? *type->if_string() : "";
      std::vector<Value> values;
      if (const Value* given = inputs.find(each.key)) values.push_back(*given);
      if (const Value* given = each.value.find("default")) values.push_back(*given);
      const auto more = [&](Value value) {
        if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
      };
      if (name == "array") {
        more(json::Array{"one"});
        more(json::Array());
      } else if (name == "boolean") {
        more(true);
        more(false);
      } else {
        continue;
      }
      out.emplace(each.key, std::move(values));
    }
  }

  /// The point's place; a new one is followed later.
  Result<std::size_t> add(const engine::NodeAnswer& reply) {
    const std::string step = reply.reply.pending ? reply.reply.pending->step_id : std::string();
    const engine::RunPoint point =
        TRY(find_open_step(engine_.reading(), {}, reply.reply.run.text()));
    const run::FailureCounts& setbacks = point.state->known().setbacks;
    std::string key = cat(step, '\n', setbacks.restarts, '\n');
    if (setbacks.error) key += cat(setbacks.error->step, '\n');
    for (const std::string& name : names_) {
      const Value* value = point.state->context->find(name);
      key += cat(value == nullptr ? "" : json::print(*value), '\n');
    }
    if (point.state->states != nullptr) {
      key += json::print(TRY(read_state(engine_.reading(), point.run)).values);
    }
    const auto [found, is_new] = places_.emplace(std::move(key), points_.size());
    if (is_new) {
      points_.push_back({reply.node, step, {}});
      if (!step.empty()) {
        seen_.insert(id_of(step));
        for (const std::string& each : run::keys_passed_with(workflow_, point.state->cursor)) {
          seen_.insert(id_of(each));
        }
        open_.push_back(found->second);
      }
    }
    return found->second;
  }

  /// The result of trying everything at a node.
  struct Tried {
    std::set<std::size_t> next;
    std::string refusal;  // the first
    std::string need;     // of an output that left a gap; empty when one left none
    bool is_satisfied = false;
    bool is_cut = false;
  };

  Result<void> go_on(std::size_t at) {
    const run::NodeRow node = points_[at].node;  // points are added meanwhile
    Tried tried;
    // Criteria may want more text than an example has.
    for (const std::size_t padding : {0u, 400u}) {
      if (!tried.is_satisfied) TRY(try_all(node, padding, tried));
    }
    if (handles_failures(workflow_)) TRY(try_failing(node, tried));
    const std::string id = id_of(points_[at].step);
    if (tried.next.empty() && !tried.is_cut) out_.stuck.emplace(id, tried.refusal);
    if (tried.is_satisfied) {
      satisfied_.insert(id);
    } else if (!tried.need.empty()) {
      needs_.emplace(id, tried.need);
    }
    points_[at].next.assign(tried.next.begin(), tried.next.end());
    return {};
  }

  Result<void> try_all(const run::NodeRow& node, std::size_t padding, Tried& tried) {
    const engine::NodeAnswer here = TRY(look_at(engine_.reading(), node));
    run::StepInput base = example_at(here.reply, padding);
    if (here.reply.pending && run::behaviour_of(here.reply.pending->kind).is_for_sub_agents) {
      base.tasks = TRY(tasks_at(here));
    }
    json::Array artifacts = base.artifacts;
    const Value* result = result_in(artifacts);
    const auto groups = result == nullptr ? std::vector<std::vector<Value>>{{Value()}}
                                          : run::guessed_results(*here.reply.pending, *result);
    for (const std::vector<Value>& group : groups) {
      for (const run::StepInput& input : inputs_from(base, group)) {
        TRY(try_one(node, input, tried));
      }
      if (tried.is_satisfied) break;
    }
    return {};
  }

  Result<void> try_one(const run::NodeRow& node, const run::StepInput& input, Tried& tried) {
    const engine::NodeAnswer here = TRY(look_at(engine_.reading(), node));
    const auto reply =
        advance(engine_, {}, engine::place_of(*here.reply.ack, here.node), {.input = input});
    if (!reply || !reply->reply.blockers.empty()) {
      const std::string& said =
          reply ? reply->reply.blockers.front().message : reply.error().message;
      if (tried.refusal.empty()) tried.refusal = said;
      return {};
    }
    const bool left_gap = reply->reply.open_gaps > here.reply.open_gaps;
    tried.is_satisfied = tried.is_satisfied || !left_gap;
    if (left_gap) tried.need = reply->reply.gaps.front().summary;
    return follow(*reply, tried);
  }

  Result<void> follow(const engine::NodeAnswer& reply, Tried& tried) {
    if (reply.reply.pending && is_beyond(reply.reply.pending->step_id)) {
      tried.is_cut = true;
    } else {
      tried.next.insert(TRY(add(reply)));
    }
    return {};
  }

  /// Lets the step fail, and again as often as it is retried.
  Result<void> try_failing(const run::NodeRow& node, Tried& tried) {
    engine::NodeAnswer here = TRY(look_at(engine_.reading(), node));
    run::StepInput input;
    input.failure = {"agent", "simulated"};
    for (int tries = 0; tries < failures_max; ++tries) {
      auto reply =
          advance(engine_, {}, engine::place_of(*here.reply.ack, here.node), {.input = input});
      if (!reply) return {};
      if (reply->reply.blockers.empty()) return follow(*reply, tried);
      here = *std::move(reply);
    }
    return {};
  }

  /// Whether a workflow says anything about steps that fail.
  static bool handles_failures(const workflow::CompiledWorkflow& workflow) {
    return workflow.declared.contains("error_handling") || handles_failures(workflow.steps);
  }
  static bool handles_failures(const std::vector<Step>& steps) {
    return std::ranges::any_of(steps, [](const Step& step) {
      return step.on_error || std::ranges::any_of(step.blocks, [](const workflow::Block& block) {
               return handles_failures(block.steps);
             });
    });
  }

  /// The output that the engine gives as an example.
  static run::StepInput example_at(const run::Reply& reply, std::size_t padding) {
    run::StepInput base;
    base.notes = "Simulated.";
    if (const Value* notes = reply.example.find(run::notes_key)) {
      base.notes = *run::filled(*notes).if_string();
    }
    if (const Value* artifacts = reply.example.find("artifacts")) {
      for (const Value& each : *artifacts->if_array()) {
        // No person has a part here.
        const bool is_word =
            each == run::example_confirmation() || each == run::example_assumption();
        if (!is_word) base.artifacts.push_back(run::filled(each));
      }
    }
    base.notes->append(padding, '.');
    return base;
  }

  /// What to try at a point: the example with each guess, result and decision.
  std::vector<run::StepInput> inputs_from(const run::StepInput& base,
                                          const std::vector<Value>& results) const {
    std::vector<run::StepInput> out;
    for (const Object& guess : combinations(guesses_)) {
      for (const Value& result : results) {
        for (const std::string_view decision : {"continue", "stop"}) {
          run::StepInput input = base;
          input.context = guess;
          if (Value* found = result_in(input.artifacts)) *found = result;
          const bool decides = set_decision(input.artifacts, decision);
          out.push_back(std::move(input));
          if (!decides) break;
        }
      }
    }
    return out;
  }

  static Value* result_in(json::Array& artifacts) {
    for (Value& each : artifacts) {
      const Value* kind = each.find("kind");
      if (kind != nullptr && kind->is_string() && *kind->if_string() == run::result_kind) {
        return each.if_object()->find("value");
      }
    }
    return nullptr;
  }

  /// Each task is walked as a way of its own; behind the step all of them count as done.
  Result<run::TasksOutcome> tasks_at(const engine::NodeAnswer& here) {
    run::TasksOutcome out;
    const Value* total = here.reply.pending->definition.find("total");
    for (std::int64_t item = 0; item < std::min(*total->if_int(), walked_tasks_max); ++item) {
      const std::string id =
          run::task_id(here.reply.pending->step_id, static_cast<std::size_t>(item));
      const auto task = begin_task(engine_, {}, here.reply.run.text(), id, {});
      if (task) TRY(add(*task));
    }
    out.results.resize(static_cast<std::size_t>(*total->if_int()));
    return out;
  }

  /// False when nothing in the artifacts decides about a loop.
  static bool set_decision(json::Array& artifacts, std::string_view decision) {
    bool found = false;
    for (Value& each : artifacts) {
      const Value* kind = each.find("kind");
      if (kind == nullptr || !kind->is_string()) continue;
      if (!kind->if_string()->ends_with(".loop_control")) continue;
      each.if_object()->set("decision", std::string(decision));
      found = true;
    }
    return found;
  }

  /// Whether a step is in a round of a loop that is not followed any more.
  bool is_beyond(std::string_view key) {
    const std::size_t colons = key.rfind("::");
    if (colons == std::string_view::npos) return false;
    std::string_view loops = key.substr(0, colons);
    while (!loops.empty()) {
      const std::size_t slash = std::min(loops.find('/'), loops.size());
      const std::string_view loop = loops.substr(0, slash);
      const std::size_t at = loop.rfind('@');
      const auto round = parse_int(std::string(loop.substr(at + 1)));
      const std::int64_t most = rounds_of(loop.substr(0, at));
      if (round && *round >= most && is_decided(workflow_.steps, loop.substr(0, at))) {
        cuts_.insert(std::string(loop.substr(0, at)));
        return true;
      }
      loops.remove_prefix(std::min(slash + 1, loops.size()));
    }
    return false;
  }

  /// How many rounds are followed: what the state decides comes to an end by itself.
  std::int64_t rounds_of(std::string_view loop) const {
    const Step* step = find_loop(workflow_.steps, loop);
    if (step == nullptr || !workflow_.declared.contains("state")) return request_.rounds;
    const run::StepBehaviour& behaviour = run::behaviour_of(*step);
    const bool asks = behaviour.asks_after_round != nullptr && behaviour.asks_after_round(*step);
    const Value* condition = behaviour.condition == nullptr ? nullptr : behaviour.condition(*step);
    if (asks || condition == nullptr) return request_.rounds;
    // A fact of the context is guessed, so that each round is like the one before.
    for (const auto& [name, values] : guesses_) {
      const Value* state = workflow_.declared.find("state");
      const bool is_field = json::print(*state).contains(cat('"', name, '"'));
      if (!is_field && json::print(*condition).contains(name)) return request_.rounds;
    }
    return state_rounds_max;
  }

  static const Step* find_loop(const std::vector<Step>& steps, std::string_view loop) {
    for (const Step& step : steps) {
      if (step.id == loop) return &step;
      for (const workflow::Block& block : step.blocks) {
        if (const Step* found = find_loop(block.steps, loop)) return found;
      }
    }
    return nullptr;
  }

  /// Whether the loop runs by a decision and not by a count or a list.
  static bool is_decided(const std::vector<Step>& steps, std::string_view loop) {
    for (const Step& step : steps) {
      const run::StepBehaviour& behaviour = run::behaviour_of(step);
      if (step.id == loop && behaviour.is_loop) {
        return behaviour.items(step) == nullptr && behaviour.count(step) == nullptr;
      }
      for (const workflow::Block& block : step.blocks) {
        if (is_decided(block.steps, loop)) return true;
      }
    }
    return false;
  }

  void sum_up() {
    out_.points = std::ssize(points_);
    for (const auto& [step, need] : needs_) {
      if (!satisfied_.contains(step)) out_.needs.emplace(step, need);
    }
    out_.cut.assign(cuts_.begin(), cuts_.end());
    if (out_.is_whole) {
      list_unseen(workflow_.steps);
      list_unseen(workflow_.on_failure);
    }
    out_.ways = ways_from(roots_);
    std::size_t at =
        *std::ranges::max_element(roots_, {}, [&](std::size_t each) { return length_from(each); });
    while (!points_[at].step.empty()) {
      out_.longest.push_back(points_[at].step);
      if (points_[at].next.empty()) break;
      at = *std::ranges::max_element(points_[at].next, {},
                                     [&](std::size_t each) { return length_from(each); });
    }
  }

  /// What comes in or behind a loop that was cut may well be reached.
  void list_unseen(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      is_behind_cut_ = is_behind_cut_ || cuts_.contains(step.id);
      if (run::behaviour_of(step).is_for_agent && !seen_.contains(step.id)) {
        (is_behind_cut_ ? out_.not_followed : out_.unreachable).push_back(step.id);
      }
      for (const workflow::Block& block : step.blocks) list_unseen(block.steps);
    }
  }

  /// Steps from a point to the farthest one. Points only lead forward, and a way is at most as
  /// long as there are points.
  std::int64_t length_from(std::size_t at) {
    if (const auto known = lengths_.find(at); known != lengths_.end()) return known->second;
    std::int64_t length = 0;
    for (const std::size_t each : points_[at].next) {
      length = std::max(length, length_from(each) + 1);
    }
    lengths_[at] = length;
    return length;
  }

  /// Different sequences of steps from any of the points to an end. Points that are reached by the
  /// same sequence count together.
  std::int64_t ways_from(const std::set<std::size_t>& points) {
    if (const auto known = ways_.find(points); known != ways_.end()) return known->second;
    if (ways_.size() > limits::simulated_points_max) return limits::simulated_ways_max;
    std::map<std::string, std::set<std::size_t>> by_step;
    for (const std::size_t point : points) by_step[points_[point].step].insert(point);
    std::int64_t ways = 0;
    for (const auto& [step, alike] : by_step) {
      std::set<std::size_t> next;
      for (const std::size_t point : alike) {
        next.insert(points_[point].next.begin(), points_[point].next.end());
      }
      const std::int64_t more = step.empty() ? 1 : next.empty() ? 0 : ways_from(next);
      ways = std::min(limits::simulated_ways_max, ways + more);
    }
    ways_[points] = ways;
    return ways;
  }

  engine::Engine& engine_;
  const SimulateRequest& request_;
  const workflow::CompiledWorkflow& workflow_;
  std::vector<std::string> names_;  // that conditions and loops go by
  run::Guesses guesses_;            // of those that are not inputs
  std::vector<Point> points_;
  std::map<std::string, std::size_t> places_;
  std::deque<std::size_t> open_;
  std::set<std::size_t> roots_;
  std::set<std::string> seen_;  // ids of steps that became open
  std::set<std::string> cuts_;
  bool is_behind_cut_ = false;
  std::map<std::string, std::string> needs_;
  std::set<std::string> satisfied_;
  std::map<std::size_t, std::int64_t> lengths_;
  std::map<std::set<std::size_t>, std::int64_t> ways_;
  Simulation out_;
};

}  // namespace

Result<Simulation> simulate(engine::Engine& engine, const SimulateRequest& request) {
  const workflow::Pinned pinned = TRY(find_workflow(engine.workflows, request.workflow));
  // Commands are the agent's here, whose answers are guessed: nothing is run.
  engine::Engine quiet = engine;
  quiet.processes = nullptr;
  quiet.is_simulated = true;
  return Walk(quiet, request, pinned.workflow).run();
}

}  // namespace baton::verbs
