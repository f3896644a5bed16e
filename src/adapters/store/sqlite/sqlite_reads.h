#pragma once
// The reading half of a store in a SQLite file: one statement for each answer, so that each answer
// is of one moment. The store reads this way through its pool of connections, and an audit through
// its one connection, on which a read transaction holds all answers at the same moment. Any thread.

#include "adapters/store/sqlite/reader_pool.h"
#include "ports/event_store.h"

namespace baton::adapters {

template <class Base>
class SqliteReads : public Base {
 public:
  Result<std::optional<run::NodeRow>> node(run::NodeNo no) override;
  Result<std::optional<run::NodeRow>> node_by_id(const NodeId& id) override;
  Result<std::optional<run::Tombstone>> tombstone(run::NodeNo no) override;
  Result<std::optional<run::NodeNo>> attempt(run::NodeNo node, const run::AttemptKey& key) override;
  Result<ports::SettledCount> settled(run::NodeNo node, run::AttemptKind kind,
                                      std::uint8_t ordinal) override;
  Result<std::vector<run::NodeRow>> children(run::NodeNo parent, std::size_t limit) override;
  Result<std::optional<run::Commit>> commit(run::CommitNo no) override;
  Result<std::optional<run::Commit>> commit_by_key(const SessionId& session,
                                                   std::string_view dedupe_key) override;
  Result<std::optional<run::Commit>> newest_by_prefix(const SessionId& session,
                                                      std::string_view prefix) override;
  Result<std::vector<run::Commit>> log(const SessionId& session, run::Seq after,
                                       std::size_t limit) override;
  Result<std::vector<run::Commit>> store_log(run::CommitNo after, std::size_t limit) override;
  Result<run::SessionHead> head(const SessionId& session) override;
  Result<std::optional<std::string>> blob(const Sha256& hash) override;
  Result<std::optional<std::string>> workflow(const Sha256& hash) override;
  Result<std::optional<run::StoredSnapshot>> snapshot(run::NodeNo node) override;
  Result<std::optional<run::RunRow>> run(const RunId& id) override;
  Result<std::vector<run::RunRow>> runs(std::optional<run::CommitNo> before,
                                        std::size_t limit) override;
  Result<std::vector<run::LooseSession>> loose_sessions(run::CommitNo after,
                                                        std::size_t limit) override;
  Result<run::CommitNo> last_commit() override;
  Result<bool> purged(const SessionId& session) override;
  Result<run::StoreFacts> facts() override;

 protected:
  virtual sqlite::ReaderPool& readers() = 0;
};

extern template class SqliteReads<ports::EventReader>;
extern template class SqliteReads<ports::EventStore>;

}  // namespace baton::adapters
