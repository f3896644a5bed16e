#pragma once
// Finds where a piece of a string is in its file. A string's value may differ from its text
// (escapes, folded lines); then the piece's place is that of the string. One compilation.

#include <vector>

#include "workflow/read/node.h"

namespace baton::workflow {

class TextPlaces {
 public:
  explicit TextPlaces(const Sources& sources) : sources_(sources), files_(sources.size()) {}

  // REQUIRES, for both: the node stays where it is as long as this.

  /// The place of `piece` in the text from where `node` begins.
  SourcePlace find(const SyntaxNode& node, std::string_view piece);

  /// The same from behind the piece of this node that was found like this before. All pieces of a
  /// text are found in one pass over it.
  SourcePlace find_next(const SyntaxNode& node, std::string_view piece);

 private:
  /// A character of a file.
  struct Spot {
    std::size_t offset = 0;
    std::uint32_t line = 0;  // 0: none
    std::uint32_t column = 1;
  };
  struct File {
    std::vector<std::size_t> lines;  // where each begins
    Spot last;                       // that was asked for
  };

  File& file_of(const SourcePlace& place);
  void look_in(const SyntaxNode& node);
  std::string_view window_of(const SyntaxNode& node) const;
  std::size_t offset_of(const SourcePlace& place);
  SourcePlace place_at(const SourcePlace& in, std::size_t offset);

  const Sources& sources_;
  std::vector<File> files_;
  const SyntaxNode* looked_in_ = nullptr;  // the node of the last piece
  std::size_t begin_ = 0;                  // of it in its file
  std::size_t next_ = 0;                   // behind the last piece
  std::size_t misses_ = 0;                 // pieces that were not found behind it
};

}  // namespace baton::workflow
