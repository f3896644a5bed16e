#pragma once
// Strong ids: 16 bytes of UUIDv7, written as a prefix and 26 characters of lower-case base32
// (Crockford's alphabet), e.g. run_01k7v3m2p8e6t9q4w5x0y1z2a3. Text order is byte order. An id is
// a name, never a credential.

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"

namespace baton {

using IdBytes = std::array<std::uint8_t, 16>;

std::string id_to_text(std::string_view prefix, const IdBytes& bytes);
Result<IdBytes> id_from_text(std::string_view prefix, std::string_view text);

template <class Kind>
struct Id {
  IdBytes bytes{};

  auto operator<=>(const Id&) const = default;

  std::string text() const { return id_to_text(Kind::prefix, bytes); }
  static Result<Id> parse(std::string_view text) {
    return Id{TRY(id_from_text(Kind::prefix, text))};
  }
};

struct SessionIdTag {
  static constexpr std::string_view prefix = "sess_";
};
struct RunIdTag {
  static constexpr std::string_view prefix = "run_";
};
struct NodeIdTag {
  static constexpr std::string_view prefix = "node_";
};
struct TaskIdTag {
  static constexpr std::string_view prefix = "task_";
};

using SessionId = Id<SessionIdTag>;
using RunId = Id<RunIdTag>;
using NodeId = Id<NodeIdTag>;
using TaskId = Id<TaskIdTag>;

/// Makes ids that sort by creation within a process, even when the clock jumps back: it never
/// goes below the latest instant it has seen and counts up within one.
/// Not thread-safe; its owner serialises the calls.
class IdMaker {
 public:
  /// `random` must be fresh for every id.
  IdBytes next(WallMs now, const std::array<std::uint8_t, 8>& random);

 private:
  std::int64_t last_ms_ = -1;
  std::uint32_t counter_ = 0;  // 12 bits, the id's rand_a field
};

}  // namespace baton
