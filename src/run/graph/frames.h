#pragma once
// Frames: the states of a run's workflows and what its steps do to them. Everything comes out as
// events; what they make of a state is run/graph/state.h's replay(), for who decides and for the
// fold alike. Pure.

#include <span>
#include <string>
#include <vector>

#include "run/graph/schemas.h"
#include "run/graph/state.h"
#include "run/walk/scope.h"
#include "state/answers.h"
#include "state/known.h"
#include "state/write.h"

namespace baton::run {

/// The first state of a run. `given`: the context it starts with.
state::Known<StateUpdated> first_frame(const workflow::CompiledWorkflow& workflow,
                                       const json::Object& given, const UpdateContext& updating);

/// The first state of the workflow that the step `id` includes; `scope` is that of the step.
state::Known<StateUpdated> entered_frame(std::string_view id, const workflow::Include& include,
                                         const FramePlace& place, const States& states,
                                         const RunScope& scope, const UpdateContext& updating);

/// The first state of a task that has a frame of its own.
state::Known<StateUpdated> task_frame(const FramePlace& place, const States& states,
                                      const json::Object& inputs, const UpdateContext& updating);

/// The end of an include's frame: what it computed is its parent's to read. One event for each
/// frame that changes.
state::Known<std::vector<StateUpdated>> left_frame(const FramePlace& place,
                                                   const FramePlace& parent, const States& states,
                                                   const UpdateContext& updating);

/// The writes of a step's `updates`, with every expression in them evaluated.
state::Known<std::vector<state::Write>> writes_of(const json::Array& updates,
                                                  const state::Scope& names,
                                                  const UpdateContext& updating);

/// What the engine notes by itself in the root's frame, where the workflow declares the field.
struct StepNote {
  enum class Kind : std::uint8_t { completed, retried, failed };
  Kind kind = Kind::completed;
  StepError error;  // of a completed one, its step alone
};
std::vector<state::Write> writes_of(const StepNote& note, const Schemas& schemas);

/// The effect of writes at a place: one event for each frame that changes, or nothing happens.
/// `noted` goes to the root's frame.
state::Known<std::vector<StateUpdated>> updated_frames(
    const FramePlace& place, const States& states, std::span<const state::Write> writes,
    std::span<const state::Write> noted, std::string_view cause, const UpdateContext& updating);

/// Notes with `updates`, the effect of `writes` inside `levels`, those that go to the state of
/// the run that a task belongs to: what is written to a frame that is not the task's own.
void keep_task_writes(std::span<const BlockLevel> levels, std::span<const state::Write> writes,
                      std::vector<StateUpdated>& updates);

/// What makes a frame from nothing.
state::Delta delta_of(const state::Frame& frame);

}  // namespace baton::run
