#include "adapters/store/memory/memory_store.h"

#include "adapters/store/rules/log_page.h"
#include "ports/store_admin.h"
#include "run/show/reply.h"

namespace baton::adapters {
namespace {

template <class Map, class Key>
auto find_copy(const Map& map, const Key& key) -> std::optional<typename Map::mapped_type> {
  const auto found = map.find(key);
  if (found == map.end()) return std::nullopt;
  return found->second;
}

}  // namespace

// --- writing ------------------------------------------------------------------------------------

run::SessionHead MemoryStore::head_of(const SessionId& session) const {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return {};
  const run::Commit& last = commits_.at(found->second.rbegin()->second);
  return {last.seq, last.hash};
}

Result<void> MemoryStore::derive_nodes(const run::Commit& commit, const run::CommitIndex& index,
                                       const std::set<run::NodeNo>& with_snapshot,
                                       Addition& out) const {
  const CommitSize size{index.events, std::ssize(commit.body)};
  for (std::size_t place = 0; place < index.nodes.size(); ++place) {
    const run::NodeOutline& created = index.nodes[place];
    if (derived_.node_ids.contains(created.id)) return broken_reference("a node made before");
    const run::NodeRow* parent = nullptr;
    if (created.parent) {
      for (const run::NodeRow& row : out.nodes) {
        if (row.id == *created.parent) parent = &row;
      }
      if (const auto found = derived_.node_ids.find(*created.parent);
          found != derived_.node_ids.end()) {
        parent = &derived_.nodes.at(found->second);
      }
      if (parent == nullptr) return broken_reference("a parent that is not in the store");
      if (parent->run != created.run) return broken_reference("a parent of another run");
    }
    NodePath above;
    if (parent != nullptr) {
      above = {parent->no,       parent->parent,      parent->depth,
               parent->snapshot, parent->path_events, parent->path_bytes};
    }
    const auto no = run::NodeNo::of(commit.no, place);
    const NodePath path =
        place_node(no, parent == nullptr ? nullptr : &above, size, with_snapshot.contains(no));
    out.nodes.push_back(row_of(commit, index, place, path));
  }
  return {};
}

Result<void> MemoryStore::derive_attempts(const run::CommitIndex& index, Addition& out) const {
  const auto number_of = [&](const NodeId& id) REQUIRES(mutex_) -> std::optional<run::NodeNo> {
    for (const run::NodeRow& row : out.nodes) {
      if (row.id == id) return row.no;
    }
    return find_copy(derived_.node_ids, id);
  };
  std::set<Attempt> seen;
  for (const run::CommitIndex::Attempt& attempt : index.attempts) {
    const auto at = number_of(attempt.node);
    const auto to = number_of(attempt.to);
    if (!at || !to) return broken_reference("an attempt at or to an unknown node");
    const Attempt key{*at, attempt.key};
    if (derived_.attempts.contains(key) || !seen.insert(key).second) {
      return broken_reference("an attempt that has an outcome already");
    }
    out.attempts.emplace_back(key, *to);
  }
  return {};
}

Result<void> MemoryStore::derive_run(const run::Commit& commit, const run::CommitIndex& index,
                                     Addition& out) const {
  for (const RunId& revoked : index.revoked) {
    const bool is_new = index.started && index.started->run == revoked;
    if (!is_new && !derived_.runs.contains(revoked)) return broken_reference("an unknown run");
    out.revoked.push_back(revoked);
  }
  if (index.started) {
    if (derived_.runs.contains(index.started->run)) return broken_reference("a run started before");
    run::RunRow row;
    row.run = index.started->run;
    row.session = commit.session;
    row.workflow_id = index.started->workflow_id;
    row.workflow_hash = index.started->workflow_hash;
    row.goal = index.started->goal;
    row.parent = index.started->parent;
    row.started = commit.at;
    out.run = row;
  } else if (!out.nodes.empty()) {
    out.run = find_copy(derived_.runs, out.nodes.front().run);
    if (!out.run) return broken_reference("a run that was not started");
    if (out.run->session != commit.session) return broken_reference("a run of another session");
  }
  if (!out.run) return {};
  out.run->last_active = commit.at;
  out.run->last_commit = commit.no;
  out.run->nodes += static_cast<std::int64_t>(out.nodes.size());
  if (!out.nodes.empty()) {
    out.run->tip = out.nodes.back().no;
    out.run->is_complete = out.nodes.back().open_steps.empty();
  }
  return {};
}

Result<MemoryStore::Addition> MemoryStore::derive(
    const run::Commit& commit, const run::CommitIndex& index,
    const std::set<run::NodeNo>& with_snapshot) const {
  Addition out;
  TRY(derive_nodes(commit, index, with_snapshot, out));
  TRY(derive_attempts(index, out));
  TRY(derive_run(commit, index, out));
  return out;
}

void MemoryStore::apply(Addition addition) {
  for (run::NodeRow& row : addition.nodes) {
    derived_.node_ids.emplace(row.id, row.no);
    if (row.parent) derived_.children.emplace(*row.parent, row.no);
    derived_.nodes.emplace(row.no, std::move(row));
  }
  for (const auto& [key, outcome] : addition.attempts) derived_.attempts.emplace(key, outcome);
  if (addition.run) {
    run::RunRow& row = derived_.runs[addition.run->run];
    derived_.activity.erase(row.last_commit);
    row = *std::move(addition.run);
    derived_.activity.emplace(row.last_commit, row.run);
  }
  for (const RunId& revoked : addition.revoked) {
    for (auto& [no, row] : derived_.nodes) {
      if (row.run == revoked) row.revoked = true;
    }
  }
}

Result<ports::AppendOutcome> MemoryStore::append_one(run::CommitDraft draft) {
  if (purged_.contains(draft.session)) return session_was_purged(draft.session);
  const std::pair key(draft.session, draft.dedupe_key);
  if (const auto found = keys_.find(key); found != keys_.end()) {
    return ports::AlreadyRecorded{found->second};
  }
  const run::SessionHead before = head_of(draft.session);
  if (draft.expected && *draft.expected != before.seq) return ports::HeadMoved{before.seq};

  if (before.seq.value >= limits::session_commits_max) return session_is_full(draft.session);
  const run::CommitNo no{last_.value + 1};
  if (no.value > limits::commit_no_max) return store_is_used_up();
  place(draft, no, before);
  std::set<run::NodeNo> with_snapshot;
  if (draft.snapshot) with_snapshot.insert(run::NodeNo::of(no, 0));
  Addition addition = TRY(derive(draft, draft.index, with_snapshot));

  ports::Appended out;
  out.nodes = addition.nodes;
  apply(std::move(addition));
  for (run::Content& blob : draft.blobs) blobs_.emplace(blob.hash, std::move(blob.data));
  if (draft.workflow) workflows_.emplace(draft.workflow->hash, std::move(draft.workflow->data));
  if (draft.snapshot) snapshots_[run::NodeNo::of(no, 0)] = {*std::move(draft.snapshot), true};
  reseal(std::move(draft.reseal), draft.session);
  sessions_[draft.session].emplace(draft.seq, no);
  keys_.emplace(key, no);
  last_ = no;
  out.commit = std::move(draft).commit();
  commits_.emplace(no, out.commit);
  return out;
}

void MemoryStore::reseal(std::vector<std::pair<run::NodeNo, std::string>> snapshots,
                         const SessionId& session) {
  for (auto& [no, text] : snapshots) {
    const auto row = derived_.nodes.find(no);
    if (row == derived_.nodes.end() || row->second.snapshot != no) continue;
    if (row->second.session == session) snapshots_[no] = {std::move(text), true};
  }
}

void MemoryStore::forget_seals() {
  const MutexLock lock(mutex_);
  for (auto& [no, snapshot] : snapshots_) snapshot.is_sealed = false;
}

Result<ports::AppendOutcome> MemoryStore::append(run::CommitDraft draft) {
  TRY(prepare(draft));
  const MutexLock lock(mutex_);
  return append_one(std::move(draft));
}

Result<void> MemoryStore::append_all(std::vector<run::CommitDraft> drafts) {
  TRY(prepare_all(drafts));
  if (drafts.empty()) return {};
  const SessionId session = drafts.front().session;
  const MutexLock lock(mutex_);
  if (sessions_.contains(session)) return whole_log_refused("the session has commits already");
  const run::CommitNo before = last_;
  for (run::CommitDraft& each : drafts) {
    const auto outcome = append_one(std::move(each));
    if (outcome && std::holds_alternative<ports::Appended>(*outcome)) continue;
    if (sessions_.contains(session)) remove(session);
    last_ = before;
    if (!outcome) return std::unexpected(outcome.error());
    return whole_log_refused("an append misses its head or repeats a key");
  }
  return {};
}

void MemoryStore::remove(const SessionId& session) {
  const auto found = sessions_.find(session);
  for (const auto& [seq, no] : found->second) {
    keys_.erase({session, commits_.at(no).dedupe_key});
    commits_.erase(no);
  }
  std::erase_if(derived_.nodes, [&](const auto& entry) REQUIRES(mutex_) {
    const run::NodeRow& row = entry.second;
    if (row.session != session) return false;
    derived_.node_ids.erase(row.id);
    if (row.parent) derived_.children.erase({*row.parent, row.no});
    snapshots_.erase(row.no);
    std::erase_if(derived_.attempts, [&](const auto& a) { return a.first.node == row.no; });
    return true;
  });
  std::erase_if(derived_.runs, [&](const auto& entry) REQUIRES(mutex_) {
    if (entry.second.session != session) return false;
    derived_.activity.erase(entry.second.last_commit);
    return true;
  });
  sessions_.erase(found);
}

/// The texts and workflows that only this session refers to. Looks through every commit, which is
/// fast enough in memory.
Result<void> MemoryStore::remove_contents(const SessionId& session) {
  std::set<Sha256> own;
  std::set<Sha256> others;
  for (const auto& [no, commit] : commits_) {
    const auto events = TRY(run::decode_events(commit.body));
    auto& users = commit.session == session ? own : others;
    for (const Sha256& hash : run::contents_of(events)) users.insert(hash);
  }
  for (const Sha256& hash : own) {
    if (others.contains(hash)) continue;
    blobs_.erase(hash);
    workflows_.erase(hash);
  }
  return {};
}

Result<ports::PurgeOutcome> MemoryStore::purge(const SessionId& session, run::Seq expected,
                                               WallMs) {
  const MutexLock lock(mutex_);
  if (purged_.contains(session)) return ports::Purged{};
  if (!sessions_.contains(session)) return session_is_unknown(session);
  if (const run::Seq head = head_of(session).seq; head != expected) return ports::HeadMoved{head};
  TRY(remove_contents(session));
  for (const auto& [no, node] : derived_.nodes) {
    if (node.session == session) tombstones_[no] = {node.id, node.open_steps};
  }
  remove(session);
  purged_.insert(session);
  return ports::Purged{};
}

Result<void> MemoryStore::rebuild() {
  const MutexLock lock(mutex_);
  std::set<run::NodeNo> with_snapshot;
  for (const auto& [no, text] : snapshots_) with_snapshot.insert(no);
  Derived before = std::exchange(derived_, {});
  for (const auto& [no, commit] : commits_) {
    auto events = run::decode_events(commit.body);
    auto addition = events ? derive(commit, run::index_of(*events), with_snapshot)
                           : std::unexpected(events.error());
    if (!addition) {
      derived_ = std::move(before);
      return std::unexpected(addition.error());
    }
    apply(*std::move(addition));
  }
  return {};
}

MemoryStore::MemoryStore(MemoryStore& other) {
  const MutexLock lock(other.mutex_);
  commits_ = other.commits_;
  sessions_ = other.sessions_;
  keys_ = other.keys_;
  blobs_ = other.blobs_;
  workflows_ = other.workflows_;
  snapshots_ = other.snapshots_;
  purged_ = other.purged_;
  tombstones_ = other.tombstones_;
  last_ = other.last_;
  derived_ = other.derived_;
}

/// Of a copy that does not change.
class MemoryStore::Audit final : public ports::StoreAudit {
 public:
  explicit Audit(MemoryStore& store) : copy_(store) {}
  ports::EventReader& reader() override { return copy_; }
  ports::TableAudit* tables() override { return nullptr; }
  std::optional<run::CommitNo> anchored() const override { return std::nullopt; }

 private:
  MemoryStore copy_;
};

Result<std::unique_ptr<ports::StoreAudit>> MemoryStore::audit() {
  return std::make_unique<Audit>(*this);
}

// --- reading ------------------------------------------------------------------------------------

Result<std::optional<run::NodeRow>> MemoryStore::node(run::NodeNo no) {
  const MutexLock lock(mutex_);
  return find_copy(derived_.nodes, no);
}

Result<std::optional<run::NodeRow>> MemoryStore::node_by_id(const NodeId& id) {
  const MutexLock lock(mutex_);
  const auto found = derived_.node_ids.find(id);
  if (found == derived_.node_ids.end()) return std::nullopt;
  return derived_.nodes.at(found->second);
}

Result<std::optional<run::NodeNo>> MemoryStore::attempt(run::NodeNo node,
                                                        const run::AttemptKey& key) {
  const MutexLock lock(mutex_);
  return find_copy(derived_.attempts, Attempt{node, key});
}

Result<ports::SettledCount> MemoryStore::settled(run::NodeNo node, run::AttemptKind kind,
                                                 std::uint8_t ordinal) {
  const MutexLock lock(mutex_);
  const Attempt past{node, {kind, ordinal, UINT16_MAX}};
  auto at = derived_.attempts.upper_bound(past);
  if (at == derived_.attempts.begin()) return ports::SettledCount{};
  const Attempt& last = std::prev(at)->first;
  if (last.node != node || last.key.kind != kind || last.key.ordinal != ordinal) {
    return ports::SettledCount{};
  }
  return ports::SettledCount{static_cast<std::uint16_t>(last.key.count + 1)};
}

Result<std::vector<run::NodeRow>> MemoryStore::children(run::NodeNo parent, std::size_t limit) {
  const MutexLock lock(mutex_);
  std::vector<run::NodeRow> out;
  auto at = derived_.children.upper_bound({parent, {INT64_MAX}});
  while (out.size() < limit && at != derived_.children.begin()) {
    --at;
    if (at->first != parent) break;
    out.push_back(derived_.nodes.at(at->second));
  }
  return out;
}

Result<std::optional<run::Commit>> MemoryStore::commit(run::CommitNo no) {
  const MutexLock lock(mutex_);
  return find_copy(commits_, no);
}

Result<std::optional<run::Commit>> MemoryStore::commit_by_key(const SessionId& session,
                                                              std::string_view dedupe_key) {
  const MutexLock lock(mutex_);
  const auto found = keys_.find({session, std::string(dedupe_key)});
  if (found == keys_.end()) return std::nullopt;
  return commits_.at(found->second);
}

Result<std::optional<run::Commit>> MemoryStore::newest_by_prefix(const SessionId& session,
                                                                 std::string_view prefix) {
  const MutexLock lock(mutex_);
  std::optional<run::CommitNo> newest;
  for (auto at = keys_.lower_bound({session, std::string(prefix)});
       at != keys_.end() && at->first.first == session && at->first.second.starts_with(prefix);
       ++at) {
    newest = std::max(newest, std::optional(at->second));
  }
  if (!newest) return std::nullopt;
  return commits_.at(*newest);
}

Result<std::vector<run::Commit>> MemoryStore::log(const SessionId& session, run::Seq after,
                                                  std::size_t limit) {
  const MutexLock lock(mutex_);
  LogPage page(limit);
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return std::vector<run::Commit>();
  for (auto at = found->second.upper_bound(after); !page.is_full() && at != found->second.end();
       ++at) {
    page.add(commits_.at(at->second));
  }
  return std::move(page).take();
}

Result<std::vector<run::Commit>> MemoryStore::store_log(run::CommitNo after, std::size_t limit) {
  const MutexLock lock(mutex_);
  LogPage page(limit);
  for (auto at = commits_.upper_bound(after); !page.is_full() && at != commits_.end(); ++at) {
    page.add(at->second);
  }
  return std::move(page).take();
}

Result<run::SessionHead> MemoryStore::head(const SessionId& session) {
  const MutexLock lock(mutex_);
  return head_of(session);
}

Result<std::optional<std::string>> MemoryStore::blob(const Sha256& hash) {
  const MutexLock lock(mutex_);
  return find_copy(blobs_, hash);
}

Result<std::optional<std::string>> MemoryStore::workflow(const Sha256& hash) {
  const MutexLock lock(mutex_);
  return find_copy(workflows_, hash);
}

Result<std::optional<run::StoredSnapshot>> MemoryStore::snapshot(run::NodeNo node) {
  const MutexLock lock(mutex_);
  return find_copy(snapshots_, node);
}

Result<std::optional<run::RunRow>> MemoryStore::run(const RunId& id) {
  const MutexLock lock(mutex_);
  return find_copy(derived_.runs, id);
}

Result<std::vector<run::RunRow>> MemoryStore::runs(std::optional<run::CommitNo> before,
                                                   std::size_t limit) {
  const MutexLock lock(mutex_);
  std::vector<run::RunRow> out;
  auto at = before ? derived_.activity.lower_bound(*before) : derived_.activity.end();
  while (out.size() < limit && at != derived_.activity.begin()) {
    --at;
    out.push_back(derived_.runs.at(at->second));
  }
  return out;
}

Result<std::vector<run::LooseSession>> MemoryStore::loose_sessions(run::CommitNo after,
                                                                   std::size_t limit) {
  const MutexLock lock(mutex_);
  std::vector<run::LooseSession> out;
  for (auto at = commits_.upper_bound(after); out.size() < limit && at != commits_.end(); ++at) {
    const run::Commit& commit = at->second;
    if (commit.seq.value != 1) continue;
    const auto events = TRY(run::decode_events(commit.body));
    if (!run::index_of(events).started) out.push_back({commit.session, commit.no});
  }
  return out;
}

Result<run::CommitNo> MemoryStore::last_commit() {
  const MutexLock lock(mutex_);
  return last_;
}

Result<run::StoreFacts> MemoryStore::facts() {
  const MutexLock lock(mutex_);
  return run::StoreFacts{{{.epoch = 1, .store = {}, .after = {}}}, std::ssize(purged_)};
}

Result<std::optional<run::Tombstone>> MemoryStore::tombstone(run::NodeNo no) {
  const MutexLock lock(mutex_);
  const auto found = tombstones_.find(no);
  if (found == tombstones_.end()) return std::nullopt;
  return found->second;
}

Result<bool> MemoryStore::purged(const SessionId& session) {
  const MutexLock lock(mutex_);
  return purged_.contains(session);
}

}  // namespace baton::adapters
