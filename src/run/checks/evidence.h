#pragma once
// Evidence: what must be seen to be so before a step closes. Which places are looked at, how what
// was seen there is judged, and the words for it before and after. The reader is outside: looks
// go out, what was seen comes in. Pure.
//
// A step is looked at twice: when it becomes open (the baseline) and when an attempt would close
// it. What was there before does not count as done.

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/json/json.h"
#include "run/checks/criteria.h"
#include "run/decide/verdict.h"
#include "run/log/evidence_record.h"

namespace baton::run {

// --- what is required ----------------------------------------------------------------------------

struct FileExists {
  std::string path;
};
struct FileContains {
  std::string path;
  std::string pattern;
};
struct FileChanged {
  std::string path;
};
struct CommitExists {
  std::string commit;  // its digest, or the beginning; empty: a new commit at HEAD
};
struct CommandPasses {
  std::vector<std::string> argv;
  std::int64_t exit = 0;
};
struct ArtifactGiven {
  std::string type;
  std::optional<json::Value> schema;
  std::int64_t min_bytes = 0;  // of its JSON text
};
struct StateHolds {
  std::string expression;
};
using Requirement = std::variant<FileExists, FileContains, FileChanged, CommitExists, CommandPasses,
                                 ArtifactGiven, StateHolds>;

/// The requirements of a step by its compiled `evidence`, with the values already filled in.
/// INVALID_INPUT when a value made it something else; LIMIT_EXCEEDED past
/// limits::evidence_per_step_max.
Result<std::vector<Requirement>> read_evidence(const json::Value& evidence);

/// Short and unique within a step: "file_exists out/index.html". The value of the pointer.
std::string name_of(const Requirement& requirement);

/// The requirements as sentences, for the prompt.
std::vector<std::string> describe_evidence(std::span<const Requirement> requirements);

// --- what is looked at ---------------------------------------------------------------------------

/// What to look at when the step becomes open.
std::vector<Probe> baseline_probes(std::span<const Requirement> requirements);

/// What to look at when an attempt would close it, in the order that check_evidence wants.
std::vector<Probe> closing_probes(std::span<const Requirement> requirements,
                                  const Baseline& baseline);

// --- the verdict ---------------------------------------------------------------------------------

struct EvidenceCheck {
  std::vector<Finding> findings;  // of reason evidence_missing; empty when all is met
  std::vector<EvidenceEntry> entries;
};

/// What an attempt is judged by.
struct EvidenceShown {
  std::span<const ProbeResult> seen;  // answers closing_looks
  const json::Array& artifacts;
  Holds holds;                // whether {"js": expression} is true
  std::string_view workflow;  // whose commands they are
};
EvidenceCheck check_evidence(std::span<const Requirement> requirements, const Baseline& baseline,
                             const EvidenceShown& shown);

}  // namespace baton::run
