#pragma once
// A SQLite file as an attacker sees it: any statement, values as literals.

#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace baton::audit {

class Database {
 public:
  explicit Database(const std::filesystem::path& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// False when SQLite refuses.
  bool run(const std::string& statements);

  /// Each row's columns as SQL literals, so that equal texts are equal values of the same type.
  std::vector<std::vector<std::string>> rows(const std::string& statement);
  /// The first column of the first row as text; empty when there is none.
  std::string text(const std::string& statement);

 private:
  sqlite3* db_ = nullptr;
};

struct Column {
  std::string name;
  std::string type;
};

struct Table {
  std::string name;
  std::vector<Column> columns;
  std::vector<std::string> key;                  // names a row: its primary key, or rowid
  std::vector<std::vector<std::string>> unique;  // columns of each key that must be unique
};

/// The tables that the file's own schema names.
std::vector<Table> tables_of(Database& database);

/// All rows of all tables, sorted, by table.
std::map<std::string, std::vector<std::string>> contents_of(Database& database);

/// "a = 1 AND b = x'00'", which names one row.
std::vector<std::string> rows_of(Database& database, const Table& table);

}  // namespace baton::audit
