#pragma once
// The stage of a plan, 0 to 6, by which fields are there, and what to do at it.
// Values only; any thread.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/parse.h"

namespace baton::plan {

/// 0 nothing; 1 a header; 2 a description under a header without a title; 3 a description;
/// 4 constraints; 5 tasks, or a directive; 6 the directive COMPLETE.
int stage_of(const Document& document);

struct StageGuide {
  int stage;
  std::string_view name;
  std::string_view guidance;                // what to do now, for an agent
  std::span<const std::string_view> tools;  // what fits now, the likeliest first
};

/// What to do with a plan that stands like this. With every task done, stage 5 says to finish.
const StageGuide& guide_to(const Document& document);

/// The same in words for an agent; for a text that cannot be read to its end it is to mend it.
std::string guidance(const Parsed& parsed);

/// What an edit did to a plan.
struct Change {
  Parsed after;
  int stage_before = 0;
  int stage_after = 0;
  std::vector<std::string_view> fields;  // header, description, ... that differ
  bool stage_changed() const { return stage_before != stage_after; }
};

/// `removed` bytes at `offset` give way to `inserted`.
struct Edit {
  std::size_t offset = 0;
  std::size_t removed = 0;
  std::string inserted;
};

/// Applies the edit to `text` and reads it again. REQUIRES: the edit lies within the text.
Change reparse(std::string& text, const Edit& edit, const Config& config = default_config());

/// The names of the fields in which two documents differ.
std::vector<std::string_view> changed_fields(const Document& before, const Document& after);

}  // namespace baton::plan
