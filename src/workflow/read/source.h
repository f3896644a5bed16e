#pragma once
// Source texts and places in them. A place is small and copied freely; the text it points into
// is in the Sources of one compilation. Values; no thread rule.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton::workflow {

/// Which system's words a file speaks. A native file knows no foreign keys without meaning.
enum class Dialect : std::uint8_t { native, workrail, aromcp, midex };

std::string_view name_of(Dialect dialect);

/// A position. Lines and columns count from 1; a column counts Unicode characters.
struct SourcePlace {
  std::uint32_t file = 0;  // index into Sources
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  auto operator<=>(const SourcePlace&) const = default;
};

/// One file as it was read. `name` is what people see; its ending says the format.
struct SourceText {
  std::string name;
  std::string text;
};

using Sources = std::vector<SourceText>;

/// The line of `text` with that number, without its end; empty when there is none.
std::string_view line_of(std::string_view text, std::uint32_t line);

/// Turns offsets that never go back into places, in one pass over the text.
class PlaceCursor {
 public:
  PlaceCursor(std::string_view text, std::uint32_t file) : text_(text) { place_.file = file; }

  /// REQUIRES: `offset` is not before the last one asked for.
  SourcePlace at(std::size_t offset);

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  SourcePlace place_;
};

}  // namespace baton::workflow
