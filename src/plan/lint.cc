#include "plan/lint.h"

#include <algorithm>

#include "base/text.h"
#include "plan/line.h"

namespace baton::plan {
namespace {

constexpr std::string_view scissors = "# ------------------------ >8 ------------------------";
constexpr std::string_view written_by_git[] = {"Merge ", "Revert \"", "fixup! ", "squash! ",
                                               "amend! "};

}  // namespace

std::string cleaned_message(std::string_view text) {
  std::string out;
  std::string blanks;
  bool cut = false;
  each_line(text, [&](std::string_view line) {
    while (line.ends_with('\r')) line.remove_suffix(1);
    cut = cut || line == scissors;
    if (cut || line.starts_with('#')) return;
    if (trimmed(line).empty()) {
      if (!out.empty()) blanks += '\n';
      return;
    }
    out += cat(std::exchange(blanks, {}), line, '\n');
  });
  return out;
}

Validation lint_commit(std::string_view text, const Config& config) {
  const std::string kept = cleaned_message(text);
  const bool foreign = std::ranges::any_of(
      written_by_git, [&](std::string_view start) { return kept.starts_with(start); });
  if (foreign) return {};
  // The body of an ordinary commit is prose: its header and the line below it are what is checked.
  const std::size_t first = kept.find('\n');
  const std::size_t second = first == std::string::npos ? first : kept.find('\n', first + 1);
  return validate(parse(std::string_view(kept).substr(0, second), config), config);
}

}  // namespace baton::plan
