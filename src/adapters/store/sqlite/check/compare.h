#pragma once
// Comparing tables of two databases that should hold the same: each on a connection of its own,
// both read in the order of their keys. All columns are compared.

#include <string>
#include <vector>

#include "adapters/store/sqlite/connection.h"
#include "ports/store_admin.h"

namespace baton::adapters::sqlite {

/// An object of a schema: a table, an index, a trigger or a view.
struct SchemaObject {
  std::string type;
  std::string name;
  std::string table;
  std::string sql;  // empty for what SQLite makes by itself
  auto operator<=>(const SchemaObject&) const = default;
};

/// All objects of the connection's main database, by type and name.
Result<std::vector<SchemaObject>> schema_of(Connection& connection);

/// Tells of each object that only one of them has or that they have in different words.
/// `right` is how it must be.
void compare_schemas(const std::vector<SchemaObject>& found, const std::vector<SchemaObject>& right,
                     const ports::ProblemSink& sink);

/// Tells of each row that is missing, that is too many, and of each value that differs. `right` is
/// how it must be, and has a primary key. The column `except` may differ.
Result<void> compare_tables(Connection& found, Connection& right, const std::string& table,
                            std::string_view except, ports::StorePart part,
                            const ports::ProblemSink& sink);

}  // namespace baton::adapters::sqlite
