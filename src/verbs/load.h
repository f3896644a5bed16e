#pragma once
// Loading what a node needs: its state, from the nearest snapshot and the path below it, and the
// workflow its run is pinned to. Reads only.

#include "verbs/engine.h"

namespace baton::verbs {

Result<std::shared_ptr<const run::NodeState>> load_state(const Loading& loading,
                                                         const run::NodeRow& node);

Result<std::shared_ptr<const workflow::Pinned>> load_workflow(const Loading& loading,
                                                              const Sha256& hash);

/// What that workflow declares about state; nullptr when it has none.
Result<std::shared_ptr<const run::Schemas>> load_schemas(const Loading& loading,
                                                         const Sha256& hash);

/// A node that must be there because something in the log names it.
Result<run::NodeRow> load_node(const Loading& loading, run::NodeNo no);
Result<run::NodeRow> load_node(const Loading& loading, const NodeId& id);

/// The events of a commit that must be there.
Result<std::vector<run::Event>> load_events(ports::EventReader& store, run::CommitNo no);

/// Blobs from the store, checked against their hash.
class StoreBlobs final : public run::BlobReader {
 public:
  explicit StoreBlobs(ports::EventReader& store) : store_(store) {}
  Result<std::string> blob(const Sha256& hash) override;

 private:
  ports::EventReader& store_;
};

}  // namespace baton::verbs
