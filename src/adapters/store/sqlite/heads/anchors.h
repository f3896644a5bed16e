#pragma once
// Anchors: ties a store to its heads file, so that a store which lost commits is noticed, at its
// opening and before each write.
//
// A store is anchored from its first opening for writing on: a row in `epochs` says so, and a file
// that is missing from then on is a finding. An epoch ends when an older copy of the store is taken
// over on purpose (`begin_epoch`); the heads of the epoch before are kept.
//
// The writer's leader alone; `key` and `refusal` from any thread.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapters/store/sqlite/connection.h"
#include "adapters/store/sqlite/heads/heads_file.h"

namespace baton::adapters::sqlite {

/// A commit that was just made, and the record of its session in the heads file.
struct NotedCommit {
  std::int64_t anchor = 0;
  AnchoredHead head;
  Sha256 previous;  // the hash that it continues
};

class Anchors {
 public:
  /// `db` is the store's path. A store without an epoch begins its first one, unless it can only be
  /// read. Lasts as long as the commits that no process has anchored yet.
  static Result<std::unique_ptr<Anchors>> open(Connection& connection, const std::string& db);

  /// Seals and checks snapshots and traces of removed sessions; null when it could not be read.
  const AnchorKey* key() const { return key_.get(); }

  /// Why nothing may be written: STORE_ROLLED_BACK.
  const std::optional<Error>& refusal() const { return refusal_; }

  /// Inside a write transaction: whether the store, whose newest commit is `last`, still has what
  /// was anchored. STORE_ROLLED_BACK.
  Result<void> check(run::CommitNo last);

  /// The same for a store whose file was written from outside, as a connection that has read
  /// nothing yet sees it. STORE_ROLLED_BACK.
  Result<void> check_anew(Connection& fresh);

  /// Whether the store, whose newest commit is `last`, still has what this process knows of: a
  /// commit with the highest number it saw, and its own newest one in its session. What a row of
  /// that commit says is left to those who read the session. STORE_ROLLED_BACK.
  Result<void> check_floor(Connection& connection, run::CommitNo last, run::CommitNo highest,
                           const std::optional<AnchoredHead>& own) const;

  /// Notes commits that are durable. What cannot be noted now is noted later; when too many wait,
  /// the error says why, and nothing more may be written before it is fixed.
  Result<void> note(Connection& connection, std::span<const NotedCommit> commits);

  /// Makes what was noted durable.
  void sync();

  /// Whether the heads file is still at its path.
  bool is_in_place() const { return !heads_ || heads_->is_in_place(); }

  /// Takes the store as it is: records a new epoch, keeps the old heads beside the new ones, and
  /// makes a key where there is none. Its number is past `above`. Outside of a transaction.
  Result<std::int64_t> begin_epoch(Connection& connection, std::string_view cause,
                                   std::int64_t above = 0);

  /// Makes the heads of a store that was copied without them.
  static Result<void> make_heads(Connection& connection, const std::string& db);

  /// The epoch of a store's heads, which may differ from the store's own.
  static std::optional<std::int64_t> epoch_of(const std::string& db);

  /// What does not fit between the heads, the epochs, the traces of removed sessions and the store
  /// that `connection` shows. `heads` were read before that snapshot was taken.
  struct Heads {
    std::optional<AnchorMark> mark;
    std::vector<std::pair<std::int64_t, AnchoredHead>> records;
  };
  Result<Heads> read_heads() const;
  Result<std::vector<std::string>> problems(Connection& connection, const Heads& heads) const;
  /// Whether the store that `connection` shows has what each record of the heads says.
  /// STORE_ROLLED_BACK.
  Result<void> check_records(Connection& connection, const Heads& heads) const;

 private:
  explicit Anchors(std::string db) : db_(std::move(db)) {}
  Result<void> adopt(Connection& connection);
  Result<void> begin(Connection& connection, std::int64_t epoch, std::string_view cause);
  Result<void> open_heads();
  Result<std::optional<Error>> compare(Connection& connection);
  Result<std::optional<Error>> lacks(Connection& connection, run::CommitNo last,
                                     run::CommitNo commit, const Sha256& hash) const;
  Result<void> catch_up(Connection& connection);
  Result<void> catch_up_page(Connection& connection, AnchorMark& mark, bool& is_done);

  std::string db_;
  std::unique_ptr<AnchorKey> key_;
  std::optional<HeadsFile> heads_;
  StoreId store_{};
  std::int64_t epoch_ = 0;
  std::optional<Error> refusal_;
  std::int64_t not_noted_ = 0;  // commits since noting last worked
};

/// The seal of a snapshot: over its node and text.
Seal seal_snapshot(const AnchorKey& key, run::NodeNo node, std::string_view text);
bool fits_snapshot(const AnchorKey& key, std::span<const std::uint8_t> seal, run::NodeNo node,
                   std::string_view text);

/// Snapshots whose seal does not fit, or which have none although they are younger than the last
/// epoch's beginning. Older ones without a seal are not trusted before they are folded.
Result<std::vector<run::NodeNo>> unsealed_snapshots(Connection& connection, const AnchorKey& key);

/// Seals the row of a session that was removed, and its tombstones. In the transaction that made
/// them.
Result<void> seal_purged(Connection& connection, const AnchorKey& key, const SessionId& session);

/// The next free record number. In a write transaction.
Result<std::int64_t> next_anchor(Connection& connection);

}  // namespace baton::adapters::sqlite
