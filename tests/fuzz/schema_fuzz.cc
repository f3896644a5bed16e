// Links: base
// A schema and a value, split at the first line end: for any input, compiling and validating
// ends, and the quick answer agrees with the list of problems.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/schema/schema.h"

namespace json = baton::json;
using baton::Result;
using baton::schema::Schema;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Enough to find every loop, few enough that one input takes milliseconds.
  constexpr std::size_t steps_max = 50'000;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t split = text.find('\n');
  if (split == std::string_view::npos) return 0;
  const Result<json::Value> schema_value = json::parse(text.substr(0, split));
  const Result<json::Value> value = json::parse(text.substr(split + 1));
  if (!schema_value || !value) return 0;
  const Result<Schema> schema = Schema::compile(*schema_value, {});
  if (!schema) {
    ASSERT(!schema.error().message.empty());
    return 0;
  }
  const auto problems = schema->validate(*value, {.problems_max = 8, .steps_max = steps_max});
  ASSERT(problems.size() <= 8);
  if (problems.empty()) ASSERT(schema->accepts(*value));
  return 0;
}
