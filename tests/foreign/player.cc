#include "player.h"

#include <algorithm>
#include <map>

#include "base/text/text.h"
#include "engine/advance.h"
#include "engine/load/find_open_step.h"
#include "run/checks/artifacts.h"
#include "run/checks/slots.h"
#include "run/steps/behaviour.h"
#include "run/steps/tasks.h"
#include "run/walk/simulation_values.h"
#include "verbs/run/lease_task.h"
#include "verbs/run/start_run.h"
#include "verbs/workflow/find_workflow.h"

namespace baton::testing {
namespace {

using json::Object;
using json::Value;

constexpr std::size_t steps_max = 2'000;  // of a run, so that one without an end is told

/// What the bundled workflows look for in notes.
constexpr std::string_view thorough_notes = R"(Played: it is done.

## Verdict
approve: it does what it should.

## Findings
None

## Questions
None

## Not reviewed
Nothing

## Answer
It is so, as report.md says.

## Unknown
Nothing

3 citations were checked.

Command: make test
Failure: not seen
Hypothesis: It is so.
Result: It was so.
File: report.md
)";

/// Some value of a type that a schema names, with all that it has members for.
Value sample_of(const Value& schema) {
  const Value* type = schema.find("type");
  const std::string* name = type == nullptr ? nullptr : type->if_string();
  if (name == nullptr || *name == "string") return "played";
  if (*name == "array") return json::Array();
  if (*name == "boolean") return true;
  if (*name != "object") return 1;
  Object out;
  const Value* members = schema.find("properties");
  if (members != nullptr && members->if_object() != nullptr) {
    for (const json::Member& each : *members->if_object()) out.set(each.key, sample_of(each.value));
  }
  return out;
}

class Player {
 public:
  Player(engine::Engine& engine, run::Autonomy autonomy) : engine_(engine), autonomy_(autonomy) {}

  std::string why_no_start(const std::string& workflow) {
    const auto pinned = verbs::find_workflow(engine_.workflows, workflow);
    if (!pinned) return pinned.error().message;
    guesses_ = run::guesses_of(pinned->workflow);
    return start(*pinned) ? std::string() : played_.problem;
  }

  Played run(const std::string& workflow) {
    const auto pinned = verbs::find_workflow(engine_.workflows, workflow);
    if (!pinned) return failed(pinned.error());
    add_what_is_asked(pinned->workflow.steps);
    guesses_ = run::guesses_of(pinned->workflow);
    if (!start(*pinned)) return std::move(played_);
    play(*started_);
    const auto end = engine::find_open_step(engine_.reading(), {}, started_->reply.run.text());
    if (end) played_.status = name_of(end->answer.reply.status);
    return std::move(played_);
  }

 private:
  Played failed(const Error& error) {
    played_.problem = cat(name_of(error.code), ": ", error.message);
    return std::move(played_);
  }

  /// Answers and artifacts that steps ask for, by the ids of the steps.
  void add_what_is_asked(const std::vector<workflow::Step>& steps) {
    for (const workflow::Step& step : steps) {
      const auto* prompt = step.as<workflow::PromptStep>();
      if (prompt != nullptr && prompt->expected && prompt->expected->is_object()) {
        answers_.emplace(step.id, sample_of(*prompt->expected));
      }
      if (prompt != nullptr && prompt->evidence) {
        for (const Value& each : *prompt->evidence) {
          const Value* wanted = each.find("artifact");
          if (wanted == nullptr) continue;
          const Value* bytes = wanted->find("min_bytes");
          const auto size = static_cast<std::size_t>(
              bytes == nullptr || bytes->if_int() == nullptr ? 1 : *bytes->if_int());
          evidence_[step.id].push_back(
              Object{{"kind", *wanted->find("type")}, {"text", std::string(size, 'x')}});
        }
      }
      for (const workflow::Block& block : step.blocks) add_what_is_asked(block.steps);
    }
  }

  /// The guess number `at` of everything that the workflow goes by.
  Object guess(std::size_t at) const {
    Object out;
    for (const auto& [name, values] : guesses_) {
      if (!values.empty()) out.set(name, values[std::min(at, values.size() - 1)]);
    }
    return out;
  }

  std::size_t most_guesses() const {
    std::size_t most = 0;
    for (const auto& [name, values] : guesses_) most = std::max(most, values.size());
    return most;
  }

  bool start(const workflow::Pinned& pinned) {
    Object inputs;
    const Value* declared = pinned.workflow.declared.find("inputs");
    for (const std::string& name : run::missing_inputs(pinned.workflow, {})) {
      inputs.set(name, run::made_up_input(*declared->find(name)));
    }
    std::string first;
    for (std::size_t at = 0; at <= most_guesses(); ++at) {
      Object context = inputs;
      if (at > 0) {
        for (const json::Member& each : guess(at - 1)) {
          const bool is_input = declared != nullptr && declared->find(each.key) != nullptr;
          if (!is_input) context.set(each.key, each.value);
        }
      }
      auto begun = verbs::start_run(engine_, {},
                                    {.workflow_id = pinned.workflow.id,
                                     .goal = "play it",
                                     .context = context,
                                     .preferences = {autonomy_, {}},
                                     .workspace_path = verbs::rehearsal_workspace});
      if (begun) {
        started_ = *std::move(begun);
        return true;
      }
      if (first.empty()) first = cat(name_of(begun.error().code), ": ", begun.error().message);
    }
    played_.problem = cat("it does not start: ", first);
    return false;
  }

  /// Until the run is complete. False when it comes to no end.
  bool play(engine::NodeAnswer here) {
    const std::string run = here.reply.run.text();
    while (here.reply.pending) {
      if (++played_.steps > steps_max) return stuck(here, "there is no end to its steps");
      const std::string step = here.reply.pending->step_id;
      const bool is_shared = run::behaviour_of(here.reply.pending->kind).is_for_sub_agents;
      if (is_shared && !play_tasks(here)) return false;
      if (is_shared) {
        auto after = engine::find_open_step(engine_.reading(), {}, run);
        if (!after) return stuck(here, after.error().message);
        const bool has_moved =
            !after->answer.reply.pending || after->answer.reply.pending->step_id != step;
        here = std::move(after->answer);
        if (has_moved) continue;
      }
      if (!pass(here)) return false;
      played_.last.push_back(step);
      if (played_.last.size() > 6) played_.last.erase(played_.last.begin());
    }
    return true;
  }

  bool stuck(const engine::NodeAnswer& here, const std::string& why) {
    const auto& pending = here.reply.pending;
    played_.problem = cat("at ", pending ? pending->step_id : std::string("its end"), ": ", why);
    return false;
  }

  bool play_tasks(const engine::NodeAnswer& here) {
    const Value* total = here.reply.pending->definition.find("total");
    if (total == nullptr || total->if_int() == nullptr) return true;
    for (std::int64_t item = 0; item < *total->if_int(); ++item) {
      const std::string task =
          run::task_id(here.reply.pending->step_id, static_cast<std::size_t>(item));
      auto begun = verbs::begin_task(engine_, {}, here.reply.run.text(), task, {});
      if (!begun && begun.error().code == Code::TASKS_OPEN) return true;
      if (!begun) return stuck(here, cat("the task ", task, ": ", begun.error().message));
      if (!play(*std::move(begun))) return false;
    }
    return true;
  }

  /// Sends one thing after the other until one passes.
  bool pass(engine::NodeAnswer& here) {
    std::string first;
    for (const run::StepInput& input : attempts(here)) {
      auto next = engine::advance(engine_, {}, engine::place_of(*here.reply.ack, here.node),
                                  {.input = input});
      if (!next) {
        if (first.empty()) first = cat(name_of(next.error().code), ": ", next.error().message);
        continue;
      }
      const bool is_blocked = !next->reply.blockers.empty();
      if (is_blocked && first.empty()) {
        first = cat(name_of(next->reply.blockers.front().code), ": ",
                    next->reply.blockers.front().message);
      }
      here = *std::move(next);
      if (!is_blocked) return true;
    }
    return stuck(here, first);
  }

  std::vector<run::StepInput> attempts(const engine::NodeAnswer& here) {
    std::vector<run::StepInput> out;
    run::StepInput base;
    base.notes = "Played: it is done, and this says what was done and what was found.";
    if (const Value* notes = here.reply.example.find(run::notes_key)) {
      base.notes = *run::filled(*notes).if_string();
    }
    base.notes = cat("Played: it is done.\n", *base.notes);
    const std::string_view key = here.reply.pending->step_id;
    const std::size_t rounds = key.rfind("::");
    const std::string id(rounds == std::string_view::npos ? key : key.substr(rounds + 2));
    const auto shown = evidence_.find(id);
    if (const Value* artifacts = here.reply.example.find("artifacts")) {
      base.artifacts = *run::filled(*artifacts).if_array();
    }
    if (shown != evidence_.end()) {
      base.artifacts.insert(base.artifacts.end(), shown->second.begin(), shown->second.end());
    }
    std::vector<Value> results{Value()};
    if (const Value* result = result_in(base.artifacts)) {
      results.clear();
      for (const auto& group : run::guessed_results(*here.reply.pending, *result)) {
        results.insert(results.end(), group.begin(), group.end());
      }
      if (const auto answer = answers_.find(id); answer != answers_.end()) {
        results.insert(results.begin(), answer->second);
      }
    }
    const std::size_t guesses = most_guesses();
    for (const std::string_view decision : {"stop", "continue"}) {
      for (const std::string_view padding : {std::string_view(), thorough_notes}) {
        for (const Value& result : results) {
          // Another guess at each step, so that what a condition waits for comes at last.
          for (std::size_t i = 0; i <= guesses; ++i) {
            run::StepInput input = base;
            if (i > 0) input.context = guess((tries_ + i) % guesses);
            if (Value* found = result_in(input.artifacts)) *found = result;
            const bool decides = set_decision(input.artifacts, decision);
            if (!padding.empty()) input.notes = cat(padding, *input.notes, std::string(600, '.'));
            if (decides || decision == "stop") out.push_back(std::move(input));
          }
        }
      }
    }
    ++tries_;
    return out;
  }

  static Value* result_in(json::Array& artifacts) {
    for (Value& each : artifacts) {
      const Value* kind = each.find("kind");
      if (kind != nullptr && *kind == Value(run::result_kind)) {
        return each.if_object()->find("value");
      }
    }
    return nullptr;
  }

  static bool set_decision(json::Array& artifacts, std::string_view decision) {
    bool found = false;
    for (Value& each : artifacts) {
      const Value* kind = each.find("kind");
      if (kind == nullptr || kind->if_string() == nullptr) continue;
      if (!kind->if_string()->ends_with(".loop_control")) continue;
      each.if_object()->set("decision", decision);
      found = true;
    }
    return found;
  }

  engine::Engine& engine_;
  run::Autonomy autonomy_;
  run::Guesses guesses_;
  std::map<std::string, json::Array> evidence_;
  std::map<std::string, Value> answers_;
  std::optional<engine::NodeAnswer> started_;
  Played played_;
  std::size_t tries_ = 0;
};

}  // namespace

std::string why_no_start(engine::Engine& engine, const std::string& workflow) {
  return Player(engine, run::Autonomy::guided).why_no_start(workflow);
}

Played play_to_end(engine::Engine& engine, const std::string& workflow, run::Autonomy autonomy) {
  return Player(engine, autonomy).run(workflow);
}

}  // namespace baton::testing
