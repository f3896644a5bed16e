#include "adapters/store/sqlite/write/change_feed.h"

#include "adapters/store/sqlite/rows.h"
#include "adapters/store/sqlite/schema.h"

namespace baton::adapters {
namespace {

namespace sql {
constexpr const char* data_version = "PRAGMA data_version";
}

/// What a look needs to remember between two.
struct Watch {
  sqlite::Health health;
  std::unique_ptr<sqlite::Connection> connection;
  std::int64_t data_version = -1;
  run::CommitNo newest;

  Result<run::CommitNo> look() {
    std::int64_t version = 0;
    {
      sqlite::Query query(*connection, sql::data_version);
      TRY(query.step());
      version = query.integer(0);
    }
    // Read before the log: a commit in between is seen now and once more at the next look.
    if (version != data_version) newest = TRY(sqlite::last_commit_no(*connection));
    data_version = version;
    return newest;
  }
};

}  // namespace

Result<std::unique_ptr<ports::ChangeFeed>> open_sqlite_feed(std::string path,
                                                            std::int64_t every_ms) {
  auto watch = std::make_shared<Watch>();
  const sqlite::Where where{std::move(path), {}, limits::store_busy_ms_max};
  watch->connection = TRY(sqlite::Connection::open(where, sqlite::Access::read, watch->health));
  TRY(sqlite::prepare_to_read(*watch->connection));
  return std::make_unique<PollingFeed>([watch] { return watch->look(); }, every_ms);
}

}  // namespace baton::adapters
