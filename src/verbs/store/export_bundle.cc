#include "verbs/store/export_bundle.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "run/log/bundle.h"

namespace baton::verbs {
namespace {

std::unexpected<Error> damaged(const SessionId& session, std::string_view what) {
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("the history of ", session.text(), " is inconsistent: ", what),
              Move::salvage_store);
}

Result<void> add_parts(ports::EventReader& store, run::Bundle& bundle, const run::Commit& commit) {
  const auto events = TRY(engine::events_of(commit));
  for (const run::Event& event : events) {
    if (const auto* started = std::get_if<run::RunStarted>(&event)) {
      auto text = TRY(store.workflow(started->workflow_hash));
      if (!text) return damaged(bundle.session, "the pinned workflow is missing");
      bundle.workflows.emplace(started->workflow_hash, *std::move(text));
    } else if (const auto* advance = std::get_if<run::AdvanceRecorded>(&event)) {
      for (const Sha256& hash : run::blobs_of(advance->reply)) {
        if (bundle.blobs.contains(hash)) continue;
        auto text = TRY(store.blob(hash));
        if (!text) return damaged(bundle.session, cat("the text ", hash.hex(), " is missing"));
        bundle.blobs.emplace(hash, *std::move(text));
      }
    }
  }
  const run::CommitIndex index = run::index_of(events);
  for (std::size_t i = 0; i < index.nodes.size(); ++i) {
    auto stored = TRY(store.snapshot(run::NodeNo::of(commit.no, i)));
    if (stored) bundle.snapshots.emplace(index.nodes[i].id, std::move(stored->text));
  }
  return {};
}

/// Nothing leaves the store that would not be let in elsewhere. Snapshots only save time: those
/// that do not fit stay behind.
Result<void> check(run::Bundle& bundle) {
  if (run::check_meaning(bundle)) return {};
  bundle.snapshots.clear();
  const auto fits = run::check_meaning(bundle);
  if (fits || fits.error().code == Code::STORE_NEWER) return fits;
  return damaged(bundle.session, fits.error().message);
}

/// The latest point that is known of the run is in its log.
Result<void> check_end(ports::EventReader& store, const run::Bundle& bundle) {
  for (const RunId& id : TRY(run::ids_in(bundle)).runs) {
    const auto row = TRY(store.run(id));
    if (!row) return damaged(bundle.session, cat("the entry of ", id.text(), " is missing"));
    const bool has_end = std::ranges::any_of(
        bundle.commits, [&](const run::Commit& commit) { return commit.no >= row->last_commit; });
    if (!has_end) return damaged(bundle.session, "its latest commits are missing");
  }
  return {};
}

}  // namespace

Result<std::string> export_bundle(ports::EventReader& store, const SessionId& session) {
  run::Bundle bundle;
  bundle.session = session;
  run::Seq after;
  std::size_t bytes = 0;
  while (true) {
    auto commits = TRY(store.log(session, after, limits::log_page_commits));
    if (commits.empty()) break;
    after = commits.back().seq;
    for (run::Commit& commit : commits) {
      // Encoding says how long it is; here it is enough that it cannot be short enough any more.
      bytes += commit.body.size();
      if (bytes > limits::bundle_bytes_max) {
        return fail(Code::LIMIT_EXCEEDED,
                    cat("the bundle would have more than ", limits::bundle_bytes_max, " bytes"));
      }
      TRY(add_parts(store, bundle, commit));
      bundle.commits.push_back(std::move(commit));
    }
  }
  if (bundle.commits.empty()) {
    return fail(Code::NOT_FOUND, cat("there is no session ", session.text()), Move::list_runs);
  }
  TRY(check(bundle));
  TRY(check_end(store, bundle));
  return run::encode_bundle(bundle);
}

}  // namespace baton::verbs
