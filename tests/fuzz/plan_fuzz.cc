// Links: base plan
// Plans: any text has a state; what was read is written so that it reads the same, in every
// configuration; what is valid reads back as it was.

#include "plan/edit.h"
#include "plan/parse.h"
#include "plan/validate.h"

namespace baton::plan {
namespace {

void check(std::string_view text, const PlanConfig& config) {
  const Parsed parsed = parse(text, config);
  const bool stopped = parsed.state == State::halted || parsed.state == State::unknown;
  ASSERT(stopped == parsed.halt.has_value());
  const bool valid = validate(parsed, config).is_valid();
  if (parsed.state != State::parsed) {
    ASSERT(!valid);
    return;
  }
  const std::string written = format(parsed.document, config);
  const Parsed again = parse(written, config);
  // Layout may grow a text past its limit; then it is not valid.
  if (written.size() > config.bytes_max) {
    ASSERT(!valid);
    return;
  }
  ASSERT(again.state == State::parsed && again.document == parsed.document);
  ASSERT(format(again.document, config) == written);
  if (valid) ASSERT(checked_text(parsed.document, config).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view name : config_names()) check(text, MUST(named_config(name)));
  (void)lint_commit(text, default_config());
  return 0;
}

}  // namespace baton::plan
