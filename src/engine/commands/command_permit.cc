#include "engine/commands/command_permit.h"

#include "base/core/limits.h"
#include "base/text/printable.h"
#include "base/text/text.h"
#include "workflow/text/command_words.h"

namespace baton::engine {
namespace {

std::shared_ptr<const std::vector<run::WrittenCommand>> commands_of(
    Engine& engine, const workflow::Pinned& workflow) {
  // No caller will ask about them.
  if (engine.trust == nullptr) return std::make_shared<const std::vector<run::WrittenCommand>>();
  const std::string hash = workflow.hash.hex();
  if (auto known = engine.caches.commands.find(hash)) return known;
  std::vector<run::WrittenCommand> found;
  if (run::has_commands(workflow.workflow)) found = run::written_commands(workflow.workflow);
  return engine.caches.commands.put(hash, std::move(found));
}

/// An error is a reason too.
ports::TrustVerdict verdict_of(Result<ports::TrustVerdict> judged) {
  // Names of folders and files need not be UTF-8, and what is told must be.
  if (!judged) return {false, printable_line(judged.error().message)};
  judged->reason = printable_line(judged->reason);
  return *std::move(judged);
}

/// What the policy says of every command; nothing where trust decides.
std::optional<ports::TrustVerdict> verdict_of(const run::Ruled<run::CommandRule>& rule) {
  switch (rule.value) {
    case run::CommandRule::trusted: return std::nullopt;
    case run::CommandRule::all: return ports::TrustVerdict{true};
    case run::CommandRule::never: break;
  }
  std::string sources;
  for (const run::PolicySource each : rule.sources) {
    sources += cat(sources.empty() ? "" : ", ", run::name_of(each));
  }
  return ports::TrustVerdict{false, cat("the policy says commands: never (", sources, ")")};
}

}  // namespace

CommandJudge::CommandJudge(Engine& engine, const workflow::Pinned& workflow, std::string folder)
    : trust_(engine.trust),
      rule_(engine.policy.of(false).commands),
      workflow_(workflow.hash),
      folder_(std::move(folder)),
      commands_(commands_of(engine, workflow)) {}

ports::TrustVerdict CommandJudge::judge() const {
  if (trust_ == nullptr || !has_commands()) return {};
  if (auto ruled = verdict_of(rule_)) return *std::move(ruled);
  return verdict_of(trust_->judge(workflow_, folder_));
}

ports::TrustVerdict CommandJudge::judge(const std::vector<std::string>& argv,
                                        const std::string& directory) const {
  if (trust_ == nullptr) return {};
  if (auto ruled = verdict_of(rule_)) return *std::move(ruled);
  workflow::CommandWords named = workflow::file_words(run::written_words(*commands_, argv));
  if (named.is_cut) {
    return {false, cat("the command names more than ", limits::command_words_max, " files")};
  }
  return verdict_of(trust_->judge(workflow_, folder_,
                                  {directory, std::move(named.words), std::move(named.programs)}));
}

Permit::Permit(Engine& engine, const workflow::Pinned& workflow, std::string folder)
    : judge_(engine, workflow, std::move(folder)), verdict_(judge_.judge()) {
  if (may_run() && engine.processes != nullptr) runner_ = engine.processes->identity();
}

}  // namespace baton::engine
