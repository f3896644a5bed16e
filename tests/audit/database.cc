#include "database.h"

#include <algorithm>

#include "base/core/result.h"
#include "base/text/text.h"

namespace baton::audit {
namespace {

std::string join(const std::vector<std::string>& pieces, std::string_view between) {
  std::string out;
  for (const std::string& piece : pieces) out += cat(out.empty() ? "" : between, piece);
  return out;
}

}  // namespace

Database::Database(const std::filesystem::path& path) {
  ASSERT(sqlite3_open(path.c_str(), &db_) == SQLITE_OK);
}

Database::~Database() { sqlite3_close(db_); }

bool Database::run(const std::string& statements) {
  return sqlite3_exec(db_, statements.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::vector<std::vector<std::string>> Database::rows(const std::string& statement) {
  std::vector<std::vector<std::string>> out;
  const std::string inner = cat("SELECT * FROM (", statement, ")");
  sqlite3_stmt* plain = nullptr;
  ASSERT(sqlite3_prepare_v2(db_, inner.c_str(), -1, &plain, nullptr) == SQLITE_OK);
  std::vector<std::string> quoted;
  for (int i = 0; i < sqlite3_column_count(plain); ++i) {
    quoted.push_back(cat("quote([", sqlite3_column_name(plain, i), "])"));
  }
  sqlite3_finalize(plain);
  sqlite3_stmt* prepared = nullptr;
  const std::string outer = cat("SELECT ", join(quoted, ", "), " FROM (", statement, ")");
  ASSERT(sqlite3_prepare_v2(db_, outer.c_str(), -1, &prepared, nullptr) == SQLITE_OK);
  while (sqlite3_step(prepared) == SQLITE_ROW) {
    std::vector<std::string> row;
    for (int i = 0; i < sqlite3_column_count(prepared); ++i) {
      row.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(prepared, i)));
    }
    out.push_back(std::move(row));
  }
  sqlite3_finalize(prepared);
  return out;
}

std::string Database::text(const std::string& statement) {
  sqlite3_stmt* prepared = nullptr;
  ASSERT(sqlite3_prepare_v2(db_, statement.c_str(), -1, &prepared, nullptr) == SQLITE_OK);
  std::string out;
  if (sqlite3_step(prepared) == SQLITE_ROW && sqlite3_column_type(prepared, 0) != SQLITE_NULL) {
    out = reinterpret_cast<const char*>(sqlite3_column_text(prepared, 0));
  }
  sqlite3_finalize(prepared);
  return out;
}

std::vector<Table> tables_of(Database& database) {
  const auto plain = [](const std::string& literal) {
    return literal.size() >= 2 ? literal.substr(1, literal.size() - 2) : literal;
  };
  std::vector<Table> out;
  for (const auto& row : database.rows(
           "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
           " AND name NOT LIKE 'sqlite_%' ORDER BY name")) {
    Table table{plain(row[0]), {}, {}, {}};
    const bool has_rowid = row[1] == "0";
    for (const auto& column : database.rows(cat("SELECT name, type, pk FROM pragma_table_info('",
                                                table.name, "') ORDER BY pk, cid"))) {
      table.columns.push_back({plain(column[0]), plain(column[1])});
      if (column[2] != "0") table.key.push_back(plain(column[0]));
    }
    if (!table.key.empty()) table.unique.push_back(table.key);
    if (has_rowid && table.key.empty()) table.key = {"rowid"};
    for (const auto& index : database.rows(cat("SELECT name FROM pragma_index_list('", table.name,
                                               "') WHERE [unique] = 1 AND origin <> 'pk'"))) {
      std::vector<std::string> columns;
      for (const auto& column : database.rows(
               cat("SELECT name FROM pragma_index_info(", index[0], ") ORDER BY seqno"))) {
        columns.push_back(plain(column[0]));
      }
      table.unique.push_back(std::move(columns));
    }
    out.push_back(std::move(table));
  }
  return out;
}

std::map<std::string, std::vector<std::string>> contents_of(Database& database) {
  std::map<std::string, std::vector<std::string>> out;
  for (const Table& table : tables_of(database)) {
    std::vector<std::string>& rows = out[table.name];
    for (const auto& row : database.rows(cat("SELECT * FROM [", table.name, "]"))) {
      rows.push_back(join(row, ", "));
    }
    std::ranges::sort(rows);
  }
  return out;
}

std::vector<std::string> rows_of(Database& database, const Table& table) {
  const std::string names = join(table.key, ", ");
  std::vector<std::string> out;
  for (const auto& row :
       database.rows(cat("SELECT ", names, " FROM [", table.name, "] ORDER BY ", names))) {
    std::vector<std::string> terms;
    for (std::size_t i = 0; i < row.size(); ++i) terms.push_back(cat(table.key[i], " = ", row[i]));
    out.push_back(join(terms, " AND "));
  }
  return out;
}

}  // namespace baton::audit
