#pragma once
// Loading what a node needs: its state, from the nearest snapshot that can be trusted and the path
// below it, and the workflow its run is pinned to. Reads only. What a verb's store gives was
// checked already (engine/load/checked_store.h); what does not fit together here closes the session
// too.

#include <memory>
#include <vector>

#include "base/text/text.h"
#include "engine/engine.h"

namespace baton::engine {

Result<std::shared_ptr<const run::NodeState>> load_state(const LoadContext& loading,
                                                         const run::NodeRow& node);

Result<std::shared_ptr<const workflow::Pinned>> load_workflow(const LoadContext& loading,
                                                              const Sha256& hash);

/// What that workflow declares about state; nullptr when it has none.
Result<std::shared_ptr<const run::Schemas>> load_schemas(const LoadContext& loading,
                                                         const Sha256& hash);

/// A node that must be there because something in the log names it.
Result<run::NodeRow> load_node(const LoadContext& loading, run::NodeNo no);
Result<run::NodeRow> load_node(const LoadContext& loading, const NodeId& id);

/// The node above this one. REQUIRES: it has a parent.
Result<run::NodeRow> load_parent(const LoadContext& loading, const run::NodeRow& node);

/// The events of one commit, shared with the cache; a contiguous range.
class CommitEvents {
 public:
  explicit CommitEvents(std::shared_ptr<const std::vector<run::Event>> all)
      : all_(std::move(all)) {}
  auto begin() const { return all_->begin(); }
  auto end() const { return all_->end(); }

 private:
  std::shared_ptr<const std::vector<run::Event>> all_;
};

/// The events of a commit that must be there.
Result<CommitEvents> load_events(const LoadContext& loading, run::CommitNo no);

/// The events of a commit that was checked.
Result<std::vector<run::Event>> events_of(const run::Commit& commit);

/// Blobs of one session from the store, checked against their hash.
class StoreBlobs final : public run::BlobReader {
 public:
  StoreBlobs(const LoadContext& loading, const SessionId& session)
      : store_(loading.store), caches_(loading.caches), session_(session) {}
  Result<std::string> blob(const Sha256& hash) override;

 private:
  ports::EventReader& store_;
  Caches& caches_;
  SessionId session_;
};

/// Whether one session is damaged, not the store: the others continue.
inline bool is_damage(const Error& error) {
  return error.code == Code::STORAGE_CORRUPTION_DETECTED;
}

/// What was read of a session does not fit: it is closed. Other errors stay as they are.
template <class T>
Result<T> of_session(const LoadContext& loading, const SessionId& session, Result<T> result) {
  if (result || result.error().code != Code::STORE_CORRUPT) return result;
  return close_session(
      loading.caches, session,
      cat("the history of ", session.text(), " is inconsistent: ", result.error().message));
}

}  // namespace baton::engine
