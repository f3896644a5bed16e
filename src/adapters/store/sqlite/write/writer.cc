#include "adapters/store/sqlite/write/writer.h"

#include <algorithm>

#include "adapters/store/sqlite/rows.h"
#include "adapters/store/sqlite/schema.h"
#include "base/core/limits.h"
#include "base/text/text.h"

namespace baton::adapters::sqlite {
namespace {

namespace sql {
constexpr const char* begin = "BEGIN IMMEDIATE";
constexpr const char* commit = "COMMIT";
constexpr const char* rollback = "ROLLBACK";
constexpr const char* save = "SAVEPOINT member";
constexpr const char* release = "RELEASE member";
constexpr const char* undo = "ROLLBACK TO member";
constexpr const char* find_commit = BATON_COMMIT_ROWS "WHERE s.id = ?1 AND c.dedupe_key = ?2";
}  // namespace sql

Result<void> execute(Connection& connection, const char* statement) {
  Query query(connection, statement);
  return query.finish();
}

bool is_appended(const std::optional<Result<ports::AppendOutcome>>& outcome) {
  return outcome && *outcome && std::holds_alternative<ports::Appended>(**outcome);
}

}  // namespace

StoreWriter::StoreWriter(Setup setup) : setup_(std::move(setup)) {
  watch_wal();
  thread_ = std::thread([this] { keep_checkpoints(); });
}

StoreWriter::~StoreWriter() {
  {
    const MutexLock lock(mutex_);
    ASSERT(waiting_.empty());
    is_stopping_ = true;
  }
  idle_.notify_one();
  thread_.join();
}

// --- leading and following ----------------------------------------------------------------------

Result<ports::AppendOutcome> StoreWriter::submit(Member& member) {
  MutexLock lock(mutex_);
  waiting_.push_back(&member);
  while (!is_done(member)) {
    if (is_led_ || is_wal_long_) {
      member.changed.wait(mutex_);
    } else {
      lead();
    }
  }
  return *std::move(member.outcome);
}

void StoreWriter::lead() {
  is_led_ = true;
  std::vector<Member*> group;
  take_group(group);
  mutex_.unlock();
  process(group);
  if (setup_.bell != nullptr) setup_.bell->ring();
  mutex_.lock();
  release(group);
  ++groups_led_;
  is_wal_long_ = wal_pages_ > wal_pages_max_;
  // The checkpoints' thread knows already, unless the WAL was empty or has become long.
  if (is_wal_long_ || (wal_pages_ > 0 && !is_checkpoint_due_)) idle_.notify_one();
  is_checkpoint_due_ = wal_pages_ > 0;
  stop_leading();
}

void StoreWriter::stop_leading() {
  is_led_ = false;
  // One of those who came meanwhile leads next; before that, a long WAL is copied back.
  if (!waiting_.empty() && !is_wal_long_) waiting_.front()->changed.notify_one();
}

void StoreWriter::release(Group group) {
  for (Member* member : group) {
    ASSERT(member->outcome.has_value());
    member->is_done = true;
    // Its caller cannot take it away before it has the mutex, which is ours.
    member->changed.notify_one();
  }
}

Result<ports::AppendOutcome> StoreWriter::append(run::CommitDraft draft) {
  if (setup_.refusal) return std::unexpected(*setup_.refusal);
  Member member;
  member.draft = &draft;
  ports::AppendOutcome outcome = TRY(submit(member));
  if (auto* appended = std::get_if<ports::Appended>(&outcome)) {
    appended->commit = std::move(draft).commit();
  }
  return outcome;
}

Result<void> StoreWriter::run(const std::function<Result<void>(Connection&)>& job) {
  if (setup_.refusal) return std::unexpected(*setup_.refusal);
  Member member;
  member.job = &job;
  TRY(submit(member));
  return {};
}

WriterCounts StoreWriter::counts() {
  const MutexLock lock(mutex_);
  WriterCounts out = counts_;
  out.waiting = std::ssize(waiting_);
  out.is_led = is_led_;
  return out;
}

void StoreWriter::take_group(std::vector<Member*>& group) {
  while (!waiting_.empty() && group.size() < limits::group_commit_appends_max) {
    Member* next = waiting_.front();
    if (next->job != nullptr && !group.empty()) return;
    group.push_back(next);
    waiting_.pop_front();
    if (next->job != nullptr) return;
  }
}

void StoreWriter::keep_checkpoints() {
  MutexLock lock(mutex_);
  while (!is_stopping_) {
    if (!is_checkpoint_due_) {
      idle_.wait(mutex_);
      continue;
    }
    // Quiet means that no thread has led for a while. By the wall clock: a jump moves one
    // checkpoint, nothing else.
    const std::int64_t seen = groups_led_;
    const auto quiet =
        std::chrono::system_clock::now() + std::chrono::milliseconds(limits::store_quiet_ms);
    idle_.wait_until(mutex_, quiet,
                     [this]() REQUIRES(mutex_) { return is_stopping_ || is_wal_long_; });
    if (is_stopping_ || is_led_) continue;
    if (!is_wal_long_ && groups_led_ != seen) continue;
    is_led_ = true;
    if (is_wal_long_) ++counts_.long_wals;
    lock.unlock();
    checkpoint();
    lock.lock();
    is_checkpoint_due_ = false;
    is_wal_long_ = false;
    stop_leading();
  }
  if (setup_.anchors != nullptr) setup_.anchors->sync();
  setup_.connection.reset();
}

// --- the leader's work --------------------------------------------------------------------------

Result<void> StoreWriter::make_ready() {
  if (const auto stopped = setup_.health->stopped()) return std::unexpected(*stopped);
  if (!is_broken_ && setup_.connection != nullptr) {
    if (!setup_.connection->is_read_only()) return {};
    // One that could only be opened for reading stays so; look whether that has changed. It is
    // closed first: while it is open, SQLite finds the file read-only for the next one too.
    setup_.connection.reset();
  }
  setup_.connection = TRY(setup_.reopen());
  is_broken_ = false;
  known_last_.reset();  // versions are counted by the connection
  watch_wal();
  return {};
}

/// A WAL is reset only when no reader needs its beginning. A reader that never ends
/// must not fill the disk: past the ceiling nothing is written until it lets go.
Result<void> StoreWriter::keep_wal_bounded() {
  if (wal_length_ < setup_.wal_pages_ceiling) return {};
  const std::int64_t usual = setup_.connection->set_busy_ms(limits::store_restart_wait_ms);
  const int rc = sqlite3_wal_checkpoint_v2(setup_.connection->handle(), "main",
                                           SQLITE_CHECKPOINT_RESTART, nullptr, nullptr);
  setup_.connection->set_busy_ms(usual);
  if (setup_.watch != nullptr) setup_.watch->accept();
  if (rc == SQLITE_OK) {
    wal_length_ = 0;
    return {};
  }
  if (rc != SQLITE_BUSY) return std::unexpected(setup_.connection->error(rc, "checkpoint"));
  return std::unexpected(
      Error::make(Code::STORE_BUSY,
                  cat("the WAL has ", wal_length_,
                      " pages and cannot be reset, because a process "
                      "has been reading from its beginning"),
                  "stop the process that has been reading the store, then try again")
          .with_retry_after(limits::store_busy_ms_max));
}

/// The file was written, by another process's checkpoint or by a program that copied another state
/// over it. Our own connection would not see the difference: it has its pages in memory.
Result<void> StoreWriter::check_touched() {
  if (setup_.watch == nullptr || setup_.anchors == nullptr) return {};
  Result<void> same = [&]() -> Result<void> {
    if (!TRY(setup_.watch->is_touched())) return {};
    const auto fresh = TRY(setup_.open_reader());
    TRY(setup_.anchors->check_anew(*fresh));
    setup_.watch->accept();
    return {};
  }();
  if (same || same.error().code == Code::STORE_BUSY) return same;
  if (!is_of_store(same.error()) || same.error().code == Code::STORE_FAILED) {
    same = std::unexpected(
        replaced(cat("the store's file was overwritten while this process had it open: ",
                     same.error().message)));
  }
  setup_.health->stop(same.error());
  return same;
}

void StoreWriter::process(Group group) {
  Result<void> ready = make_ready();
  if (ready) ready = check_touched();
  if (ready) ready = keep_wal_bounded();
  if (!ready) {
    for (Member* member : group) member->outcome = std::unexpected(ready.error());
    return;
  }
  commit_group(group);
}

Result<ports::AppendOutcome> StoreWriter::write_member(Member& member, bool is_alone,
                                                       Numbering& numbering) {
  Connection& connection = *setup_.connection;
  if (member.job != nullptr) {
    TRY((*member.job)(connection));
    return ports::Appended{};
  }
  if (!is_alone) TRY(execute(connection, sql::save));
  auto outcome = append_one(connection, *member.draft, numbering);
  if (!outcome && is_of_store(outcome.error())) return outcome;
  if (is_alone) return outcome;
  if (!outcome || !std::holds_alternative<ports::Appended>(*outcome)) {
    TRY(execute(connection, sql::undo));
  }
  TRY(execute(connection, sql::release));
  return outcome;
}

void StoreWriter::commit_group(Group group) {
  if (const auto begun = execute(*setup_.connection, sql::begin); !begun) {
    give_up(group, begun.error());
    return;
  }
  Numbering numbering;
  const auto checked = check_anchors(numbering);
  known_last_.reset();  // until this group is committed
  if (!checked) {
    roll_back();
    give_up(group, checked.error());
    return;
  }
  for (Member* member : group) {
    member->outcome = write_member(*member, group.size() == 1, numbering);
    if (!*member->outcome && is_of_store(member->outcome->error())) {
      const Error error = member->outcome->error();
      roll_back();
      give_up(group, error);
      return;
    }
  }
  const auto appended = std::count_if(group.begin(), group.end(),
                                      [](const Member* m) { return is_appended(m->outcome); });
  if (appended == 0) {
    roll_back();
  } else if (const auto committed = execute(*setup_.connection, sql::commit); !committed) {
    roll_back();
    if (committed.error().code == Code::STORE_FULL || committed.error().code == Code::STORE_BUSY) {
      give_up(group, committed.error());
    } else {
      resolve_unknown(group, committed.error());
    }
    return;
  } else {
    // Jobs write without numbering what they write.
    const bool has_job =
        std::ranges::any_of(group, [](const Member* member) { return member->job != nullptr; });
    if (numbering.last && !has_job) known_last_ = {store_version(), *numbering.last};
    if (!numbering.noted.empty()) {
      own_last_ = numbering.noted.back().head;
      highest_seen_ = std::max(highest_seen_, own_last_->commit);
    }
    if (const auto confirmed = confirm(numbering); !confirmed) {
      for (Member* member : group) member->outcome = std::unexpected(confirmed.error());
    }
    const MutexLock lock(mutex_);
    ++counts_.groups;
    counts_.appends += appended;
  }
}

/// Changes with every commit, of this connection or another.
unsigned StoreWriter::store_version() {
  unsigned version = 0;
  const int rc = sqlite3_file_control(setup_.connection->handle(), "main",
                                      SQLITE_FCNTL_DATA_VERSION, &version);
  ASSERT(rc == SQLITE_OK);
  return version;
}

/// Before anything is written: commit numbers never go back, so a store whose newest is older than
/// what was anchored has been put back to an older state.
Result<void> StoreWriter::check_anchors(Numbering& numbering) {
  if (setup_.watch != nullptr) {
    Result<void> whole = setup_.watch->check_wal(wal_length_);
    if (!whole) {
      setup_.health->stop(whole.error());
      return whole;
    }
  }
  if (setup_.anchors == nullptr) return {};
  // Inside of the transaction the connection sees the newest version.
  const bool is_same = known_last_ && known_last_->version == store_version();
  numbering.last = is_same ? known_last_->last : TRY(last_commit_no(*setup_.connection));
  Result<void> checked = setup_.anchors->check(*numbering.last);
  if (checked) checked = check_floor(*numbering.last, is_same);
  if (!checked && checked.error().code != Code::STORE_BUSY) setup_.health->stop(checked.error());
  return checked;
}

/// The heads may have been put back with the store. What this process knows by itself was not.
Result<void> StoreWriter::check_floor(run::CommitNo last, bool is_same) {
  // Nothing was written since our own last commit, so its end of the WAL is as it was.
  if (is_same) return setup_.watch == nullptr ? Result<void>() : setup_.watch->check_frame();
  TRY(setup_.anchors->check_floor(*setup_.connection, last, highest_seen_, own_last_));
  highest_seen_ = last;
  return {};
}

/// The commit is durable. Before anyone hears of it: is it in the file that others will open? Then
/// the heads take it.
Result<void> StoreWriter::confirm(const Numbering& numbering) {
  if (setup_.watch != nullptr) {
    Result<void> in_place = setup_.watch->check(wal_length_);
    if (in_place) in_place = setup_.watch->note_frame(wal_length_);
    if (!in_place) {
      setup_.health->stop(in_place.error());
      return in_place;
    }
  }
  if (setup_.anchors == nullptr) return {};
  // The commits are recorded, even if their anchors are not; what follows them is not written.
  const Result<void> noted = setup_.anchors->note(*setup_.connection, numbering.noted);
  if (!noted) setup_.health->stop(noted.error());
  return {};
}

/// No part of the group was written. One member's trouble (no room for a large append) need not be
/// the others', so each gets its own transaction once.
void StoreWriter::give_up(Group group, const Error& error) {
  const bool is_shared = error.code == Code::STORE_BUSY || error.code == Code::STORE_READ_ONLY ||
                         setup_.health->stopped().has_value();
  if (group.size() == 1 || is_shared) {
    for (Member* member : group) member->outcome = std::unexpected(error);
    return;
  }
  for (std::size_t i = 0; i < group.size(); ++i) process(group.subspan(i, 1));
}

std::optional<ports::AppendOutcome> StoreWriter::look_up(Connection& reader, const Member& member) {
  if (member.draft == nullptr) return std::nullopt;
  Query query(reader, sql::find_commit);
  query.bind(member.draft->session.bytes).bind(std::string_view(member.draft->dedupe_key));
  const auto found = query.step();
  if (!found || !*found) return std::nullopt;
  auto commit = commit_row(query);
  if (!commit) return std::nullopt;
  // A commit has its number outside of its hash.
  const bool is_ours = is_appended(member.outcome) && commit->hash == member.draft->hash &&
                       commit->no == member.draft->no;
  if (!is_ours) return ports::AlreadyRecorded{commit->no};
  return **member.outcome;
}

/// COMMIT gave an error that does not say whether it happened. What another connection can see is
/// synced, because SQLite shows a commit to readers only after its sync. That holds while our own
/// connection is open: when the last one closes, the next to open takes every whole commit it finds
/// in the WAL, synced or not. So after a failed sync nothing is looked up, and the connection
/// stays.
void StoreWriter::resolve_unknown(Group group, const Error& error) {
  const bool is_stopped = setup_.health->stopped().has_value();
  const auto reader = is_stopped ? std::unexpected(error) : setup_.open_reader();
  for (Member* member : group) {
    std::optional<ports::AppendOutcome> found;
    if (reader) found = look_up(**reader, *member);
    if (found) {
      member->outcome = *std::move(found);
    } else {
      member->outcome = std::unexpected(error);
    }
  }
}

void StoreWriter::roll_back() {
  if (sqlite3_get_autocommit(setup_.connection->handle()) != 0) return;
  is_broken_ = !execute(*setup_.connection, sql::rollback);
}

void StoreWriter::checkpoint() {
  // While others write, one of them always needs the WAL's end, so that it is never reset by
  // itself. Past twice its length they are made to wait, but not for long: who reads for minutes
  // must not keep all others from writing.
  const bool is_overlong = wal_pages_ > 2 * limits::store_wal_pages_max;
  wal_pages_ = 0;
  if (is_broken_ || setup_.connection == nullptr || setup_.health->stopped()) return;
  if (!check_touched()) return;
  int frames = 0;
  int copied = 0;
  const std::int64_t usual = setup_.connection->set_busy_ms(limits::store_restart_wait_ms);
  const int rc = sqlite3_wal_checkpoint_v2(
      setup_.connection->handle(), "main",
      is_overlong ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE, &frames, &copied);
  setup_.connection->set_busy_ms(usual);
  // Readers or another process's checkpoint may be in the way: the next one will do.
  if (rc != SQLITE_OK && rc != SQLITE_BUSY) {
    static_cast<void>(setup_.connection->error(rc, "checkpoint"));
  }
  // Others may keep the WAL from being reset. It is not tried again at every group then, only
  // once it has grown by a quarter.
  wal_pages_max_ = std::max(limits::store_wal_pages_max, frames + limits::store_wal_pages_max / 4);
  if (setup_.anchors != nullptr) setup_.anchors->sync();
  if (setup_.watch != nullptr) setup_.watch->accept();
  const MutexLock lock(mutex_);
  if (copied > 0) ++counts_.checkpoints;
}

int StoreWriter::on_commit(void* context, sqlite3*, const char*, int wal_pages) {
  auto& writer = *static_cast<StoreWriter*>(context);
  if (wal_pages < limits::store_wal_pages_max / 4) {
    writer.wal_pages_max_ = limits::store_wal_pages_max;  // it was reset
  }
  writer.wal_pages_ = wal_pages;
  writer.wal_length_ = wal_pages;
  return SQLITE_OK;
}

void StoreWriter::watch_wal() { sqlite3_wal_hook(setup_.connection->handle(), on_commit, this); }

}  // namespace baton::adapters::sqlite
