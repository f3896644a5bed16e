#pragma once
// Scope: what templates, conditions and scripts see at one place of a run. From the inside out: the
// variables of the place (loops, a step's result), the fields of the frame by their bare names,
// `this`, `global`, `inputs`, the tiers, the run's context. Pure; what it points to outlives it.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "state/frame.h"
#include "state/schema.h"
#include "state/script.h"

namespace baton::state {

/// What a name or a path means.
enum class Found : std::uint8_t {
  value,
  undefined,   // it is known, and nothing is there
  unknown,     // the first name is not declared
  not_native,  // only JavaScript can tell: a method, something inherited
  broken,      // a name of something undefined or null
};

struct Lookup {
  Found found = Found::undefined;
  std::optional<Tree> value;
  std::size_t segments = 0;  // of the path, up to where it breaks off; for broken
};

/// `length`, as JavaScript has it: of lists, and of texts in units of UTF-16.
std::optional<Tree> length_of(const Tree& value);

class Scope {
 public:
  /// Sees the context only. `context` may be nullptr.
  explicit Scope(const json::Object* context = nullptr) : context_(context) {}

  /// `global`: the root's frame; nullptr when `frame` is that one.
  Scope(const StateSchema& schema, const Frame& frame, const Frame* global = nullptr,
        const json::Object* context = nullptr)
      : schema_(&schema), frame_(&frame), global_(global), context_(context) {}

  /// The same place with one more name, which hides others of the same name: item, index, loop,
  /// result, error, applied_count, input, output. Nothing: the name is known and undefined.
  Scope with(std::string_view name, std::optional<Tree> value) const&;
  Scope with(std::string_view name, std::optional<Tree> value) &&;

  /// What `a.b.c` is in JavaScript, without JavaScript.
  Lookup find(std::span<const std::string_view> path) const;

  /// What a script is evaluated with: of all names, those that it may use.
  Evaluation evaluation(std::string_view code, ScriptForm form, const ScriptSeed& draw) const;

  /// "did you mean ...?" for the first undeclared name of the code; empty for none.
  std::string hint_for(std::string_view code) const;

  /// "did you mean ...?" for one name; empty for none.
  std::string nearest_to(std::string_view name) const;

 private:
  /// Whether a name is one of the views of the state: this, global, raw, state, computed, inputs.
  bool is_view(std::string_view name) const;
  std::optional<Tree> view(std::string_view name) const;
  std::optional<Tree> in_view(std::string_view name, std::string_view property) const;
  /// REQUIRES: !is_view(name).
  Lookup name(std::string_view name) const;
  bool knows_all_names() const { return schema_ != nullptr && schema_->declares_state(); }

  const StateSchema* schema_ = nullptr;
  const Frame* frame_ = nullptr;
  const Frame* global_ = nullptr;
  const json::Object* context_ = nullptr;
  std::map<std::string, std::optional<Tree>, std::less<>> variables_;
};

}  // namespace baton::state
