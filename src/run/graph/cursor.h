#pragma once
// Cursor: where a node is in its workflow. A position among the outermost steps, and for each
// block inside a step one frame, from the outside in. A flat workflow needs no frame.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "run/log/types.h"

namespace baton::run {

/// One block further in than the frame before it.
struct CursorFrame {
  std::int64_t block = 0;                     // which block of the step that the frame before is at
  std::int64_t iteration = 0;                 // the round, when that step is a loop; from 0
  std::int64_t index = 0;                     // the step within the block
  std::optional<LoopDecision> decision = {};  // what the agent said of that loop in this round
  /// What a loop was entered with, items or a number of rounds; null when the workflow says it.
  /// Shared by all the nodes of the loop.
  std::shared_ptr<const json::Value> pinned = {};

  bool operator==(const CursorFrame& other) const;
};

struct Cursor {
  std::int64_t position = 0;  // among the outermost steps; their number: complete
  std::vector<CursorFrame> frames = {};
  bool operator==(const Cursor&) const = default;
};

/// The cursor as it is recorded below `parent`: without what was pinned before it.
Cursor to_record(const Cursor& parent, Cursor cursor);

/// Undoes to_record.
Cursor inherited(const Cursor& parent, Cursor recorded);

json::Value to_json(std::span<const CursorFrame> frames);
Result<std::vector<CursorFrame>> frames_from_json(const json::Value& value);

}  // namespace baton::run
