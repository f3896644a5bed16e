#pragma once
// Frame: the state of one workflow, include or task of a run. A value; copies share everything.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "state/path.h"
#include "state/tree.h"

namespace baton::state {

struct Frame {
  Tree raw = Tree::object();
  Tree state = Tree::object();
  Tree computed = Tree::object();
  Tree inputs = Tree::object();
  Tree included = Tree::object();  // id of an include step -> the computed fields of its frame
  bool operator==(const Frame&) const = default;

  std::size_t bytes() const {
    return raw.bytes() + state.bytes() + computed.bytes() + inputs.bytes() + included.bytes();
  }
};

/// The field that is read by its bare name: computed over raw over state over inputs, then an
/// include step's own fields, then a field that just one included frame has. nullptr when none has
/// it. Lives as long as the frame.
const Tree* find_flat(const Frame& frame, std::string_view name);

/// `this`: every field that can be read by its bare name.
Tree flattened(const Frame& frame);

/// What the path reads: `raw.x` falls back to the input x, `this.x` and `global.x` are flat, and
/// `global` is this frame: a caller with another one reads there. No frame has a `loop`.
std::optional<Tree> read(const Frame& frame, const Path& path);

/// Its tiers by name, those without a field left out; and back again (STORE_CORRUPT).
json::Object to_json(const Frame& frame);
Result<Frame> frame_from_json(const json::Value& value);

}  // namespace baton::state
