#pragma once
// Finds where a piece of a string stands in its file. A string's value may differ from its text
// (escapes, folded lines); then the piece's place is that of the string. One compilation.

#include <vector>

#include "workflow/node.h"

namespace baton::workflow {

class TextPlaces {
 public:
  explicit TextPlaces(const Sources& sources) : sources_(sources), lines_(sources.size()) {}

  /// The place of `piece` in the text from where `node` begins.
  Place find(const Node& node, std::string_view piece);

 private:
  std::size_t offset_of(const Place& place);

  const Sources& sources_;
  std::vector<std::vector<std::size_t>> lines_;  // per file, where each line begins
};

}  // namespace baton::workflow
