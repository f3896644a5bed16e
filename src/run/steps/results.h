#pragma once
// The result of a step: what was sent, as the value that the step's
// updates see under the name `result`. Each type of step says what it wants
// before the work and finds what is wrong with it afterwards. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "run/decide/verdict.h"
#include "state/known.h"
#include "state/scope.h"
#include "workflow/compiled.h"

namespace baton::run {

class RunScope;
class Scripts;

/// Whether a step has a result at all; what a plain prompt says is notes and
/// nothing else.
bool has_result(const workflow::Step& step);

/// Whether what is sent becomes a part of the state.
bool uses_result(const workflow::Step& step);

/// What a step wants of its result as a JSON Schema: the type of a user's
/// answer and the rules for it, or the answer that a prompt expects. Nothing
/// when anything will do. It is what a form for the answer is made of, too.
std::optional<json::Object> result_schema(const workflow::Step& step);

/// WORKFLOW_NOT_SUPPORTED when that schema cannot be checked, as with a pattern
/// that looks ahead.
Result<void> check_result_schema(const workflow::Step& step);

/// The step with the values that its result is judged by; nothing when it has
/// them already.
state::Known<std::optional<workflow::Step>> with_answer_rules(const workflow::Step& step,
                                                              const RunScope& scope,
                                                              Scripts& scripts);

struct StepResult {
  std::optional<json::Value> value;  // nothing: none was sent
  std::vector<Finding> findings;     // what is wrong with it
  bool was_checked = false;
};

/// `sent`: the value of a baton.result artifact. Without one the notes count.
/// Texts are read as what the step wants: a number, a choice, lines.
StepResult read_result(const workflow::Step& step, std::string_view key,
                       const std::optional<json::Value>& sent,
                       const std::optional<std::string>& notes);

/// What to send, in sentences for the prompt; empty when anything will do.
/// `paths` says where a prompt's result is written to.
std::vector<std::string> describe_result(const workflow::Step& step, std::string_view paths);

/// An example of the result that the step accepts; nothing for a step without a result.
std::optional<json::Value> example_result(const workflow::Step& step);

/// The names that a step's updates see beside the others.
state::Scope with_result(const workflow::Step& step, const state::Scope& names,
                         const std::optional<json::Value>& result);

// --- for the types of steps ---

Finding missing_result(std::string_view key, std::string message, std::string fix,
                       Reason reason = Reason::missing_required_output);
Finding invalid_result(std::string_view key, std::string message, std::string fix);

/// What the step wants when its updates use the result, and none came.
std::optional<StepResult> none_came(const workflow::Step& step, std::string_view key,
                                    const std::optional<json::Value>& sent);

/// The rules of a `validation`, which may be nullptr, in the words of JSON
/// Schema.
void copy_rules(const json::Value* validation, json::Object& out);
/// The workflow's own words on what an answer must be.
std::string own_words(const json::Value* validation);
/// What is wrong with a value, with these words; empty: nothing.
std::string problems_of(const json::Object& schema, const json::Value* validation,
                        const json::Value& value);

std::string artifact_text(std::string_view value);
std::string failure_text();

}  // namespace baton::run
