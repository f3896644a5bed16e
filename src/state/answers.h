#pragma once
// Answers: how pure code uses scripts. It asks as if every result were there. What is not there
// yet is noted, and the asker ends with not_yet() (state/known.h): once the noted evaluations are
// made and supplied, it is asked again from where it began.
//
//   do { outcome = decide(answers); } while (answers.is_lacking() && (fetch(answers), true));

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "state/script.h"

namespace baton::state {

/// A result, and how long it took.
struct ScriptAnswer {
  ScriptResult result;
  std::int64_t elapsed_us = 0;
};

class ScriptAnswers {
 public:
  /// nullptr when it is not known: then it is asked for, once.
  const ScriptAnswer* find(const Evaluation& evaluation);

  /// Whether anything was asked for that is not known.
  bool is_lacking() const { return !asked_.empty(); }

  /// What is lacking, in the order it was asked for.
  const std::vector<Evaluation>& asked() const { return asked_; }

  /// REQUIRES: one for each of asked().
  void supply(std::vector<ScriptAnswer> answers);

  /// Forgets what was supplied, when it will not be asked for again.
  void forget();

 private:
  std::map<std::string, ScriptAnswer> known_;
  std::map<std::string, std::size_t> places_;  // of what is asked
  std::vector<Evaluation> asked_;
};

}  // namespace baton::state
