#include "adapters/store/faulty/faulty_store.h"

#include "ports/store_admin.h"

namespace baton::adapters {
namespace {

std::unexpected<Error> injected(Code code) { return fail(code, "an injected fault"); }

}  // namespace

void FaultyStore::inject(Call call, std::int64_t nth, Fault fault) {
  ASSERT(nth >= 1);
  ASSERT(fault.kind != Kind::head_moved || call == Call::append);
  const MutexLock lock(mutex_);
  script_[call][counts_[call] + nth] = fault;
}

void FaultyStore::go_down(Code code) {
  const MutexLock lock(mutex_);
  down_ = code;
}

void FaultyStore::go_up() {
  const MutexLock lock(mutex_);
  down_.reset();
}

std::int64_t FaultyStore::count(Call call) {
  const MutexLock lock(mutex_);
  return counts_[call];
}

std::optional<FaultyStore::Fault> FaultyStore::meet(Call call) {
  const MutexLock lock(mutex_);
  const std::int64_t nth = ++counts_[call];
  if (down_) return Fault{Kind::refuse, *down_};
  auto& faults = script_[call];
  const auto found = faults.find(nth);
  if (found == faults.end()) return std::nullopt;
  const Fault fault = found->second;
  faults.erase(found);
  return fault;
}

template <class Pass>
auto FaultyStore::pass(Call call, Pass inner_call) -> decltype(inner_call()) {
  const auto fault = meet(call);
  if (!fault) return inner_call();
  if (fault->kind == Kind::commit_then_error) {
    if (auto outcome = inner_call(); !outcome) return outcome;
  }
  return injected(fault->code);
}

Result<std::optional<run::NodeRow>> FaultyStore::node(run::NodeNo no) {
  return pass(Call::read, [&] { return inner_.node(no); });
}
Result<std::optional<run::NodeRow>> FaultyStore::node_by_id(const NodeId& id) {
  return pass(Call::read, [&] { return inner_.node_by_id(id); });
}
Result<std::optional<run::NodeNo>> FaultyStore::attempt(run::NodeNo node,
                                                        const run::AttemptKey& key) {
  return pass(Call::read, [&] { return inner_.attempt(node, key); });
}
Result<ports::SettledCount> FaultyStore::settled(run::NodeNo node, run::AttemptKind kind,
                                                 std::uint8_t ordinal) {
  return pass(Call::read, [&] { return inner_.settled(node, kind, ordinal); });
}
Result<std::vector<run::NodeRow>> FaultyStore::children(run::NodeNo parent, std::size_t limit) {
  return pass(Call::read, [&] { return inner_.children(parent, limit); });
}
Result<std::optional<run::Commit>> FaultyStore::commit(run::CommitNo no) {
  return pass(Call::read, [&] { return inner_.commit(no); });
}
Result<std::optional<run::Commit>> FaultyStore::commit_by_key(const SessionId& session,
                                                              std::string_view dedupe_key) {
  return pass(Call::read, [&] { return inner_.commit_by_key(session, dedupe_key); });
}
Result<std::optional<run::Commit>> FaultyStore::newest_by_prefix(const SessionId& session,
                                                                 std::string_view prefix) {
  return pass(Call::read, [&] { return inner_.newest_by_prefix(session, prefix); });
}
Result<std::vector<run::Commit>> FaultyStore::log(const SessionId& session, run::Seq after,
                                                  std::size_t limit) {
  return pass(Call::read, [&] { return inner_.log(session, after, limit); });
}
Result<std::vector<run::Commit>> FaultyStore::store_log(run::CommitNo after, std::size_t limit) {
  return pass(Call::read, [&] { return inner_.store_log(after, limit); });
}
Result<run::SessionHead> FaultyStore::head(const SessionId& session) {
  return pass(Call::read, [&] { return inner_.head(session); });
}
Result<std::optional<std::string>> FaultyStore::blob(const Sha256& hash) {
  return pass(Call::read, [&] { return inner_.blob(hash); });
}
Result<std::optional<std::string>> FaultyStore::workflow(const Sha256& hash) {
  return pass(Call::read, [&] { return inner_.workflow(hash); });
}
Result<std::optional<run::StoredSnapshot>> FaultyStore::snapshot(run::NodeNo node) {
  return pass(Call::read, [&] { return inner_.snapshot(node); });
}
Result<std::optional<run::RunRow>> FaultyStore::run(const RunId& id) {
  return pass(Call::read, [&] { return inner_.run(id); });
}
Result<std::vector<run::RunRow>> FaultyStore::runs(std::optional<run::CommitNo> before,
                                                   std::size_t limit) {
  return pass(Call::read, [&] { return inner_.runs(before, limit); });
}
Result<std::vector<run::LooseSession>> FaultyStore::loose_sessions(run::CommitNo after,
                                                                   std::size_t limit) {
  return pass(Call::read, [&] { return inner_.loose_sessions(after, limit); });
}
Result<run::StoreFacts> FaultyStore::facts() {
  return pass(Call::read, [&] { return inner_.facts(); });
}

Result<run::CommitNo> FaultyStore::last_commit() {
  return pass(Call::read, [&] { return inner_.last_commit(); });
}
Result<std::optional<run::Tombstone>> FaultyStore::tombstone(run::NodeNo no) {
  return pass(Call::read, [&] { return inner_.tombstone(no); });
}

Result<bool> FaultyStore::purged(const SessionId& session) {
  return pass(Call::read, [&] { return inner_.purged(session); });
}

Result<ports::AppendOutcome> FaultyStore::append(run::CommitDraft draft) {
  const auto fault = meet(Call::append);
  if (!fault) return inner_.append(std::move(draft));
  switch (fault->kind) {
    case Kind::refuse: break;
    case Kind::commit_then_error: {
      if (auto outcome = inner_.append(std::move(draft)); !outcome) return outcome;
      break;
    }
    case Kind::head_moved: return ports::HeadMoved{TRY(inner_.head(draft.session)).seq};
  }
  return injected(fault->code);
}

Result<void> FaultyStore::append_all(std::vector<run::CommitDraft> drafts) {
  return pass(Call::append, [&] { return inner_.append_all(std::move(drafts)); });
}

Result<ports::PurgeOutcome> FaultyStore::purge(const SessionId& session, run::Seq expected,
                                               WallMs at) {
  return pass(Call::purge, [&] { return inner_.purge(session, expected, at); });
}
Result<void> FaultyStore::rebuild() {
  return pass(Call::rebuild, [&] { return inner_.rebuild(); });
}
Result<std::unique_ptr<ports::StoreAudit>> FaultyStore::audit() {
  return pass(Call::audit, [&] { return inner_.audit(); });
}

}  // namespace baton::adapters
