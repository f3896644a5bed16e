#pragma once
// CompiledWorkflow: what a run executes, with everything resolved. A run pins its canonical JSON
// by hash and never looks at a file again.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/sha256.h"

namespace baton::workflow {

/// Work for the agent: do what the prompt says, answer with an output.
struct PromptStep {
  std::string id;
  std::string title;
  std::string prompt;
  bool require_confirmation = false;
  std::optional<std::string> agent_role;
  bool operator==(const PromptStep&) const = default;
};

struct CompiledWorkflow {
  std::string id;
  std::string name;
  std::string description;
  std::string version;
  std::vector<std::string> tags;
  std::vector<PromptStep> steps;  // at least one
  bool operator==(const CompiledWorkflow&) const = default;
};

json::Value to_json(const CompiledWorkflow& workflow);

/// Reads what to_json wrote. STORE_CORRUPT when it is anything else.
Result<CompiledWorkflow> compiled_from_json(const json::Value& value);

/// A compiled workflow with the canonical text that names it.
struct Pinned {
  CompiledWorkflow workflow;
  std::string text;
  Sha256 hash;
};

Result<Pinned> pin(CompiledWorkflow workflow);

/// Reads a pinned text back and checks it against its hash. STORE_CORRUPT when it was changed.
Result<Pinned> unpin(std::string text, const Sha256& hash);

/// Letters, digits, '-', '_', ':', '.'; 1 to 128 characters; never a path.
bool is_valid_name(std::string_view name);

}  // namespace baton::workflow
