#pragma once
// The stage of a plan, by which fields are there. Values only; any thread.

#include "plan/document.h"

namespace baton::plan {

/// 0 nothing; 1 a header; 2 a description under a header without a title; 3 a description;
/// 4 constraints; 5 tasks, or a directive; 6 the directive COMPLETE.
int stage_of(const Plan& document);

}  // namespace baton::plan
