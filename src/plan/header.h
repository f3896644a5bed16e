#pragma once
// The first line of a plan: `type(scope)!: title`. Values only; any thread.

#include <optional>
#include <string>
#include <string_view>

#include "plan/config.h"
#include "plan/document.h"

namespace baton::plan {

struct HeaderLine {
  std::optional<Header> header = {};  // with the title, also when that is too long
  std::string expected = {};          // what is wrong, or empty
  std::size_t column = 1;             // where
  bool foreign = false;               // it does not even begin as a header does
};

HeaderLine read_header(std::string_view line, const Config& config);

std::string write_header(const Header& header, const Config& config);

}  // namespace baton::plan
