#pragma once
// Grows a Node tree from the events of a reader, with the bounds every format shares: depth, number
// of nodes, no key twice. Owned by one reader.

#include <set>
#include <vector>

#include "workflow/diagnostic.h"
#include "workflow/node.h"

namespace baton::workflow {

class TreeBuilder {
 public:
  explicit TreeBuilder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // Each is false when a bound is passed; the reader stops then. A problem was reported.
  [[nodiscard]] bool scalar(Node node);
  [[nodiscard]] bool open(json::Type type, const Place& at);
  void close();

  /// Names the next value. A key that is there already is reported, and its value dropped.
  void key(std::string name, const Place& at);

  /// True when an object is open that waits for a key.
  bool wants_key() const {
    return !open_.empty() && open_.back().node.is_object() && !open_.back().has_key;
  }
  bool at_top() const { return open_.empty(); }
  std::size_t depth() const { return open_.size(); }

  Node take() { return std::move(root_); }

 private:
  struct Open {
    Node node;
    std::string key;
    Place key_at;
    bool has_key = false;
    bool drop = false;
    std::set<std::string, std::less<>> seen;  // of an object with many keys
  };

  bool count(const Place& at);
  void add(Node node);
  bool is_taken(Open& open, const std::string& name);

  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  Node root_;
  std::size_t nodes_ = 0;
};

}  // namespace baton::workflow
