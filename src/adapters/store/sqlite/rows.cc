#include "adapters/store/sqlite/rows.h"

#include "base/json/json.h"

namespace baton::adapters::sqlite {
namespace {

std::optional<run::NodeNo> optional_node(Query& query, int column) {
  if (query.is_null(column)) return std::nullopt;
  return run::NodeNo{query.integer(column)};
}

/// A list that cannot be read becomes one that no commit can have.
std::vector<std::string> steps_from(const std::string& text) {
  const std::vector<std::string> unreadable{"\xff"};
  std::vector<std::string> out;
  const auto value = json::parse(text, {limits::commit_bytes_max, limits::commit_depth_max});
  const json::Array* array = value ? value->if_array() : nullptr;
  if (array == nullptr) return unreadable;
  for (const json::Value& step : *array) {
    const std::string* key = step.if_string();
    if (key == nullptr) return unreadable;
    out.push_back(*key);
  }
  return out;
}

/// A number without a kind becomes a kind that no commit can have.
run::NodeKind kind_from(std::int64_t number) {
  constexpr std::int64_t unknown = 255;
  const bool is_known =
      number >= 0 && number <= static_cast<std::int64_t>(run::NodeKind::blocked_attempt);
  return static_cast<run::NodeKind>(is_known ? number : unknown);
}

}  // namespace

std::string steps_text(const std::vector<std::string>& steps) {
  std::string out = "[";
  for (const std::string& step : steps) {
    if (out.size() > 1) out += ',';
    json::append_quoted(out, step);
  }
  out += ']';
  return out;
}

Result<run::Commit> commit_row(Query& query) {
  run::Commit row;
  row.no = {query.integer(0)};
  row.session = {query.bytes<16>(1)};
  row.seq = {query.integer(2)};
  row.dedupe_key = query.text(3);
  row.at = {query.integer(4)};
  row.previous = {query.bytes<32>(5)};
  row.hash = {query.bytes<32>(6)};
  row.body = query.text(7);
  return row;
}

Result<run::Tombstone> tombstone_row(Query& query) {
  run::Tombstone row;
  row.id = {query.bytes<16>(0)};
  row.open_steps = steps_from(query.text(1));
  return row;
}

Result<run::NodeRow> node_row(Query& query) {
  run::NodeRow row;
  row.no = {query.integer(0)};
  row.id = {query.bytes<16>(1)};
  row.session = {query.bytes<16>(2)};
  row.run = {query.bytes<16>(3)};
  row.parent = optional_node(query, 4);
  row.depth = query.integer(5);
  row.kind = kind_from(query.integer(6));
  row.open_steps = steps_from(query.text(7));
  row.settled_step = query.text(8);
  row.created = {query.integer(9)};
  row.snapshot = optional_node(query, 10);
  row.path_events = query.integer(11);
  row.path_bytes = query.integer(12);
  row.revoked = row.no.commit().value <= query.integer(13);
  return row;
}

Result<run::RunRow> run_row(Query& query) {
  run::RunRow row;
  row.run = {query.bytes<16>(0)};
  row.session = {query.bytes<16>(1)};
  row.workflow_id = query.text(2);
  row.workflow_hash = {query.bytes<32>(3)};
  row.goal = query.text(4);
  row.started = {query.integer(5)};
  row.last_active = {query.integer(6)};
  row.last_commit = {query.integer(7)};
  row.tip = {query.integer(8)};
  row.is_complete = query.integer(9) != 0;
  row.nodes = query.integer(10);
  if (!query.is_null(11)) row.parent = RunId{query.bytes<16>(11)};
  return row;
}

Result<run::CommitNo> last_commit_no(Connection& connection) {
  // Ignores numbers beyond the limit, which no store gave out, and skips numbers that a session or
  // a node still uses although its commit is gone.
  constexpr const char* find_last =
      "SELECT max(ifnull((SELECT max(commit_no) FROM commits WHERE commit_no <= ?1), 0),"
      " ifnull((SELECT max(last_commit_no) FROM purged WHERE last_commit_no <= ?1), 0),"
      " ifnull((SELECT max(session_no) FROM sessions WHERE session_no <= ?1), 0),"
      " ifnull((SELECT max(node_no) / 16 FROM nodes WHERE node_no <= ?1 * 16), 0))";
  Query query(connection, find_last);
  query.bind(limits::commit_no_max);
  TRY(query.step());
  return run::CommitNo{query.integer(0)};
}

}  // namespace baton::adapters::sqlite
