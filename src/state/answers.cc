#include "state/answers.h"

#include "base/core/result.h"
#include "base/text/text.h"

namespace baton::state {
namespace {

/// Equal for equal evaluations only: every part that could run into the next has its length.
std::string key_of(const Evaluation& evaluation) {
  const Script& script = evaluation.script;
  std::string key = cat(static_cast<int>(script.form), ' ', evaluation.draw.now.value, ' ',
                        evaluation.draw.seed, ' ', script.source.size(), ' ', script.source);
  for (const std::string& name : script.names) key += cat(' ', name);
  key += cat('\n', evaluation.scope);
  return key;
}

}  // namespace

const ScriptAnswer* ScriptAnswers::find(const Evaluation& evaluation) {
  std::string key = key_of(evaluation);
  const auto known = known_.find(key);
  if (known != known_.end()) return &known->second;
  if (places_.emplace(std::move(key), asked_.size()).second) asked_.push_back(evaluation);
  return nullptr;
}

void ScriptAnswers::supply(std::vector<ScriptAnswer> answers) {
  ASSERT(answers.size() == asked_.size());
  for (const auto& [key, place] : places_) known_.emplace(key, std::move(answers[place]));
  places_.clear();
  asked_.clear();
}

void ScriptAnswers::forget() {
  ASSERT(asked_.empty());
  known_.clear();
}

}  // namespace baton::state
