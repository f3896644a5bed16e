#pragma once
// What the checks of a step type may ask of the workflow around a step, and where they report.
// Owned by check_steps().

#include <functional>
#include <set>
#include <string>

#include "workflow/expand/expand.h"

namespace baton::workflow {

class StepChecks {
 public:
  StepChecks(const Expanded& expanded, Diagnostics& diagnostics);

  void wrong(Code code, const SourcePlace& at, std::string message, std::string hint = {}) {
    diagnostics_.error(code, at, std::move(message), std::move(hint));
  }

  /// The same, but a warning in a file of the system that tolerates it.
  void wrong_unless(Dialect tolerant, Code code, const SourcePlace& at, std::string message,
                    std::string hint = {}) {
    diagnostics_.error_unless(tolerant, code, at, std::move(message), std::move(hint));
  }

  /// Whether the step that is checked is in a loop.
  bool in_loop = false;

  /// `most` may be nullptr.
  void iterations(const SyntaxNode* most, std::int64_t limit);
  /// The name of a contract; nullptr: it is missing `at` that place.
  void contract(const SyntaxNode* name, const SourcePlace& at);
  void assessment(const SyntaxNode& name);
  /// Notes that a step uses the task.
  void task(const SyntaxNode& name);
  void schema(const SyntaxNode& shape);
  /// `node` may be nullptr.
  void pattern(const SyntaxNode* node);

  /// Reports tasks that no step uses.
  void report_unused_tasks() const;

 private:
  using Names = std::set<std::string, std::less<>>;
  /// What may be meant; nothing when the report has no room for it.
  std::vector<std::string_view> named(const Names& names) const;

  const Expanded& expanded_;
  Diagnostics& diagnostics_;
  Names assessments_;
  Names tasks_;
  Names used_tasks_;
};

}  // namespace baton::workflow
