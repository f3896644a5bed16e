#include "verbs/store/verify_rows.h"

#include <algorithm>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/show/reply.h"

namespace baton::verbs {
namespace {

using ports::StorePart;

/// The way back to the nearest snapshot. A commit counts once on it.
bool path_fits(const run::Commit& commit, std::int64_t events, const run::NodeRow& row,
               const std::optional<run::NodeRow>& parent, bool has_snapshot) {
  if (has_snapshot) return row.snapshot == row.no && row.path_events == 0 && row.path_bytes == 0;
  const run::NodeRow above = parent.value_or(run::NodeRow{});
  const bool counted = parent && parent->no.commit() == commit.no;
  const auto bytes = static_cast<std::int64_t>(commit.body.size());
  return row.snapshot == above.snapshot &&
         row.path_events == above.path_events + (counted ? 0 : events) &&
         row.path_bytes == above.path_bytes + (counted ? 0 : bytes);
}

void problem(const ports::ProblemSink& sink, const run::Commit& commit, std::string_view what) {
  sink(StorePart::index, cat(place_of(commit), what));
}

void entry_problem(const ports::ProblemSink& sink, std::string_view name) {
  sink(StorePart::index, cat(name, ": its entry does not match the log"));
}

}  // namespace

std::string place_of(const run::Commit& commit) {
  return cat("commit ", commit.no.value, " (", commit.session.text(), ", seq ", commit.seq.value,
             "): ");
}

Result<void> RowAudit::add(const run::Commit& commit, const std::vector<run::Event>* events,
                           const Sink& sink) {
  heads_[commit.session] = {commit.seq, commit.hash};
  const auto found = TRY(store_.commit_by_key(commit.session, commit.dedupe_key));
  if (!found || found->no != commit.no) problem(sink, commit, "it cannot be found by its key");
  if (events == nullptr) return {};
  TRY(check_contents(commit, *events, sink));
  return check_index(commit, *events, sink);
}

/// What the events refer to by hash: pinned workflows and texts.
Result<void> RowAudit::check_contents(const run::Commit& commit,
                                      const std::vector<run::Event>& events, const Sink& sink) {
  const auto check = [&](std::optional<std::string> text, const Sha256& hash,
                         std::string_view name) {
    if (text && sha256(*text) == hash) return;
    sink(StorePart::log,
         cat(place_of(commit), "the ", name, ' ', hash.hex(), " is missing or was changed"));
  };
  for (const run::Event& event : events) {
    if (const auto* started = std::get_if<run::RunStarted>(&event)) {
      check(TRY(store_.workflow(started->workflow_hash)), started->workflow_hash,
            "pinned workflow");
    } else if (const auto* advance = std::get_if<run::AdvanceRecorded>(&event)) {
      for (const Sha256& hash : run::blobs_of(advance->reply)) {
        check(TRY(store_.blob(hash)), hash, "text");
      }
    }
  }
  return {};
}

Result<void> RowAudit::check_index(const run::Commit& commit, const std::vector<run::Event>& events,
                                   const Sink& sink) {
  const run::CommitIndex index = run::index_of(events);
  note_run(commit, index);
  for (std::size_t i = 0; i < index.nodes.size(); ++i) {
    const run::NodeNo no = run::NodeNo::of(commit.no, i);
    const auto row = TRY(store_.node(no));
    const auto by_id = TRY(store_.node_by_id(index.nodes[i].id));
    if (!row || !by_id || by_id->no != no) {
      problem(sink, commit, cat(index.nodes[i].id.text(), " is not indexed"));
      continue;
    }
    TRY(check_node(commit, index.nodes[i], *row, index.events, sink));
    note_node(commit, *row);
  }
  for (const run::CommitIndex::Attempt& attempt : index.attempts) {
    TRY(check_attempt(commit, attempt, sink));
  }
  return {};
}

Result<void> RowAudit::check_attempt(const run::Commit& commit,
                                     const run::CommitIndex::Attempt& attempt, const Sink& sink) {
  const auto node = TRY(store_.node_by_id(attempt.node));
  const auto outcome =
      node ? TRY(store_.attempt(node->no, attempt.key)) : std::optional<run::NodeNo>();
  if (!outcome || outcome->commit() != commit.no) {
    problem(sink, commit, "its attempt is not indexed");
    return {};
  }
  const auto settled = TRY(store_.settled(node->no, attempt.key.kind, attempt.key.ordinal));
  if (settled.count <= attempt.key.count) problem(sink, commit, "its attempt is not counted");
  return {};
}

Result<void> RowAudit::check_node(const run::Commit& commit, const run::NodeOutline& created,
                                  const run::NodeRow& row, std::int64_t events, const Sink& sink) {
  const auto parent =
      created.parent ? TRY(store_.node_by_id(*created.parent)) : std::optional<run::NodeRow>();
  const bool parent_fits =
      created.parent ? parent && row.parent == parent->no && row.depth == parent->depth + 1
                     : !row.parent && row.depth == 0;
  const bool has_snapshot = TRY(store_.snapshot(row.no)).has_value();
  if (!parent_fits || row.no.commit() != commit.no || row.id != created.id ||
      row.run != created.run || row.session != commit.session || row.kind != created.kind ||
      row.open_steps != created.open_steps || row.settled_step != created.settled_step ||
      row.created != commit.at || !path_fits(commit, events, row, parent, has_snapshot)) {
    problem(sink, commit, cat("the index of ", created.id.text(), " does not match the log"));
  }
  if (parent && !TRY(is_child(row, *parent))) {
    problem(sink, commit, cat(created.id.text(), " cannot be reached from its parent"));
  }
  return {};
}

/// Whether the node is found below its parent, whose own attempt led to it or which adopted it.
Result<bool> RowAudit::is_child(const run::NodeRow& row, const run::NodeRow& parent) {
  const auto children = TRY(store_.children(parent.no, SIZE_MAX));
  return std::ranges::any_of(children, [&](const run::NodeRow& c) { return c.no == row.no; });
}

void RowAudit::note_run(const run::Commit& commit, const run::CommitIndex& index) {
  if (index.started) {
    RunFacts& facts = facts_[index.started->run];
    facts.started = *index.started;
    facts.started_at = commit.at;
    facts.session = commit.session;
    facts.last_commit = commit.no;
    facts.last_active = commit.at;
  }
  for (const RunId& run : index.revoked) facts_[run].last_revoked = commit.no;
}

void RowAudit::note_node(const run::Commit& commit, const run::NodeRow& row) {
  RunFacts& facts = facts_[row.run];
  facts.tip = row.no;
  facts.last_commit = commit.no;
  facts.last_active = commit.at;
  facts.is_complete = row.open_steps.empty();
  ++facts.nodes;
  if (row.revoked) {
    facts.last_void = commit.no;
  } else if (facts.first_good.value == 0) {
    facts.first_good = commit.no;
  }
}

bool RowAudit::fits(const run::RunRow& row, const RunFacts& facts) {
  const bool revoked_fits = facts.last_void <= facts.last_revoked &&
                            (facts.first_good.value == 0 || facts.first_good >= facts.last_revoked);
  return revoked_fits && row.last_commit == facts.last_commit &&
         row.last_active == facts.last_active && row.session == facts.session &&
         row.workflow_id == facts.started.workflow_id &&
         row.workflow_hash == facts.started.workflow_hash && row.goal == facts.started.goal &&
         row.parent == facts.started.parent && row.started == facts.started_at &&
         row.tip == facts.tip && row.nodes == facts.nodes && row.is_complete == facts.is_complete;
}

Result<void> RowAudit::finish(const Sink& sink) {
  for (const auto& [id, facts] : facts_) {
    const auto row = TRY(store_.run(id));
    if (!row || !fits(*row, facts)) entry_problem(sink, id.text());
  }
  TRY(check_list(sink));
  for (const auto& [session, head] : heads_) {
    if (TRY(store_.head(session)) != head) entry_problem(sink, session.text());
  }
  return {};
}

/// The list of runs has each of them once, the latest active first.
Result<void> RowAudit::check_list(const Sink& sink) {
  std::size_t listed = 0;
  std::optional<run::CommitNo> before;
  while (true) {
    const auto page = TRY(store_.runs(before, limits::log_page_commits));
    if (page.empty()) break;
    for (const run::RunRow& row : page) {
      if (before && row.last_commit >= *before) entry_problem(sink, row.run.text());
      before = row.last_commit;
      ++listed;
    }
  }
  if (listed != facts_.size()) entry_problem(sink, "the list of runs");
  return {};
}

}  // namespace baton::verbs
