#include "run/scope.h"

#include <algorithm>

#include "base/text.h"
#include "workflow/expression.h"

namespace baton::run {
namespace {

using json::Object;
using json::Value;
using workflow::Step;
using workflow::StepKind;

/// The name that a loop gives one of its variables; empty when it has none.
std::string_view variable_of(const Step& loop, std::string_view field) {
  const Value* name = loop.fields.find(field);
  return name != nullptr && name->is_string() ? std::string_view(*name->if_string()) : "";
}

void add_variables(Object& out, const Step& loop, const Frame& frame) {
  const std::string_view iteration = variable_of(loop, "iteration_var");
  if (iteration.empty()) {
    out.set("loop", Object{{"iteration", frame.iteration + 1}});
  } else {
    out.set(iteration, frame.iteration + 1);
  }
  const json::Array* items = items_of(loop, frame);
  if (items == nullptr) return;
  const auto index = static_cast<std::size_t>(frame.iteration);
  if (const auto name = variable_of(loop, "item_var"); !name.empty() && index < items->size()) {
    out.set(name, (*items)[index]);
  }
  if (const auto name = variable_of(loop, "index_var"); !name.empty()) {
    out.set(name, frame.iteration);
  }
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

std::vector<Level> levels_of(const workflow::CompiledWorkflow& workflow, const Cursor& cursor) {
  std::vector<Level> levels{{nullptr, nullptr, &workflow.steps}};
  auto index = static_cast<std::size_t>(cursor.position);
  for (const Frame& frame : cursor.frames) {
    const std::vector<Step>& around = *levels.back().steps;
    const auto block = static_cast<std::size_t>(frame.block);
    if (index >= around.size() || block >= around[index].blocks.size()) break;
    levels.push_back({&around[index], &frame, &around[index].blocks[block].steps});
    index = static_cast<std::size_t>(frame.index);
  }
  return levels;
}

const Step* step_at(const workflow::CompiledWorkflow& workflow, const Cursor& cursor) {
  const std::vector<Level> levels = levels_of(workflow, cursor);
  if (levels.size() != cursor.frames.size() + 1) return nullptr;
  const auto index = static_cast<std::size_t>(cursor.frames.empty() ? cursor.position
                                                                    : cursor.frames.back().index);
  const std::vector<Step>& steps = *levels.back().steps;
  return index < steps.size() ? &steps[index] : nullptr;
}

std::string key_at(const workflow::CompiledWorkflow& workflow, const Cursor& cursor) {
  const Step* step = step_at(workflow, cursor);
  ASSERT(step != nullptr);
  std::vector<workflow::LoopRound> rounds;
  for (const Level& level : levels_of(workflow, cursor)) {
    if (level.owner == nullptr || level.owner->kind != StepKind::loop) continue;
    rounds.push_back({level.owner->id, level.frame->iteration});
  }
  return workflow::instance_key(rounds, step->id);
}

const json::Array* items_of(const Step& loop, const Frame& frame) {
  if (frame.pinned != nullptr) return frame.pinned->if_array();
  const Value* items = loop.fields.find("items");
  const Value* list = items == nullptr ? nullptr : items->find("list");
  return list == nullptr ? nullptr : list->if_array();
}

std::int64_t rounds_of(const Step& loop, const Frame& frame) {
  if (const json::Array* items = items_of(loop, frame)) {
    return static_cast<std::int64_t>(items->size());
  }
  const Value* count = frame.pinned != nullptr ? frame.pinned.get() : loop.fields.find("count");
  const std::int64_t* rounds = count == nullptr ? nullptr : count->if_int();
  return rounds == nullptr ? 0 : *rounds;
}

Object loop_variables(const workflow::CompiledWorkflow& workflow, const Cursor& cursor) {
  Object out;
  if (cursor.frames.empty()) return out;
  for (const Level& level : levels_of(workflow, cursor)) {
    if (level.owner != nullptr && level.owner->kind == StepKind::loop) {
      add_variables(out, *level.owner, *level.frame);
    }
  }
  return out;
}

Scope scope_at(const workflow::CompiledWorkflow& workflow, const NodeState& state) {
  return {*state.context, loop_variables(workflow, state.cursor)};
}

const Value* Scope::find(std::string_view name) const {
  const Value* found = loop_variables_.find(name);
  return found != nullptr ? found : context_.find(name);
}

state::Evaluation Scope::evaluation(std::string source, const state::Draw& draw) const {
  state::Evaluation out;
  Object means;
  std::vector<std::string>& names = out.script.names;
  for (const workflow::Name& name : workflow::free_names(source)) {
    if (means.contains(name.text) || std::ranges::find(names, name.text) != names.end()) continue;
    const Value* found = find(name.text);
    if (found == nullptr && workflow::is_script_global(name.text)) continue;
    const bool is_whole = name.text == "this" || name.text == "inputs";
    if (found != nullptr) {
      means.set(name.text, *found);
    } else if (is_whole) {
      means.set(name.text, context_);
    }
    if (name.text != "this") names.emplace_back(name.text);
  }
  out.script.source = std::move(source);
  out.scope = json::print(means);
  out.draw = draw;
  return out;
}

std::optional<Value> Scope::get(std::string_view path) const {
  // A name may hold full stops of its own.
  if (const Value* whole = find(path)) return *whole;
  std::size_t dot = path.find('.');
  const Value* at = find(path.substr(0, dot));
  if (at == nullptr && path.starts_with("inputs.")) return get(path.substr(7));
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
