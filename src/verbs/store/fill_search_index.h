#pragma once
// Brings the search index up to the end of the log. Writes to the index alone.
//
// However many calls ask at once, the log is read once: by one call of one process, a page at a
// time. The others wait for it or are told how much is missing.

#include "engine/engine.h"
#include "ports/search_index.h"

namespace baton::verbs {

/// About so many words are taken in by one transaction of the index.
inline constexpr std::size_t batch_words = 100'000;

struct CaughtUp {
  std::int64_t commits_left = 0;  // that the index does not hold yet, by their numbers
};

/// An index that was filled from another log is emptied and filled again.
Result<CaughtUp> fill_search_index(const engine::ReadContext& reading, ports::SearchIndex& index);

}  // namespace baton::verbs
