#pragma once
// A loop: by a condition, by what the agent says of each round, by a count or by items.

#include <span>
#include <string>
#include <string_view>

#include "base/core/boxed.h"
#include "base/core/limits.h"
#include "base/json/json.h"

namespace baton::workflow {

struct StepType;

enum class LoopKind : std::uint8_t { repeat_while, repeat_until, count, items };

inline std::span<const std::string_view> names_of(LoopKind) {
  static constexpr std::string_view names[] = {"while", "until", "for", "forEach"};
  return names;
}

/// The artifact by which the agent says whether a loop continues.
struct LoopArtifact {
  std::string contract;
  Boxed<std::string> loop_id;  // another name of the loop in that artifact
  bool operator==(const LoopArtifact&) const = default;

  static void members(auto& io, auto& self) {
    io("contract", self.contract);
    io("loop_id", self.loop_id);
  }
};

struct Loop {
  LoopKind kind = LoopKind::repeat_while;
  std::int64_t max_iterations = limits::loop_iterations_max;
  Boxed<std::string> iteration_var;  // without one it is `loop.iteration`
  Boxed<std::string> item_var;
  Boxed<std::string> index_var;
  Boxed<json::Value> items;  // {list}, {var} or {js}
  Boxed<json::Value> count;  // a number or {var}
  Boxed<LoopArtifact> control;
  Boxed<json::Value> condition;
  bool operator==(const Loop&) const = default;

  /// Whether it runs by a condition, about which the agent can decide too.
  bool is_decidable() const {
    return kind == LoopKind::repeat_while || kind == LoopKind::repeat_until;
  }

  static constexpr std::string_view blocks[] = {"body"};
  static std::span<const StepType> spellings();
  static void members(auto& io, auto& self) {
    io("kind", self.kind);
    io("max_iterations", self.max_iterations);
    io("iteration_var", self.iteration_var);
    io("item_var", self.item_var);
    io("index_var", self.index_var);
    io("items", self.items);
    io("count", self.count);
    io("control", self.control);
    io("condition", self.condition);
  }
};

}  // namespace baton::workflow
