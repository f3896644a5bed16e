#pragma once
// Edits of a store's file that a person who knows SQL can make, generated from the file's own
// schema: a table or column that is new tomorrow is covered without a word.

#include <string>
#include <vector>

#include "database.h"

namespace baton::audit {

struct Edit {
  std::string table;       // empty: of the schema or the file's marks
  std::string name;        // what is done, without the row: "nodes.depth + 1"
  std::string where;       // the row; for people
  std::string statements;  // one transaction
};

/// Changes of values and rows: per table and column a few rows, each changed in several ways;
/// rows deleted, repeated under another key, and two rows' values swapped.
std::vector<Edit> edits_of_rows(Database& database);

/// Changes of tables, indexes and triggers, and of the file's marks.
std::vector<Edit> edits_of_schema(Database& database);

enum class Made { yes, refused, changes_nothing };

/// Makes the edit, past triggers, which are there again afterwards as if nothing had happened.
Made make(const Edit& edit, const std::filesystem::path& path);

}  // namespace baton::audit
