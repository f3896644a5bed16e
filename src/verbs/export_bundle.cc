#include "verbs/export_bundle.h"

#include "base/text.h"
#include "run/bundle.h"
#include "verbs/load.h"

namespace baton::verbs {
namespace {

Result<void> add_parts(ports::EventReader& store, run::Bundle& bundle, const run::Commit& commit) {
  const auto events = TRY(run::decode_events(commit.body));
  StoreBlobs blobs(store);
  for (const run::Event& event : events) {
    if (const auto* started = std::get_if<run::RunStarted>(&event)) {
      auto text = TRY(store.workflow(started->workflow_hash));
      if (!text) return fail(Code::STORE_CORRUPT, "the run's pinned workflow is missing");
      bundle.workflows.emplace(started->workflow_hash, *std::move(text));
    } else if (const auto* advance = std::get_if<run::AdvanceRecorded>(&event)) {
      for (const Sha256& hash : run::blobs_of(advance->reply)) {
        if (!bundle.blobs.contains(hash)) bundle.blobs.emplace(hash, TRY(blobs.blob(hash)));
      }
    }
  }
  const run::CommitIndex index = run::index_of(events);
  for (std::size_t i = 0; i < index.nodes.size(); ++i) {
    auto stored = TRY(store.snapshot(run::NodeNo::of(commit.no, i)));
    if (stored) bundle.snapshots.emplace(index.nodes[i].node, std::move(stored->text));
  }
  return {};
}

}  // namespace

Result<std::string> export_bundle(ports::EventReader& store, const SessionId& session) {
  run::Bundle bundle;
  bundle.session = session;
  run::Seq after;
  while (true) {
    auto commits = TRY(store.log(session, after, limits::log_page_commits));
    if (commits.empty()) break;
    after = commits.back().seq;
    for (run::Commit& commit : commits) {
      TRY(add_parts(store, bundle, commit));
      bundle.commits.push_back(std::move(commit));
    }
  }
  if (bundle.commits.empty()) {
    return fail(Code::NOT_FOUND, cat("there is no session ", session.text()),
                "`baton runs` lists them");
  }
  return run::encode_bundle(bundle);
}

}  // namespace baton::verbs
