// Links: base workflow state run
// Any bytes as the output of a command, in every format: a value that JSON can hold or an error,
// and never a value of a cut output that is not text.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text/utf8.h"
#include "run/steps/command_output.h"

namespace baton::run {
namespace {

void check(std::string_view output) {
  const std::string shown = visible(output);
  ASSERT(utf8::is_valid(shown));
  ASSERT(shown.size() >= output.size());
  ASSERT((shown == output) == utf8::is_valid(output));
  for (const OutputFormat format :
       {OutputFormat::text, OutputFormat::lines, OutputFormat::json, OutputFormat::key_value}) {
    const auto value = read_output(format, output, false);
    if (value) ASSERT(*json::parse(json::print(*value), {SIZE_MAX, 65}) == *value);
    const auto cut = read_output(format, output, true);
    ASSERT(cut.has_value() == (format == OutputFormat::text));
  }
}

}  // namespace
}  // namespace baton::run

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  baton::run::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
