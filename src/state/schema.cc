#include "state/schema.h"

#include <algorithm>
#include <array>

#include "base/core/limits.h"
#include "base/json/fields.h"
#include "base/text/text.h"

namespace baton::state {
namespace {

constexpr std::array<std::string_view, 7> type_names = {"any",     "string", "number", "integer",
                                                        "boolean", "array",  "object"};

bool starts_with(std::span<const std::string> longer, std::span<const std::string> shorter) {
  return shorter.size() <= longer.size() &&
         std::ranges::equal(shorter, longer.first(shorter.size()));
}

}  // namespace

std::string_view name_of(FieldType type) { return type_names[static_cast<std::size_t>(type)]; }

std::optional<FieldType> field_type_of(std::string_view name) {
  const auto found = std::ranges::find(type_names, name);
  if (found == type_names.end()) return std::nullopt;
  return static_cast<FieldType>(found - type_names.begin());
}

bool fits(const Tree& value, FieldType type) {
  if (value.is_null()) return true;
  switch (type) {
    case FieldType::any: return true;
    case FieldType::string: return value.if_string() != nullptr;
    case FieldType::number: return value.is_number();
    case FieldType::integer: return value.if_int() != nullptr;
    case FieldType::boolean: return value.if_bool() != nullptr;
    case FieldType::array: return value.is_list();
    case FieldType::object: return value.is_object();
  }
  return false;
}

void Readers::add(std::span<const std::string> segments, std::size_t field) {
  if (segments.empty()) {
    of_all_.push_back(field);
    return;
  }
  const auto below = segments.subspan(1);
  by_name_[segments[0]].push_back({{below.begin(), below.end()}, field});
}

void Readers::find(std::span<const std::string> changed, std::vector<std::size_t>& out) const {
  out.insert(out.end(), of_all_.begin(), of_all_.end());
  if (changed.empty()) {
    for (const auto& [name, readers] : by_name_) {
      for (const Reader& each : readers) out.push_back(each.field);
    }
    return;
  }
  const auto found = by_name_.find(changed[0]);
  if (found == by_name_.end()) return;
  const auto below = changed.subspan(1);
  for (const Reader& each : found->second) {
    if (starts_with(each.below, below) || starts_with(below, each.below)) {
      out.push_back(each.field);
    }
  }
}

bool StateSchema::declares_state() const {
  return !tier(Root::raw).names.empty() || !tier(Root::state).names.empty() || !computed_.empty();
}

const StateSchema::Tier& StateSchema::tier(Root root) const {
  switch (root) {
    case Root::raw: return raw_;
    case Root::state: return state_;
    case Root::inputs: return inputs_;
    default: break;
  }
  ASSERT(root == Root::computed);
  return computed_tier_;
}

FieldType StateSchema::type_of(Root root, std::string_view name) const {
  const auto& types = tier(root).types;
  const auto found = types.find(name);
  return found == types.end() ? FieldType::any : found->second;
}

std::vector<std::string_view> StateSchema::readable() const {
  std::vector<std::string_view> out;
  for (const Root root : {Root::computed, Root::raw, Root::state, Root::inputs}) {
    const Names& names = tier(root).names;
    out.insert(out.end(), names.begin(), names.end());
  }
  out.insert(out.end(), includes_.begin(), includes_.end());
  return out;
}

bool StateSchema::declares(std::string_view name) const {
  const auto has = [&](const Tier& tier) { return tier.names.contains(name); };
  return has(computed_tier_) || has(raw_) || has(state_) || has(inputs_) ||
         includes_.contains(name);
}

std::optional<std::size_t> StateSchema::index_of(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

const ComputedField* StateSchema::find_computed(std::string_view name) const {
  const auto index = index_of(name);
  return index ? &computed_[*index] : nullptr;
}

void StateSchema::find_readers(const Path& changed, std::vector<std::size_t>& out) const {
  switch (changed.root) {
    case Root::raw: raw_.readers.find(changed.segments, out); return;
    case Root::state: state_.readers.find(changed.segments, out); return;
    case Root::inputs: inputs_.readers.find(changed.segments, out); return;
    case Root::this_frame: {
      included_.find(changed.segments, out);
      // Read flat, a field of an included frame has no step before its name.
      if (changed.segments.size() > 1) {
        included_.find(std::span(changed.segments).subspan(1), out);
      } else {
        included_.find({}, out);
      }
      return;
    }
    case Root::global: global_.find(changed.segments, out); return;
    case Root::computed:
    case Root::loop: return;
  }
}

std::vector<StateSchema::Affected> StateSchema::affected(std::span<const Path> changed) const {
  std::map<std::size_t, std::string> triggers;  // in the order of computing
  std::vector<std::size_t> found;
  for (const Path& each : changed) {
    found.clear();
    find_readers(each, found);
    if (found.empty()) continue;
    const std::string shown = print(each);
    for (const std::size_t field : found) triggers.try_emplace(field, shown);
  }
  // The readers of a field come after it, so that this ends and finds each once.
  for (auto each = triggers.begin(); each != triggers.end(); ++each) {
    for (const std::size_t reader : field_readers_[each->first]) {
      triggers.try_emplace(reader, cat("computed.", computed_[each->first].name));
    }
  }
  std::vector<Affected> out;
  out.reserve(triggers.size());
  for (auto& [field, trigger] : triggers) out.push_back({field, std::move(trigger)});
  return out;
}

std::vector<StateSchema::Affected> StateSchema::all(std::string_view trigger) const {
  std::vector<Affected> out;
  for (std::size_t field = 0; field < computed_.size(); ++field) {
    out.push_back({field, std::string(trigger)});
  }
  return out;
}

}  // namespace baton::state
