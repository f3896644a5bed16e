#pragma once
// JSON Schema, draft 2020-12: a schema is compiled once and then checks any number of values.
//
//   const schema::Schema input = TRY(schema::Schema::compile(text_as_value, {}));
//   TRY(input.check(arguments));
//
// A Schema is an immutable value that is cheap to copy; any number of threads may use one at once.
// Nothing is ever fetched: `$ref` and `$schema` reach the schema itself, the 2020-12 meta-schemas,
// and what the caller registers.
//
// What is asserted: every keyword of the core, applicator, unevaluated and validation vocabularies,
// and the older `dependencies`.
// `format`, `content*` and the meta-data keywords are annotations and assert nothing. `definitions`
// and unknown keywords are ignored, but a JSON Pointer may reach into them. A schema that requires
// an unknown vocabulary, or is of another draft, is INVALID_SCHEMA.
//
// Numbers: comparison is exact between int64 and double. `multipleOf` is exact on the shortest
// decimal text of both numbers, so 0.0075 is a multiple of 0.0001. 1.0 is an integer.
//
// Patterns: ECMA-262 with the `u` flag, as far as RE2 (which never backtracks) can tell:
//   translated   `(?<name>...)`, `.`, `\s` `\S` (Unicode white space), `\uXXXX` `\u{X}`, `\cX`,
//                `[]` `[^]`, `\p{Letter}` and `\p{Script=Greek}` spellings
//   also allowed `\` before any ASCII punctuation, `(?i)` `(?i:...)` and `(?m)`, `(?P<name>...)`
//   refused      look-around, back-references, a repeat count above 1000, binary properties such
//                as `\p{Alphabetic}`, `\` before a letter that means nothing
//   different    `\b` and `(?i)` with `\w` know ASCII letters only
//
// Bounds (base/core/limits.h, schema_*): compiling past one is LIMIT_EXCEEDED. Validation counts
// steps and nesting; past a bound the value is not accepted and the only problem has that code. A
// schema whose `$ref` returns to itself without going into the value is INVALID_SCHEMA.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/json/json.h"

namespace baton::schema {

struct Program;  // the compiled form

struct SchemaOptions {
  /// Schemas that `$ref` and `$schema` may name, by absolute URI without fragment. Compiled only
  /// when named; used only during compile().
  std::map<std::string, json::Value, std::less<>> registry;
};

struct ValidateOptions {
  std::size_t problems_max = limits::schema_problems_max;
  std::size_t steps_max = limits::schema_steps_max;
};

/// One way in which a value does not fit.
struct SchemaProblem {
  Code code = Code::SCHEMA_VIOLATION;  // or LIMIT_EXCEEDED, and then it is the only problem
  std::string instance_path;           // JSON Pointer into the value; "" is the value itself
  std::string schema_path;             // JSON Pointer of the keyword; after "URI#" if registered
  std::string keyword;                 // "type", "required", ...; "false" for the schema `false`
  std::string message;  // complete, path included: "/output/notes: expected string, got integer"

  bool operator==(const SchemaProblem&) const = default;
};

class Schema {
 public:
  /// INVALID_SCHEMA says where and what; LIMIT_EXCEEDED names the bound.
  static Result<Schema> compile(const json::Value& schema, const SchemaOptions& options);

  /// Every problem, in the order of the value, up to `problems_max`; empty when the value fits.
  /// REQUIRES: every double in `value` is finite.
  std::vector<SchemaProblem> validate(const json::Value& value,
                                      const ValidateOptions& options = {}) const;

  /// Whether the value fits; stops at the first problem.
  bool accepts(const json::Value& value) const;

  /// All problems as one SCHEMA_VIOLATION (or LIMIT_EXCEEDED) message.
  Result<void> check(const json::Value& value) const;

 private:
  explicit Schema(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

/// The 2020-12 meta-schemas by URI: the dialect itself and its seven vocabularies.
struct MetaSchema {
  std::string_view uri;
  std::string_view text;
};
std::span<const MetaSchema> meta_schemas();

inline constexpr std::string_view dialect_uri = "https://json-schema.org/draft/2020-12/schema";

}  // namespace baton::schema
