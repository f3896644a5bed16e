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

void publish(const Catalog& catalog, const McpTask& task) {
  if (catalog.publish) catalog.publish(TaskChanged{task});
}

/// What the handler is given while it runs as a task: no part of the request that started it.
Call call_of(const Catalog& catalog, const McpTask& task, const CallHost& host) {
  Call call;
  call.arguments = task.arguments;
  call.principal = task.principal;
  call.version = modern_versions().front();
  call.client_capabilities = task.client_capabilities;
  call.inputs = task.responses;
  call.state = task.state;
  call.cancelled = [&host, book = catalog.tasks, id = task.id, principal = task.principal] {
    if (host.cancelled()) return true;
    const Result<McpTask> now = book->get(id, principal);
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
void settle(McpTask& task, const CheckedTool* entry, ToolAnswer answer) {
  std::visit(Overloaded{
                 [&](ToolResult& result) {
                   task.status = McpTaskState::completed;
                   task.result = shape(*entry, std::move(result), modern_versions().front());
                 },
                 [&](RpcError& error) {
                   task.status = McpTaskState::failed;
                   task.error = std::move(error);
                 },
                 [&](NeedInput& need) {
                   task.error = unanswerable(need, task.client_capabilities);
                   task.status = task.error ? McpTaskState::failed : McpTaskState::input_required;
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

std::expected<TaskRequest, RpcError> read_request(const MethodRequest& request) {
  if (!knows_tasks(request.responder.context)) return std::unexpected(needs_tasks(request.method));
  const json::Value* const id = request.params.find("taskId");
  if (id == nullptr || !id->is_string()) {
    return std::unexpected(invalid_params(cat(request.method, " needs params.taskId, a string.")));
  }
  TaskRequest wanted{*id->if_string(), {}};
  if (request.method != "tasks/update") return wanted;
  const json::Value* const responses = request.params.find("inputResponses");
  if (responses == nullptr || !responses->is_object()) {
    return std::unexpected(invalid_params("tasks/update needs params.inputResponses, an object."));
  }
  wanted.responses = *responses->if_object();
  return wanted;
}

WorkResult refuse_task(const Responder& responder, const TaskRequest& wanted, const Error& error) {
  if (error.code != Code::NOT_FOUND) return responder.refuse(internal_error(error));
  return responder.refuse(
      invalid_params(cat("There is no task ", in_quotes(wanted.id), ", or it has expired.")));
}

SingleAction with_task(MethodRequest& request,
                       std::function<WorkResult(const Responder&, const TaskRequest&)> run) {
  auto wanted = read_request(request);
  if (!wanted) return reply(request.responder.refuse(wanted.error()));
  return work(std::move(request.responder),
              [wanted = std::move(*wanted), run = std::move(run)](
                  const Responder& responder, CallHost&) { return run(responder, wanted); });
}

}  // namespace

bool knows_tasks(const RequestContext& context) {
  return context.modern() && declares(context.client_capabilities, tasks_capability());
}

bool becomes_task(const Responder& responder, const Tool& tool) {
  return (tool.task == TaskMode::optional || tool.task == TaskMode::required) &&
         responder.catalog().tasks && knows_tasks(responder.context);
}

bool goes_on_as_task(const Responder& responder, const Tool& tool, const ToolResult& result) {
  return tool.task == TaskMode::when_slow && result.goes_on_from && responder.catalog().tasks &&
         knows_tasks(responder.context);
}

std::optional<RpcError> lacks_tasks(const Responder& responder, const Tool& tool) {
  if (tool.task != TaskMode::required || becomes_task(responder, tool)) return std::nullopt;
  return needs_tasks(tool.name);
}

WorkResult start_task(const Responder& responder, const Tool& tool, Conversation& conversation) {
  Call& call = conversation.call();
  if (tool.before_task) {
    if (std::optional<NeedInput> need = tool.before_task(call)) {
      // Tasks are modern, so that asking always ends the call.
      return *conversation.ask(*need);
    }
  }
  McpTask draft;
  draft.principal = call.principal;
  draft.tool = tool.name;
  draft.arguments = std::move(call.arguments);
  draft.client_capabilities = call.client_capabilities;
  draft.poll_interval_ms = limits::task_poll_ms;
  draft.responses = std::move(call.inputs);
  draft.state = std::move(call.state);
  const Result<McpTask> task = responder.catalog().tasks->create(std::move(draft));
  if (!task) return responder.refuse(internal_error(task.error()));
  publish(responder.catalog(), *task);
  WorkResult outcome = responder.result(summary_of(*task), "task");
  outcome.then = [parts = responder.parts, task = *task](const CallHost& host) {
    continue_task(parts, task, host);
  };
  return outcome;
}

void continue_task(const std::shared_ptr<const Server::Parts>& parts, McpTask task,
                   const CallHost& host) {
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
  if (const Result<McpTask> stored = catalog.tasks->update(task)) publish(catalog, *stored);
}

SingleAction get_task(MethodRequest& request) {
  return with_task(request, [](const Responder& responder, const TaskRequest& wanted) {
    const Result<McpTask> task =
        responder.catalog().tasks->get(wanted.id, responder.context.principal);
    if (!task) return refuse_task(responder, wanted, task.error());
    return responder.answer(to_json(*task));
  });
}

SingleAction update_task(MethodRequest& request) {
  return with_task(request, [](const Responder& responder, const TaskRequest& wanted) {
    const auto answered =
        responder.catalog().tasks->answer(wanted.id, responder.context.principal, wanted.responses);
    if (!answered) return refuse_task(responder, wanted, answered.error());
    WorkResult outcome = responder.answer(json::Object{});
    if (!answered->resumed) return outcome;
    publish(responder.catalog(), answered->task);
    outcome.then = [parts = responder.parts, task = answered->task](const CallHost& host) {
      continue_task(parts, task, host);
    };
    return outcome;
  });
}

SingleAction cancel_task(MethodRequest& request) {
  return with_task(request, [](const Responder& responder, const TaskRequest& wanted) {
    const Result<McpTask> task =
        responder.catalog().tasks->cancel(wanted.id, responder.context.principal);
    if (!task) return refuse_task(responder, wanted, task.error());
    publish(responder.catalog(), *task);
    return responder.answer(json::Object{});
  });
}

}  // namespace baton::protocol
