#pragma once
// Whether a document follows the rules, and every rule it breaks. Values only; any thread.

#include <string>
#include <string_view>
#include <vector>

#include "plan/config.h"
#include "plan/document.h"
#include "plan/parse.h"

namespace baton::plan {

/// `field` is a path: "header.type", "constraints.0.0", "tasks.0.2.1.1" (a task is
/// [done, text, children]). `code` is INVALID_TYPE, INVALID_VALUE, INVALID_FORMAT, TOO_BIG,
/// TOO_SMALL or CUSTOM.
struct PlanProblem {
  std::string field;
  std::string message;
  std::string_view code;
  bool operator==(const PlanProblem&) const = default;
};

struct Validation {
  std::vector<PlanProblem> errors;
  std::vector<PlanProblem> warnings;  // fit for use, but likely not meant
  bool is_valid() const { return errors.empty(); }
};

Validation validate(const Plan& document, const PlanConfig& config = default_config());

/// Also says that text which is empty, unknown or halted is not valid.
Validation validate(const Parsed& parsed, const PlanConfig& config = default_config());

/// {isValid, errors[{field, message, code}], warnings[...]}
json::Object to_json(const Validation& validation);

/// Those that a plan's header may have, and those that a constraint may begin with.
bool is_known_type(std::string_view type);
bool is_known_key(std::string_view key);

/// [a-z][a-z0-9/.-]*
bool is_scope(std::string_view scope);

// A commit message against the rules of its header, for a commit-msg hook. Values only; any thread.

/// The message as git will keep it: without comment lines and what is below the scissors line,
/// without empty lines at its ends.
std::string cleaned_message(std::string_view text);

/// Messages that git writes itself (merges, reverts, fixups) pass.
Validation lint_commit(std::string_view text, const PlanConfig& config);

}  // namespace baton::plan
