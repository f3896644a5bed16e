#include "adapters/sqlite/audit.h"

#include "adapters/sqlite/sqlite_reads.h"
#include "adapters/sqlite/table_audit.h"

namespace baton::adapters::sqlite {
namespace {

/// Reads through one connection that is always the same.
class AuditReader final : public SqliteReads<ports::EventReader> {
 public:
  explicit AuditReader(std::unique_ptr<Connection> connection)
      : connection_(*connection),
        opened_(std::move(connection)),
        pool_([this] { return Result<std::unique_ptr<Connection>>(std::move(opened_)); }, 1) {}

  Connection& connection() { return connection_; }

 protected:
  ReaderPool& readers() override { return pool_; }

 private:
  Connection& connection_;
  std::unique_ptr<Connection> opened_;  // until it is first used
  ReaderPool pool_;
};

class SqliteAudit final : public ports::StoreAudit {
 public:
  static Result<std::unique_ptr<ports::StoreAudit>> begin(const Where& where,
                                                          std::span<const Migration> steps,
                                                          const Anchors* anchors) {
    auto audit = std::make_unique<SqliteAudit>();
    Vouchers vouchers;
    vouchers.anchors = anchors;
    if (anchors != nullptr) vouchers.heads = TRY(anchors->read_heads());
    if (vouchers.heads.mark) audit->anchored_ = vouchers.heads.mark->commit;
    auto connection = TRY(Connection::open(where, Access::read, audit->health_));
    TRY(
        connection->run("PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16384; PRAGMA mmap_size=0;"
                        "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; BEGIN"));
    connection->seal_by(anchors != nullptr ? anchors->key() : nullptr);
    // The transaction begins with the first read.
    TRY(connection->number("SELECT count(*) FROM sqlite_schema"));
    audit->reader_ = std::make_unique<AuditReader>(std::move(connection));
    audit->tables_ =
        TRY(SqliteTableAudit::open(audit->reader_->connection(), steps, std::move(vouchers)));
    return audit;
  }

  ports::EventReader& reader() override { return *reader_; }
  ports::TableAudit* tables() override { return tables_.get(); }
  std::optional<run::CommitNo> anchored() const override { return anchored_; }

 private:
  Health health_;  // of its own: what an audit finds does not stop a store that writes
  std::optional<run::CommitNo> anchored_;
  std::unique_ptr<AuditReader> reader_;
  std::unique_ptr<SqliteTableAudit> tables_;
};

}  // namespace

Result<std::unique_ptr<ports::StoreAudit>> begin_audit(const Where& where,
                                                       std::span<const Migration> steps,
                                                       const Anchors* anchors) {
  return SqliteAudit::begin(where, steps, anchors);
}

}  // namespace baton::adapters::sqlite
