#pragma once
// The durable log and what is indexed about it. Two interfaces, so that a path which must not
// write (rehydrate, every view) is given a type that cannot.
//
// A store returns what it holds without checking it: a damaged row is returned as far as it can be
// read, and so is a commit that does not fit its hash. Verbs read through
// engine/load/checked_store.h, which checks every answer; only code that looks for damage reads
// from the store itself.
//
// All functions block and may be called from any thread. Errors: STORE_FAILED, STORE_CORRUPT (the
// database reports that its file is damaged), STORE_BUSY for reads; appends add STORE_FULL,
// STORE_READ_ONLY, STORE_NEWER, and STORAGE_CORRUPTION_DETECTED for a session whose head cannot be
// read; other sessions are not affected by that.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "run/log/commit_outline.h"
#include "run/log/rows.h"
#include "run/log/types.h"

namespace baton::ports {

class StoreAudit;

/// How often a step of a node was attempted already.
struct SettledCount {
  std::uint16_t count = 0;
};

class EventReader {
 public:
  virtual ~EventReader() = default;

  virtual Result<std::optional<run::NodeRow>> node(run::NodeNo no) = 0;
  virtual Result<std::optional<run::NodeRow>> node_by_id(const NodeId& id) = 0;

  /// Of a node whose session was removed by gc.
  virtual Result<std::optional<run::Tombstone>> tombstone(run::NodeNo no) = 0;

  /// What a token of this node is checked against, taken from the rows. Only for the MAC: when the
  /// token is good, the caller reads the node itself. A missing node costs one read more.
  virtual Result<std::optional<run::TokenSubject>> token_subject(run::NodeNo no) {
    if (auto row = TRY(node(no))) return run::TokenSubject{row->id, row->open_steps, false};
    auto grave = TRY(tombstone(no));
    if (!grave) return std::nullopt;
    return run::TokenSubject{grave->id, grave->open_steps, true};
  }

  /// The same, taken from the log; nothing for a commit that does not fit its hash.
  virtual Result<std::optional<run::TokenSubject>> logged_subject(run::NodeNo no) {
    const auto found = TRY(commit(no.commit()));
    if (!found || run::commit_misfit(*found)) return std::nullopt;
    return run::subject_in(*found, no);
  }

  /// The node that settled this attempt, or nothing when it is still open.
  virtual Result<std::optional<run::NodeNo>> attempt(run::NodeNo node,
                                                     const run::AttemptKey& key) = 0;
  virtual Result<SettledCount> settled(run::NodeNo node, run::AttemptKind kind,
                                       std::uint8_t ordinal) = 0;

  /// The nodes whose parent is this one, newest first, at most `limit`.
  virtual Result<std::vector<run::NodeRow>> children(run::NodeNo parent, std::size_t limit) = 0;

  virtual Result<std::optional<run::Commit>> commit(run::CommitNo no) = 0;

  /// The commit of a session with this dedupe key.
  virtual Result<std::optional<run::Commit>> commit_by_key(const SessionId& session,
                                                           std::string_view dedupe_key) = 0;

  /// The latest commit of a session whose dedupe key begins with `prefix`.
  virtual Result<std::optional<run::Commit>> newest_by_prefix(const SessionId& session,
                                                              std::string_view prefix) = 0;

  /// A session's log after `after`, in order, at most `limit` commits. Fewer, but at least one if
  /// there is one, when they have limits::log_page_bytes_max bytes: none is the end of the log.
  virtual Result<std::vector<run::Commit>> log(const SessionId& session, run::Seq after,
                                               std::size_t limit) = 0;

  /// The whole store's log after `after`, in order, by the same pages.
  virtual Result<std::vector<run::Commit>> store_log(run::CommitNo after, std::size_t limit) = 0;

  /// Seq 0 and a zero hash for a session without commits.
  virtual Result<run::SessionHead> head(const SessionId& session) = 0;

  virtual Result<std::optional<std::string>> blob(const Sha256& hash) = 0;
  virtual Result<std::optional<std::string>> workflow(const Sha256& hash) = 0;

  /// Nothing when the node has no snapshot, or one whose seal does not fit it.
  virtual Result<std::optional<run::StoredSnapshot>> snapshot(run::NodeNo node) = 0;

  virtual Result<std::optional<run::RunRow>> run(const RunId& id) = 0;

  /// Runs by latest activity, newest first, whose last commit is before `before`; at most `limit`.
  virtual Result<std::vector<run::RunRow>> runs(std::optional<run::CommitNo> before,
                                                std::size_t limit) = 0;

  /// Sessions whose first commit started no run, by that commit, after `after`; at most `limit`.
  virtual Result<std::vector<run::LooseSession>> loose_sessions(run::CommitNo after,
                                                                std::size_t limit) = 0;

  /// The newest commit of the store.
  virtual Result<run::CommitNo> last_commit() = 0;

  /// Whether the session was removed by gc.
  virtual Result<bool> purged(const SessionId& session) = 0;

  /// Its epochs, and how many sessions were removed. Nothing of a store that is no file.
  virtual Result<run::StoreFacts> facts() { return run::StoreFacts(); }
};

struct Appended {
  run::Commit commit;
  std::vector<run::NodeRow> nodes;  // as they are stored, in the order of the NodeCreated events
};

/// The session's head is not the expected one; look again.
struct HeadMoved {
  run::Seq head;
};

/// The dedupe key is taken: that act is recorded already.
struct AlreadyRecorded {
  run::CommitNo commit;
};

using AppendOutcome = std::variant<Appended, HeadMoved, AlreadyRecorded>;

struct Purged {};

using PurgeOutcome = std::variant<Purged, HeadMoved>;

class EventStore : public EventReader {
 public:
  /// Completes the draft and returns only when the commit is durable. A refused append has changed
  /// nothing. After an error other than STORE_FULL and STORE_BUSY the outcome may be unknown: look
  /// it up by its key.
  virtual Result<AppendOutcome> append(run::CommitDraft draft) = 0;

  /// Appends a whole log to a session without commits, in one transaction: all or none. An append
  /// that misses its expected head or whose key is taken fails the whole with INVALID_INPUT.
  virtual Result<void> append_all(std::vector<run::CommitDraft> drafts) = 0;

  /// Removes a whole session whose head is still `expected` and leaves tombstones. With it go the
  /// texts and workflows that no other session refers to. A session removed already is Purged.
  virtual Result<PurgeOutcome> purge(const SessionId& session, run::Seq expected, WallMs at) = 0;

  /// Drops everything that is derived from the log and rebuilds it, byte for byte the same.
  virtual Result<void> rebuild() = 0;

  /// One moment of the store, for a check of all of it (ports/store_admin.h). STORE_NEWER when this
  /// release does not know everything that must be there.
  virtual Result<std::unique_ptr<StoreAudit>> audit() = 0;
};

// Waiting for the store to grow, by this process's appends or another's. Any thread.

class ChangeFeed {
 public:
  virtual ~ChangeFeed() = default;

  /// The store's newest commit as soon as it is past `seen`, or what it is when `timeout_ms` is
  /// over or stop() was called.
  virtual Result<run::CommitNo> wait_past(run::CommitNo seen, std::int64_t timeout_ms) = 0;

  /// Every waiter returns now, and every later one at once.
  virtual void stop() = 0;
};

}  // namespace baton::ports
