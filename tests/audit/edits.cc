#include "edits.h"

#include <set>

#include "base/text/text.h"

namespace baton::audit {
namespace {

/// A way to change a value: a name, and the new value as an expression over the old one, `%`.
struct Change {
  std::string_view name;
  std::string_view expression;
};

constexpr Change of_integers[] = {
    {"+ 1", "% + 1"},        {"- 1", "% - 1"}, {"+ 1000000", "% + 1000000"},    {"+ 16", "% + 16"},
    {"negated", "-%"},       {"0", "0"},       {"huge", "9223372036854775807"}, {"null", "NULL"},
    {"set", "ifnull(%, 1)"},
};
constexpr Change of_texts[] = {
    {"longer", "% || 'x'"},
    {"empty", "''"},
    {"shorter", "substr(%, 1, length(%) - 1)"},
    {"one letter", "substr(%, 1, length(%) / 2) || 'q' || substr(%, length(%) / 2 + 2)"},
    {"a list", "'[\"x\"]'"},
    {"null", "NULL"},
    {"set", "ifnull(%, 'x')"},
};
constexpr Change of_bytes[] = {
    {"last byte", "CAST(substr(%, 1, length(%) - 1) || x'5a' AS BLOB)"},
    {"first byte", "CAST(x'5a' || substr(%, 2) AS BLOB)"},
    {"shorter", "substr(%, 1, length(%) - 1)"},
    {"longer", "CAST(% || x'00' AS BLOB)"},
    {"empty", "x''"},
    {"zeros", "zeroblob(length(%))"},
    {"null", "NULL"},
    {"set", "ifnull(%, zeroblob(16))"},
};

std::span<const Change> changes_of(const std::string& type) {
  if (type == "INTEGER") return of_integers;
  if (type == "TEXT") return of_texts;
  return of_bytes;
}

std::string filled(std::string_view expression, std::string_view column) {
  std::string out;
  for (const char c : expression) {
    if (c == '%') {
      out += cat('[', column, ']');
    } else {
      out += c;
    }
  }
  return out;
}

/// The first, the last and one between them.
std::vector<std::string> some_of(const std::vector<std::string>& rows) {
  if (rows.size() <= 3) return rows;
  return {rows.front(), rows[rows.size() / 2], rows.back()};
}

/// Rows that are far apart, and the neighbours near the end.
std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<std::string>& rows) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto some = some_of(rows);
  for (std::size_t i = 0; i + 1 < some.size(); ++i) out.emplace_back(some[i], some[i + 1]);
  for (std::size_t i = rows.size() > 8 ? rows.size() - 8 : rows.size(); i + 1 < rows.size(); ++i) {
    out.emplace_back(rows[i], rows[i + 1]);
  }
  return out;
}

/// The same row again, with another value in each key that must be unique.
Edit repeated(const Table& table, const std::string& where) {
  std::set<std::string> changed;
  for (const auto& key : table.unique) changed.insert(key.back());
  std::string names;
  std::string values;
  for (const Column& column : table.columns) {
    std::string value = cat('[', column.name, ']');
    if (changed.contains(column.name)) {
      value = column.type == "INTEGER"
                  ? cat("(SELECT max([", column.name, "]) + 1 FROM [", table.name, "])")
              : column.type == "TEXT"
                  ? filled("% || 'x'", column.name)
                  : filled("CAST(substr(%, 1, length(%) - 1) || x'a5' AS BLOB)", column.name);
    }
    names += cat(names.empty() ? "" : ", ", '[', column.name, ']');
    values += cat(values.empty() ? "" : ", ", value);
  }
  return {table.name, cat(table.name, " repeated"), where,
          cat("INSERT INTO [", table.name, "](", names, ") SELECT ", values, " FROM [", table.name,
              "] WHERE ", where)};
}

/// The values of a column of two rows change places. Through a third one, which no row has: where
/// they must be unique, two rows cannot have one value for a moment.
Edit swapped(Database& database, const Table& table, const Column& column, const std::string& one,
             const std::string& other) {
  const auto value = [&](const std::string& where) {
    return database.rows(cat("SELECT [", column.name, "] FROM [", table.name, "] WHERE ", where))
        .front()
        .front();
  };
  const std::string free = column.type == "INTEGER" ? "-77777"
                           : column.type == "TEXT"  ? "'?'"
                                                    : "x'77'";
  const bool is_key = std::ranges::find(table.key, column.name) != table.key.end();
  const auto set = [&](const std::string& to, const std::string& where) {
    return cat("UPDATE [", table.name, "] SET [", column.name, "] = ", to, " WHERE ", where, ";");
  };
  // A row whose key is changed is found by its new key from then on.
  std::string moved = one;
  if (is_key) {
    const std::string term = cat(column.name, " = ", value(one));
    moved.replace(moved.find(term), term.size(), cat(column.name, " = ", free));
  }
  return {table.name, cat(table.name, '.', column.name, " swapped"), cat(one, " with ", other),
          cat(set(free, one), set(value(one), other), set(value(other), moved))};
}

void add_edits_of_row(const Table& table, const std::string& where, std::vector<Edit>& out) {
  for (const Column& column : table.columns) {
    for (const Change& change : changes_of(column.type)) {
      out.push_back({table.name, cat(table.name, '.', column.name, ' ', change.name), where,
                     cat("UPDATE [", table.name, "] SET [", column.name,
                         "] = ", filled(change.expression, column.name), " WHERE ", where)});
    }
  }
  out.push_back({table.name, cat(table.name, " deleted"), where,
                 cat("DELETE FROM [", table.name, "] WHERE ", where)});
  out.push_back(repeated(table, where));
}

}  // namespace

std::vector<Edit> edits_of_rows(Database& database) {
  std::vector<Edit> out;
  for (const Table& table : tables_of(database)) {
    const auto rows = rows_of(database, table);
    const auto some = some_of(rows);
    for (const std::string& where : some) add_edits_of_row(table, where, out);
    for (const auto& [one, other] : pairs_of(rows)) {
      for (const Column& column : table.columns) {
        out.push_back(swapped(database, table, column, one, other));
      }
    }
    out.push_back(
        {table.name, cat(table.name, " emptied"), "all", cat("DELETE FROM ", table.name)});
  }
  return out;
}

std::vector<Edit> edits_of_schema(Database& database) {
  std::vector<Edit> out;
  const auto add = [&](std::string name, std::string statements) {
    out.push_back({"", std::move(name), "the schema", std::move(statements)});
  };
  for (const auto& row :
       database.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL")) {
    const std::string type = row[0].substr(1, row[0].size() - 2);
    const std::string name = row[1].substr(1, row[1].size() - 2);
    add(cat("drop ", type, ' ', name), cat("DROP ", type, " [", name, "]"));
    // The same object with other words: SQLite works as before, or differently.
    add(cat("reword ", type, ' ', name),
        cat("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, '",
            type == "trigger" ? "BEGIN" : "(", "', '", type == "trigger" ? "BEGIN SELECT 1;" : "( ",
            "') WHERE name = '", name, "'; PRAGMA writable_schema=RESET"));
    if (type != "table") continue;
    add(cat("column in ", name), cat("ALTER TABLE [", name, "] ADD COLUMN more INTEGER"));
    add(cat("trigger on ", name),
        cat("CREATE TRIGGER more AFTER INSERT ON [", name, "] BEGIN SELECT 1; END"));
    add(cat("index on ", name), cat("CREATE INDEX more ON [", name, "](1)"));
  }
  add("table", "CREATE TABLE more(x)");
  add("view", "CREATE VIEW more AS SELECT * FROM commits");
  add("statistics", "ANALYZE");
  for (const char* mark : {"user_version", "application_id"}) {
    const std::int64_t now = parse_int(database.text(cat("PRAGMA ", mark))).value();
    for (const std::int64_t value : {now - 1, now + 1, std::int64_t{0}}) {
      add(cat(mark, " from ", now, " to ", value), cat("PRAGMA ", mark, "=", value));
    }
  }
  return out;
}

Made make(const Edit& edit, const std::filesystem::path& path) {
  Database database(path);
  const auto before = contents_of(database);
  std::string off;
  std::string on;
  if (!edit.table.empty()) {
    for (const auto& row :
         database.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")) {
      off += cat("DROP TRIGGER ", row[0], ";");
      std::string sql;
      for (std::size_t i = 1; i + 1 < row[1].size(); ++i) {
        sql += row[1][i];
        if (row[1][i] == '\'') ++i;  // a quote in a literal is written twice
      }
      on += cat(sql, ";");
    }
  }
  const bool in_transaction = edit.statements.find("PRAGMA") == std::string::npos;
  const bool done = database.run(cat(in_transaction ? "BEGIN;" : "", off, edit.statements, ";", on,
                                     in_transaction ? "COMMIT" : ""));
  if (!done) {
    if (in_transaction) static_cast<void>(database.run("ROLLBACK"));
    return Made::refused;
  }
  if (!edit.table.empty() && contents_of(database) == before) return Made::changes_nothing;
  return Made::yes;
}

}  // namespace baton::audit
