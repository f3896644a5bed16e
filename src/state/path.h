#pragma once
// Paths into a state: a tier or scope, then names of members and positions in lists.
//
//   raw.files   raw.files[0].name   raw.by_name["a.b"]   raw.status.{{ batch_id }}
//
// A name that is not an identifier is in brackets and double quotes, as JSON. A value put into a
// path is one segment, or a part of one, with any characters. Pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "workflow/text/expression.h"

namespace baton::state {

/// Where a path begins.
enum class Root : std::uint8_t { raw, computed, state, this_frame, global, inputs, loop };

std::string_view name_of(Root root);

struct Path {
  Root root = Root::raw;
  std::vector<std::string> segments;  // a position in a list is its number as text
  bool operator==(const Path&) const = default;
};

/// STATE_BAD_PATH with the place when the text is not a path.
Result<Path> parse_path(std::string_view text);

/// The shortest text that parse_path reads as this path.
std::string print(const Path& path);

/// The position that a segment means in a list: decimal digits without leading zeros.
std::optional<std::size_t> position_of(std::string_view segment);

/// A path with expressions in it, as a workflow has it.
class PathTemplate {
 public:
  static Result<PathTemplate> parse(std::string_view text);

  /// The JavaScript of its slots, in order.
  const std::vector<std::string>& expressions() const { return expressions_; }

  /// The filter of each.
  const std::vector<workflow::ExpressionFilter>& filters() const { return filters_; }

  /// The path with these values in the slots. REQUIRES: one for each of expressions().
  Path fill(std::span<const std::string> values) const;

 private:
  /// Text, or the number of a slot.
  struct Piece {
    std::string text;
    std::optional<std::size_t> slot;
  };
  using Segment = std::vector<Piece>;
  friend class PathReader;

  Root root_ = Root::raw;
  std::vector<Segment> segments_;
  std::vector<std::string> expressions_;
  std::vector<workflow::ExpressionFilter> filters_;
};

}  // namespace baton::state
