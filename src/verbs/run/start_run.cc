#include "verbs/run/start_run.h"

#include <algorithm>
#include <iterator>

#include "base/core/start_limits.h"
#include "base/text/text.h"
#include "engine/commands/command_permit.h"
#include "engine/commands/server_steps.h"
#include "engine/record.h"
#include "run/show/references.h"
#include "verbs/workflow/find_workflow.h"
#include "workflow/check/diagnostic_text.h"

namespace baton::verbs {
namespace {

/// What is observed around the run: who started it, and the state of its folder's repository.
std::vector<std::pair<run::ObservationKey, std::string>> observed(
    const engine::Engine& engine, const engine::Principal& principal, const StartRequest& request) {
  std::vector<std::pair<run::ObservationKey, std::string>> out;
  const auto add = [&](run::ObservationKey key, std::string value) {
    if (!value.empty()) out.emplace_back(key, std::move(value));
  };
  if (engine.repositories != nullptr && request.workspace_path) {
    ports::RepositoryState seen = engine.repositories->look(*request.workspace_path);
    add(run::ObservationKey::repo_root, std::move(seen.root));
    add(run::ObservationKey::git_branch, std::move(seen.branch));
    add(run::ObservationKey::git_head_sha, std::move(seen.head_sha));
  }
  if (principal.name != engine::Principal{}.name)
    add(run::ObservationKey::principal, principal.name);
  return out;
}

/// What the caller that gives a workflow its inputs should know of them and of its file.
std::vector<std::string> warnings_of(const workflow::Compilation& compilation,
                                     const json::Object& inputs) {
  std::vector<std::string> out;
  const json::Value* declared = compilation.pinned->workflow.declared.find("inputs");
  std::vector<std::string> known;
  if (declared != nullptr && declared->is_object()) {
    for (const json::Member& each : *declared->if_object()) known.push_back(each.key);
  }
  for (const json::Member& each : inputs) {
    if (std::ranges::find(known, each.key) != known.end()) continue;
    const std::string near = workflow::did_you_mean(each.key, known);
    out.push_back(cat("the workflow has no input \"", each.key, "\"; it is kept as a fact",
                      near.empty() ? "" : "; ", near));
  }
  std::size_t left_out = 0;
  for (const workflow::Diagnostic& each : compilation.findings.diagnostics) {
    if (out.size() >= limits::start_warnings_max) {
      ++left_out;
    } else {
      out.push_back(workflow::short_text_of(each, compilation.findings.sources));
    }
  }
  if (left_out > 0) {
    out.push_back(cat("the file of the workflow has ", left_out,
                      " more warnings; checking it "
                      "shows them"));
  }
  return out;
}

/// A warning for each document that the workflow points to and the workspace does not have.
std::vector<std::string> missing_references(const engine::Engine& engine,
                                            const StartRequest& request,
                                            const workflow::CompiledWorkflow& workflow) {
  std::vector<std::string> out;
  if (engine.repositories == nullptr || !request.workspace_path) return out;
  for (const run::Reference& each : run::workspace_references(workflow)) {
    if (engine.repositories->has_file(*request.workspace_path, each.source)) continue;
    out.push_back(cat("the reference \"", each.title, "\" is not in the workspace: there is no ",
                      each.source));
  }
  return out;
}

}  // namespace

Result<engine::NodeAnswer> start_run(engine::Engine& engine, const engine::Principal& principal,
                                     const StartRequest& request) {
  const engine::ReadContext reading = engine.reading();
  const FoundWorkflow found = TRY(inspect_workflow(engine.workflows, request.workflow_id));
  const workflow::Pinned& pinned = *found.compilation.pinned;
  const run::TokenSettings minting = TRY(current_token_settings(reading));
  const auto schemas = TRY(run::Schemas::of(pinned.workflow));
  const engine::Permit permit(engine, pinned, request.workspace_path.value_or(""));
  const run::StartCommand command{.workflow = &pinned,
                                  .schemas = schemas.get(),
                                  .goal = request.goal,
                                  .workspace_path = request.workspace_path,
                                  .observed = observed(engine, principal, request),
                                  .context = request.context,
                                  .preferences = request.preferences,
                                  .defaults = engine.preferences,
                                  .minting = minting,
                                  .may_run = permit.may_run(),
                                  .runner = permit.runner(),
                                  .source = {principal.name, run::ChangedHow::start, request.tool},
                                  .policy = engine.policy.of(principal.client_asks),
                                  .budget = request.budget};
  for (int tries = 0; tries < limits::append_tries_max; ++tries) {
    run::Decider decider = run::Decider::start(command);
    run::Decided decided = TRY(decide(engine, decider, permit, {pinned.hash}));
    if (!permit.reason().empty()) {
      decided.reply.warnings.push_back(
          cat("Baton does not run the commands of this workflow itself: ", permit.reason()));
    }
    if (request.only_inputs) {
      std::ranges::move(warnings_of(found.compilation, request.context),
                        std::back_inserter(decided.reply.warnings));
    }
    for (std::string& each : missing_references(engine, request, pinned.workflow)) {
      decided.reply.warnings.push_back(std::move(each));
    }
    // No other process knows the session yet, unless entropy repeats; then other ids are drawn.
    decided.commit.workflow.emplace(pinned.hash, pinned.text);
    auto recorded = TRY(record(engine, std::move(decided), run::Seq{0}));
    if (!recorded) continue;
    engine.caches.workflows.put(pinned.hash.hex(), pinned);
    engine::NodeAnswer answer{.reply = std::move(recorded->reply),
                              .node = std::move(recorded->node)};
    return run_server_steps(engine, std::move(answer), request.wait);
  }
  Error busy = Error::make(Code::TOKEN_SESSION_LOCKED,
                           "each new session id was already in use; nothing was recorded",
                           "send the same call again");
  return std::unexpected(std::move(busy).with_retry_after(limits::retry_after_ms));
}

}  // namespace baton::verbs
