// Links: base plan
// Plans: any text has a state; what was read is written so that it reads the same, in every
// configuration; what is valid reads back as it was; every edit keeps what it does not change.

#include "base/core/limits.h"
#include "plan/edit.h"
#include "plan/outline.h"
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

/// The lines of an outline are the text; any text can be taken over with all of its bytes; a mark
/// changes marks only.
void check_edits(std::string_view text, const PlanConfig& config) {
  const Outline outline = outline_of(text, config);
  std::string joined(text.substr(0, outline.document.style.byte_order_mark ? 3 : 0));
  for (std::size_t i = 0; i < outline.lines.size(); ++i) joined += outline.full_line(i);
  ASSERT(joined == text);
  const Parsed parsed = parse(text, config);
  if (validate(parsed, config).is_valid()) ASSERT(outline.document == parsed.document);
  if (text.size() + limits::plan_title_chars_max > limits::plan_bytes_ceiling) return;
  const Header header{"feat", "plan", false, "A goal"};
  const auto taken = set_goal(outline, header, config);
  ASSERT(taken.has_value());
  const std::string_view whole = text.substr(outline.document.style.byte_order_mark ? 3 : 0);
  ASSERT(outline.document.header || taken->text.contains(whole));
  const Outline now = outline_of(taken->text, config);
  ASSERT(now.document.header == header && now.document.tasks == outline.document.tasks);
  for (const PlacedTask& each : all_tasks(now.document.tasks)) {
    if (!each.task->children.empty()) continue;
    const auto marked = mark_task(now, each.path, !each.task->done, config);
    ASSERT(marked.has_value());
    break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string_view name : config_names()) {
    const PlanConfig config = MUST(named_config(name));
    check(text, config);
    check_edits(text, config);
  }
  (void)lint_commit(text, default_config());
  return 0;
}

}  // namespace baton::plan
