#include "surface/atomic/encode.h"

#include <map>

#include "base/text.h"

namespace baton::surface::atomic {
namespace {

using json::Object;
using json::Value;

/// Verbs speak of the rail's tools; these are ours.
struct Word {
  std::string_view theirs;
  std::string_view ours;
};
constexpr Word words[] = {{"context: the inputs of", "the inputs of"},
                          {"start_workflow", "workflow_start"},
                          {"list_workflows", "workflow_list"},
                          {"a workflowId", "a name"},
                          {"these names in context", "these names in inputs"},
                          {"the same ackToken", "the same step_id"}};

std::string in_own_words(std::string text) {
  for (const Word& word : words) {
    for (std::size_t at = 0; (at = text.find(word.theirs, at)) != std::string::npos;) {
      text.replace(at, word.theirs.size(), word.ours);
      at += word.ours.size();
    }
  }
  return text;
}

std::string ended_text(run::RunStatus status) {
  switch (status) {
    case run::RunStatus::failed: return "The run was ended as failed. No step is open.\n";
    case run::RunStatus::abandoned: return "The run was cancelled. No step is open.\n";
    case run::RunStatus::complete_with_gaps:
      return "No step is left, but critical gaps are open: tell the user about them. Then call "
             "workflow_complete with status \"success\".\n";
    default:
      return "No step is left. Call workflow_complete with status \"success\", then summarise the "
             "results for the user.\n";
  }
}

/// A `workflow_step_complete` that would pass, but for what only the agent knows.
Object example_call(const verbs::RunPoint& point) {
  const run::Reply& reply = point.reply.reply;
  Object out{{"workflow_id", point.run.run.text()},
             {"step_id", reply.pending->step_id},
             {"status", "success"}};
  if (reply.example.empty()) {
    out.set("result", "<what you did and found in this step>");
  } else {
    out.set("output", reply.example);
  }
  return out;
}

}  // namespace

protocol::ToolResult answer_own(Result<protocol::ToolResult> result) {
  if (!result) {
    result.error().message = in_own_words(std::move(result.error().message));
    result.error().hint = in_own_words(std::move(result.error().hint));
  }
  return answer(std::move(result));
}

Value step_json(const verbs::RunPoint& point) {
  const workflow::Step* step = point.step();
  if (step == nullptr) return nullptr;
  const run::Pending& pending = *point.reply.reply.pending;
  Object definition{{"title", pending.title},
                    {"prompt", pending.prompt},
                    {"require_confirmation", pending.require_confirmation}};
  if (pending.agent_role) definition.set("agent_role", *pending.agent_role);
  return Object{{"id", pending.step_id},
                {"type", name_of(step->kind)},
                {"instructions",
                 cat(pending.require_confirmation ? "Ask the user to confirm first. " : "",
                     "Do what definition.prompt says, then call workflow_step_complete with this "
                     "step's id and, as result, what you did and found.")},
                {"definition", std::move(definition)},
                {"complete_with", example_call(point)}};
}

std::string step_text(const verbs::RunPoint& point) {
  const workflow::Step* step = point.step();
  if (step == nullptr) return ended_text(point.reply.reply.status);
  const run::Pending& pending = *point.reply.reply.pending;
  std::string out =
      cat("Step ", pending.step_id, " (", name_of(step->kind), "): ", pending.title, '\n');
  if (pending.agent_role) out += cat("Role: ", *pending.agent_role, '\n');
  out += cat('\n', pending.prompt, "\n\n");
  if (pending.require_confirmation) out += "Ask the user to confirm before you do this step.\n";
  return out + cat("When it is done, call workflow_step_complete with ",
                   json::print(example_call(point)), ".\n");
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
    out += "You cannot mend all of this alone: ask the user.\n";
  }
  return out;
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
      out.set(name,
              cat('[', bytes, " bytes; workflow_state_read shows parts of it by their paths]"));
    }
  }
  return out;
}

Result<void> check_task(const Object& arguments) {
  const Object context = object_argument(arguments, "sub_agent_context");
  const auto task = text_argument(context, "task_id");
  if (!task) return {};
  return fail(
      Code::NOT_FOUND, cat("this run has no sub-agent task \"", *task, '"'),
      "leave sub_agent_context out unless a task of a parallel_tasks step was given to you");
}

}  // namespace baton::surface::atomic
