#include "run/graph/cursor.h"

#include <algorithm>

#include "base/json/fields.h"

namespace baton::run {
namespace {

/// Whether two frames are at the same step in the same round.
bool same_place(const CursorFrame& one, const CursorFrame& other) {
  return one.block == other.block && one.iteration == other.iteration && one.index == other.index;
}

/// How many frames of `cursor` are in the same entry of a block as those of `parent`: the steps
/// above them are the same, in the same rounds.
std::size_t shared_frames(const Cursor& parent, const Cursor& cursor) {
  if (parent.position != cursor.position) return 0;
  const std::size_t most = std::min(parent.frames.size(), cursor.frames.size());
  std::size_t shared = 0;
  while (shared < most && parent.frames[shared].block == cursor.frames[shared].block) {
    ++shared;
    if (!same_place(parent.frames[shared - 1], cursor.frames[shared - 1])) break;
  }
  return shared;
}

}  // namespace

bool CursorFrame::operator==(const CursorFrame& other) const {
  const bool same_pin = pinned == other.pinned ||
                        (pinned != nullptr && other.pinned != nullptr && *pinned == *other.pinned);
  return same_place(*this, other) && decision == other.decision && same_pin;
}

Cursor to_record(const Cursor& parent, Cursor cursor) {
  const std::size_t shared = shared_frames(parent, cursor);
  for (std::size_t i = 0; i < shared; ++i) {
    // Another value is a new entry of the same loop.
    if (cursor.frames[i].pinned == parent.frames[i].pinned) cursor.frames[i].pinned = nullptr;
  }
  return cursor;
}

Cursor inherited(const Cursor& parent, Cursor recorded) {
  const std::size_t shared = shared_frames(parent, recorded);
  for (std::size_t i = 0; i < shared; ++i) {
    if (recorded.frames[i].pinned == nullptr) recorded.frames[i].pinned = parent.frames[i].pinned;
  }
  return recorded;
}

json::Value to_json(std::span<const CursorFrame> frames) {
  json::Array out;
  for (const CursorFrame& frame : frames) {
    json::Object each{
        {"block", frame.block}, {"iteration", frame.iteration}, {"index", frame.index}};
    if (frame.decision) each.set("decision", name_of(*frame.decision));
    if (frame.pinned != nullptr) each.set("pinned", *frame.pinned);
    out.push_back(std::move(each));
  }
  return out;
}

Result<std::vector<CursorFrame>> frames_from_json(const json::Value& value) {
  std::vector<CursorFrame> frames;
  const json::Array* list = value.if_array();
  if (list == nullptr) return fail(Code::STORE_CORRUPT, "a cursor is not a list");
  for (const json::Value& each : *list) {
    json::Fields f(each, "frame", Code::STORE_CORRUPT);
    CursorFrame frame;
    frame.block = TRY(f.integer("block"));
    frame.iteration = TRY(f.integer("iteration"));
    frame.index = TRY(f.integer("index"));
    if (frame.block < 0 || frame.iteration < 0 || frame.index < 0) {
      return f.wrong("index", "a number that is not negative");
    }
    if (f.has("decision")) {
      frame.decision = from_name<LoopDecision>(TRY(f.string("decision")));
      if (!frame.decision) return f.wrong("decision", "continue or stop");
    }
    if (f.has("pinned")) {
      frame.pinned = std::make_shared<const json::Value>(*TRY(f.any("pinned")));
    }
    TRY(f.done());
    frames.push_back(std::move(frame));
  }
  return frames;
}

}  // namespace baton::run
