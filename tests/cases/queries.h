#pragma once
// Queries: lines below a call that ask for more of its answer than the facts.
//
//   text                          the whole text, line by line
//   text contains "..."           or `text lacks`, whichever is so
//   field a.b[0].c = JSON         a field of the structured content; [] stands for every item
//   field a.b contains "..."      or `field a.b lacks`
//   prompt "..."                  what the author of the workflow wrote for the step

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/json/json.h"
#include "names.h"

namespace baton::cases {

/// An answer as queries see it.
struct Shown {
  json::Value root;  // the structured content, or the error
  std::string text;
};

/// The lines that belong in the place of `query`; `names` has the names that a text in it uses.
Result<std::vector<std::string>> answer_query(const Shown& shown, std::string_view query,
                                              const Names& names);

}  // namespace baton::cases
