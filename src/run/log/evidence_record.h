#pragma once
// What evidence leaves in the log: what was looked at, what was seen there, and the verdict.
// How it is judged is run/checks/evidence.h's. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/core/ids.h"
#include "base/core/sha256.h"
#include "base/json/fields.h"

namespace baton::run {

/// Commits by their digests, which are kept as bytes, one after the other.
struct CommitSet {
  std::int64_t id_bytes = 20;  // of one digest
  std::string named;           // what branches, tags and other refs led to, and nothing below that
  std::string others;          // every commit that no ref led to
  bool operator==(const CommitSet&) const = default;
};

struct Probe {
  enum class Kind : std::uint8_t { file, commit, command, workspace, repository };
  Kind kind = Kind::file;
  std::string what;               // a path beneath the workspace, or a commit; empty: HEAD
  std::vector<std::string> argv;  // of a command
  bool with_text = false;         // of a file
  // Of HEAD: the commits that were there before. Nothing: all that are there now are wanted.
  std::optional<CommitSet> known = {};
  bool operator==(const Probe&) const = default;
};

/// A commit that HEAD leads to and that was not there before.
struct FreshCommit {
  std::string commit;
  std::string tree;
  std::vector<std::string> parent_trees;
  std::string repeats;  // the commit that was there before and went from the same trees to this one
  bool operator==(const FreshCommit&) const = default;
};

struct ProbeResult {
  enum class Kind : std::uint8_t {
    nothing,  // there is no such thing
    file,     // a regular file
    folder,   // also the workspace, and a repository
    link,     // a symbolic link, or a path through one
    other,    // a device, a socket, outside the workspace; a repository that cannot be read
    commit,
    ended,         // a command, by itself
    no_end,        // a command that was killed, or could not be started
    untrusted,     // a command that may not be run
    no_workspace,  // there is nowhere to look: the run has no folder
    assumed        // in a simulation, where every look is assumed to succeed
  };
  Kind kind = Kind::nothing;
  std::int64_t bytes = 0;                // of a file
  std::optional<Sha256> digest;          // of a file; none when it is too large to be read
  std::optional<std::string> text = {};  // of a file, when it was asked for and is not too large
  std::string commit = {};               // its whole digest
  bool is_at_head = false;               // of a commit by its digest: HEAD leads to it
  std::vector<std::string> tips = {};    // of HEAD, in a baseline of 0.1.0: some of the refs
  std::optional<CommitSet> known = {};   // of HEAD, in a baseline: all commits that are there
  std::vector<FreshCommit> fresh = {};   // of HEAD, if `known` were given: the newest first
  // Of the workspace and the repository: which folder it is, independent of its path.
  std::string place = {};
  std::optional<Sha256> alternates = {};  // of a repository that borrows objects from others
  std::optional<Sha256> shallow = {};     // of a repository whose history is cut
  std::int64_t exit = 0;                  // of a command that ended
  std::string said = {};                  // the end of what a command wrote, or what was in the way
  bool operator==(const ProbeResult&) const = default;
};

/// One thing as it was, without its text.
struct BaselineEntry {
  Probe::Kind kind = Probe::Kind::file;
  std::string what;
  ProbeResult seen;
  bool operator==(const BaselineEntry&) const = default;
};
using Baseline = std::vector<BaselineEntry>;

/// Whether it holds anything that 0.1.0 does not know.
bool is_newer_than_format_1(const Baseline& baseline);

/// REQUIRES: one Seen for each Look.
Baseline baseline_of(std::span<const Probe> looks, std::span<const ProbeResult> seen);

json::Array to_json(const Baseline& baseline);
Result<Baseline> baseline_from(const json::Array& list);

/// Whether a list of requirements can be judged again.
bool is_evidence(const json::Value& requirements);

/// What a step has to prove, settled when it became open: a change of values moves no goal.
struct StepEvidence {
  std::string step;          // its key
  json::Value requirements;  // as compiled, with the values filled in
  Baseline baseline;
  bool operator==(const StepEvidence&) const = default;

  static constexpr std::string_view name = "evidence";
  static void describe(auto& e, auto& v) {
    v("step", e.step);
    v("requirements", e.requirements);
    v.must("requirements", "a list of evidence", [&] { return is_evidence(e.requirements); });
    v.unless_empty("baseline", e.baseline);
  }
};

/// One requirement as it was judged.
struct EvidenceEntry {
  std::string requirement;
  bool is_met = false;
  std::string found;
  std::optional<Sha256> digest;  // of the file, or of what the command said
  bool operator==(const EvidenceEntry&) const = default;

  static constexpr std::string_view name = "evidence";
  static void describe(auto& e, auto& v) {
    v("requirement", e.requirement);
    v("met", e.is_met);
    v("found", e.found);
    v.unless_empty("sha256", e.digest);
  }
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

  static constexpr std::string_view name = "evidence_recorded";
  static void describe(auto& e, auto& v) {
    v("run", e.run);
    v("node", e.node);
    v("step", e.step);
    v.unless_empty("requirements", e.requirements);
    v.must("requirements", "a list of evidence",
           [&] { return e.requirements.is_null() || is_evidence(e.requirements); });
    v.unless_empty("baseline", e.baseline);
    v.unless_empty("entries", e.entries);
  }
};

}  // namespace baton::run
