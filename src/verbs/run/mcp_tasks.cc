#include "verbs/run/mcp_tasks.h"

#include <algorithm>

#include "base/json/fields.h"
#include "base/text/text.h"
#include "engine/load/load.h"

namespace baton::verbs {
namespace {

using protocol::McpTask;
using protocol::McpTaskState;

/// A task as it is stored, and the head that says so.
struct Stored {
  McpTask task;
  std::string worker;  // the process that runs it; empty: none, or not known
  run::Seq head;
};

std::unexpected<Error> no_such_task(std::string_view id) {
  return fail(Code::NOT_FOUND, cat("there is no task ", id));
}

// --- values to events and back ------------------------------------------------------------------

json::Object requests_json(const protocol::InputRequests& requests) {
  json::Object out;
  for (const auto& [key, request] : requests) {
    out.set(key, json::Object{{"method", request.method}, {"params", request.params}});
  }
  return out;
}

Result<protocol::InputRequests> requests_from(const json::Object& object) {
  protocol::InputRequests out;
  for (const json::Member& member : object) {
    json::Fields f(member.value, "recorded request", Code::STORAGE_CORRUPTION_DETECTED);
    protocol::InputRequest request;
    request.method = TRY(f.string("method"));
    request.params = *TRY(f.object("params"));
    TRY(f.done());
    out.emplace(member.key, std::move(request));
  }
  return out;
}

json::Object error_json(const std::optional<protocol::RpcError>& error) {
  if (!error) return {};
  json::Object out{{"code", static_cast<std::int64_t>(error->code)}, {"message", error->message}};
  if (!error->data.is_null()) out.set("data", error->data);
  return out;
}

Result<std::optional<protocol::RpcError>> error_from(const json::Object& object) {
  if (object.empty()) return std::nullopt;
  const json::Value value(object);
  json::Fields f(value, "recorded error", Code::STORAGE_CORRUPTION_DETECTED);
  protocol::RpcError out;
  out.code = static_cast<protocol::RpcCode>(TRY(f.integer("code")));
  out.message = TRY(f.string("message"));
  if (f.has("data")) out.data = *TRY(f.any("data"));
  TRY(f.done());
  return out;
}

run::McpTaskCall call_of(const McpTask& task) {
  return {.principal = task.principal,
          .tool = task.tool,
          .arguments = task.arguments,
          .client_capabilities = task.client_capabilities,
          .ttl_ms = task.ttl_ms,
          .poll_interval_ms = task.poll_interval_ms};
}

run::McpTaskChanged event_of(const TaskId& id, const McpTask& task) {
  run::McpTaskChanged event;
  event.task = id;
  event.status = *run::from_name<run::McpTaskStatus>(protocol::name_of(task.status));
  event.message = task.message;
  event.state = task.state;
  event.requests = requests_json(task.requests);
  event.responses = task.responses;
  event.result = task.result;
  event.error = error_json(task.error);
  return event;
}

Result<void> take_event(McpTask& task, const run::McpTaskChanged& event) {
  task.status = *protocol::task_status_from(run::name_of(event.status));
  task.message = event.message;
  task.state = event.state;
  task.requests = TRY(requests_from(event.requests));
  task.responses = event.responses;
  task.result = event.result;
  task.error = TRY(error_from(event.error));
  return {};
}

// --- reading ------------------------------------------------------------------------------------

Result<std::optional<run::McpTaskChanged>> event_in(const run::Commit& commit) {
  for (run::Event& event : TRY(engine::events_of(commit))) {
    if (auto* changed = std::get_if<run::McpTaskChanged>(&event)) return std::move(*changed);
  }
  return std::nullopt;
}

Result<std::optional<Stored>> read_task(ports::EventReader& store, const SessionId& session) {
  const auto first = TRY(store.log(session, {}, 1));
  if (first.empty()) return std::nullopt;
  const auto made = TRY(event_in(first.front()));
  if (!made || !made->call) return std::nullopt;
  const run::Seq head = TRY(store.head(session)).seq;
  const auto last = TRY(store.log(session, {head.value - 1}, 1));
  if (last.empty()) return std::nullopt;  // removed meanwhile
  const auto changed = TRY(event_in(last.front()));
  if (!changed)
    return fail(Code::STORAGE_CORRUPTION_DETECTED,
                cat("a commit of ", made->task.text(), " does not name it"));
  Stored out;
  out.head = last.front().seq;
  out.worker = changed->worker;
  out.task.id = made->task.text();
  out.task.principal = made->call->principal;
  out.task.tool = made->call->tool;
  out.task.arguments = made->call->arguments;
  out.task.client_capabilities = made->call->client_capabilities;
  out.task.ttl_ms = made->call->ttl_ms;
  out.task.poll_interval_ms = made->call->poll_interval_ms;
  out.task.created = first.front().at;
  // A clock that was set back does not make a task change before it was made.
  out.task.updated = std::max(last.front().at, first.front().at);
  TRY(take_event(out.task, *changed));
  return out;
}

/// Unknown, another principal's and past its life look the same.
Result<Stored> find_task(engine::Engine& engine, std::string_view id, std::string_view principal) {
  const auto parsed = TaskId::parse(id);
  if (!parsed) return no_such_task(id);
  auto stored = TRY(read_task(engine.store, SessionId{parsed->bytes}));
  if (!stored || stored->task.principal != principal) return no_such_task(id);
  if (is_over(stored->task, engine.clock.wall())) return no_such_task(id);
  return *std::move(stored);
}

// --- writing ------------------------------------------------------------------------------------

/// Appends the task's next event. Nothing: another process was first.
Result<std::optional<McpTask>> append(engine::Engine& engine, McpTask task, run::Seq expected,
                                      bool is_new) {
  const TaskId id = MUST(TaskId::parse(task.id));  // one of ours
  const SessionId session{id.bytes};
  run::McpTaskChanged event = event_of(id, task);
  if (is_new) event.call = call_of(task);
  // The process that says it is working runs it.
  if (task.status == McpTaskState::working && engine.processes != nullptr) {
    event.worker = engine.processes->identity();
  }
  run::CommitDraft draft;
  draft.session = session;
  draft.expected = expected;
  // Of this act alone, so that it can be looked up when its outcome is unknown.
  draft.dedupe_key = cat("task:", engine.ids.next<TaskId>().text());
  draft.at = engine.clock.wall();
  if (is_new) draft.events.emplace_back(run::SessionCreated{});
  draft.events.emplace_back(std::move(event));
  if (is_new) task.created = draft.at;
  task.updated = std::max(draft.at, task.created);
  const std::string key = draft.dedupe_key;
  const auto outcome = engine.store.append(std::move(draft));
  if (!outcome) {
    const auto found = engine.store.commit_by_key(session, key);
    if (found && *found) return task;
    return std::unexpected(outcome.error());
  }
  if (!std::holds_alternative<ports::Appended>(*outcome)) return std::nullopt;
  return task;
}

std::unexpected<Error> kept_losing() {
  Error busy = Error::make(Code::STORE_BUSY, "other calls changed this task first, each time",
                           "send the same call again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

bool is_abandoned(ports::ProcessWatch* processes, const Stored& stored) {
  return stored.task.status == McpTaskState::working && !stored.worker.empty() &&
         processes != nullptr && !processes->is_alive(stored.worker).value_or(true);
}

void fail_abandoned(McpTask& task) {
  task.status = McpTaskState::failed;
  task.message = "the server that ran it has ended";
  task.error = protocol::RpcError{
      .message =
          "The server ended before the task did. Make the call again: what it did "
          "for a run is recorded and is not done twice."};
}

/// Reads the task, lets `change` change it (false: nothing is to be stored), and stores it unless
/// it has ended or another process was faster; then it reads again. One whose worker has ended has
/// failed, for every request.
template <class Change>
Result<McpTask> change_task(engine::Engine& engine, std::string_view id, std::string_view principal,
                            const Change& change) {
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    Stored stored = TRY(find_task(engine, id, principal));
    if (is_abandoned(engine.processes, stored)) {
      fail_abandoned(stored.task);
    } else if (protocol::is_terminal(stored.task.status) || !change(stored.task)) {
      return stored.task;
    }
    if (auto done = TRY(append(engine, std::move(stored.task), stored.head, false))) {
      return *std::move(done);
    }
  }
  return kept_losing();
}

/// A result that the log cannot keep must not leave the task working for ever.
bool is_unkeepable(const Error& error) {
  return error.code == Code::NUMBER_INEXACT || error.code == Code::LIMIT_EXCEEDED;
}

}  // namespace

bool is_over(const McpTask& task, WallMs now) {
  return task.ttl_ms && now.value - task.created.value >= *task.ttl_ms;
}

Result<std::optional<McpTask>> task_in(ports::EventReader& store, const SessionId& session) {
  auto stored = TRY(read_task(store, session));
  if (!stored) return std::nullopt;
  return std::move(stored->task);
}

Result<std::vector<McpTask>> list_tasks(const engine::ReadContext& reading, std::size_t limit) {
  std::vector<McpTask> out;
  run::CommitNo after;
  while (true) {
    const auto page = TRY(reading.store.loose_sessions(after, limits::log_page_commits));
    if (page.empty()) return out;
    after = page.back().first;
    for (const run::LooseSession& loose : page) {
      if (out.size() == limit) return out;
      auto stored = read_task(reading.store, loose.session);
      // A damaged one cannot be shown; the others can.
      if (!stored && engine::is_damage(stored.error())) continue;
      if (!stored) return std::unexpected(stored.error());
      if (!*stored) continue;
      if (is_abandoned(reading.processes, **stored)) fail_abandoned((*stored)->task);
      out.push_back(std::move((*stored)->task));
    }
  }
}

Result<McpTask> McpTasks::create(McpTask draft) {
  engine::Engine& engine = *TRY(open_());
  if (draft.ttl_ms) {
    draft.ttl_ms = std::clamp<std::int64_t>(*draft.ttl_ms, 0, limits::mcp_task_ttl_ms_max);
  }
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    draft.id = engine.ids.next<TaskId>().text();
    if (auto made = TRY(append(engine, draft, run::Seq{0}, true))) return *std::move(made);
  }
  return kept_losing();
}

Result<McpTask> McpTasks::get(std::string_view id, std::string_view principal) {
  return change_task(*TRY(open_()), id, principal, [](const McpTask&) { return false; });
}

Result<McpTask> McpTasks::update(const McpTask& task) {
  engine::Engine& engine = *TRY(open_());
  auto done = change_task(engine, task.id, task.principal, [&](McpTask& stored) {
    stored.status = task.status;
    stored.message = task.message;
    stored.state = task.state;
    stored.requests = task.requests;
    stored.result = task.result;
    stored.error = task.error;
    return true;
  });
  if (done || !is_unkeepable(done.error())) return done;
  return change_task(engine, task.id, task.principal, [&](McpTask& stored) {
    stored.status = McpTaskState::failed;
    stored.message = "the result cannot be kept";
    stored.requests.clear();
    stored.error = protocol::RpcError{.message = done.error().message};
    return true;
  });
}

Result<protocol::TaskBook::Answered> McpTasks::answer(std::string_view id,
                                                      std::string_view principal,
                                                      const json::Object& responses) {
  Answered out;
  out.task = TRY(change_task(*TRY(open_()), id, principal, [&](McpTask& stored) {
    const std::size_t asked = stored.requests.size();
    out.resumed = protocol::take_answers(stored, responses);
    return out.resumed || stored.requests.size() < asked;
  }));
  // A task that ended before the answers were stored is not continued.
  out.resumed = out.resumed && out.task.status == McpTaskState::working;
  return out;
}

Result<McpTask> McpTasks::cancel(std::string_view id, std::string_view principal) {
  return change_task(*TRY(open_()), id, principal, [](McpTask& stored) {
    stored.status = McpTaskState::cancelled;
    stored.requests.clear();
    return true;
  });
}

}  // namespace baton::verbs
