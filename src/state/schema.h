#pragma once
// Schema: what a compiled workflow declares about its state: fields with their types, and computed
// fields with what each is computed from. An immutable value, made once for a workflow.

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/json/json.h"
#include "state/path.h"
#include "state/tree.h"

namespace baton::state {

enum class FieldType : std::uint8_t { any, string, number, integer, boolean, array, object };

std::string_view name_of(FieldType type);
std::optional<FieldType> field_type_of(std::string_view name);

/// null fits every type: it is the value of a field that has none yet.
bool fits(const Tree& value, FieldType type);

enum class OnTransformError : std::uint8_t { use_fallback, propagate, ignore };

/// One way that a computed field reads the state.
struct FieldSource {
  std::string text;  // as the workflow has it
  Path path;         // a bare name is read from `this`
};

struct ComputedField {
  std::string name;
  std::vector<FieldSource> from;
  bool is_list = false;  // `input` is the list of all sources, else the only one
  std::string transform;
  OnTransformError on_error = OnTransformError::use_fallback;
  json::Value fallback;
  std::string validate;   // empty for none
  std::size_t level = 0;  // all it is computed from has a smaller one
};

/// Which fields read what lies at a path, from one tier.
class Readers {
 public:
  void add(std::span<const std::string> segments, std::size_t field);

  /// Adds the fields that read something at, below or above the path; some of them twice.
  void find(std::span<const std::string> changed, std::vector<std::size_t>& out) const;

  bool empty() const { return by_name_.empty() && of_all_.empty(); }

 private:
  struct Reader {
    std::vector<std::string> below;  // the first segment
    std::size_t field = 0;
  };
  std::map<std::string, std::vector<Reader>, std::less<>> by_name_;
  std::vector<std::size_t> of_all_;
};

/// The root's frame is `global` for itself.
enum class FrameKind : std::uint8_t { root, nested };

class StateSchema {
 public:
  using Names = std::set<std::string, std::less<>>;

  /// `state` and `inputs` as the compiled workflow, include or task has them. WORKFLOW_CYCLE when
  /// computed fields need each other, LIMIT_EXCEEDED when more than
  /// limits::computed_levels_max depend on one another.
  /// `includes`: the names that the includes of this frame are read by: of their steps, and of
  /// the fields that they compute.
  static Result<StateSchema> read(const json::Object& state, const json::Object& inputs,
                                  FrameKind kind = FrameKind::root, Names includes = {});

  /// Without any field, names come from the run's context and cannot be known.
  bool declares_state() const;

  /// Declared fields: by a type, a default, or as computed. REQUIRES: raw, state, computed or
  /// inputs.
  const Names& names(Root tier) const { return this->tier(tier).names; }

  /// REQUIRES: as for names().
  FieldType type_of(Root tier, std::string_view name) const;

  /// What is read bare and declared, for the nearest of it.
  std::vector<std::string_view> readable() const;

  /// Whether the name is declared in any tier, or is one that an include is read by.
  bool declares(std::string_view name) const;

  /// In an order in which each comes after all that it is computed from.
  std::span<const ComputedField> computed() const { return computed_; }
  const ComputedField* find_computed(std::string_view name) const;

  /// A field to compute again, and the nearest change that caused it.
  struct Affected {
    std::size_t field = 0;  // of computed()
    std::string trigger;    // a printed path
  };

  /// The fields that read what changed, directly or through other fields; in order. A path of
  /// `global` is one that changed in the root's frame, for a nested one.
  std::vector<Affected> affected(std::span<const Path> changed) const;

  /// All fields, because of `trigger`.
  std::vector<Affected> all(std::string_view trigger) const;

  /// Whether any field of a nested frame reads the root's.
  bool reads_global() const { return !global_.empty(); }

  /// What has to be rendered before first_state(); as the workflow has it.
  const json::Object& defaults() const { return defaults_; }

 private:
  struct Tier {
    Names names;
    std::map<std::string, FieldType, std::less<>> types;
    Readers readers;
  };
  friend class SchemaReader;

  const Tier& tier(Root root) const;
  std::optional<std::size_t> index_of(std::string_view name) const;
  void find_readers(const Path& changed, std::vector<std::size_t>& out) const;

  Tier raw_, state_, inputs_, computed_tier_;
  Names includes_;
  Readers included_;  // what `this` may mean besides the tiers
  Readers global_;    // of a nested frame: what is read from the root's
  std::vector<ComputedField> computed_;
  std::vector<std::vector<std::size_t>> field_readers_;  // of each computed field; all after it
  std::map<std::string, std::size_t, std::less<>> by_name_;
  json::Object defaults_;
};

}  // namespace baton::state
