#pragma once
// Brings the search index up to the end of the log. Writes to the index alone.

#include "ports/search_index.h"
#include "verbs/engine.h"

namespace baton::verbs {

/// About so many words are taken in by one transaction of the index.
inline constexpr std::size_t batch_words = 100'000;

/// An index that was filled from another log is emptied and filled anew.
Result<void> catch_up(const Loading& loading, ports::SearchIndex& index);

}  // namespace baton::verbs
