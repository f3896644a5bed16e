#include "support/edited_store.h"

#include <stdlib.h>

#include "base/text/text.h"

namespace baton::testing {
namespace {

struct Column {
  std::string name;
  std::string type;
  bool is_key = false;
};

std::string unquoted(const std::string& literal) {
  return literal.starts_with('\'') ? literal.substr(1, literal.size() - 2) : literal;
}

std::vector<Column> columns_of(Editor& editor, const std::string& table) {
  std::vector<Column> out;
  for (const auto& row : editor.literals(cat("PRAGMA table_info(", table, ")"))) {
    out.push_back({unquoted(row[1]), unquoted(row[2]), row[5] != "0"});
  }
  return out;
}

/// Other values for a field: SQL expressions that may name the field itself.
std::vector<std::string> others(const Column& column, const std::string& table) {
  const std::string& name = column.name;
  const std::string another = cat("(SELECT o.", name, " FROM ", table, " o WHERE o.", name,
                                  " IS NOT ", table, '.', name, " ORDER BY o.rowid DESC LIMIT 1)");
  if (column.type == "INTEGER") return {cat(name, "+1"), cat(name, "-1"), "NULL", "1<<40"};
  if (column.type == "TEXT") return {"''", cat(name, "||'x'"), "'[]'"};
  return {cat("zeroblob(length(", name, "))"), "x'00'", "NULL", another};
}

}  // namespace

ScratchFolder::ScratchFolder() {
  // Hundreds of stores are made and synced here: in memory, where there is such a place.
  const std::filesystem::path memory = "/dev/shm";
  const std::filesystem::path above =
      std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  std::string pattern = (above / "baton-edited-XXXXXX").string();
  ASSERT(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() { std::filesystem::remove_all(path_); }

std::string ScratchFolder::copy(const std::string& from, std::string_view name) const {
  const std::filesystem::path source(from);
  const std::string to = file(name);
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    if (entry.path().string().starts_with(to)) old.push_back(entry.path());
  }
  for (const std::filesystem::path& each : old) std::filesystem::remove(each);
  for (const auto& entry : std::filesystem::directory_iterator(source.parent_path())) {
    const std::string found = entry.path().string();
    if (found.starts_with(from)) {
      std::filesystem::copy_file(found, to + found.substr(from.size()),
                                 std::filesystem::copy_options::overwrite_existing);
    }
  }
  return to;
}

Editor::Editor(const std::string& path) {
  ASSERT(sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK);
  sqlite3_busy_timeout(db_, 5'000);
  for (const char* trigger :
       {"commits_are_final", "commits_stay", "blobs_are_final", "workflows_are_final"}) {
    ASSERT(run(cat("DROP TRIGGER IF EXISTS ", trigger)));
  }
}

Editor::~Editor() { sqlite3_close(db_); }

bool Editor::run(const std::string& sql) {
  return sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::string Editor::text(const std::string& sql) {
  const auto rows = literals(sql);
  return rows.empty() ? "NULL" : unquoted(rows.front().front());
}

std::vector<std::vector<std::string>> Editor::literals(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  ASSERT(sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  std::vector<std::vector<std::string>> out;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    std::vector<std::string> row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto* data = static_cast<const unsigned char*>(sqlite3_column_blob(statement, i));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
      switch (sqlite3_column_type(statement, i)) {
        case SQLITE_NULL: row.emplace_back("NULL"); break;
        case SQLITE_INTEGER: row.push_back(cat(sqlite3_column_int64(statement, i))); break;
        case SQLITE_BLOB: {
          std::string hex = "x'";
          for (std::size_t b = 0; b < size; ++b) {
            hex += "0123456789abcdef"[data[b] >> 4];
            hex += "0123456789abcdef"[data[b] & 15];
          }
          row.push_back(hex + "'");
          break;
        }
        default: {
          std::string quoted = "'";
          for (std::size_t b = 0; b < size; ++b) {
            quoted.append(data[b] == '\'' ? 2 : 1, static_cast<char>(data[b]));
          }
          row.push_back(quoted + "'");
        }
      }
    }
    out.push_back(std::move(row));
  }
  sqlite3_finalize(statement);
  return out;
}

std::vector<Edit> edits_of(Editor& editor, const std::string& table, const std::string& where) {
  const std::vector<Column> columns = columns_of(editor, table);
  std::vector<Edit> out;
  for (const auto& row : editor.literals(cat("SELECT * FROM ", table, " WHERE ", where))) {
    std::string key;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool names = columns[i].is_key || row[i].starts_with("x'");
      if (!names || row[i].size() > 80) continue;
      key += cat(key.empty() ? "" : " AND ", columns[i].name, " IS ", row[i]);
    }
    out.push_back({cat(table, " row removed: ", key), cat("DELETE FROM ", table, " WHERE ", key)});
    for (const Column& column : columns) {
      for (const std::string& value : others(column, table)) {
        out.push_back({cat(table, '.', column.name, " = ", value, " where ", key),
                       cat("UPDATE ", table, " SET ", column.name, " = ", value, " WHERE ", key)});
      }
    }
  }
  return out;
}

}  // namespace baton::testing
