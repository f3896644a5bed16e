#pragma once
// A ScriptHost for tests that runs no script: the result of each source is set before.
// Any thread once it is set up.

#include <functional>
#include <map>

#include "ports/script_host.h"

namespace baton::adapters {

class ScriptedHost final : public ports::ScriptHost {
 public:
  using Part =
      std::function<state::ScriptResult(const json::Value& scope, const state::ScriptSeed&)>;

  /// From now on `part` gives the result of the source.
  void write(std::string source, Part part);

  /// The source, from now on, cannot be compiled.
  void refuse(std::string source, state::ScriptProblem problem);

  std::vector<std::optional<state::ScriptProblem>> check(
      std::span<const state::Script> scripts) override;
  std::vector<state::ScriptResult> evaluate(std::span<const state::Evaluation> batch,
                                            const ports::ScriptQueueKey& turn) override;

 private:
  std::optional<state::ScriptProblem> problem_of(const state::Script& script) const;

  std::map<std::string, Part, std::less<>> parts_;
  std::map<std::string, state::ScriptProblem, std::less<>> refused_;
};

}  // namespace baton::adapters
