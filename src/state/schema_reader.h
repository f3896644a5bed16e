#pragma once
// Reads a Schema and orders its computed fields. Private to the schema.

#include "state/schema.h"

namespace baton::state {

class SchemaReader {
 public:
  explicit SchemaReader(FrameKind kind) : kind_(kind) {}

  Result<StateSchema> read(const json::Object& state, const json::Object& inputs);

 private:
  /// What a field is computed from must be there first; what its code merely mentions should.
  struct Edges {
    std::vector<std::size_t> needs;
    std::vector<std::size_t> mentions;
  };

  Result<void> read_types(StateSchema::Tier& tier, const json::Value* types);
  Result<ComputedField> read_computed(const json::Value& value);
  FieldSource source_of(std::string_view text) const;

  /// Calls `found` with each computed field that the path may read.
  template <class Found>
  void each_computed(const Path& path, const Found& found) const;

  /// The paths that a field's code reads besides its sources.
  std::vector<Path> mentioned(const ComputedField& field) const;

  Edges edges_of(std::size_t field) const;
  Result<void> order(const std::vector<Edges>& edges);
  void place(const std::vector<std::size_t>& levels,
             const std::vector<std::pair<std::size_t, std::size_t>>& kept);
  void index(std::size_t field, const Path& path);

  FrameKind kind_;
  StateSchema out_;
  std::vector<std::vector<Path>> mentioned_;  // of each computed field
};

}  // namespace baton::state
