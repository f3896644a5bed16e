#include "verbs/store/fill_search_index.h"

#include "engine/load/load.h"

namespace baton::verbs {
namespace {

using ports::IndexMark;

constexpr std::int64_t claim_wait_ms = 100;  // between two looks at how far another process is

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

Result<ports::SearchCommit> search_commit(const engine::LoadContext& loading,
                                          const run::Commit& commit) {
  const std::vector<run::Event> events = TRY(engine::events_of(commit));
  ports::SearchCommit out{{commit.no, commit.session, commit.hash}, run::searchable(events), {}};
  if (out.found.started) {
    // Without its workflow a run can still be found by the rest.
    const auto pinned = load_workflow(loading, out.found.started->workflow_hash);
    if (pinned) out.workflow_name = (*pinned)->workflow.name;
  }
  return out;
}

/// One call's filling of the index, while it has the turn.
class IndexFiller {
 public:
  IndexFiller(const engine::ReadContext& reading, ports::SearchIndex& index, run::CommitNo wanted)
      : reading_(reading), index_(index), wanted_(wanted), begun_(reading.clock.mono()) {}

  /// Whether the index holds everything that is wanted.
  Result<bool> fill() {
    const std::shared_ptr<void> claim = TRY(wait_for_claim());
    // Another process has it; its filling counts as well.
    if (claim == nullptr) return TRY(index_.mark()).commit >= wanted_;
    auto done = take_in();
    if (done || done.error().code == Code::STORE_BUSY) return done;
    // Perhaps only the index is wrong; it is rebuilt once.
    TRY(index_.clear());
    return take_in();
  }

 private:
  bool is_over() const {
    return reading_.clock.mono().value - begun_.value >= limits::catch_up_ms_max;
  }

  /// Null when another process has filled in what is wanted, or takes too long for this call.
  Result<std::shared_ptr<void>> wait_for_claim() {
    while (true) {
      if (auto claim = index_.claim(claim_wait_ms)) return claim;
      const IndexMark mark = TRY(index_.mark());
      reading_.caches.filling.reached(mark.commit);
      if (mark.commit >= wanted_ || is_over()) return nullptr;
    }
  }

  /// To the end of the log, or as far as there is time.
  Result<bool> take_in() {
    mark_ = TRY(index_.mark());
    if (!TRY(is_of_log(reading_.store, mark_))) {
      TRY(index_.clear());
      mark_ = TRY(index_.mark());
    }
    reading_.caches.filling.reached(mark_.commit);
    run::CommitNo after = mark_.commit;
    while (true) {
      const auto page = TRY(reading_.store.store_log(after, limits::log_page_commits));
      for (const run::Commit& commit : page) {
        after = commit.no;
        auto found = search_commit(reading_, commit);
        if (!found && engine::is_damage(found.error())) continue;  // the others can be searched for
        batch_.push_back(TRY(std::move(found)));
        words_ += batch_.back().found.words.size() + 1;
        if (words_ < batch_words) continue;
        const bool is_as_expected = TRY(flush());
        after = mark_.commit;
        // An older release fills the index without a claim, so it may be elsewhere by now.
        if (!is_as_expected) break;
      }
      const bool is_end = page.empty();
      if (!is_end && !is_over()) continue;
      if (TRY(flush())) return is_end;
      after = mark_.commit;
    }
  }

  /// Whether the index is where the batch ends.
  Result<bool> flush() {
    if (batch_.empty()) return true;
    const IndexMark end = batch_.back().mark;
    const auto added = index_.add(mark_, batch_);
    batch_.clear();
    words_ = 0;
    TRY(added);
    mark_ = TRY(index_.mark());
    reading_.caches.filling.reached(mark_.commit);
    return mark_ == end;
  }

  const engine::ReadContext& reading_;
  ports::SearchIndex& index_;
  const run::CommitNo wanted_;
  const MonoMs begun_;
  IndexMark mark_;                          // how far the index is
  std::vector<ports::SearchCommit> batch_;  // what comes next in it
  std::size_t words_ = 0;                   // of the batch
};

Result<bool> fill_in_turn(const engine::ReadContext& reading, ports::SearchIndex& index,
                          run::CommitNo wanted) {
  auto done = IndexFiller(reading, index, wanted).fill();
  reading.caches.filling.end(done.value_or(false));
  return done;
}

}  // namespace

Result<CaughtUp> fill_search_index(const engine::ReadContext& reading, ports::SearchIndex& index) {
  const run::CommitNo wanted = TRY(reading.store.last_commit());
  // An index that cannot be read is behind; the call that fills it rebuilds it.
  const auto mark = index.mark();
  const bool is_known = mark && TRY(is_of_log(reading.store, *mark));
  if (is_known && mark->commit >= wanted) return CaughtUp{};
  const std::int64_t behind = wanted.value - (is_known ? mark->commit.value : 0);
  const bool is_far = behind > limits::catch_up_near_commits;
  switch (reading.caches.filling.take(wanted, is_far)) {
    case engine::IndexFillLock::Outcome::done: return CaughtUp{};
    case engine::IndexFillLock::Outcome::over: break;
    case engine::IndexFillLock::Outcome::mine:
      if (TRY(fill_in_turn(reading, index, wanted))) return CaughtUp{};
  }
  const std::int64_t reached = TRY(index.mark()).commit.value;
  return CaughtUp{std::max<std::int64_t>(wanted.value - reached, 0)};
}

}  // namespace baton::verbs
