#pragma once
// A store in a file, and edits of it with SQL behind Baton's back. One thread.

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adapters/store/sqlite/sqlite_store.h"

namespace baton::testing {

/// A folder that goes with its owner.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(std::string_view name) const { return (path_ / name).string(); }
  /// A copy of the file `name` and of what belongs to it, under another name.
  std::string copy(const std::string& from, std::string_view name) const;

 private:
  std::filesystem::path path_;
};

/// A connection of its own to a store's file, without the triggers that protect it.
class Editor {
 public:
  explicit Editor(const std::string& path);
  ~Editor();
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  /// False when SQLite itself does not allow it: a constraint, or a type.
  bool run(const std::string& sql);
  /// The first column of the first row as text; "NULL" for NULL and without a row.
  std::string text(const std::string& sql);
  /// The rows of a query, each value as an SQL literal.
  std::vector<std::vector<std::string>> literals(const std::string& sql);

 private:
  sqlite3* db_ = nullptr;
};

/// One change of one row, as SQL.
struct Edit {
  std::string name;  // what it does, for a message
  std::string sql;
};

/// Every column of the rows that `where` selects, changed in several ways, and each row removed.
/// The columns are asked from the file, so that a new one is edited too.
std::vector<Edit> edits_of(Editor& editor, const std::string& table, const std::string& where);

}  // namespace baton::testing
