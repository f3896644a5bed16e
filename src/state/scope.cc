#include "state/scope.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "state/mentions.h"
#include "workflow/text/expression.h"

namespace baton::state {
namespace {

// What every object of JavaScript has without being given it.
constexpr std::string_view inherited[] = {
    "__defineGetter__", "__defineSetter__", "__lookupGetter__",     "__lookupSetter__",
    "__proto__",        "constructor",      "hasOwnProperty",       "isPrototypeOf",
    "toLocaleString",   "toString",         "propertyIsEnumerable", "valueOf"};

constexpr std::string_view views[] = {"this", "global", "raw", "state", "computed", "inputs"};

Lookup value_or_undefined(std::optional<Tree> value) {
  const Found found = value ? Found::value : Found::undefined;
  return {found, std::move(value), 0};
}

/// A property as JavaScript reads it.
Lookup property_of(const Tree& value, std::string_view name) {
  if (value.is_object()) {
    if (const Tree* member = value.find(name)) return {Found::value, *member, 0};
    const bool may_inherit = std::ranges::find(inherited, name) != std::end(inherited);
    return {may_inherit ? Found::not_native : Found::undefined, {}, 0};
  }
  if (name == "length") {
    if (auto length = length_of(value)) return {Found::value, std::move(length), 0};
  }
  return {Found::not_native, {}, 0};
}

std::optional<Tree> copied(const Tree* found) {
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::string suggestion(std::optional<std::string_view> near) {
  return near ? cat("did you mean '", *near, "'?") : std::string();
}

/// The properties of a view that code mentions; all of it when it is mentioned without one.
struct Part {
  bool is_whole = false;
  std::set<std::string_view> properties;
};

class ScopeText {
 public:
  void add(std::string_view name, const Tree& value) {
    begin(name);
    value.print_to(text_);
  }

  std::string finish() {
    if (text_.empty()) text_ += '{';
    return std::move(text_ += '}');
  }

 private:
  void begin(std::string_view name) {
    text_ += text_.empty() ? '{' : ',';
    json::append_quoted(text_, name);
    text_ += ':';
  }

  std::string text_;
};

}  // namespace

std::optional<Tree> length_of(const Tree& value) {
  if (value.is_list()) return Tree::from(static_cast<std::int64_t>(value.size()));
  const std::string* text = value.if_string();
  if (text == nullptr) return std::nullopt;
  std::int64_t units = 0;
  for (const char c : *text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
  }
  return Tree::from(units);
}

Scope Scope::with(std::string_view name, std::optional<Tree> value) const& {
  return Scope(*this).with(name, std::move(value));
}

Scope Scope::with(std::string_view name, std::optional<Tree> value) && {
  variables_.insert_or_assign(std::string(name), std::move(value));
  return std::move(*this);
}

bool Scope::is_view(std::string_view name) const {
  if (variables_.contains(name)) return false;
  if (frame_ != nullptr) return std::ranges::find(views, name) != std::end(views);
  return name == "inputs" && context_ != nullptr && !context_->contains(name);
}

std::optional<Tree> Scope::view(std::string_view name) const {
  if (frame_ == nullptr) return Tree::from(json::Value(*context_));
  if (name == "this") return flattened(*frame_);
  if (name == "global") return flattened(global_ == nullptr ? *frame_ : *global_);
  if (name == "raw") return frame_->raw;
  if (name == "state") return frame_->state;
  return name == "computed" ? frame_->computed : frame_->inputs;
}

std::optional<Tree> Scope::in_view(std::string_view name, std::string_view property) const {
  if (frame_ == nullptr) {
    const json::Value* found = context_->find(property);
    return found == nullptr ? std::nullopt : std::optional(Tree::from(*found));
  }
  if (name == "this") return copied(find_flat(*frame_, property));
  if (name == "global") {
    return copied(find_flat(global_ == nullptr ? *frame_ : *global_, property));
  }
  if (name == "raw") return read(*frame_, {Root::raw, {std::string(property)}});
  return copied(view(name)->find(property));
}

Lookup Scope::name(std::string_view name) const {
  if (const auto found = variables_.find(name); found != variables_.end()) {
    return value_or_undefined(found->second);
  }
  if (frame_ != nullptr) {
    if (const Tree* found = find_flat(*frame_, name)) return {Found::value, *found, 0};
    if (schema_->declares(name)) return {};
  }
  const json::Value* found = context_ == nullptr ? nullptr : context_->find(name);
  if (found != nullptr) return {Found::value, Tree::from(*found), 0};
  if (workflow::is_script_global(name)) return {Found::not_native, {}, 0};
  return {knows_all_names() ? Found::unknown : Found::undefined, {}, 0};
}

Lookup Scope::find(std::span<const std::string_view> path) const {
  ASSERT(!path.empty());
  Lookup at;
  std::size_t read = 1;
  if (!is_view(path[0])) {
    at = name(path[0]);
  } else if (path.size() == 1) {
    at = value_or_undefined(view(path[0]));
  } else {
    at = value_or_undefined(in_view(path[0], path[1]));
    const bool may_inherit = std::ranges::find(inherited, path[1]) != std::end(inherited);
    if (at.found == Found::undefined && may_inherit) at.found = Found::not_native;
    read = 2;
  }
  for (; read < path.size(); ++read) {
    if (at.found == Found::not_native || at.found == Found::unknown) return at;
    if (at.found == Found::undefined || at.value->is_null()) return {Found::broken, {}, read};
    at = property_of(*at.value, path[read]);
  }
  return at;
}

Evaluation Scope::evaluation(std::string_view code, ScriptForm form, const ScriptSeed& draw) const {
  std::map<std::string_view, Part> parts;
  for (const Mention& each : mentions_of(code)) {
    Part& part = parts[each.name];
    if (each.property.empty()) {
      part.is_whole = true;
    } else {
      part.properties.insert(each.property);
    }
  }
  Evaluation out{{std::string(code), form, {}}, {}, draw};
  ScopeText text;
  for (const auto& [mentioned, part] : parts) {
    const bool is_this = mentioned == "this";
    if (!is_this && !is_script_name(mentioned)) continue;
    std::optional<Tree> value;
    if (!is_view(mentioned)) {
      Lookup found = name(mentioned);
      if (found.found == Found::not_native || found.found == Found::unknown) continue;
      value = std::move(found.value);
    } else if (part.is_whole) {
      value = view(mentioned);
    } else {
      value = Tree::object();
      for (const std::string_view property : part.properties) {
        if (auto member = in_view(mentioned, property)) {
          value = value->with_member(property, std::move(*member));
        }
      }
    }
    if (!is_this) out.script.names.emplace_back(mentioned);
    if (value) text.add(mentioned, *value);
  }
  out.scope = text.finish();
  return out;
}

std::string Scope::nearest_to(std::string_view name) const {
  std::vector<std::string_view> known;
  for (const auto& [variable, value] : variables_) known.push_back(variable);
  if (schema_ != nullptr) {
    const auto declared = schema_->readable();
    known.insert(known.end(), declared.begin(), declared.end());
    known.insert(known.end(), std::begin(views), std::end(views));
  }
  if (context_ != nullptr) {
    for (const auto& [member, value] : *context_) known.push_back(member);
  }
  return suggestion(nearest(name, known));
}

std::string Scope::hint_for(std::string_view code) const {
  for (const workflow::Name& each : workflow::free_names(code)) {
    if (is_view(each.text) || name(each.text).found != Found::unknown) continue;
    if (std::string hint = nearest_to(each.text); !hint.empty()) return hint;
  }
  return {};
}

}  // namespace baton::state
