#include "diff.h"

#include <algorithm>

#include "base/text/text.h"

namespace baton::cases {
namespace {

struct Edit {
  char mark;
  const std::string* line;
  std::size_t before_index;
};

/// Lengths of the longest common subsequences of the tails.
std::vector<std::vector<std::size_t>> tails(const std::vector<std::string>& before,
                                            const std::vector<std::string>& after) {
  std::vector<std::vector<std::size_t>> length(before.size() + 1,
                                               std::vector<std::size_t>(after.size() + 1));
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      length[i][j] = before[i] == after[j] ? length[i + 1][j + 1] + 1
                                           : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  return length;
}

std::vector<Edit> edits(const std::vector<std::string>& before,
                        const std::vector<std::string>& after) {
  const auto length = tails(before, after);
  std::vector<Edit> out;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      out.push_back({' ', &before[i], i});
      ++i, ++j;
    } else if (j == after.size() || (i < before.size() && length[i + 1][j] >= length[i][j + 1])) {
      out.push_back({'-', &before[i], i});
      ++i;
    } else {
      out.push_back({'+', &after[j], i});
      ++j;
    }
  }
  return out;
}

}  // namespace

std::string unified_diff(const std::vector<std::string>& before,
                         const std::vector<std::string>& after, std::size_t first_line) {
  constexpr std::size_t context = 2;
  const std::vector<Edit> all = edits(before, after);
  std::string out;
  bool gap = true;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::size_t from = k < context ? 0 : k - context;
    const std::size_t to = std::min(all.size(), k + context + 1);
    const bool near_change = std::any_of(all.begin() + static_cast<std::ptrdiff_t>(from),
                                         all.begin() + static_cast<std::ptrdiff_t>(to),
                                         [](const Edit& edit) { return edit.mark != ' '; });
    if (near_change) {
      if (gap) out += cat("@@ line ", first_line + all[k].before_index, " @@\n");
      out += cat(all[k].mark, *all[k].line, '\n');
    }
    gap = !near_change;
  }
  return out;
}

}  // namespace baton::cases
