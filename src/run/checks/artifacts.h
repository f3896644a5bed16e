#pragma once
// Artifacts that the engine itself understands, told by their kind: `baton.loop_control` and its
// like, in either spelling of the namespace. Every other artifact is data and left alone. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/json/json.h"
#include "run/log/facts.h"

namespace baton::run {

/// How an example of an output, which a recorded reply has, names its notes.
inline constexpr std::string_view notes_key = "notesMarkdown";
/// And the values of the context that are due with it, which are no part of an output.
inline constexpr std::string_view context_key = "context";
/// In samples of outputs; what only the agent knows (run/checks/slots.h).
inline constexpr std::string_view notes_placeholder =
    "<fill in: what you did and found in this step>";

/// What an agent says of a loop: the innermost one, or the one that it names.
struct LoopControl {
  std::string loop_id;  // may be empty
  LoopDecision decision = LoopDecision::stop;
  bool operator==(const LoopControl&) const = default;
};

/// What only the user can give. While `answer` is empty it is open.
struct UserDependency {
  Reason need = Reason::needs_user_choice;
  std::string summary;
  std::string answer;
  bool operator==(const UserDependency&) const = default;
};

/// An artifact of a known kind that is not of its form.
struct BadArtifact {
  std::size_t index = 0;  // among the artifacts
  std::string contract;
  std::string message;  // every problem, with paths
  bool operator==(const BadArtifact&) const = default;
};

/// What an output reports, each list in the order it was sent. Facts have no run and node yet.
struct Signals {
  std::vector<LoopControl> loop_controls;
  std::vector<CapabilityObserved> observations;
  std::vector<DivergenceRecorded> divergences;
  std::vector<GapResolved> resolutions;
  std::vector<Assessment> assessments;
  std::vector<UserDependency> dependencies;
  std::size_t expected_count = 0;  // of the kind that an expected contract names which is not ours
  std::vector<std::string> confirmations;  // the user's own words, as the agent has them
  std::string choice;                      // that the last of these names; may be empty
  std::vector<std::string> assumptions;    // what was assumed in the user's place
  std::optional<json::Value> result;       // of the last artifact {"kind": "baton.result", "value"}
  std::optional<std::string> failure;      // of the last {"kind": "baton.step_failure", "message"}
  std::vector<BadArtifact> bad;
  bool operator==(const Signals&) const = default;
};

/// `expected` is the contract of the step, or empty: its artifact may leave the namespace out.
Signals read_artifacts(const json::Array& artifacts, std::string_view expected = {});

/// The kind of the artifact whose `value` is the result of a step.
inline constexpr std::string_view result_kind = "baton.result";

/// The kind of the artifact whose `message` says why a step could not be done.
inline constexpr std::string_view failure_kind = "baton.step_failure";

/// The kind of the artifact whose `words` are those with which the user agreed.
inline constexpr std::string_view confirmation_kind = "baton.confirmation";

/// The kind of the artifact whose `summary` says what the agent decided in the user's place.
inline constexpr std::string_view assumption_kind = "baton.assumption";

/// The same artifact, filled in but for what only the sender knows.
json::Value example_confirmation();
json::Value example_assumption();

/// Whether a text stands in the place of one that is still to be written: it is empty, has no
/// letter or digit, or is one angle bracket of an example.
bool is_blank(std::string_view text);

/// INVALID_INPUT for artifacts that are not of their form, except those of the contract `expected`:
/// these are judged as the step's output.
Result<void> check_artifacts(const Signals& signals, std::string_view expected = {});

/// Whether Baton knows what an artifact of that contract looks like. Of another one, which a file
/// of another system may name, any artifact of its kind will do.
bool is_known_contract(std::string_view contract);

/// The contract that an artifact's kind names, such as "loop_control"; empty for any other kind.
std::string_view contract_of_kind(std::string_view kind, std::string_view expected = {});

/// What may be in an artifact of that contract, in a sentence.
std::string_view form_of(std::string_view contract);

/// An artifact of that contract, filled in but for what only the sender knows.
json::Value example_of(std::string_view contract);

}  // namespace baton::run
