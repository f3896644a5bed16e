#pragma once
// Runs one case and compares.

#include <filesystem>
#include <string>
#include <vector>

#include "case_file.h"
#include "scene.h"

namespace baton::cases {

enum class Verdict { passed, failed, skipped };

struct Report {
  Verdict verdict = Verdict::passed;
  std::string text;         // why it failed, with file:line and a diff for each command
  std::string rebaselined;  // the case with what came out as its expectation
  bool broken = false;      // something could not be run at all, so a rewrite does not fix it
};

/// `path` is only for the report. Every command runs, also after one that failed.
Report run_case(const std::string& path, std::string_view text, Scene& scene);

}  // namespace baton::cases
