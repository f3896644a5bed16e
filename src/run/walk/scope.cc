#include "run/walk/scope.h"

#include <algorithm>

#include "base/text/text.h"
#include "run/steps/behaviour.h"
#include "run/steps/tasks.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::Step;

/// Whether steps inside are done several times, each a round of its own.
bool has_rounds(const BlockLevel& level) {
  return level.owner != nullptr && behaviour_of(*level.owner).has_rounds;
}

bool has_frame(const workflow::CompiledWorkflow& workflow, const Step& step) {
  const auto check = behaviour_of(step).has_frame;
  return check != nullptr && check(workflow, step);
}

/// As JavaScript counts: in units of UTF-16. Only four-byte characters take two.
std::int64_t text_length(std::string_view text) {
  std::int64_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

std::optional<Value> length_of(const Value& value) {
  if (const json::Array* list = value.if_array()) return static_cast<std::int64_t>(list->size());
  if (const std::string* text = value.if_string()) return text_length(*text);
  return std::nullopt;
}

const Value* member_of(const Value& value, std::string_view name) {
  if (const json::Array* list = value.if_array()) {
    const auto index = parse_int(name);
    const bool is_in = index && *index >= 0 && static_cast<std::size_t>(*index) < list->size();
    return is_in ? &(*list)[static_cast<std::size_t>(*index)] : nullptr;
  }
  return value.find(name);
}

}  // namespace

std::int64_t failure_position(const workflow::CompiledWorkflow& workflow) {
  return std::ssize(workflow.steps) + 1;
}

Outermost outermost(const workflow::CompiledWorkflow& workflow, std::int64_t position) {
  const std::int64_t failing = failure_position(workflow);
  if (position >= failing) return {&workflow.on_failure, failing};
  return {&workflow.steps, 0};
}

std::vector<BlockLevel> levels_of(const workflow::CompiledWorkflow& workflow,
                                  const Cursor& cursor) {
  const Outermost outer = outermost(workflow, cursor.position);
  std::vector<BlockLevel> levels{{nullptr, nullptr, outer.steps, false}};
  auto index = static_cast<std::size_t>(cursor.position - outer.first);
  for (const CursorFrame& frame : cursor.frames) {
    const std::vector<Step>& around = *levels.back().steps;
    if (index >= around.size()) break;
    const std::vector<workflow::Block>& blocks = workflow::blocks_of(workflow, around[index]);
    const auto block = static_cast<std::size_t>(frame.block);
    if (block >= blocks.size()) break;
    levels.push_back(
        {&around[index], &frame, &blocks[block].steps, has_frame(workflow, around[index])});
    index = static_cast<std::size_t>(frame.index);
  }
  return levels;
}

const Step* step_at(const workflow::CompiledWorkflow& workflow, const Cursor& cursor) {
  const std::vector<BlockLevel> levels = levels_of(workflow, cursor);
  if (levels.size() != cursor.frames.size() + 1) return nullptr;
  const auto index = static_cast<std::size_t>(
      cursor.frames.empty() ? cursor.position - outermost(workflow, cursor.position).first
                            : cursor.frames.back().index);
  const std::vector<Step>& steps = *levels.back().steps;
  return index < steps.size() ? &steps[index] : nullptr;
}

std::string key_at(const workflow::CompiledWorkflow& workflow, const Cursor& cursor) {
  const Step* step = step_at(workflow, cursor);
  ASSERT(step != nullptr);
  std::vector<workflow::LoopRound> rounds;
  for (const BlockLevel& level : levels_of(workflow, cursor)) {
    if (has_rounds(level)) rounds.push_back({level.owner->id, level.frame->iteration});
  }
  return workflow::instance_key(rounds, step->id);
}

Object loop_variables(const workflow::CompiledWorkflow& workflow, const Cursor& cursor) {
  Object out;
  if (cursor.frames.empty()) return out;
  std::vector<workflow::LoopRound> rounds;
  for (const BlockLevel& level : levels_of(workflow, cursor)) {
    if (!has_rounds(level)) continue;
    behaviour_of(*level.owner)
        .add_variables(out, *level.owner, *level.frame,
                       workflow::instance_key(rounds, level.owner->id));
    rounds.push_back({level.owner->id, level.frame->iteration});
  }
  return out;
}

Object variables_at(const workflow::CompiledWorkflow& workflow, const Cursor& cursor,
                    const FailureCounts& setbacks) {
  Object out = loop_variables(workflow, cursor);
  if (setbacks.error && !out.contains("error")) out.set("error", to_json(*setbacks.error));
  return out;
}

Object spare_names(const workflow::CompiledWorkflow& workflow, const Cursor& cursor,
                   const RunId& run) {
  Object out{{"workflow_id", run.text()}};
  if (cursor.frames.empty()) return out;
  for (const BlockLevel& level : levels_of(workflow, cursor)) {
    if (level.owner == nullptr || !behaviour_of(*level.owner).is_for_sub_agents) continue;
    const Value* pinned = level.frame->pinned.get();
    const Value* item = pinned == nullptr ? nullptr : pinned->find("item");
    out.set("batch_id", batch_name(item == nullptr ? Value() : *item,
                                   static_cast<std::size_t>(level.frame->iteration)));
  }
  return out;
}

FramePlace frame_of(std::span<const BlockLevel> levels) {
  std::vector<workflow::LoopRound> rounds;
  FramePlace place;
  for (const BlockLevel& level : levels) {
    if (level.has_frame) {
      place = {workflow::instance_key(rounds, level.owner->id), level.owner->id};
    }
    if (has_rounds(level)) rounds.push_back({level.owner->id, level.frame->iteration});
  }
  return place;
}

std::span<const BlockLevel> around_task(std::span<const BlockLevel> levels) {
  for (std::size_t at = levels.size(); at > 1; --at) {
    if (behaviour_of(*levels[at - 1].owner).is_for_sub_agents) return levels.first(at - 1);
  }
  return {};
}

std::string_view include_of(std::string_view frame_key) {
  const std::size_t rounds = frame_key.rfind("::");
  return rounds == std::string_view::npos ? frame_key : frame_key.substr(rounds + 2);
}

RunScope scope_at(const workflow::CompiledWorkflow& workflow, const NodeState& state) {
  Object variables = variables_at(workflow, state.cursor, state.known().setbacks);
  Object spare = spare_names(workflow, state.cursor, state.task ? state.task->run : state.run);
  if (state.states == nullptr) {
    return RunScope(*state.context, std::move(variables)).with_spare_names(std::move(spare));
  }
  return RunScope(*state.context, std::move(variables), state.states.get(),
                  frame_of(levels_of(workflow, state.cursor)))
      .with_spare_names(std::move(spare));
}

RunScope RunScope::with_spare_names(Object spare) && {
  spare_ = std::move(spare);
  return std::move(*this);
}

RunScope::RunScope(const Object& context, Object loop_variables, const States* states,
                   const FramePlace& place)
    : context_(context), loop_variables_(std::move(loop_variables)), include_(place.include) {
  if (states == nullptr) return;
  const auto found = states->find(place.key);
  if (found == states->end()) return;
  frame_ = &found->second;
  const auto root = states->find("");
  if (!place.key.empty() && root != states->end()) global_ = &root->second;
}

state::Scope RunScope::names(const Schemas* schemas) const {
  ASSERT(frame_ == nullptr || schemas != nullptr);
  state::Scope out = frame_ == nullptr
                         ? state::Scope(&context_)
                         : state::Scope(schemas->of_include(include_), *frame_, global_, &context_);
  for (const json::Member& each : loop_variables_) {
    out = std::move(out).with(each.key, state::Tree::from(each.value));
  }
  for (const json::Member& each : spare_) {
    const std::string_view name = each.key;
    const state::Found found = out.find({&name, 1}).found;
    const bool knows_all = frame_ != nullptr && schemas->of_include(include_).declares_state();
    const bool is_free =
        found == state::Found::unknown || (found == state::Found::undefined && !knows_all);
    if (is_free) out = std::move(out).with(each.key, state::Tree::from(each.value));
  }
  return out;
}

const Value* RunScope::find(std::string_view name) const {
  const Value* found = loop_variables_.find(name);
  return found != nullptr ? found : context_.find(name);
}

/// What a path names in the frame, whose fields are read by their bare names too.
std::optional<Value> RunScope::in_frame(std::string_view path) const {
  std::vector<std::string> segments;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    segments.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  state::Path at{state::Root::this_frame, segments};
  for (const state::Root root :
       {state::Root::raw, state::Root::computed, state::Root::state, state::Root::this_frame,
        state::Root::global, state::Root::inputs}) {
    if (segments[0] != state::name_of(root)) continue;
    at = {root, {segments.begin() + 1, segments.end()}};
  }
  const bool is_other = at.root == state::Root::global && global_ != nullptr;
  const state::Frame& frame = is_other ? *global_ : *frame_;
  if (const auto found = state::read(frame, at)) return found->to_json();
  if (at.segments.empty() || at.segments.back() != "length") return std::nullopt;
  at.segments.pop_back();
  const auto owner = state::read(frame, at);
  const auto length = owner ? state::length_of(*owner) : std::nullopt;
  return length ? std::optional(length->to_json()) : std::nullopt;
}

std::optional<Value> RunScope::get(std::string_view path) const {
  // A name may hold full stops of its own.
  if (const Value* whole = loop_variables_.find(path)) return *whole;
  std::size_t dot = path.find('.');
  if (frame_ != nullptr && !loop_variables_.contains(path.substr(0, dot))) {
    if (auto found = in_frame(path)) return found;
  }
  if (const Value* whole = context_.find(path)) return *whole;
  const Value* at = find(path.substr(0, dot));
  if (at == nullptr && path.starts_with("inputs.")) return get(path.substr(7));
  if (at == nullptr) at = spare_.find(path.substr(0, dot));
  while (at != nullptr && dot != std::string_view::npos) {
    path.remove_prefix(dot + 1);
    dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    const Value* next = member_of(*at, name);
    if (next == nullptr && name == "length" && dot == std::string_view::npos) return length_of(*at);
    at = next;
  }
  if (at == nullptr) return std::nullopt;
  return *at;
}

}  // namespace baton::run
