#pragma once
// Recap: what a returning caller is told of the path to a node, newest first, within a
// budget. Pure values; the same path gives the same text.

#include <span>
#include <string>
#include <string_view>

#include "run/log/event.h"
#include "workflow/compiled.h"

namespace baton::run {

/// One node of a path, as the commit that made it tells it.
struct RecapEntry {
  NodeKind kind = NodeKind::step;
  std::string step;   // that was settled, attempted or saved within
  std::string notes;  // sent to get here; may be empty
  bool operator==(const RecapEntry&) const = default;
};

/// The entry of `node` by the events of its commit.
RecapEntry recap_entry(std::span<const Event> events, const NodeId& node);

/// "step `triage`", "checkpoint within `triage`", "blocked attempt at `triage`".
std::string label_of(const RecapEntry& entry);

/// The first line of some notes that has words, cut to limits::recap_line_bytes_max.
std::string first_line_of(std::string_view notes);

/// A heading, entries from the newest on, and how many are left out.
class Recap {
 public:
  /// The text will not be longer than `bytes_max`.
  Recap(std::string_view heading, std::size_t bytes_max);

  /// Adds the next older entry, its notes cut when they are long. False: there is no room left for
  /// another, so that no reader needs to look further back.
  bool add(const RecapEntry& entry);

  std::int64_t shown() const { return shown_; }

  /// `entries` is how many there are on the whole path. Empty when there is none.
  std::string finish(std::int64_t entries) &&;

 private:
  std::string text_;
  std::size_t bytes_max_;
  std::int64_t shown_ = 0;
  bool is_full_ = false;
};

/// What the workflow says for the whole run, as bullets under a heading; empty when it says nothing
/// or `prompt` shows it already.
std::string guidance_text(const workflow::CompiledWorkflow& workflow, std::string_view prompt);

/// The workflow's functions that `prompt` does not show already, by name, one a line, with a
/// heading; empty when there are none.
std::string functions_text(const workflow::CompiledWorkflow& workflow, std::string_view prompt);

}  // namespace baton::run
