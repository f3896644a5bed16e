#pragma once
// Whether the server may run the commands of a workflow itself.

#include "engine/engine.h"

namespace baton::engine {

/// Judges the commands of a workflow in the folder of a run, one by one as they are about to start.
/// A value; holds as long as the engine's trust does.
class CommandJudge {
 public:
  CommandJudge(Engine& engine, const workflow::Pinned& workflow, std::string folder);

  bool has_commands() const { return !commands_->empty(); }

  /// About all of them: the user's word about the workflow in that folder.
  ports::TrustVerdict judge() const;

  /// About one: that word as it is now, and the files that the command names. An empty directory is
  /// the run's.
  ports::TrustVerdict judge(const std::vector<std::string>& argv,
                            const std::string& directory) const;

 private:
  ports::Trust* trust_;
  run::Ruled<run::CommandRule> rule_;
  Sha256 workflow_;
  std::string folder_;
  std::shared_ptr<const std::vector<run::WrittenCommand>> commands_;
};

/// What one decision may count on.
class Permit {
 public:
  /// Asks only when the workflow has commands. Any error while asking means no.
  Permit(Engine& engine, const workflow::Pinned& workflow, std::string folder);

  bool may_run() const { return verdict_.is_trusted; }

  /// Why nothing may be run; empty when something may, or the workflow was never trusted.
  const std::string& reason() const { return verdict_.reason; }

  /// The name under which the server runs commands; empty when it does not.
  const std::string& runner() const { return runner_; }

  const CommandJudge& commands() const { return judge_; }

 private:
  CommandJudge judge_;
  ports::TrustVerdict verdict_;
  std::string runner_;
};

}  // namespace baton::engine
