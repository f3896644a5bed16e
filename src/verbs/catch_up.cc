#include "verbs/catch_up.h"

#include "verbs/load.h"

namespace baton::verbs {
namespace {

using ports::IndexMark;

/// Whether the commit the index ends with is one of this log. A file may have been copied over an
/// older one, and a session may have been removed since.
Result<bool> is_of_log(ports::EventReader& store, const IndexMark& mark) {
  if (mark.commit.value == 0) return true;
  // Not by its number, which would ask for the whole session to be sound.
  const auto found = TRY(store.store_log({mark.commit.value - 1}, 1));
  if (!found.empty() && found.front().no == mark.commit) {
    return found.front().hash == mark.hash && found.front().session == mark.session;
  }
  return TRY(store.purged(mark.session)) && TRY(store.last_commit()) >= mark.commit;
}

Result<ports::SearchCommit> search_commit(const Loading& loading, const run::Commit& commit) {
  const std::vector<run::Event> events = TRY(events_of(commit));
  ports::SearchCommit out{{commit.no, commit.session, commit.hash}, run::searchable(events), {}};
  if (out.found.started) {
    // Without its workflow a run can still be found by the rest.
    const auto pinned = load_workflow(loading, out.found.started->workflow_hash);
    if (pinned) out.workflow_name = (*pinned)->workflow.name;
  }
  return out;
}

/// The commits after `after`, as many as are taken in at once: an index has less to do for one
/// large batch than for many small ones.
Result<std::vector<ports::SearchCommit>> next_batch(const Loading& loading, run::CommitNo after) {
  std::vector<ports::SearchCommit> out;
  std::size_t words = 0;
  while (words < batch_words) {
    const auto commits = TRY(loading.store.store_log(after, limits::log_page_commits));
    if (commits.empty()) break;
    for (const run::Commit& commit : commits) {
      auto found = search_commit(loading, commit);
      if (!found && is_damage(found.error())) continue;  // the others can be searched for
      out.push_back(TRY(std::move(found)));
      words += out.back().found.words.size() + 1;
    }
    after = commits.back().no;
  }
  return out;
}

Result<void> take_in(const Loading& loading, ports::SearchIndex& index) {
  IndexMark mark = TRY(index.mark());
  if (!TRY(is_of_log(loading.store, mark))) {
    TRY(index.clear());
    mark = TRY(index.mark());
  }
  while (true) {
    const auto batch = TRY(next_batch(loading, mark.commit));
    if (batch.empty()) return {};
    TRY(index.add(mark, batch));
    // Another process may be further by now.
    mark = TRY(index.mark());
  }
}

}  // namespace

Result<void> catch_up(const Loading& loading, ports::SearchIndex& index) {
  const auto done = take_in(loading, index);
  if (done || done.error().code == Code::STORE_BUSY) return done;
  // What is wrong may be the index alone; it is made anew once.
  TRY(index.clear());
  return take_in(loading, index);
}

}  // namespace baton::verbs
