#pragma once
// The audit of a store's tables, indexes and triggers. What follows from the log is derived again,
// by the code that writes it, into a scratch database, and compared table by table; the schema is
// compared with that of the scratch database, which the migrations made.

#include <span>
#include <unordered_map>

#include "adapters/store/sqlite/check/compare.h"
#include "adapters/store/sqlite/heads/anchors.h"
#include "adapters/store/sqlite/schema.h"
#include "ports/store_admin.h"

namespace baton::adapters::sqlite {

/// What vouches for a store from outside. No anchors: nothing does.
struct Vouchers {
  const Anchors* anchors = nullptr;
  Anchors::Heads heads = {};  // read before the moment of the audit: never ahead of it
};

class SqliteTableAudit final : public ports::TableAudit {
 public:
  /// `store` is in a read transaction and outlives the audit. `steps`: how a store is made.
  static Result<std::unique_ptr<SqliteTableAudit>> open(Connection& store,
                                                        std::span<const Migration> steps,
                                                        Vouchers vouchers);

  Result<void> begin(const ports::ProblemSink& sink) override;
  Result<void> add(const run::Commit& commit, const std::vector<run::Event>* events,
                   const ports::ProblemSink& sink) override;
  Result<void> finish(const ports::ProblemSink& sink) override;

 private:
  using Sink = ports::ProblemSink;
  /// What is checked besides the commits, one after the other.
  struct Check {
    const char* what;
    Result<void> (SqliteTableAudit::*run)(const Sink&);
  };
  static const Check checks_of_the_file[];
  static const Check checks_of_the_rows[];

  SqliteTableAudit(Connection& store, std::int64_t version, Vouchers vouchers)
      : store_(store), version_(version), vouchers_(std::move(vouchers)) {}

  Result<void> run(std::span<const Check> checks, const Sink& sink);
  Result<void> open_scratch(std::span<const Migration> steps);
  Result<void> add_rows(const run::Commit& commit, const std::vector<run::Event>* events);
  Result<void> add_uses(const run::Commit& commit, std::int64_t session_no,
                        const std::vector<run::Event>& events);

  Result<void> check_pages(const Sink& sink);
  Result<void> check_marks(const Sink& sink);
  Result<void> check_schema(const Sink& sink);
  Result<void> check_commits(const Sink& sink);
  Result<void> check_derived(const Sink& sink);
  Result<void> check_contents(const Sink& sink);
  Result<void> check_snapshots(const Sink& sink);
  Result<void> check_noted(const Sink& sink);
  Result<void> check_removed(const Sink& sink);
  Result<void> check_anchors(const Sink& sink);

  Connection& store_;
  std::int64_t version_;
  Vouchers vouchers_;
  Health scratch_health_;  // what goes wrong there is not the store's trouble
  std::unique_ptr<Connection> scratch_;
  std::vector<SchemaObject> right_schema_;
  std::unordered_map<std::string, std::int64_t> session_numbers_;  // by the bytes of their ids
  std::int64_t noted_to_ = 0;   // uses of contents are noted up to this commit
  std::int64_t purged_to_ = 0;  // commits up to this one may have been removed
  run::CommitNo last_;
};

// An audit of a store's file: one connection that holds a read transaction for as long as the audit
// lives. Everything the audit reads, it reads there. Writers continue meanwhile, but the WAL cannot
// be reset before the audit ends.

/// `anchors` outlives the audit; null: the store has none.
Result<std::unique_ptr<ports::StoreAudit>> begin_audit(const Where& where,
                                                       std::span<const Migration> steps,
                                                       const Anchors* anchors);

}  // namespace baton::adapters::sqlite
