#pragma once
// Grows a Node tree from the events of a reader, with the bounds every format shares: depth, number
// of nodes, no key twice. Owned by one reader.

#include <set>
#include <vector>

#include "workflow/check/diagnostic.h"
#include "workflow/read/node.h"

namespace baton::workflow {

class TreeBuilder {
 public:
  explicit TreeBuilder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// A value for the reader to fill in before its next call; null until then. nullptr when a bound
  /// is passed, which was reported; the reader stops then.
  [[nodiscard]] SyntaxNode* scalar(const SourcePlace& at);

  /// False when a bound is passed.
  [[nodiscard]] bool open(json::Type type, const SourcePlace& at);
  void close();

  /// Names the next value. A key that is there already is reported, and its value dropped.
  void key(std::string name, const SourcePlace& at);

  /// True when an object is open that waits for a key.
  bool wants_key() const { return !open_.empty() && open_.back().is_object && !has_key_; }

  /// REQUIRES: everything that was opened is closed.
  SyntaxNode take();

 private:
  struct Open {
    std::size_t at = 0;  // in nodes_, with its finished children behind it
    bool is_object = false;
    bool has_repeated = false;
    std::set<std::string, std::less<>> seen;  // of an object with many keys
  };

  bool count(const SourcePlace& at);
  SyntaxNode& add(json::Type type, const SourcePlace& at);
  bool is_taken(Open& open, const std::string& name) const;

  Diagnostics& diagnostics_;
  std::vector<SyntaxNode>
      nodes_;  // a stack, so that each list of children is allocated once, at its size
  std::vector<Open> open_;
  std::string key_;
  SourcePlace key_at_;
  bool has_key_ = false;
  std::size_t count_ = 0;
};

}  // namespace baton::workflow
