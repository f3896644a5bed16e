#include "base/schema/schema.h"

#include <algorithm>

#include "base/schema/compiler.h"
#include "base/schema/evaluator.h"
#include "base/text/text.h"

namespace baton::schema {

Result<Schema> Schema::compile(const json::Value& schema, const CompileOptions& options) {
  return Schema(TRY(Compiler(options).compile(schema)));
}

std::vector<Problem> Schema::validate(const json::Value& value,
                                      const ValidateOptions& options) const {
  ValidateOptions bounds = options;
  bounds.problems_max = std::max<std::size_t>(1, bounds.problems_max);
  return Evaluator(bounds).problems(*program_, value);
}

bool Schema::accepts(const json::Value& value) const {
  const ValidateOptions bounds;
  return Evaluator(bounds).accepts(*program_, value);
}

Result<void> Schema::check(const json::Value& value) const {
  // The usual case first: a value that fits needs no list.
  if (accepts(value)) return {};
  const std::vector<Problem> problems = validate(value);
  ASSERT(!problems.empty());
  if (problems.size() == 1) return fail(problems.front().code, problems.front().message);
  const bool full = problems.size() >= limits::schema_problems_max;
  std::string message = cat(full ? "at least " : "", problems.size(), " problems");
  for (const Problem& problem : problems) {
    message += cat(&problem == &problems.front() ? ": " : "; ", problem.message);
  }
  return fail(Code::SCHEMA_VIOLATION, std::move(message));
}

}  // namespace baton::schema
