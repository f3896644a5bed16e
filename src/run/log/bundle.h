#pragma once
// Bundle: one session as one JSON text, to be carried elsewhere. It holds no tokens; the store that
// imports it mints new ones. docs/formats/bundle.md describes the text.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "run/graph/state.h"
#include "run/log/rows.h"

namespace baton::run {

struct Bundle {
  SessionId session;
  std::vector<Commit> commits;  // in order; their numbers in a store are not part of a bundle
  std::map<Sha256, std::string> workflows;
  std::map<Sha256, std::string> blobs;
  std::map<NodeId, std::string> snapshots;
  bool operator==(const Bundle&) const = default;
};

/// LIMIT_EXCEEDED when it would be longer than limits::bundle_bytes_max.
Result<std::string> encode_bundle(const Bundle& bundle);

/// Reads and checks everything: digests, order, hash chain, that each text a commit refers to is
/// there, that each snapshot is what the log folds to. Errors: BUNDLE_*.
Result<Bundle> decode_bundle(std::string_view text);

/// Everything the commits refer to is in the bundle, they are as this release writes them, and the
/// snapshots are what they fold to. Errors: BUNDLE_*, or what reading a part says of it.
Result<void> check_meaning(const Bundle& bundle);

/// Old ids to new ones.
struct Renaming {
  std::map<SessionId, SessionId> sessions;
  std::map<RunId, RunId> runs;
  std::map<NodeId, NodeId> nodes;
};

/// Every id of the session, runs and nodes in a bundle.
struct BundleIds {
  std::vector<RunId> runs;
  std::vector<NodeId> nodes;
};
Result<BundleIds> ids_in(const Bundle& bundle);

/// The same session under other names, with a new hash chain.
/// REQUIRES: `names` has every id of ids_in(bundle), and the session's.
Result<Bundle> rename(const Bundle& bundle, const Renaming& names);

}  // namespace baton::run
