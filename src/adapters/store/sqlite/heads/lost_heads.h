#pragma once
// Records that the heads file had and lost. A slot that a power cut tore is not one: the other slot
// has what was synced.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/store/sqlite/connection.h"
#include "adapters/store/sqlite/heads/heads_file.h"
#include "base/core/result.h"

namespace baton::adapters::sqlite {

/// A sentence for each session whose record of a commit was on the disk, as `mark` says, and is
/// neither there now nor followed by a newer one. `records` are by anchor, and were read after
/// `mark` and before what `connection` shows.
Result<std::vector<std::string>> lost_heads(
    Connection& connection, const std::optional<AnchorMark>& mark,
    const std::vector<std::pair<std::int64_t, AnchoredHead>>& records);

}  // namespace baton::adapters::sqlite
