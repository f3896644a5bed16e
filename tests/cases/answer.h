#pragma once
// An answer of the server as a case shows it: the facts of it, chosen by its shape and free of
// wording, and what else the case queries. README.md has the lines.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/json/json.h"
#include "call_line.h"
#include "case_file.h"
#include "names.h"

namespace baton::cases {

/// What is remembered from answer to answer of one case.
struct AnswerMemory {
  std::string run;  // the run that the last answer was about
  std::map<std::string, std::string, std::less<>> answers;  // by what was asked
};

/// Shows the answer to `asked`. `lines` came for it in this order; the last one is the answer,
/// those before it are notifications. INVALID_INPUT for a query that cannot be read.
Result<Answer> show_answer(AnswerMemory& memory, Names& names, const CallLine& asked,
                           const std::vector<std::string>& queries,
                           const std::vector<std::string>& lines);

}  // namespace baton::cases
