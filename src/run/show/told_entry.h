#pragma once
// One node of a path as a returning caller is told of it: a step that could not be done is not told
// like one that was. Pure.

#include "base/text/text.h"
#include "run/graph/marks.h"
#include "run/show/recap.h"

namespace baton::run {

/// The recap entry of `node`, whose notes begin with why its step failed, where it did.
inline RecapEntry told_entry(std::span<const Event> events, const NodeId& node) {
  RecapEntry entry = recap_entry(events, node);
  const NodeMark mark = mark_of(events, node);
  // A retry is a blocked attempt, and says so; another step may have failed behind this one.
  if (entry.kind == NodeKind::blocked_attempt || !mark.failure || mark.step != entry.step) {
    return entry;
  }
  const std::string& why = mark.failure->error.message;
  std::string told = cat("Failed: ", why.empty() ? "no reason was given" : why);
  if (!entry.notes.empty()) told += cat("\n\n", entry.notes);
  entry.notes = std::move(told);
  return entry;
}

}  // namespace baton::run
