#pragma once
// Updates: writes go in, and their effect comes out as a Delta, or an error and nothing
// happens. Every computed field that reads what changed is computed again, once, after all that it
// reads; fields that do not read one another are asked for at once. Pure.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "state/answers.h"
#include "state/delta.h"
#include "state/frame.h"
#include "state/known.h"
#include "state/schema.h"
#include "state/write.h"

namespace baton::state {

/// The delta of a frame's first state. `defaults`: Schema::defaults() with every text rendered.
/// `inputs`: values of the frame's inputs.
Known<Delta> first_state(const StateSchema& schema, const json::Object& defaults,
                         const json::Object& inputs, const ScriptSeed& draw, ScriptAnswers& answers,
                         const Frame* global = nullptr);

/// The delta of writes, made in order. What is wrong with one of them, or with a field that
/// propagates, is an error, and no write of the batch happens. `global`: the root's frame, when
/// `frame` is another.
Known<Delta> apply_writes(const StateSchema& schema, const Frame& frame,
                          std::span<const Write> writes, const ScriptSeed& draw,
                          ScriptAnswers& answers, const Frame* global = nullptr);

/// The delta of assignments that are decided already: what a finished include computed, as
/// `this.<step>`. They are not checked against types.
Known<Delta> apply_assignments(const StateSchema& schema, const Frame& frame,
                               std::vector<Assignment> assignments, const ScriptSeed& draw,
                               ScriptAnswers& answers, const Frame* global = nullptr);

/// The delta of a nested frame after the root's frame changed at these places (the paths of the
/// sets and `computed.` fields of the root's delta).
Known<Delta> follow_global(const StateSchema& schema, const Frame& frame,
                           std::span<const Path> changed, const ScriptSeed& draw,
                           ScriptAnswers& answers, const Frame& global);

/// What the transform of a field was given, read from the frame right after its delta.
/// REQUIRES: schema.find_computed(field).
std::optional<json::Value> input_of(const StateSchema& schema, const Frame& after,
                                    std::string_view field, const Frame* global = nullptr);

}  // namespace baton::state
