#include "state/schema_reader.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "base/core/limits.h"
#include "base/json/fields.h"
#include "base/text/text.h"
#include "state/mentions.h"

namespace baton::state {
namespace {

constexpr std::string_view broken = "the compiled state";

std::optional<OnTransformError> on_error_of(std::string_view name) {
  if (name == "use_fallback") return OnTransformError::use_fallback;
  if (name == "propagate") return OnTransformError::propagate;
  if (name == "ignore") return OnTransformError::ignore;
  return std::nullopt;
}

std::optional<Root> root_of(std::string_view name) {
  for (const Root root : {Root::raw, Root::computed, Root::state, Root::this_frame, Root::global,
                          Root::inputs, Root::loop}) {
    if (name_of(root) == name) return root;
  }
  return std::nullopt;
}

/// The length of a list changes with any of its elements.
std::span<const std::string> without_length(std::span<const std::string> segments) {
  return segments.size() > 1 && segments.back() == "length" ? segments.first(segments.size() - 1)
                                                            : segments;
}

}  // namespace

Result<void> SchemaReader::read_types(StateSchema::Tier& tier, const json::Value* types) {
  if (types == nullptr) return {};
  const json::Object* object = types->if_object();
  if (object == nullptr) return fail(Code::STORE_CORRUPT, cat(broken, " has types of no fields"));
  for (const auto& [name, value] : *object) {
    const std::string* type = value.if_string();
    tier.names.insert(name);
    if (type == nullptr) continue;
    if (const auto known = field_type_of(*type)) tier.types.insert_or_assign(name, *known);
  }
  return {};
}

FieldSource SchemaReader::source_of(std::string_view text) const {
  Path path{Root::this_frame, {}};
  for (std::string_view rest = text;;) {
    const std::size_t dot = rest.find('.');
    path.segments.emplace_back(rest.substr(0, dot));
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (const auto root = root_of(path.segments[0])) {
    path.root = *root;
    path.segments.erase(path.segments.begin());
  }
  if (path.root == Root::global && kind_ == FrameKind::root) path.root = Root::this_frame;
  return {std::string(text), std::move(path)};
}

Result<ComputedField> SchemaReader::read_computed(const json::Value& value) {
  json::Fields fields(value, broken, Code::STORE_CORRUPT);
  ComputedField out;
  out.name = TRY(fields.string("name"));
  for (const std::string& each : TRY(fields.strings("from"))) out.from.push_back(source_of(each));
  out.is_list = TRY(fields.boolean("list"));
  out.transform = TRY(fields.string("transform"));
  const auto on_error = on_error_of(TRY(fields.string("on_error")));
  if (!on_error) return fields.wrong("on_error", "use_fallback, propagate or ignore");
  out.on_error = *on_error;
  if (fields.has("fallback")) out.fallback = *TRY(fields.any("fallback"));
  if (fields.has("validate")) out.validate = TRY(fields.string("validate"));
  TRY(fields.done());
  if (out.from.empty()) return fields.wrong("from", "at least one path");
  return out;
}

std::vector<Path> SchemaReader::mentioned(const ComputedField& field) const {
  std::vector<Path> out;
  for (const std::string_view code :
       {std::string_view(field.transform), std::string_view(field.validate)}) {
    for (const Mention& each : mentions_of(code)) {
      if (each.name == "input" || each.name == "output" || each.name == "loop") continue;
      const bool is_scope = root_of(each.name).has_value();
      const bool has_property = is_scope && !each.property.empty();
      out.push_back(
          source_of(has_property ? cat(each.name, '.', each.property) : std::string(each.name))
              .path);
    }
  }
  return out;
}

template <class Found>
void SchemaReader::each_computed(const Path& path, const Found& found) const {
  if (path.root != Root::computed && path.root != Root::this_frame) return;
  if (path.segments.empty()) {
    for (std::size_t field = 0; field < out_.computed_.size(); ++field) found(field);
  } else if (const auto field = out_.index_of(path.segments[0])) {
    found(*field);
  }
}

SchemaReader::Edges SchemaReader::edges_of(std::size_t field) const {
  Edges out;
  for (const FieldSource& source : out_.computed_[field].from) {
    each_computed(source.path, [&](std::size_t needed) { out.needs.push_back(needed); });
  }
  for (const Path& path : mentioned_[field]) {
    each_computed(path, [&](std::size_t other) {
      if (other != field) out.mentions.push_back(other);
    });
  }
  for (auto* list : {&out.needs, &out.mentions}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  std::erase_if(out.mentions,
                [&](std::size_t each) { return std::ranges::binary_search(out.needs, each); });
  return out;
}

/// Takes fields whose needs and mentions have been taken, in the order of the workflow. When each
/// of those left mentions another, the first whose needs are met goes ahead: it then sees what the
/// others were before.
Result<void> SchemaReader::order(const std::vector<Edges>& edges) {
  const std::size_t count = edges.size();
  std::vector<std::vector<std::size_t>> needed_by(count), mentioned_by(count);
  std::vector<std::size_t> needs_left(count), all_left(count);
  using Queue = std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>;
  Queue ready, ready_by_needs;
  for (std::size_t field = 0; field < count; ++field) {
    for (const std::size_t each : edges[field].needs) needed_by[each].push_back(field);
    for (const std::size_t each : edges[field].mentions) mentioned_by[each].push_back(field);
    needs_left[field] = edges[field].needs.size();
    all_left[field] = needs_left[field] + edges[field].mentions.size();
    if (all_left[field] == 0) ready.push(field);
    if (needs_left[field] == 0) ready_by_needs.push(field);
  }
  std::vector<bool> done(count, false);
  std::vector<std::size_t> levels(count, 0);
  std::vector<std::pair<std::size_t, std::size_t>> kept;  // read field, reader
  for (std::size_t taken = 0; taken < count;) {
    Queue& queue = ready.empty() ? ready_by_needs : ready;
    if (queue.empty()) {
      const auto left = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
      return fail(Code::WORKFLOW_CYCLE, cat("the computed field \"", out_.computed_[left].name,
                                            "\" is computed from itself"));
    }
    const std::size_t field = queue.top();
    queue.pop();
    if (done[field]) continue;
    done[field] = true;
    ++taken;
    for (const auto* list : {&edges[field].needs, &edges[field].mentions}) {
      for (const std::size_t each : *list) {
        if (!done[each] || each == field) continue;
        kept.emplace_back(each, field);
        levels[field] = std::max(levels[field], levels[each] + 1);
      }
    }
    for (const std::size_t each : needed_by[field]) {
      if (--needs_left[each] == 0) ready_by_needs.push(each);
      if (--all_left[each] == 0) ready.push(each);
    }
    for (const std::size_t each : mentioned_by[field]) {
      if (--all_left[each] == 0) ready.push(each);
    }
    if (levels[field] >= limits::computed_levels_max) {
      return fail(
          Code::LIMIT_EXCEEDED,
          cat("the computed field \"", out_.computed_[field].name, "\" depends on ", levels[field],
              " others in a chain; at most ", limits::computed_levels_max - 1, " are allowed"));
    }
  }
  place(levels, kept);
  return {};
}

/// Brings the fields into the order of their levels.
void SchemaReader::place(const std::vector<std::size_t>& levels,
                         const std::vector<std::pair<std::size_t, std::size_t>>& kept) {
  std::vector<std::size_t> sorted(levels.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::stable_sort(sorted, {}, [&](std::size_t field) { return levels[field]; });
  std::vector<std::size_t> place_of(levels.size());
  std::vector<ComputedField> fields;
  std::vector<std::vector<Path>> mentioned;
  for (const std::size_t field : sorted) {
    place_of[field] = fields.size();
    fields.push_back(std::move(out_.computed_[field]));
    fields.back().level = levels[field];
    mentioned.push_back(std::move(mentioned_[field]));
  }
  out_.computed_ = std::move(fields);
  mentioned_ = std::move(mentioned);
  out_.field_readers_.assign(levels.size(), {});
  for (const auto& [read, reader] : kept) {
    out_.field_readers_[place_of[read]].push_back(place_of[reader]);
  }
  for (auto& readers : out_.field_readers_) std::ranges::sort(readers);
  for (auto& [name, field] : out_.by_name_) field = place_of[field];
}

void SchemaReader::index(std::size_t field, const Path& path) {
  const auto segments = without_length(path.segments);
  switch (path.root) {
    case Root::raw:
      out_.raw_.readers.add(segments, field);
      out_.inputs_.readers.add(segments, field);
      return;
    case Root::state: out_.state_.readers.add(segments, field); return;
    case Root::inputs: out_.inputs_.readers.add(segments, field); return;
    case Root::global: out_.global_.add(segments, field); return;
    case Root::this_frame:
      for (StateSchema::Tier* tier : {&out_.raw_, &out_.state_, &out_.inputs_}) {
        tier->readers.add(segments, field);
      }
      out_.included_.add(segments, field);
      return;
    case Root::computed:
    case Root::loop: return;
  }
}

Result<StateSchema> SchemaReader::read(const json::Object& state, const json::Object& inputs) {
  TRY(read_types(out_.raw_, state.find("raw")));
  TRY(read_types(out_.state_, state.find("state")));
  for (const auto& [name, input] : inputs) {
    out_.inputs_.names.insert(name);
    const json::Value* type = input.find("type");
    if (type == nullptr || !type->is_string()) continue;
    if (const auto known = field_type_of(*type->if_string())) {
      out_.inputs_.types.insert_or_assign(name, *known);
    }
  }
  TRY(read_types(out_.inputs_, state.find("inputs")));
  if (const json::Value* defaults = state.find("defaults"); defaults && defaults->if_object()) {
    out_.defaults_ = *defaults->if_object();
    for (StateSchema::Tier* tier : {&out_.raw_, &out_.state_, &out_.inputs_}) {
      const Root root = tier == &out_.raw_     ? Root::raw
                        : tier == &out_.state_ ? Root::state
                                               : Root::inputs;
      const json::Value* fields = out_.defaults_.find(name_of(root));
      if (fields == nullptr || !fields->is_object()) continue;
      for (const auto& [name, value] : *fields->if_object()) tier->names.insert(name);
    }
  }
  const json::Value* computed = state.find("computed");
  if (computed == nullptr) return std::move(out_);
  if (!computed->is_array()) return fail(Code::STORE_CORRUPT, cat(broken, " has no computed list"));
  for (const json::Value& each : *computed->if_array()) {
    ComputedField field = TRY(read_computed(each));
    out_.computed_tier_.names.insert(field.name);
    out_.by_name_.emplace(field.name, out_.computed_.size());
    mentioned_.push_back(mentioned(field));
    out_.computed_.push_back(std::move(field));
  }
  std::vector<Edges> edges;
  for (std::size_t field = 0; field < out_.computed_.size(); ++field) {
    edges.push_back(edges_of(field));
  }
  TRY(order(edges));
  for (std::size_t field = 0; field < out_.computed_.size(); ++field) {
    for (const FieldSource& source : out_.computed_[field].from) index(field, source.path);
    for (const Path& path : mentioned_[field]) index(field, path);
  }
  return std::move(out_);
}

Result<StateSchema> StateSchema::read(const json::Object& state, const json::Object& inputs,
                                      FrameKind kind, Names includes) {
  StateSchema out = TRY(SchemaReader(kind).read(state, inputs));
  out.includes_ = std::move(includes);
  return out;
}

}  // namespace baton::state
