#pragma once
// Hints that the agent applies to a file.

#include <span>
#include <string>

#include "base/json/json.h"

namespace baton::workflow {

struct StepType;

struct ApplyHints {
  std::string file;
  json::Value hints;
  bool operator==(const ApplyHints&) const = default;

  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) {
    io("file", self.file);
    io("hints", self.hints);
  }
};

}  // namespace baton::workflow
