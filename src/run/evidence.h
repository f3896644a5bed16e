#pragma once
// Evidence: what must be seen to be so before a step closes. Which places are looked at, how what
// was seen there is judged, and the words for it before and after. Whoever looks is outside: looks
// go out, what was seen comes in. Pure.
//
// A step is looked at twice: when it becomes pending (the baseline) and when an attempt would close
// it. What was there before does not count as done.

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/sha256.h"
#include "run/criteria.h"
#include "run/reasons.h"

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

struct Look {
  enum class Kind : std::uint8_t { file, commit, command };
  Kind kind = Kind::file;
  std::string what;               // a path beneath the workspace, or a commit; empty: HEAD
  std::vector<std::string> argv;  // of a command
  bool with_text = false;         // of a file
  bool operator==(const Look&) const = default;
};

struct Seen {
  enum class Kind : std::uint8_t {
    nothing,  // there is no such thing
    file,     // a regular file
    folder,
    link,   // a symbolic link, or a path through one
    other,  // a device, a socket, outside the workspace
    commit,
    ended,     // a command, by itself
    no_end,    // a command that was killed, or could not be started
    untrusted  // a command that may not be run
  };
  Kind kind = Kind::nothing;
  std::int64_t bytes = 0;                // of a file
  std::optional<Sha256> digest;          // of a file; none when it is too large to be read
  std::optional<std::string> text = {};  // of a file, when it was asked for and is not too large
  std::string commit = {};               // its whole digest
  std::int64_t exit = 0;                 // of a command that ended
  std::string said = {};                 // the end of what a command wrote, or what was in its way
  bool operator==(const Seen&) const = default;
};

/// What to look at when the step becomes pending.
std::vector<Look> baseline_looks(std::span<const Requirement> requirements);

/// What to look at when an attempt would close it, in the order that check_evidence wants.
std::vector<Look> closing_looks(std::span<const Requirement> requirements);

// --- what is kept --------------------------------------------------------------------------------

/// One thing as it was, without its text.
struct Trace {
  Look::Kind kind = Look::Kind::file;
  std::string what;
  Seen seen;
  bool operator==(const Trace&) const = default;
};
using Baseline = std::vector<Trace>;

/// REQUIRES: one Seen for each Look.
Baseline baseline_of(std::span<const Look> looks, std::span<const Seen> seen);

json::Value to_json(const Baseline& baseline);
Result<Baseline> baseline_from_json(const json::Value& value);

/// One requirement as it was judged: what the event evidence_recorded carries of it.
struct EvidenceEntry {
  std::string requirement;
  bool is_met = false;
  std::string found;
  std::optional<Sha256> digest;  // of the file, or of what the command said
  bool operator==(const EvidenceEntry&) const = default;
};

/// The event evidence_recorded: of the baseline when `entries` is empty.
struct EvidenceRecorded {
  RunId run;
  NodeId node;
  std::string step;  // its key
  Baseline baseline;
  std::vector<EvidenceEntry> entries;
  bool operator==(const EvidenceRecorded&) const = default;
};
json::Value to_json(const EvidenceRecorded& event);
Result<EvidenceRecorded> evidence_from_json(const json::Value& value);

// --- the verdict ---------------------------------------------------------------------------------

struct EvidenceCheck {
  std::vector<Finding> findings;  // of reason evidence_missing; empty when all is met
  std::vector<EvidenceEntry> entries;
};

/// `seen` answers closing_looks(requirements). `holds` says whether {"js": expression} is true.
EvidenceCheck check_evidence(std::span<const Requirement> requirements, const Baseline& baseline,
                             std::span<const Seen> seen, const json::Array& artifacts,
                             const Holds& holds);

}  // namespace baton::run
