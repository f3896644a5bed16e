#pragma once
// What a store keeps about nodes, runs and commits, as values. All but the log itself follows
// from the log and can be rebuilt from it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/log/event.h"

namespace baton::run {

/// One row of the log. `hash` covers `previous` and everything else but `no`.
struct Commit {
  CommitNo no;
  SessionId session;
  Seq seq;
  std::string dedupe_key;
  WallMs at;
  Sha256 previous;  // hash of the session's previous commit; zero for the first
  Sha256 hash;
  std::string body;
  bool operator==(const Commit&) const = default;
};

/// The hash a commit must carry.
Sha256 commit_hash(const Commit& commit);

/// A text that is stored under its own hash.
struct Content {
  explicit Content(std::string text) : hash(sha256(text)), data(std::move(text)) {}
  Content(const Sha256& known, std::string text) : hash(known), data(std::move(text)) {}

  Sha256 hash;
  std::string data;
  bool operator==(const Content&) const = default;
};

/// A commit on its way into the log: the one value that goes from the Decider to the store. It
/// is moved there and not copied. The store encodes it and gives it its place; until then its
/// number, place, hashes and body are not set.
struct CommitDraft : Commit {
  CommitDraft() = default;
  CommitDraft(const SessionId& of, std::string key, WallMs when, std::vector<Event> what)
      : events(std::move(what)) {
    session = of;
    dedupe_key = std::move(key);
    at = when;
  }

  /// The head that was decided on; without one the commit always goes after the latest, and only
  /// the dedupe key decides.
  std::optional<Seq> expected;
  std::vector<Event> events;
  CommitIndex index;  // of the events, once they are encoded

  // Stored in the same transaction. Content already there is not stored again.
  std::vector<Content> blobs;
  std::optional<Content> workflow;      // in canonical text
  std::optional<std::string> snapshot;  // of the (only) node in `events`

  /// Snapshots of earlier nodes of the session, folded again because the stored ones could not be
  /// trusted: they replace the stored ones, sealed. A node without a snapshot keeps none.
  std::vector<std::pair<NodeNo, std::string>> reseal;

  /// What it has become, once it is stored.
  Commit commit() && { return static_cast<Commit&&>(*this); }
};

struct NodeRow {
  NodeNo no;
  NodeId id;
  SessionId session;
  RunId run;
  std::optional<NodeNo> parent;
  std::int64_t depth = 0;  // edges to the root
  NodeKind kind = NodeKind::step;
  std::vector<std::string> open_steps;
  std::string settled_step;
  WallMs created;
  std::optional<NodeNo> snapshot;  // nearest ancestor-or-self that has one
  std::int64_t path_events = 0;    // events of the commits after that snapshot, down to this node
  std::int64_t path_bytes = 0;     // and the bytes of their bodies
  bool revoked = false;            // by the word of its run's row
  bool operator==(const NodeRow&) const = default;
};

/// What is left of a node whose session was removed: enough to tell its token from a forged one.
struct Tombstone {
  NodeId id;
  std::vector<std::string> open_steps;
  bool operator==(const Tombstone&) const = default;
};

/// What a token of a node is checked against.
struct TokenSubject {
  NodeId id;
  std::vector<std::string> open_steps;
  bool is_removed = false;  // with its session, by gc
  bool operator==(const TokenSubject&) const = default;
};

struct RunRow {
  RunId run;
  SessionId session;
  std::string workflow_id;
  Sha256 workflow_hash;
  std::string goal;
  std::optional<RunId> parent;  // whose task it carries out
  WallMs started;
  WallMs last_active;
  CommitNo last_commit;
  NodeNo tip;                // the node of the latest commit that made one
  bool is_complete = false;  // at the tip
  std::int64_t nodes = 0;
  bool operator==(const RunRow&) const = default;
};

/// The text of a snapshot as a store keeps it. A sealed one carries a MAC by the store's own key.
/// One without a seal was written by release 0.1.0 and must not be trusted: the reader folds the
/// path to its node instead.
struct StoredSnapshot {
  std::string text;
  bool is_sealed = false;
  bool operator==(const StoredSnapshot&) const = default;
};

/// A session that began without a run.
struct LooseSession {
  SessionId session;
  CommitNo first;
  bool operator==(const LooseSession&) const = default;
};

/// From when on a store had a name: it begins an epoch when it is made, first anchored, or taken
/// over from an older copy.
struct StoreEpoch {
  std::int64_t epoch = 0;
  IdBytes store{};  // the name, random
  CommitNo after;   // the newest commit when it began
  bool operator==(const StoreEpoch&) const = default;
};

/// What a store knows of itself.
struct StoreFacts {
  std::vector<StoreEpoch> epochs;     // in order; none: it has no name
  std::int64_t removed_sessions = 0;  // by gc
  bool operator==(const StoreFacts&) const = default;
};

struct SessionHead {
  Seq seq;
  Sha256 hash;
  bool operator==(const SessionHead&) const = default;
};

}  // namespace baton::run
