#pragma once
// Running the real `baton` on a store, to its end.

#include <filesystem>
#include <string>

namespace baton::audit {

struct Ended {
  int code = 0;
  std::string output;
};

/// `baton VERB --db DB`. What it writes to standard error is appended to `<db>.errors`.
Ended run_baton(const std::string& verb, const std::filesystem::path& db);

std::string baton_binary();

}  // namespace baton::audit
