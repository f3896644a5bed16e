#pragma once
// Recording: how what a caller sends becomes events, and the state what they make of it. Shared by
// for every decision. Pure.

#include <string_view>
#include <vector>

#include "run/decide/submission.h"
#include "run/graph/state.h"
#include "run/policy/policy.h"
#include "workflow/compiled.h"

namespace baton::run {

/// LIMIT_EXCEEDED or INVALID_UTF8 when a text cannot be kept.
Result<void> check_text(std::string_view what, std::string_view text, std::size_t bytes_max,
                        std::string_view next = "send less, or name a file that holds it");
/// What a person does who said too much.
inline constexpr std::string_view fewer_words = "say it in fewer words";

/// A path as a caller names it: it is kept as it is and nothing is looked up.
Result<void> check_path(std::string_view what, std::string_view path);

/// LIMIT_EXCEEDED when a part of the input is larger than what is kept of it. Asked first: nothing
/// is judged, merged or evaluated for an input that is rejected anyway.
Result<void> check_sizes(const StepInput& input);

/// The events of an output, the notes first and the artifacts in the order they were sent.
Result<void> append_output(std::vector<Event>& events, const RunId& run, const NodeId& node,
                           const StepInput& input);

/// Context and preferences that begin to hold at `state.node`. `change` says where a change of the
/// preferences comes from; none for what a run simply begins with.
Result<void> append_settings(std::vector<Event>& events, NodeState& state,
                             const json::Object& context, ContextSource source,
                             const PreferencesDelta& preferences,
                             const std::optional<PreferenceChange>& change = {});

/// Adds what is recorded at `state.node`, and to the state what it changes there.
void append_fact(std::vector<Event>& events, NodeState& state, Event fact);

/// The policy that counts for this act, where it differs from the last one on the path.
void append_policy(std::vector<Event>& events, NodeState& state, const Policy& policy);

/// The same for what happened to a frame; sets its run and node.
Result<void> append_update(std::vector<Event>& events, NodeState& state, StateUpdated update);

/// Moves the state to where a walk has arrived, with the items for sub-agents there.
void move_to(NodeState& state, const workflow::CompiledWorkflow& workflow, Cursor cursor,
             std::shared_ptr<const json::Value> items);

}  // namespace baton::run
