// The extension io.modelcontextprotocol/tasks: calls that become tasks, and tasks/get, update and
// cancel.

#include "base/core/overloaded.h"
#include "base/text/text.h"
#include "protocol/quoted.h"
#include "protocol/task_runner.h"

namespace baton::protocol {
namespace {

json::Object tasks_capability() {
  json::Object extensions;
  extensions.append_new(std::string(tasks_extension), json::Object{});
  return {{"extensions", std::move(extensions)}};
}

RpcError needs_tasks(std::string_view what) {
  return missing_capability(
      tasks_capability(),
      cat(what, " needs a client that declares the extension ", tasks_extension, '.'));
}

void publish(const Catalog& catalog, const Task& task) {
  if (catalog.publish) catalog.publish(TaskChanged{task});
}

/// What the handler is given while it runs as a task: no part of the request that started it.
Call call_of(const Catalog& catalog, const Task& task, const CallHost& host) {
  Call call;
  call.arguments = task.arguments;
  call.principal = task.principal;
  call.version = modern_versions().front();
  call.client_capabilities = task.client_capabilities;
  call.inputs = task.responses;
  call.state = task.state;
  call.cancelled = [&host, book = catalog.tasks, id = task.id, principal = task.principal] {
    if (host.cancelled()) return true;
    const Result<Task> now = book->get(id, principal);
    return !now || is_terminal(now->status);
  };
  return call;
}

ToolAnswer guarded(const Tool& tool, const Call& call) {
  try {
    return tool.handler(call);
  } catch (const std::exception& defect) {
    return RpcError{RpcCode::internal_error,
                    cat(tool.name, " failed inside Baton: ", defect.what())};
  }
}

/// `entry` may be null with an error.
void settle(Task& task, const CheckedTool* entry, ToolAnswer answer) {
  std::visit(Overloaded{
                 [&](ToolResult& result) {
                   task.status = TaskStatus::completed;
                   task.result = shape(*entry, std::move(result), modern_versions().front());
                 },
                 [&](RpcError& error) {
                   task.status = TaskStatus::failed;
                   task.error = std::move(error);
                 },
                 [&](NeedInput& need) {
                   task.error = unanswerable(need, task.client_capabilities);
                   task.status = task.error ? TaskStatus::failed : TaskStatus::input_required;
                   task.requests = std::move(need.requests);
                   task.state = std::move(need.state);
                 },
             },
             answer);
}

struct TaskRequest {
  std::string id;
  json::Object responses;
};

std::expected<TaskRequest, RpcError> read_request(const Asked& asked) {
  if (!knows_tasks(asked.ticket.context)) return std::unexpected(needs_tasks(asked.method));
  const json::Value* const id = asked.params.find("taskId");
  if (id == nullptr || !id->is_string()) {
    return std::unexpected(invalid_params(cat(asked.method, " needs params.taskId, a string.")));
  }
  TaskRequest request{*id->if_string(), {}};
  if (asked.method != "tasks/update") return request;
  const json::Value* const responses = asked.params.find("inputResponses");
  if (responses == nullptr || !responses->is_object()) {
    return std::unexpected(invalid_params("tasks/update needs params.inputResponses, an object."));
  }
  request.responses = *responses->if_object();
  return request;
}

Outcome refuse_task(const Ticket& ticket, const TaskRequest& request, const Error& error) {
  if (error.code != Code::NOT_FOUND) return ticket.refuse(internal_error(error));
  return ticket.refuse(
      invalid_params(cat("There is no task ", in_quotes(request.id), ", or it has expired.")));
}

SingleStep with_task(Asked& asked, std::function<Outcome(const Ticket&, const TaskRequest&)> run) {
  auto request = read_request(asked);
  if (!request) return reply(asked.ticket.refuse(request.error()));
  return work(std::move(asked.ticket),
              [request = std::move(*request), run = std::move(run)](
                  const Ticket& ticket, CallHost&) { return run(ticket, request); });
}

}  // namespace

bool knows_tasks(const RequestContext& context) {
  return context.modern() && declares(context.client_capabilities, tasks_capability());
}

bool becomes_task(const Ticket& ticket, const Tool& tool) {
  return (tool.task == TaskMode::optional || tool.task == TaskMode::required) &&
         ticket.catalog().tasks && knows_tasks(ticket.context);
}

bool goes_on_as_task(const Ticket& ticket, const Tool& tool, const ToolResult& result) {
  return tool.task == TaskMode::when_slow && result.goes_on_from && ticket.catalog().tasks &&
         knows_tasks(ticket.context);
}

std::optional<RpcError> lacks_tasks(const Ticket& ticket, const Tool& tool) {
  if (tool.task != TaskMode::required || becomes_task(ticket, tool)) return std::nullopt;
  return needs_tasks(tool.name);
}

Outcome start_task(const Ticket& ticket, const Tool& tool, Conversation& conversation) {
  Call& call = conversation.call();
  if (tool.before_task) {
    if (std::optional<NeedInput> need = tool.before_task(call)) {
      // Tasks are modern, so that asking always ends the call.
      return *conversation.ask(*need);
    }
  }
  Task draft;
  draft.principal = call.principal;
  draft.tool = tool.name;
  draft.arguments = std::move(call.arguments);
  draft.client_capabilities = call.client_capabilities;
  draft.poll_interval_ms = limits::task_poll_ms;
  draft.responses = std::move(call.inputs);
  draft.state = std::move(call.state);
  const Result<Task> task = ticket.catalog().tasks->create(std::move(draft));
  if (!task) return ticket.refuse(internal_error(task.error()));
  publish(ticket.catalog(), *task);
  Outcome outcome = ticket.result(summary_of(*task), "task");
  outcome.then = [parts = ticket.parts, task = *task](const CallHost& host) {
    carry_on(parts, task, host);
  };
  return outcome;
}

void carry_on(const std::shared_ptr<const Server::Parts>& parts, Task task, const CallHost& host) {
  const Catalog& catalog = parts->catalog;
  ToolAnswer answer =
      RpcError{RpcCode::internal_error, cat("The tool ", task.tool, " is no longer offered.")};
  const CheckedTool* const entry = catalog.tools.find(task.tool);
  if (entry != nullptr) answer = guarded(entry->tool, call_of(catalog, task, host));
  if (host.cancelled()) {
    answer = RpcError{RpcCode::internal_error, "The server ended before the task did."};
  }
  settle(task, entry, std::move(answer));
  // A task that cannot be stored keeps its last status; its ttl or its owner ends it.
  if (const Result<Task> stored = catalog.tasks->update(task)) publish(catalog, *stored);
}

SingleStep get_task(Asked& asked) {
  return with_task(asked, [](const Ticket& ticket, const TaskRequest& request) {
    const Result<Task> task = ticket.catalog().tasks->get(request.id, ticket.context.principal);
    if (!task) return refuse_task(ticket, request, task.error());
    return ticket.answer(to_json(*task));
  });
}

SingleStep update_task(Asked& asked) {
  return with_task(asked, [](const Ticket& ticket, const TaskRequest& request) {
    const auto answered =
        ticket.catalog().tasks->answer(request.id, ticket.context.principal, request.responses);
    if (!answered) return refuse_task(ticket, request, answered.error());
    Outcome outcome = ticket.answer(json::Object{});
    if (!answered->resumed) return outcome;
    publish(ticket.catalog(), answered->task);
    outcome.then = [parts = ticket.parts, task = answered->task](const CallHost& host) {
      carry_on(parts, task, host);
    };
    return outcome;
  });
}

SingleStep cancel_task(Asked& asked) {
  return with_task(asked, [](const Ticket& ticket, const TaskRequest& request) {
    const Result<Task> task = ticket.catalog().tasks->cancel(request.id, ticket.context.principal);
    if (!task) return refuse_task(ticket, request, task.error());
    publish(ticket.catalog(), *task);
    return ticket.answer(json::Object{});
  });
}

}  // namespace baton::protocol
