#pragma once
// A sqlite3_vfs over another that writes each commit to the WAL with one call. SQLite writes a
// commit's frames one by one, each in two pieces, and every call costs as much as copying a page.
//
// Pieces are collected while they follow each other and written when the commit's last frame is
// complete, which is before SQLite syncs it or shows it to anyone; also before anything else is
// done with the file. So no state of the file is visible that SQLite's own order of calls would
// not show, but for frames of a commit that never ended, which are never read.

#include <string>

namespace baton::adapters::sqlite {

/// The name of the batching vfs over `base` (empty: SQLite's own), registered when first asked for.
/// Any thread. Empty when there is no vfs of that name.
std::string batching_vfs(const std::string& base);

}  // namespace baton::adapters::sqlite
