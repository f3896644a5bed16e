#include "engine/load/checked_store.h"

#include <algorithm>
#include <ranges>

#include "base/text/text.h"

namespace baton::engine {
namespace {

std::string place_of(run::CommitNo no, run::Seq seq) {
  return cat("commit ", no.value, " (seq ", seq.value, ")");
}

Result<std::optional<std::string>> checked_text(Result<std::optional<std::string>> text,
                                                const Sha256& hash, std::string_view kind) {
  if (!text || !*text || sha256(**text) == hash) return text;
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("the ", kind, ' ', hash.hex(), " was changed in the store"), Move::check_store);
}

}  // namespace

std::optional<SessionNodes::Way> SessionNodes::way(run::NodeNo node, run::NodeNo below) const {
  Way out{below, 0};
  while (below > node) {
    const auto found = parents.find(below);
    if (found == parents.end() || !found->second) return std::nullopt;
    out = {below, out.length + 1};
    const auto above = numbers.find(*found->second);
    if (above == numbers.end()) return std::nullopt;
    below = above->second;
  }
  if (below != node) return std::nullopt;
  return out;
}

std::unexpected<Error> close_session(Caches& caches, const SessionId& session,
                                     const std::string& what) {
  Error error =
      Error::make(Code::STORAGE_CORRUPTION_DETECTED,
                  cat(what, "; the run is closed, the others are not"), Move::salvage_store);
  return std::unexpected(caches.damaged.close(session, std::move(error)));
}

// --- what is closed -----------------------------------------------------------------------------

Result<void> CheckedStore::check_open(const SessionId& session) {
  if (auto error = caches_.damaged.find(session)) return std::unexpected(*std::move(error));
  return {};
}

std::unexpected<Error> CheckedStore::damaged(const SessionId& session, std::string_view where,
                                             std::string_view what) {
  const auto purged = raw_.purged(session);
  if (!purged) return std::unexpected(purged.error());
  if (*purged) return fail(Code::NOT_FOUND, cat(session.text(), " was removed from the store"));
  // The run's name, as far as it can still be read.
  std::string name = session.text();
  if (const auto first = raw_.log(session, run::Seq{0}, 1); first && !first->empty()) {
    const auto events = run::decode_events(first->front().body);
    const auto started = events ? run::index_of(*events).started : std::nullopt;
    if (started) name = cat(started->run.text(), " (", name, ')');
  }
  return close_session(caches_, session,
                       cat("the history of ", name, " is inconsistent: ", where, ": ", what));
}

std::unexpected<Error> CheckedStore::damaged(const run::Commit& commit, std::string_view what) {
  return damaged(commit.session, place_of(commit.no, commit.seq), what);
}

std::unexpected<Error> CheckedStore::damaged(const run::CommitOutline& commit,
                                             std::string_view what) {
  return damaged(commit.session, place_of(commit.no, commit.seq), what);
}

// --- commits ------------------------------------------------------------------------------------

Result<std::optional<run::Commit>> CheckedStore::checked(std::optional<run::Commit> commit) {
  if (!commit) return std::nullopt;
  TRY(check_open(commit->session));
  if (const auto misfit = run::commit_misfit(*commit)) return damaged(*commit, *misfit);
  if (caches_.continued.find(commit->hash) == nullptr) {
    const auto next = TRY(raw_.log(commit->session, commit->seq, 1));
    if (!next.empty()) {
      if (const auto misfit = run::chain_misfit(*commit, next.front())) {
        return damaged(*commit, *misfit);
      }
    }
  }
  caches_.continued.put(commit->previous, true);
  return commit;
}

Result<std::optional<run::Commit>> CheckedStore::commit(run::CommitNo no) {
  return checked(TRY(raw_.commit(no)));
}

Result<std::optional<run::Commit>> CheckedStore::commit_by_key(const SessionId& session,
                                                               std::string_view dedupe_key) {
  TRY(check_open(session));
  return checked(TRY(raw_.commit_by_key(session, dedupe_key)));
}

Result<std::optional<run::Commit>> CheckedStore::newest_by_prefix(const SessionId& session,
                                                                  std::string_view prefix) {
  TRY(check_open(session));
  return checked(TRY(raw_.newest_by_prefix(session, prefix)));
}

Result<std::vector<run::Commit>> CheckedStore::log(const SessionId& session, run::Seq after,
                                                   std::size_t limit) {
  TRY(check_open(session));
  // One more than was asked for says whether the last one is continued.
  auto page = TRY(raw_.log(session, after, limit == SIZE_MAX ? limit : limit + 1));
  const std::size_t asked = std::min(limit, page.size());
  for (std::size_t i = 0; i < asked; ++i) {
    const run::Commit& commit = page[i];
    run::Misfit misfit = run::commit_misfit(commit);
    if (!misfit && commit.seq.value != after.value + 1 + static_cast<std::int64_t>(i)) {
      misfit = "a commit before it is missing";
    }
    if (!misfit && commit.seq.value == 1 && commit.previous != Sha256{}) {
      misfit = "it continues a commit that is missing";
    }
    if (!misfit && i + 1 < page.size()) misfit = run::chain_misfit(commit, page[i + 1]);
    if (misfit) return damaged(commit, *misfit);
    caches_.continued.put(commit.previous, true);
  }
  page.resize(asked);
  return page;
}

Result<std::vector<run::Commit>> CheckedStore::store_log(run::CommitNo after, std::size_t limit) {
  while (true) {
    auto page = TRY(raw_.store_log(after, limit));
    if (page.empty()) return page;
    after = page.back().no;
    std::erase_if(page, [](const run::Commit& each) { return run::commit_misfit(each); });
    if (!page.empty()) return page;
  }
}

Result<run::SessionHead> CheckedStore::head(const SessionId& session) {
  TRY(check_open(session));
  return raw_.head(session);
}

Result<CheckedStore::Outline> CheckedStore::keep(const run::Commit& commit) {
  if (auto known = caches_.outlines.find(commit.no.value)) return known;
  auto events = run::decode_events(commit.body);
  if (!events && events.error().code == Code::STORE_NEWER) return std::unexpected(events.error());
  if (!events) return damaged(commit, events.error().message);
  auto outline = caches_.outlines.put(commit.no.value, run::outline_of(commit, *events));
  if (commit.body.size() <= limits::cached_commit_bytes_max) {
    caches_.events.put(commit.no.value, *std::move(events));
  }
  return outline;
}

Result<CheckedStore::Outline> CheckedStore::outline(run::CommitNo no) {
  if (auto known = caches_.outlines.find(no.value)) return known;
  const auto found = TRY(commit(no));
  return found ? keep(*found) : nullptr;
}

Result<CheckedStore::Outline> CheckedStore::first_of(const SessionId& session) {
  if (const auto known = caches_.firsts.find(session)) return outline(*known);
  const auto first = TRY(log(session, run::Seq{0}, 1));
  if (first.empty()) return nullptr;
  caches_.firsts.put(session, first.front().no);
  return keep(first.front());
}

// --- nodes --------------------------------------------------------------------------------------

Result<std::optional<run::NodeRow>> CheckedStore::checked(run::NodeRow row) {
  TRY(check_open(row.session));
  const Outline commit = TRY(outline(row.no.commit()));
  if (commit == nullptr) {
    if (TRY(raw_.purged(row.session))) return std::nullopt;
    return damaged(row.session, cat("commit ", row.no.commit().value),
                   "it is missing, and a node of it is listed");
  }
  TRY(check_open(commit->session));
  const Outline above = row.parent ? TRY(outline(row.parent->commit())) : nullptr;
  const run::NodeOutline* parent = above != nullptr ? above->node(*row.parent) : nullptr;
  if (const auto misfit = run::node_misfit(row, *commit, parent)) return damaged(*commit, *misfit);
  return row;
}

Result<std::optional<run::NodeRow>> CheckedStore::node(run::NodeNo no) {
  auto row = TRY(raw_.node(no));
  return row ? checked(*std::move(row)) : std::nullopt;
}

Result<std::optional<run::NodeRow>> CheckedStore::node_by_id(const NodeId& id) {
  auto row = TRY(raw_.node_by_id(id));
  return row ? checked(*std::move(row)) : std::nullopt;
}

Result<std::optional<run::TokenSubject>> CheckedStore::token_subject(run::NodeNo no) {
  return raw_.token_subject(no);
}

Result<std::optional<run::TokenSubject>> CheckedStore::logged_subject(run::NodeNo no) {
  const auto commit = TRY(raw_.commit(no.commit()));
  if (!commit || run::commit_misfit(*commit)) return std::nullopt;
  return run::subject_in(*commit, no);
}

Result<std::optional<run::Tombstone>> CheckedStore::tombstone(run::NodeNo no) {
  return raw_.tombstone(no);
}

Result<std::optional<run::NodeNo>> CheckedStore::attempt(run::NodeNo node,
                                                         const run::AttemptKey& key) {
  const Outline commit = TRY(outline(node.commit()));
  const run::NodeOutline* at = commit != nullptr ? commit->node(node) : nullptr;
  if (at == nullptr) return std::nullopt;
  TRY(check_open(commit->session));
  auto outcome = TRY(raw_.attempt(node, key));
  if (!outcome) {
    if (!TRY(commit_by_key(commit->session, run::attempt_dedupe_key(at->id, key)))) {
      return std::nullopt;
    }
    // It may have been recorded between the two looks.
    outcome = TRY(raw_.attempt(node, key));
    if (!outcome) return damaged(*commit, "an attempt at its node is recorded and not listed");
  }
  const Outline made = TRY(outline(outcome->commit()));
  if (made == nullptr || made->session != commit->session ||
      !run::settles(*made, *outcome, at->id, key)) {
    return damaged(*commit, "an attempt at its node is listed with another outcome");
  }
  return outcome;
}

Result<ports::SettledCount> CheckedStore::settled(run::NodeNo node, run::AttemptKind kind,
                                                  std::uint8_t ordinal) {
  const Outline commit = TRY(outline(node.commit()));
  const run::NodeOutline* at = commit != nullptr ? commit->node(node) : nullptr;
  if (at == nullptr) return ports::SettledCount{};
  TRY(check_open(commit->session));
  ports::SettledCount found = TRY(raw_.settled(node, kind, ordinal));
  const run::AttemptKey next{kind, ordinal, found.count};
  if (TRY(commit_by_key(commit->session, run::attempt_dedupe_key(at->id, next)))) {
    // It may have been recorded between the two looks.
    const std::uint16_t before = found.count;
    found = TRY(raw_.settled(node, kind, ordinal));
    if (found.count <= before) {
      return damaged(*commit, "an attempt at its node is recorded and not counted");
    }
  }
  if (found.count == 0) return found;
  const run::AttemptKey last{kind, ordinal, static_cast<std::uint16_t>(found.count - 1)};
  if (!TRY(attempt(node, last))) {
    return damaged(*commit, "an attempt at its node is counted and not recorded");
  }
  return found;
}

Result<void> CheckedStore::check_listed(const run::CommitOutline& parent, std::size_t limit,
                                        const std::vector<run::NodeNo>& known, run::Seq seen,
                                        const std::vector<run::NodeRow>& rows) {
  std::vector<run::NodeNo> listed;
  for (const run::NodeRow& row : rows) {
    // Those that came after the log was looked through have been compared with their commits.
    const Outline commit = TRY(outline(row.no.commit()));
    if (commit != nullptr && commit->seq <= seen) listed.push_back(row.no);
  }
  const std::size_t newer = rows.size() - listed.size();
  const std::size_t due = std::min(known.size(), limit - newer);
  if (std::ranges::equal(listed, known | std::views::take(due))) return {};
  return damaged(parent, "a node below its node is recorded and not listed");
}

Result<std::vector<run::NodeRow>> CheckedStore::children(run::NodeNo parent, std::size_t limit) {
  std::vector<run::NodeRow> out;
  const Outline commit = TRY(outline(parent.commit()));
  const run::NodeOutline* node = commit != nullptr ? commit->node(parent) : nullptr;
  if (node == nullptr) return out;
  // The log first: everything it has by then must be listed.
  std::vector<run::NodeNo> known;
  std::optional<run::Seq> seen;
  if (const Held held = TRY(follow(commit->session, {commit->seq.value - 1})); held) {
    seen = held->seen;
    if (const auto found = held->children.find(node->id); found != held->children.end()) {
      known.assign(found->second.rbegin(), found->second.rend());
    }
  }
  for (run::NodeRow& row : TRY(raw_.children(parent, limit))) {
    if (auto fits = TRY(checked(std::move(row)))) out.push_back(*std::move(fits));
  }
  if (seen) TRY(check_listed(*commit, limit, known, *seen, out));
  return out;
}

// --- following a log ----------------------------------------------------------------------------

Result<void> CheckedStore::take(SessionNodes& nodes, const run::Commit& commit) {
  if (!run::may_make_nodes(commit)) return {};
  const Outline outline = TRY(keep(commit));
  for (std::size_t place = 0; place < outline->nodes.size(); ++place) {
    const run::NodeOutline& node = outline->nodes[place];
    const auto no = run::NodeNo::of(commit.no, place);
    nodes.parents.emplace(no, node.parent);
    nodes.numbers.emplace(node.id, no);
    if (node.parent) nodes.children[*node.parent].insert(no);
  }
  return {};
}

Result<void> CheckedStore::read_nodes(const SessionId& session, SessionNodes& nodes, run::Seq after,
                                      std::optional<run::Seq> to) {
  while (!to || after < *to) {
    const auto left = to ? static_cast<std::size_t>(to->value - after.value) : SIZE_MAX;
    const std::size_t limit = std::min(left, limits::log_page_commits);
    const auto page = TRY(log(session, after, limit));
    for (const run::Commit& commit : page) {
      TRY(take(nodes, commit));
      after = commit.seq;
      nodes.seen = std::max(nodes.seen, after);
    }
    if (page.size() < limit) break;
  }
  return {};
}

Result<CheckedStore::Held> CheckedStore::follow(const SessionId& session, run::Seq from) {
  TRY(check_open(session));
  auto kept = caches_.followed.find(session);
  if (kept == nullptr)
    kept = caches_.followed.put(session, std::make_shared<Guarded<SessionNodes>>());
  Held held = Guarded<SessionNodes>::hold(*kept);
  SessionNodes& nodes = *held;
  const run::Seq head = TRY(raw_.head(session)).seq;
  if (head < nodes.seen) return damaged(session, cat("seq ", nodes.seen.value), "it is missing");
  if (head.value - from.value > limits::followed_commits_max) {
    TRY(log(session, {head.value - 1}, 1));  // that there are so many is the last one's word
    return Held{};
  }
  if (!nodes.is_begun || head.value - nodes.from.value > limits::followed_commits_max) {
    nodes.parents.clear();
    nodes.numbers.clear();
    nodes.children.clear();
    nodes.is_begun = true;
    nodes.from = nodes.seen = from;
  }
  if (from < nodes.from) {
    TRY(read_nodes(session, nodes, from, nodes.from));
    nodes.from = from;
  }
  TRY(read_nodes(session, nodes, nodes.seen, std::nullopt));
  return held;
}

// --- runs ---------------------------------------------------------------------------------------

/// A row whose session did not start the run proves nothing of either: neither is closed; the run
/// cannot be found by its row.
Result<void> CheckedStore::check_beginning(const run::RunRow& row) {
  const Outline start = TRY(first_of(row.session));
  if (start != nullptr && start->started && start->started->run == row.run) return {};
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("the entry of ", row.run.text(), " names ", row.session.text(),
                  ", whose first commit did not start it"),
              Move::rebuild_store);
}

Result<std::optional<run::RunRow>> CheckedStore::run(const RunId& id) {
  run::NodeNo newest;
  while (true) {
    auto row = TRY(raw_.run(id));
    if (!row) return std::nullopt;
    TRY(check_open(row->session));
    if (const auto fits = check_beginning(*row); !fits) {
      if (TRY(raw_.purged(row->session))) return std::nullopt;
      return std::unexpected(fits.error());
    }
    const Outline start = TRY(first_of(row->session));
    const Outline tip = TRY(outline(row->tip.commit()));
    if (start == nullptr || tip == nullptr) {
      return damaged(row->session, cat("commit ", row->tip.commit().value), "it is missing");
    }
    if (const auto misfit = run::run_misfit(*row, *start, *tip)) return damaged(*tip, *misfit);
    // An append since the row was read has moved it: then it is read again.
    const bool is_behind = row->tip < newest;
    const Held held = TRY(follow(row->session, {tip->seq.value - 1}));
    if (!held) return row;
    const bool is_whole = held->from.value == 0;
    if (held->parents.empty()) return damaged(*tip, "it is missing in the log");
    newest = held->parents.rbegin()->first;
    if (is_behind) return damaged(*tip, "the run has a later node than its entry says");
    if (newest > row->tip) continue;
    if (is_whole && row->nodes != std::ssize(held->parents)) {
      return damaged(*tip, "the number of the run's nodes differs from its entry");
    }
    return row;
  }
}

// --- the rest -----------------------------------------------------------------------------------

Result<std::optional<std::string>> CheckedStore::blob(const Sha256& hash) {
  return checked_text(raw_.blob(hash), hash, "text");
}

Result<std::optional<std::string>> CheckedStore::workflow(const Sha256& hash) {
  return checked_text(raw_.workflow(hash), hash, "pinned workflow");
}

Result<std::optional<run::StoredSnapshot>> CheckedStore::snapshot(run::NodeNo node) {
  return raw_.snapshot(node);
}

Result<std::vector<run::RunRow>> CheckedStore::runs(std::optional<run::CommitNo> before,
                                                    std::size_t limit) {
  return raw_.runs(before, limit);
}

Result<std::vector<run::LooseSession>> CheckedStore::loose_sessions(run::CommitNo after,
                                                                    std::size_t limit) {
  return raw_.loose_sessions(after, limit);
}

Result<run::CommitNo> CheckedStore::last_commit() { return raw_.last_commit(); }

Result<bool> CheckedStore::purged(const SessionId& session) { return raw_.purged(session); }

Result<ports::AppendOutcome> CheckedStore::append(run::CommitDraft draft) {
  TRY(check_open(draft.session));
  const SessionId session = draft.session;
  auto waiting = caches_.reseals.find(session);
  const bool is_waiting = waiting.has_value();
  if (waiting) draft.reseal.push_back(*std::move(waiting));
  auto outcome = raw_.append(std::move(draft));
  if (!outcome && outcome.error().code == Code::STORAGE_CORRUPTION_DETECTED) {
    return damaged(session, "its head", outcome.error().message);
  }
  if (is_waiting && outcome && std::holds_alternative<ports::Appended>(*outcome)) {
    caches_.reseals.forget(session);
  }
  return outcome;
}

Result<void> CheckedStore::append_all(std::vector<run::CommitDraft> drafts) {
  return raw_.append_all(std::move(drafts));
}

Result<ports::PurgeOutcome> CheckedStore::purge(const SessionId& session, run::Seq expected,
                                                WallMs at) {
  return raw_.purge(session, expected, at);
}

Result<void> CheckedStore::rebuild() { return raw_.rebuild(); }

Result<std::unique_ptr<ports::StoreAudit>> CheckedStore::audit() { return raw_.audit(); }

}  // namespace baton::engine
