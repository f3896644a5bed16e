#pragma once
// An audit: one moment of a store, for a check of everything in it. Whatever others write
// meanwhile does not show, so that what does not fit together is damage and nothing else.
//
// One thread. The store must outlive its audits; while one lives, the store's file keeps what
// belongs to its moment, so an audit should not live for long.

#include <functional>
#include <string>

#include "ports/event_store.h"

namespace baton::ports {

/// Where a problem is. It decides what helps.
enum class StorePart : std::uint8_t {
  log,    // what nothing else says: sessions, commits, texts, workflows, removed sessions
  index,  // what follows from the log: EventStore::rebuild makes it anew
  file,   // the pages, the tables as such, their indexes and triggers
};

/// Takes one problem: its place and what is wrong there.
using ProblemSink = std::function<void(StorePart, std::string)>;

/// Compares what a store keeps beside its commits with what follows from them.
class TableAudit {
 public:
  virtual ~TableAudit() = default;

  /// Before the first commit: the file itself.
  virtual Result<void> begin(const ProblemSink& sink) = 0;

  /// Each commit that the audit's reader gives, in the order of their numbers. Null events: the
  /// commit's body cannot be read.
  virtual Result<void> add(const run::Commit& commit, const std::vector<run::Event>* events,
                           const ProblemSink& sink) = 0;

  /// After the last commit: compares everything else.
  virtual Result<void> finish(const ProblemSink& sink) = 0;
};

class StoreAudit {
 public:
  virtual ~StoreAudit() = default;

  /// What is stored at that moment, as it is stored: nothing that does not fit is held back.
  virtual EventReader& reader() = 0;

  /// Null for a store without tables. Then its rows are what the reader gives.
  virtual TableAudit* tables() = 0;

  /// The commit up to which something outside of the store vouches for it. Nothing does where the
  /// store has no such thing.
  virtual std::optional<run::CommitNo> anchored() const = 0;
};

}  // namespace baton::ports
