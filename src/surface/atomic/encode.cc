#include "surface/atomic/encode.h"

#include <map>

#include "base/text/text.h"
#include "run/checks/artifacts.h"
#include "run/steps/behaviour.h"
#include "run/steps/shell_command.h"
#include "surface/atomic/words.h"
#include "surface/owner_words.h"
#include "surface/waiting.h"

namespace baton::surface::atomic {
namespace {

using json::Object;
using json::Value;

std::string ended_text(run::RunStatus status, const StepAddress& asked) {
  const std::string_view what = asked.task ? "The task" : "The run";
  switch (status) {
    case run::RunStatus::failed:
      return asked.why ? cat(failure_text(asked.why, cat(what, " failed")), "No step is open.\n")
                       : cat(what, " failed. No step is open.\n");
    case run::RunStatus::abandoned:
      return cat(failure_text(asked.why, cat(what, " was cancelled")),
                 asked.why && !asked.why->message.empty() ? "" : cat(what, " was cancelled.\n"),
                 "No step is open.\n");
    case run::RunStatus::complete_with_gaps:
      return "No step is left, but critical gaps are open: tell the user about them. Then call "
             "workflow_complete with status \"success\".\n";
    default:
      return "No step is left. Call workflow_complete with status \"success\", then summarise the "
             "results for the user.\n";
  }
}

/// The kinds as agents know them.
std::string_view type_of(workflow::StepKind kind) {
  return kind == workflow::StepKind::parallel_foreach ? "parallel_tasks" : name_of(kind);
}

/// What an agent does with a step of each kind; empty where the step's prompt says it.
std::string_view instructions_for(workflow::StepKind kind) {
  using workflow::StepKind;
  switch (kind) {
    case StepKind::user_message:
      return "Show definition.message, or each of definition.messages, to the user, word for word. "
             "No result is needed.";
    case StepKind::user_input:
      return "Ask the user what definition.prompt says, wait for the answer and send it as "
             "result. Do not answer it yourself.";
    case StepKind::mcp_call:
      return "Call the MCP tool definition.method with definition.params and send what it "
             "returned as result; Baton stores it.";
    case StepKind::agent_shell_command:
      return "Run definition.command once with your own tools and send its standard output as "
             "result; Baton reads and stores it. An exit status other than 0 is a failed step.";
    case StepKind::apply_hints:
      return "Apply definition.hints to the file definition.file and send the result "
             "{\"applied_count\": number of hints applied}.";
    case StepKind::parallel_foreach:
      return "Start a sub-agent for each of definition.tasks and give it the task's task_id "
             "and context and definition.sub_agent_prompt. Let at most definition.max_parallel "
             "run at the same time.";
    case StepKind::wait_step: return "There is nothing to do yet.";
    default: return {};
  }
}

/// What follows from the definition of one step.
std::string more_instructions(const run::Pending& pending, const StepAddress& asked) {
  const Object& definition = pending.definition;
  if (pending.kind == workflow::StepKind::wait_step) {
    return definition.contains("retry_after_ms")
               ? " Wait definition.retry_after_ms milliseconds, then complete the step."
               : " When it is time, complete the step.";
  }
  if (!run::is_task_step(pending)) return {};
  const bool waits = run::task_step(pending).wait_for_all;
  const bool is_cut = asked.open_tasks == nullptr ? definition.contains("tasks_left_out")
                                                  : asked.open_tasks->left_out > 0;
  return cat(is_cut
                 ? " definition.tasks_left_out more do not fit here: they are listed as these are "
                   "settled."
                 : "",
             waits ? " Wait for all of them, then call workflow_get_next_step: it lists what is "
                     "still open or must be done again, and continues once all tasks are settled."
                   : " You need not wait for all of them: once you have seen enough, complete the "
                     "step, and the tasks that are open then are abandoned. "
                     "workflow_get_next_step lists what is open.");
}

/// A command that the server has begun comes with words of its own.
const Value* handed_over(const run::Pending& pending) {
  return pending.definition.find("handed_over");
}

bool is_told_by_prompt(const run::Pending& pending) {
  return handed_over(pending) == nullptr && instructions_for(pending.kind).empty();
}

std::string instructions_of(const run::Pending& pending, const StepAddress& asked) {
  if (const Value* words = handed_over(pending)) return *words->if_string();
  if (!is_told_by_prompt(pending)) {
    return cat(instructions_for(pending.kind), more_instructions(pending, asked));
  }
  return "Do what definition.prompt says, then call workflow_step_complete with this step's id "
         "and, as result, what you did and found.";
}

/// Whether a result alone is enough to complete a step; nothing when it takes none.
std::optional<Value> plain_result(const run::Reply& reply) {
  const Value* artifacts = reply.example.find("artifacts");
  if (artifacts == nullptr || artifacts->if_array()->size() != 1) return std::nullopt;
  const Value& only = artifacts->if_array()->front();
  const Value* kind = only.find("kind");
  const bool is_result =
      kind != nullptr && kind->is_string() && *kind->if_string() == run::result_kind;
  return is_result ? std::optional(*only.find("value")) : std::nullopt;
}

/// What an agent does about a step whose command the server runs, or ran.
std::string_view waiting_words(const run::Pending& pending) {
  switch (run::command_status_of(pending).value_or(run::CommandStatus::running)) {
    case run::CommandStatus::running:
      return "Baton is running the command of this step. You have nothing to do: call "
             "workflow_get_next_step again; it waits until the command ends.";
    case run::CommandStatus::ended:
      return "The command of this step has ended and its result is recorded: call "
             "workflow_get_next_step to continue.";
    case run::CommandStatus::held:
      return "The user holds this run, so Baton has not started the command of this step and "
             "nothing runs. Do not do the step yourself: call workflow_get_next_step when the user "
             "has resumed the run.";
    case run::CommandStatus::unknown: break;
  }
  return "No command is running for this step. Baton started it, or was about to, and was stopped "
         "before it could record the result, which is unknown. Baton will not run it again. Call "
         "workflow_get_next_step to do the step yourself.";
}

/// A `workflow_step_complete` that would pass, but for what only the agent knows.
Object example_call(const engine::RunPoint& point, const StepAddress& asked) {
  const run::Reply& reply = point.answer.reply;
  const workflow::StepKind kind = reply.pending->kind;
  Object out{{"workflow_id", asked.workflow_id.empty() ? point.run.run.text() : asked.workflow_id},
             {"step_id", reply.pending->step_id},
             {"status", "success"}};
  if (asked.task) out.set("sub_agent_context", Object{{"task_id", *asked.task}});
  if (auto result = plain_result(reply); result && kind != workflow::StepKind::prompt) {
    out.set("result", *std::move(result));
  } else if (!reply.example.empty()) {
    Object output = reply.example;
    output.erase(run::context_key);
    out.set("output", std::move(output));
  } else if (run::behaviour_of(kind).has_report) {
    out.set("result", run::notes_placeholder);
  }
  return out;
}

/// The definition of the step, without what other fields show.
Object definition_of(const run::Pending& pending, const StepAddress& asked) {
  Object out{{"title", pending.title}};
  if (is_told_by_prompt(pending)) out.set("prompt", pending.prompt);
  if (pending.kind != workflow::StepKind::prompt) {
    for (const json::Member& each : pending.definition) out.set(each.key, each.value);
    if (run::is_task_step(pending) && !out.contains("sub_agent_prompt")) {
      out.set("sub_agent_prompt", sub_agent_prompt());
    }
    out.erase("variable_replacements");
    out.erase("original_expression");
  }
  if (asked.open_tasks != nullptr) {
    out.set("tasks", asked.open_tasks->tasks);
    out.erase("tasks_left_out");
    if (asked.open_tasks->left_out > 0) {
      out.set("tasks_left_out", static_cast<std::int64_t>(asked.open_tasks->left_out));
    }
    out.set("settled", static_cast<std::int64_t>(asked.settled));
  }
  out.set("require_confirmation", pending.require_confirmation);
  if (pending.agent_role) out.set("agent_role", *pending.agent_role);
  return out;
}

}  // namespace

Value step_json(const engine::RunPoint& point, const StepAddress& asked) {
  if (point.step() == nullptr) return nullptr;
  const run::Pending& pending = *point.answer.reply.pending;
  if (is_waiting(point.answer.reply)) {
    return Object{{"id", pending.step_id},
                  {"type", name_of(workflow::StepKind::wait_step)},
                  {"instructions", waiting_words(pending)},
                  {"definition", pending.definition}};
  }
  const std::string_view confirms = confirmation_words(point.answer.reply);
  Object out{
      {"id", pending.step_id},
      {"type", type_of(pending.kind)},
      {"instructions", cat(confirms, confirms.empty() ? "" : " ", instructions_of(pending, asked))},
      {"definition", definition_of(pending, asked)}};
  for (const std::string_view key : {"variable_replacements", "original_expression"}) {
    if (const Value* found = pending.definition.find(key)) out.set(key, *found);
  }
  out.set("complete_with", example_call(point, asked));
  return out;
}

std::string step_text(const engine::RunPoint& point, const StepAddress& asked) {
  if (point.step() == nullptr) return ended_text(point.answer.reply.status, asked);
  const run::Pending& pending = *point.answer.reply.pending;
  if (is_waiting(point.answer.reply)) {
    return cat("Step ", pending.step_id, " (wait_step): ", pending.title, "\n\n",
               waiting_words(pending), '\n');
  }
  std::string out =
      cat("Step ", pending.step_id, " (", type_of(pending.kind), "): ", pending.title, '\n');
  if (pending.agent_role) out += cat("Role: ", *pending.agent_role, '\n');
  if (pending.kind == workflow::StepKind::prompt) {
    out += cat('\n', pending.prompt, "\n\n");
  } else {
    // The text says the rest of it already.
    Object rest = definition_of(pending, asked);
    for (const std::string_view told : {"title", "require_confirmation", "agent_role"}) {
      rest.erase(told);
    }
    out += cat('\n', instructions_of(pending, asked), "\ndefinition: ", json::print(rest), "\n\n");
  }
  if (pending.require_confirmation) out += cat(confirmation_words(point.answer.reply), '\n');
  return out + cat("When it is done, call workflow_step_complete with ",
                   json::print(example_call(point, asked)), ".\n");
}

std::string example_text(const run::Reply& reply) {
  if (reply.example.empty() || !reply.pending) return {};
  const bool is_prompt = reply.pending->kind == workflow::StepKind::prompt;
  if (const auto result = plain_result(reply); result && !is_prompt) {
    return cat("Example of a valid result: ", json::print(*result), '\n');
  }
  return cat("Example of a valid output: ", json::print(reply.example), '\n');
}

json::Array blockers_json(const run::Reply& reply) {
  json::Array out;
  for (const run::Blocker& each : reply.blockers) {
    out.push_back(Object{
        {"code", name_of(each.code)},
        {"pointer", Object{{"kind", name_of(each.pointer.kind)}, {"value", each.pointer.value}}},
        {"message", each.message},
        {"suggested_fix", each.suggested_fix}});
  }
  return out;
}

std::string blockers_text(const run::Reply& reply) {
  std::string out;
  for (const run::Blocker& each : reply.blockers) {
    out += cat("- ", name_of(each.code), " (", name_of(each.pointer.kind),
               each.pointer.value.empty() ? "" : " ", each.pointer.value, "): ", each.message,
               "\n  ", each.suggested_fix, '\n');
  }
  if (!reply.blockers.empty() && !reply.retryable) {
    out += "You cannot fix all of this yourself: ask the user.\n";
  }
  return out;
}

std::string add_mode(Object& out, const run::Reply& reply) {
  if (!reply.pending) return {};
  const std::string_view words = mode_text(reply.preferences.autonomy);
  out.set("mode", words);
  return cat(words, '\n');
}

std::string add_assumptions(Object& out, const run::Reply& reply) {
  if (reply.assumptions.empty()) return {};
  json::Array list;
  std::string text = "Decided in the user's place; tell the user:\n";
  for (const run::Assumption& each : reply.assumptions) {
    list.emplace_back(Object{{"step_id", each.step}, {"summary", each.summary}});
    text += cat("- ", each.step, ": ", each.summary, '\n');
  }
  out.set("assumptions", std::move(list));
  return text;
}

Object shown_state(const Object& state, std::size_t bytes_max) {
  // By name, so that a state looks the same in every process.
  std::map<std::string_view, const Value*> members;
  for (const json::Member& member : state) members.emplace(member.key, &member.value);
  Object out;
  std::size_t left = bytes_max;
  for (const auto& [name, value] : members) {
    const std::size_t bytes = name.size() + json::print(*value).size();
    if (bytes <= left) {
      out.set(name, *value);
      left -= bytes;
    } else {
      out.set(name, cat('[', bytes, " bytes; workflow_state_read with paths shows parts of it]"));
    }
  }
  return out;
}

Result<std::optional<std::string>> task_argument(const Object& arguments) {
  const Value* context = arguments.find("sub_agent_context");
  if (context == nullptr || context->if_object() == nullptr || context->if_object()->empty()) {
    return std::nullopt;
  }
  for (const std::string_view key : {"task_id", "batch_id"}) {
    auto named = text_argument(*context->if_object(), key);
    if (named && !named->empty()) return named;
  }
  return fail(Code::INVALID_INPUT, "sub_agent_context names no task", Move::send_task_id);
}

Result<verbs::TaskRun> run_argument(const engine::ReadContext& reading,
                                    const protocol::ToolCall& call) {
  const engine::Principal principal = principal_of(call);
  const std::string run = text_argument(call.arguments, "workflow_id").value_or("");
  const auto task = TRY(task_argument(call.arguments));
  if (task) return verbs::run_of_task(reading, principal, run, *task);
  return verbs::TaskRun{TRY(engine::find_own_run(reading, principal, run)), {}};
}

void add_failure(Object& out, const std::optional<verbs::EndReason>& why) {
  if (!why) return;
  Object failure{{"type", why->type}, {"message", why->message}};
  if (!why->step.empty()) failure.set("step", why->step);
  out.set("failure", std::move(failure));
}

std::string failure_text(const std::optional<verbs::EndReason>& why, std::string_view what) {
  if (!why || (why->step.empty() && why->message.empty())) return {};
  const std::string& said = why->message;
  const bool ends = said.ends_with('.') || said.ends_with('!');
  return cat(what, why->step.empty() ? "" : cat(" at the step ", why->step),
             why->message.empty() ? "" : cat(": ", why->message), ends ? "\n" : ".\n");
}

}  // namespace baton::surface::atomic
