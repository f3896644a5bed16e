#pragma once
// What the engine does with the steps of each type: who does them, what that one is told, what
// result is accepted, how the walk passes them. Each type fills a StepBehaviour in its own file of
// this folder; the table of the types is in workflow/steps/body.h. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json/json.h"
#include "state/known.h"
#include "workflow/compiled.h"

namespace baton::state {
class Scope;
}

namespace baton::run {

class Instructions;
class RunScope;
class Scripts;
class WalkMoves;
struct CursorFrame;
struct StepResult;

/// How often a loop goes around.
struct Rounds {
  std::optional<std::int64_t> all = {};  // of one by a count or by items
  std::int64_t most = 0;
  bool is_until = false;  // it ends when its condition holds
};

struct StepBehaviour {
  // --- who does it ---
  bool is_for_agent = false;       // or for a person, through the agent
  bool is_for_sub_agents = false;  // each has an item of the step
  bool is_for_server = false;      // where the server may run it; else it is the agent's
  bool asks_user = false;          // the run waits for an answer, if it may wait
  bool has_report = true;          // the one who does it has something to tell
  bool may_fail = false;           // may have on_error, error_update and timeout_ms
  bool may_write = false;          // may have updates
  /// The MCP tool that the agent needs for it, as it is written.
  std::string_view (*tool)(const workflow::Step& step) = nullptr;
  /// Whether what the server runs for it is kept in a sandbox.
  bool (*wants_sandbox)(const workflow::Step& step) = nullptr;
  /// How often the agent may correct a wrong output; nothing: without a limit.
  std::optional<std::int64_t> (*most_refused)(const workflow::Step& step) = nullptr;
  /// The type of the failure when the agent sent a wrong output too often.
  std::string_view refused_as = "output";
  /// The name of a part that this release cannot run; empty when it can run all of them.
  std::string_view (*unsupported)(const workflow::Step& step) = nullptr;

  // --- what is told. nullptr: run/show/prompt.h tells the text, or there is nothing to tell ---
  state::Known<void> (*instruct)(Instructions& to) = nullptr;

  // --- what result is accepted ---
  /// nullptr: it always has one.
  bool (*has_result)(const workflow::Step& step) = nullptr;
  /// What it must fit, as JSON Schema; nothing: anything will do.
  std::optional<json::Object> (*result_schema)(const workflow::Step& step) = nullptr;
  /// The step with the values that its result is judged by.
  state::Known<workflow::Step> (*with_values)(const workflow::Step& step, const RunScope& scope,
                                              Scripts& scripts) = nullptr;
  /// nullptr: what came is the result.
  StepResult (*read_result)(const workflow::Step& step, std::string_view key,
                            std::optional<json::Value> sent) = nullptr;
  /// In sentences; `paths` says where the result is written to.
  std::vector<std::string> (*describe_result)(const workflow::Step& step,
                                              std::string_view paths) = nullptr;
  std::optional<json::Value> (*example_result)(const workflow::Step& step) = nullptr;

  /// Further names that the step's updates can read.
  state::Scope (*add_names)(state::Scope names, const std::optional<json::Value>& result) = nullptr;

  // --- how the walk passes it ---
  /// Deals with the step that the walk has come to. nullptr: an agent or a person has to do it.
  state::Known<void> (*visit)(WalkMoves& walk, const workflow::Step& step,
                              Scripts& scripts) = nullptr;
  /// Deals with the end of a block of it. nullptr: the walk continues behind the step.
  state::Known<void> (*end_block)(WalkMoves& walk, Scripts& scripts) = nullptr;
  /// What ends when the walk leaves a block of it.
  state::Known<void> (*leave_block)(WalkMoves& walk, Scripts& scripts) = nullptr;
  bool has_rounds = false;  // steps inside are done several times
  bool is_loop = false;     // break and continue lead to it, and traces number its rounds
  /// What the walk asks before it enters a block of it; nullptr: it does not ask.
  const json::Value* (*condition)(const workflow::Step& step) = nullptr;
  /// The source of the list that its rounds are for, or of their number; nullptr: there is none.
  const json::Value* (*items)(const workflow::Step& step) = nullptr;
  const json::Value* (*count)(const workflow::Step& step) = nullptr;
  /// Whether the agent must say after each round if another one follows.
  bool (*asks_after_round)(const workflow::Step& step) = nullptr;
  /// The names that `add_variables` gives, as far as the workflow chose them.
  std::vector<std::string> (*variable_names)(const workflow::Step& step) = nullptr;
  /// Whether steps inside have a frame of state of their own.
  bool (*has_frame)(const workflow::CompiledWorkflow& workflow,
                    const workflow::Step& step) = nullptr;
  /// Adds what steps inside can read of the round they are in. `key` is that of the step.
  void (*add_variables)(json::Object& out, const workflow::Step& step, const CursorFrame& frame,
                        const std::string& key) = nullptr;
  /// Under which condition the steps of a block are done, for people.
  std::string (*block_condition)(const workflow::Step& step, std::string_view block) = nullptr;
  /// How often it is done, of a loop.
  Rounds (*rounds)(const workflow::Step& step, const CursorFrame& frame) = nullptr;
  /// Which round of a loop this is, and why it is done again, as a sentence.
  std::string (*round_text)(const workflow::Step& step, const CursorFrame& frame,
                            const RunScope& scope) = nullptr;
};

#define BATON_TYPE(kind, Payload, name) \
  StepBehaviour behaviour_of(std::type_identity<workflow::Payload> type);
BATON_STEP_TYPES(BATON_TYPE)
#undef BATON_TYPE

const StepBehaviour& behaviour_of(workflow::StepKind kind);
inline const StepBehaviour& behaviour_of(const workflow::Step& step) {
  return behaviour_of(step.kind());
}

}  // namespace baton::run
