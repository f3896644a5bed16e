#pragma once
// What evidence leaves in the log: what was looked at, what was seen there, and what came of it.
// How it is judged is run/evidence.h's. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/json_fields.h"
#include "base/sha256.h"

namespace baton::run {

struct Look {
  enum class Kind : std::uint8_t { file, commit, command };
  Kind kind = Kind::file;
  std::string what;               // a path beneath the workspace, or a commit; empty: HEAD
  std::vector<std::string> argv;  // of a command
  bool with_text = false;         // of a file
  // Of HEAD: commits that were there before. What they lead to is not new.
  std::vector<std::string> known = {};
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
    ended,         // a command, by itself
    no_end,        // a command that was killed, or could not be started
    untrusted,     // a command that may not be run
    no_workspace,  // there is nowhere to look: the run has no folder
    assumed        // in a rehearsal, where whatever is asked for is taken for granted
  };
  Kind kind = Kind::nothing;
  std::int64_t bytes = 0;                // of a file
  std::optional<Sha256> digest;          // of a file; none when it is too large to be read
  std::optional<std::string> text = {};  // of a file, when it was asked for and is not too large
  std::string commit = {};               // its whole digest
  std::vector<std::string> tips = {};    // of HEAD, unless any are known: those of other branches
  bool is_new = false;                   // of HEAD, if any are known
  std::int64_t exit = 0;                 // of a command that ended
  std::string said = {};                 // the end of what a command wrote, or what was in its way
  bool operator==(const Seen&) const = default;
};

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

/// What a step has to prove, settled when it became open: a change of values moves no goal.
struct StepEvidence {
  std::string step;          // its key
  json::Value requirements;  // as compiled, with the values filled in
  Baseline baseline;
  bool operator==(const StepEvidence&) const = default;
};
json::Object to_json(const StepEvidence& evidence);
Result<StepEvidence> step_evidence_from_json(const json::Value& value);

/// One requirement as it was judged.
struct EvidenceEntry {
  std::string requirement;
  bool is_met = false;
  std::string found;
  std::optional<Sha256> digest;  // of the file, or of what the command said
  bool operator==(const EvidenceEntry&) const = default;
};

/// Either what a step that became open has to prove, or how an attempt at it was judged.
struct EvidenceRecorded {
  RunId run;
  NodeId node;
  std::string step;          // its key
  json::Value requirements;  // null when it was judged
  Baseline baseline;
  std::vector<EvidenceEntry> entries;
  bool operator==(const EvidenceRecorded&) const = default;
};
json::Object fact_fields(const EvidenceRecorded& fact);
Result<void> read_fact(json::Fields& fields, EvidenceRecorded& fact);

}  // namespace baton::run
