#pragma once
// A new text from the lines of an old one: some changed, some left out, some put between. What is
// not mentioned stays byte for byte. Values only; any thread.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/outline.h"

namespace baton::plan {

class Splice {
 public:
  explicit Splice(const Outline& outline);

  std::size_t size() const { return lines_.size(); }
  bool is_blank(std::size_t i) const;
  void erase(std::size_t i) { lines_[i].clear(); }
  /// Replaces the line without its end.
  void set(std::size_t i, std::string_view line);
  void set_byte(std::size_t i, std::size_t at, char byte) { lines_[i][at] = byte; }

  /// Puts lines before line `i`, or at the end for `i` == size(), with an empty line on the sides
  /// asked for, unless one is there. `block` has no newline at its end.
  struct Around {
    bool before = false;
    bool after = false;
  };
  void insert(std::size_t i, std::string_view block, Around around);

  /// Replaces the lines from `begin` to `end`.
  void replace(std::size_t begin, std::size_t end, std::string text);

  std::string text() const;

 private:
  std::string ended(std::string_view block) const;
  bool is_blank_before(std::size_t i) const;

  const Outline& outline_;
  std::vector<std::string> lines_;   // with their ends
  std::vector<std::string> before_;  // put before each line, and at the end
};

/// A list of the plan, as it is in the text: tasks, or constraints. Each item has its line, and the
/// lines directly below it that are not items.
struct ListedItem {
  std::size_t line = 0;
  std::size_t end = 0;   // behind its lines
  std::string key = {};  // items with one key are the same
};

/// An item of the list as it shall be.
struct WantedItem {
  std::string key;
  std::string fresh;                                 // its line, if it is new
  std::optional<char> mark = std::nullopt;           // of a line that stays, when it changes
  std::optional<std::string> indent = std::nullopt;  // in place of the line's own
};

/// Whether the lines below an item that moves go with it, or keep the order that they have.
enum class LinesBelow : std::uint8_t { move, stay };

/// The list as it shall be, as lines that end: items that stay keep their lines, and what is
/// between the items stays in its place. REQUIRES: `listed` is not empty, in order of lines.
std::string merged(const Outline& outline, std::span<const ListedItem> listed,
                   std::span<const WantedItem> wanted, LinesBelow below);

}  // namespace baton::plan
