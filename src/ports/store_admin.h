#pragma once
// What an owner does with a store's files as a whole: copy them while they are in use, put a copy
// back, accept that an older state is all there is.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "ports/event_store.h"

namespace baton::ports {

/// Told how far a copy is, in pages.
using CopyProgress = std::function<void(std::int64_t done, std::int64_t total)>;

struct StoreCopy {
  std::int64_t commits = 0;        // the newest commit number in it
  std::vector<std::string> files;  // that belong together
  bool is_sound = true;            // false: its pages are damaged, as those of the store are
};

struct StoreRestored {
  std::int64_t commits = 0;  // the newest commit number of the store now
  std::int64_t epoch = 0;    // that began
  std::string before;        // where the store that was there is now; empty: there was none
};

class StoreAdmin {
 public:
  virtual ~StoreAdmin() = default;

  /// Copies the store as it is at one moment, with everything that belongs to it, to `file` and the
  /// names beside it. Servers may continue writing. INVALID_INPUT: something has that name already.
  virtual Result<StoreCopy> backup(const std::string& file, const CopyProgress& progress) = 0;

  /// Puts a copy in the store's place and begins a new, recorded epoch; the store that was there is
  /// kept beside it. STORE_BUSY: a process uses the store.
  virtual Result<StoreRestored> restore(const std::string& file, const CopyProgress& progress) = 0;

  /// Takes a store that is older than its heads as it is. Gives the epoch that began.
  /// INVALID_INPUT: the store is not older than its heads.
  virtual Result<std::int64_t> accept_loss() = 0;
};

// An audit: one moment of a store, for a check of everything in it. What others write
// meanwhile does not show, so that what does not fit together is damage and nothing else.
//
// One thread. The store must outlive its audits; while one lives, the store's file keeps what
// belongs to its moment, so an audit should not live for long.

/// Where a problem is. It decides what helps.
enum class StorePart : std::uint8_t {
  log,    // what nothing else says: sessions, commits, texts, workflows, removed sessions
  index,  // derived from the log: EventStore::rebuild rebuilds it
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
