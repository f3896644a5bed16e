#pragma once
// An EventReader that tells what is read of the store's log, and lets a test step in before it is.

#include <atomic>
#include <functional>

#include "ports/event_store.h"

namespace baton::testing {

class WatchedReader final : public ports::EventReader {
 public:
  explicit WatchedReader(ports::EventReader& inner) : inner_(inner) {}

  /// Before each page of the store's log. Any thread.
  std::function<void()> before_page = [] {};
  std::atomic<std::size_t> commits = 0;         // that were handed out
  std::atomic<std::size_t> page_bytes_max = 0;  // of one page

  Result<std::vector<run::Commit>> store_log(run::CommitNo after, std::size_t limit) override {
    if (limit == 1) return inner_.store_log(after, limit);  // a look at one commit
    before_page();
    auto page = TRY(inner_.store_log(after, limit));
    std::size_t bytes = 0;
    for (const run::Commit& commit : page) bytes += commit.body.size();
    if (limit > 1) commits += page.size();  // a look at one commit is not reading the log
    if (bytes > page_bytes_max) page_bytes_max = bytes;
    return page;
  }

  Result<std::optional<run::NodeRow>> node(run::NodeNo no) override { return inner_.node(no); }
  Result<std::optional<run::NodeRow>> node_by_id(const NodeId& id) override {
    return inner_.node_by_id(id);
  }
  Result<std::optional<run::Tombstone>> tombstone(run::NodeNo no) override {
    return inner_.tombstone(no);
  }
  Result<std::optional<run::NodeNo>> attempt(run::NodeNo node,
                                             const run::AttemptKey& key) override {
    return inner_.attempt(node, key);
  }
  Result<ports::SettledCount> settled(run::NodeNo node, run::AttemptKind kind,
                                      std::uint8_t ordinal) override {
    return inner_.settled(node, kind, ordinal);
  }
  Result<std::vector<run::NodeRow>> children(run::NodeNo parent, std::size_t limit) override {
    return inner_.children(parent, limit);
  }
  Result<std::optional<run::Commit>> commit(run::CommitNo no) override { return inner_.commit(no); }
  Result<std::optional<run::Commit>> commit_by_key(const SessionId& session,
                                                   std::string_view key) override {
    return inner_.commit_by_key(session, key);
  }
  Result<std::optional<run::Commit>> newest_by_prefix(const SessionId& session,
                                                      std::string_view prefix) override {
    return inner_.newest_by_prefix(session, prefix);
  }
  Result<std::vector<run::Commit>> log(const SessionId& session, run::Seq after,
                                       std::size_t limit) override {
    return inner_.log(session, after, limit);
  }
  Result<run::SessionHead> head(const SessionId& session) override { return inner_.head(session); }
  Result<std::optional<std::string>> blob(const Sha256& hash) override { return inner_.blob(hash); }
  Result<std::optional<std::string>> workflow(const Sha256& hash) override {
    return inner_.workflow(hash);
  }
  Result<std::optional<run::StoredSnapshot>> snapshot(run::NodeNo node) override {
    return inner_.snapshot(node);
  }
  Result<std::optional<run::RunRow>> run(const RunId& id) override { return inner_.run(id); }
  Result<std::vector<run::RunRow>> runs(std::optional<run::CommitNo> before,
                                        std::size_t limit) override {
    return inner_.runs(before, limit);
  }
  Result<std::vector<run::LooseSession>> loose_sessions(run::CommitNo after,
                                                        std::size_t limit) override {
    return inner_.loose_sessions(after, limit);
  }
  Result<run::CommitNo> last_commit() override { return inner_.last_commit(); }
  Result<bool> purged(const SessionId& session) override { return inner_.purged(session); }

 private:
  ports::EventReader& inner_;
};

}  // namespace baton::testing
