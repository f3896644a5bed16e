#include "full_store.h"

#include "adapters/process/testing/scripted_processes.h"
#include "adapters/store/sqlite/sqlite_store.h"
#include "base/text/text.h"
#include "support/world.h"
#include "verbs/run/complete_step.h"
#include "verbs/run/mcp_tasks.h"
#include "verbs/run/next_step.h"
#include "verbs/run/revoke.h"

namespace baton::audit {
namespace {

using surface::SignedReply;
using testing::World;

constexpr std::string_view loop_flow = R"({"id": "hunt", "steps": [
  {"id": "find", "type": "loop", "loop": {"type": "while", "maxIterations": 3,
     "conditionSource": {"kind": "artifact_contract", "contractRef": "loop_control"}},
   "body": [{"id": "try", "prompt": "Try."}]},
  {"id": "end", "prompt": "End."}]})";

constexpr std::string_view command_flow = R"({"id": "build", "default_state": {"raw": {"out": ""}},
  "state_schema": {"raw": {"out": "string"}}, "steps": [
  {"id": "plan", "prompt": "Plan."},
  {"id": "make", "type": "shell_command", "command": "make",
   "state_update": {"path": "raw.out", "value": "{{ result }}"}},
  {"id": "tell", "prompt": "It said {{ out }}."}]})";

constexpr std::string_view task_flow = R"({"id": "spread",
  "default_state": {"raw": {"seen": []}}, "state_schema": {"raw": {"seen": "array"}},
  "steps": [
    {"id": "work", "type": "parallel_foreach", "items": ["a", "b"], "max_parallel": 2,
     "steps": [
       {"id": "do", "prompt": "Do {{ item }}."},
       {"id": "note", "type": "state_update", "path": "raw.seen", "operation": "append",
        "value": "{{ item }}"}]},
    {"id": "report", "prompt": "Report."}]})";

class EveryWorkflow final : public ports::Trust {
 public:
  Result<ports::TrustVerdict> judge(const Sha256&, const std::string&) override {
    return ports::TrustVerdict{true, {}};
  }
  Result<ports::TrustVerdict> judge(const Sha256&, const std::string&,
                                    const ports::NamedFiles&) override {
    return ports::TrustVerdict{true, {}};
  }
};

class Story {
 public:
  explicit Story(const std::filesystem::path& path)
      : store_(MUST(adapters::SqliteStore::open(path.string()))) {
    world_.port = store_.get();
    for (const auto& [name, text] : {std::pair("hunt", loop_flow), std::pair("build", command_flow),
                                     std::pair("spread", task_flow)}) {
      world_.workflows.files.push_back(
          {"project", cat("flows/", name, ".json"), std::string(text), {}});
    }
    processes_.write("make", [](const ports::Process&) {
      return adapters::ScriptedProgram{.output = "built\n"};
    });
  }

  void tell() {
    const SignedReply removed = MUST(world_.start());
    const SignedReply more = MUST(world_.advance(*removed.ack_token, "soon gone"));
    long_run_with_forks();
    revoke(more.reply.run);
    adopted_node();
    blocked_attempts();
    const SessionId task = mcp_task();
    command_run();
    purge(removed.reply.session);
    tasks_of_sub_agents();
    purge(task);
    revoked_run();
    runs_side_by_side();
    // One more that refers to texts which others have, after the uses were noted.
    const SignedReply last = MUST(world_.start({{"last", true}}));
    MUST(world_.advance(*last.ack_token));
  }

 private:
  engine::Engine engine() {
    engine::Engine out = world_.engine();
    out.processes = &processes_;
    out.trust = &trust_;
    out.commands = &commands_;
    return out;
  }

  SignedReply start(std::string_view name) {
    engine::Engine with = engine();
    verbs::StartRequest request;
    request.workflow_id = name;
    request.goal = cat("of ", name);
    request.workspace_path = "/work";
    return MUST(surface::start(with, world_.principal, request));
  }

  SignedReply advance(const std::string& ack, run::StepInput input) {
    engine::Engine with = engine();
    return MUST(surface::advance(with, world_.principal, {ack, std::nullopt, std::move(input)}));
  }

  /// Long enough for a snapshot.
  void long_run_with_forks() {
    SignedReply reply = MUST(world_.start({{"k", 1}}));
    const SignedReply first = reply;
    for (int i = 0; i < 14; ++i) {
      run::StepInput input = testing::notes_of(cat("step ", i));
      input.artifacts = {json::Object{{"kind", "x"}, {"i", i}}};
      input.context = {{"i", i}};
      reply = advance(*reply.ack_token, input);
    }
    const SignedReply back = MUST(world_.rehydrate(first.state_token));
    MUST(world_.advance(*back.ack_token, "fork"));
    MUST(world_.checkpoint(*first.checkpoint_token));
    MUST(world_.advance(*reply.ack_token, "on the first branch again"));
  }

  /// A checkpoint adopts what is advanced below it with the token from before.
  void adopted_node() {
    for (int i = 0; i < 2; ++i) {
      const SignedReply first = MUST(world_.start());
      MUST(world_.checkpoint(*first.checkpoint_token));
      MUST(world_.advance(*first.ack_token));
    }
  }

  void blocked_attempts() {
    const SignedReply first = start("hunt");
    const SignedReply blocked = advance(*first.ack_token, testing::notes_of("no word of the loop"));
    ASSERT(blocked.reply.kind == run::ReplyKind::blocked);
    run::StepInput input = testing::notes_of("found");
    input.artifacts = {json::Object{{"kind", "baton.loop_control"}, {"decision", "stop"}}};
    advance(*blocked.ack_token, input);
  }

  void command_run() {
    const SignedReply first = start("build");
    const SignedReply told = advance(*first.ack_token, testing::notes_of("planned"));
    ASSERT(told.reply.pending->step_id == "tell");
    advance(*told.ack_token, testing::notes_of("told"));
  }

  void tasks_of_sub_agents() {
    const std::string run = start("spread").reply.run.text();
    engine::Engine with = engine();
    for (std::size_t item = 0; item < 2; ++item) {
      const std::string task = run::task_id("work", item);
      MUST(verbs::next_step_of_task(with, world_.principal, run, task, {}));
      MUST(verbs::complete_step_of_task(
          with, world_.principal, {run, cat("work@", item, "::do"), testing::notes_of("did it")},
          task));
    }
    MUST(verbs::next_step(with, world_.principal, run, {}));
  }

  SessionId mcp_task() {
    std::optional<engine::Engine> current;
    verbs::McpTasks book{[&]() -> Result<engine::Engine*> {
      current.emplace(engine());
      return &*current;
    }};
    SessionId last;
    for (int i = 0; i < 2; ++i) {
      protocol::McpTask draft;
      draft.principal = "local";
      draft.tool = "long_job";
      draft.arguments = {{"n", i}};
      protocol::McpTask task = MUST(book.create(draft));
      task.status = protocol::McpTaskState::completed;
      MUST(book.update(task));
      last = {TaskId::parse(task.id)->bytes};
    }
    return last;
  }

  /// Their commits take turns.
  void runs_side_by_side() {
    SignedReply one = MUST(world_.start());
    SignedReply other = MUST(world_.start());
    for (int i = 0; i < 3; ++i) {
      one = MUST(world_.advance(*one.ack_token, cat("one ", i)));
      other = MUST(world_.advance(*other.ack_token, cat("other ", i)));
    }
  }

  void revoke(const RunId& run) {
    engine::Engine with = engine();
    MUST(verbs::revoke(with, *MUST(store_->run(run))));
  }

  void revoked_run() {
    const SignedReply first = MUST(world_.start());
    MUST(world_.advance(*first.ack_token));
    revoke(first.reply.run);
  }

  void purge(const SessionId& session) {
    const run::Seq head = MUST(store_->head(session)).seq;
    ASSERT(std::holds_alternative<ports::Purged>(
        MUST(store_->purge(session, head, testing::morning))));
  }

  World world_{1, 30, 300};
  adapters::ScriptedProcesses processes_;
  EveryWorkflow trust_;
  const ports::CommandSettings commands_{.environment = {{"PATH", "/bin"}}};
  std::unique_ptr<adapters::SqliteStore> store_;
};

}  // namespace

void make_full_store(const std::filesystem::path& path) { Story(path).tell(); }

}  // namespace baton::audit
