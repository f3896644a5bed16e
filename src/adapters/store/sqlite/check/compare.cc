#include "adapters/store/sqlite/check/compare.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

constexpr int shown_bytes_max = 32;  // of bytes in a message: a whole hash

namespace sql {
constexpr const char* schema =
    "SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema ORDER BY type, name";
constexpr const char* columns = "SELECT name, pk FROM pragma_table_info(?1) ORDER BY cid";
}  // namespace sql

/// A statement that is made up for one table and used once.
class Rows {
 public:
  Rows(Connection& connection, const std::string& statement) : connection_(connection) {
    rc_ = sqlite3_prepare_v2(connection.handle(), statement.c_str(), -1, &statement_, nullptr);
  }
  ~Rows() { sqlite3_finalize(statement_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  Result<void> step() {
    if (rc_ == SQLITE_OK || rc_ == SQLITE_ROW) rc_ = sqlite3_step(statement_);
    if (rc_ == SQLITE_ROW || rc_ == SQLITE_DONE) return {};
    return std::unexpected(connection_.error(rc_, "reading a table"));
  }
  bool is_at_row() const { return rc_ == SQLITE_ROW; }
  sqlite3_stmt* row() { return statement_; }

 private:
  Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
  int rc_ = SQLITE_OK;
};

struct Shape {
  std::vector<std::string> columns;
  std::vector<int> key;  // the columns of the primary key, in its order
};

Result<Shape> shape_of(Connection& connection, const std::string& table, std::string_view except) {
  Shape shape;
  std::map<std::int64_t, int> key;
  Query query(connection, sql::columns);
  query.bind(std::string_view(table));
  while (TRY(query.step())) {
    if (query.text(0) == except) continue;
    if (query.integer(1) > 0) key.emplace(query.integer(1), std::ssize(shape.columns));
    shape.columns.push_back(query.text(0));
  }
  for (const auto& [place, column] : key) shape.key.push_back(column);
  ASSERT(!shape.key.empty());
  return shape;
}

/// In brackets a name stays a name; in quotes an unknown one would become a text.
std::string list_of(const Shape& shape) {
  std::string out;
  for (const std::string& column : shape.columns)
    out += cat(out.empty() ? "" : ", ", '[', column, ']');
  return out;
}

std::string statement_for(const std::string& table, const Shape& shape) {
  std::string order;
  for (const int column : shape.key) {
    order +=
        cat(order.empty() ? "" : ", ", '[', shape.columns[static_cast<std::size_t>(column)], ']');
  }
  return cat("SELECT ", list_of(shape), " FROM [", table, "] ORDER BY ", order);
}

/// As SQLite orders values: nothing, numbers, texts, bytes.
int rank_of(int type) {
  switch (type) {
    case SQLITE_NULL: return 0;
    case SQLITE_INTEGER: return 1;
    case SQLITE_FLOAT: return 2;
    case SQLITE_TEXT: return 3;
    default: return 4;
  }
}

int compare_value(sqlite3_stmt* one, sqlite3_stmt* other, int column) {
  const int type = sqlite3_column_type(one, column);
  const int other_type = sqlite3_column_type(other, column);
  if (type != other_type) return rank_of(type) < rank_of(other_type) ? -1 : 1;
  const auto ordered = [](auto a, auto b) { return a < b ? -1 : (b < a ? 1 : 0); };
  if (type == SQLITE_NULL) return 0;
  if (type == SQLITE_INTEGER) {
    return ordered(sqlite3_column_int64(one, column), sqlite3_column_int64(other, column));
  }
  if (type == SQLITE_FLOAT) {
    return ordered(sqlite3_column_double(one, column), sqlite3_column_double(other, column));
  }
  const void* data = sqlite3_column_blob(one, column);
  const void* other_data = sqlite3_column_blob(other, column);
  const int size = sqlite3_column_bytes(one, column);
  const int other_size = sqlite3_column_bytes(other, column);
  const auto shared = static_cast<std::size_t>(std::min(size, other_size));
  const int differs = shared == 0 ? 0 : std::memcmp(data, other_data, shared);
  return differs != 0 ? differs : ordered(size, other_size);
}

std::string value_text(sqlite3_stmt* row, int column) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: return "nothing";
    case SQLITE_INTEGER: return std::to_string(sqlite3_column_int64(row, column));
    case SQLITE_BLOB: {
      const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(row, column));
      const int size = std::min(sqlite3_column_bytes(row, column), shown_bytes_max);
      return cat("x'", to_hex({data, static_cast<std::size_t>(size)}), '\'');
    }
    default: return "another text";
  }
}

class Comparison {
 public:
  Comparison(std::string table, Shape shape, ports::StorePart part, const ports::ProblemSink& sink)
      : table_(std::move(table)), shape_(std::move(shape)), part_(part), sink_(sink) {}

  Result<void> run(Connection& found, Connection& right) {
    const std::string statement = statement_for(table_, shape_);
    Rows theirs(found, statement);
    Rows ours(right, statement);
    TRY(theirs.step());
    TRY(ours.step());
    while (theirs.is_at_row() || ours.is_at_row()) {
      const int order = order_of(theirs, ours);
      if (order < 0) tell(theirs.row(), "the log does not have this row");
      if (order > 0) tell(ours.row(), "the row is missing");
      if (order == 0) compare_row(theirs.row(), ours.row());
      if (order <= 0) TRY(theirs.step());
      if (order >= 0) TRY(ours.step());
    }
    return {};
  }

 private:
  int order_of(Rows& theirs, Rows& ours) const {
    if (!ours.is_at_row()) return -1;
    if (!theirs.is_at_row()) return 1;
    for (const int column : shape_.key) {
      const int order = compare_value(theirs.row(), ours.row(), column);
      if (order != 0) return order;
    }
    return 0;
  }

  void compare_row(sqlite3_stmt* theirs, sqlite3_stmt* ours) {
    for (int column = 0; column < std::ssize(shape_.columns); ++column) {
      if (compare_value(theirs, ours, column) == 0) continue;
      tell(ours, cat(shape_.columns[static_cast<std::size_t>(column)], " is ",
                     value_text(theirs, column), ", the log says ", value_text(ours, column)));
    }
  }

  void tell(sqlite3_stmt* row, std::string_view what) {
    std::string place = cat("table ", table_);
    for (const int column : shape_.key) {
      place +=
          cat(", ", shape_.columns[static_cast<std::size_t>(column)], ' ', value_text(row, column));
    }
    sink_(part_, cat(place, ": ", what));
  }

  std::string table_;
  Shape shape_;
  ports::StorePart part_;
  const ports::ProblemSink& sink_;
};

}  // namespace

Result<std::vector<SchemaObject>> schema_of(Connection& connection) {
  std::vector<SchemaObject> out;
  Query query(connection, sql::schema);
  while (TRY(query.step())) {
    out.push_back({query.text(0), query.text(1), query.text(2), query.text(3)});
  }
  return out;
}

void compare_schemas(const std::vector<SchemaObject>& found, const std::vector<SchemaObject>& right,
                     const ports::ProblemSink& sink) {
  const auto tell = [&](const SchemaObject& object, std::string_view what) {
    sink(ports::StorePart::file, cat(object.type, ' ', object.name, ": ", what));
  };
  const auto same_name = [](const SchemaObject& object) {
    return [&](const SchemaObject& other) {
      return other.type == object.type && other.name == object.name;
    };
  };
  for (const SchemaObject& object : right) {
    const auto at = std::ranges::find_if(found, same_name(object));
    if (at == found.end()) tell(object, "it is missing");
    if (at != found.end() && *at != object) tell(object, "this release creates it differently");
  }
  for (const SchemaObject& object : found) {
    if (std::ranges::none_of(right, same_name(object))) tell(object, "Baton did not create it");
  }
}

Result<void> compare_tables(Connection& found, Connection& right, const std::string& table,
                            std::string_view except, ports::StorePart part,
                            const ports::ProblemSink& sink) {
  return Comparison(table, TRY(shape_of(right, table, except)), part, sink).run(found, right);
}

}  // namespace baton::adapters::sqlite
