#include "verbs/store/verify.h"

#include <algorithm>
#include <deque>
#include <future>
#include <map>
#include <set>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "run/graph/snapshot_check.h"
#include "verbs/store/verify_rows.h"

namespace baton::verbs {
namespace {

using ports::StorePart;

std::string_view name_of(StorePart part) {
  switch (part) {
    case StorePart::log: return "in the log: ";
    case StorePart::index: return "in the index: ";
    case StorePart::file: return "in the file: ";
  }
  return "";
}

/// Whether an error says that the store is damaged, and not that it cannot be read at the moment.
bool tells_of_damage(const Error& error) {
  return error.code == Code::STORE_CORRUPT || error.code == Code::STORAGE_CORRUPTION_DETECTED ||
         error.code == Code::INTERNAL;
}

// Judging a commit by itself takes most of the time and needs nothing else, so that pages are
// judged on other threads while the one before is compared with the store.
constexpr std::size_t pages_ahead = 4;

/// A commit, and what can be said of it without the others.
struct Judged {
  run::Commit commit;
  bool hash_fits = false;
  bool is_canonical = false;
  bool artifacts_fit = true;
  Result<std::vector<run::Event>> events;
};

bool artifact_fits(const run::Event& event) {
  const auto* output = std::get_if<run::NodeOutputAppended>(&event);
  const auto* artifact = output != nullptr ? std::get_if<run::Artifact>(&output->payload) : nullptr;
  if (artifact == nullptr) return true;
  const auto text = json::canonical(artifact->content);
  return text && sha256(*text) == artifact->hash;
}

std::vector<Judged> judge(std::vector<run::Commit> page) {
  std::vector<Judged> out;
  out.reserve(page.size());
  for (run::Commit& commit : page) {
    Judged judged;
    judged.events = run::decode_events(commit.body);
    judged.commit = std::move(commit);
    judged.hash_fits = run::commit_hash(judged.commit) == judged.commit.hash;
    if (judged.events) {
      const auto canonical = run::encode_events(*judged.events);
      judged.is_canonical = canonical && *canonical == judged.commit.body;
      judged.artifacts_fit = std::ranges::all_of(*judged.events, artifact_fits);
    }
    out.push_back(std::move(judged));
  }
  return out;
}

/// The whole log of a store, page by page, judged ahead of who asks for it.
class JudgedLog {
 public:
  explicit JudgedLog(ports::EventReader& store) : store_(store) {}

  /// The next page; empty at the end. An error comes after the pages before it.
  Result<std::vector<Judged>> next() {
    while (!end_ && ahead_.size() < pages_ahead) read();
    if (ahead_.empty()) {
      TRY(*end_);
      return std::vector<Judged>();
    }
    std::vector<Judged> page = ahead_.front().get();
    ahead_.pop_front();
    return page;
  }

 private:
  void read() {
    auto page = store_.store_log(read_, limits::log_page_commits);
    if (!page) {
      end_ = std::unexpected(page.error());
    } else if (page->empty()) {
      end_ = Result<void>();
    } else {
      read_ = page->back().no;
      ahead_.push_back(std::async(judge, *std::move(page)));
    }
  }

  ports::EventReader& store_;
  run::CommitNo read_;
  std::deque<std::future<std::vector<Judged>>> ahead_;
  std::optional<Result<void>> end_;  // why nothing more is read
};

class Verifier {
 public:
  Verifier(ports::EventReader& store, ports::TableAudit& rows, const VerifyProgress& progress,
           const VerifyRequest& request)
      : store_(store), rows_(rows), progress_(progress), request_(request) {}

  Result<VerifyReport> verify() {
    TRY(rows_.begin(sink_));
    const run::StoreFacts facts = TRY(facts_of());
    seals_.emplace(facts, request_.signatures);
    report_.head = run::StoreHead::empty();
    report_.head.removed_sessions = facts.removed_sessions;
    compare_with_noted();
    if (const auto read = read_log(); !read) {
      if (!tells_of_damage(read.error())) return std::unexpected(read.error());
      sink_(StorePart::file, cat("the log cannot be read after commit ", checked_.value, ": ",
                                 read.error().message));
    }
    TRY(rows_.finish(sink_));
    seals_->finish(request_.kept, sink_);
    check_noted_head();
    report_.seals = seals_->good();
    report_.imported = seals_->imported();
    report_.sessions = static_cast<std::int64_t>(heads_.size());
    return std::move(report_);
  }

 private:
  /// A table that cannot be read is the table audit's to name.
  Result<run::StoreFacts> facts_of() {
    auto facts = store_.facts();
    if (!facts && tells_of_damage(facts.error())) return run::StoreFacts();
    return facts;
  }

  /// Whether the log up to the noted head is what it was then.
  void compare_with_noted() {
    if (!request_.since || report_.head.commit != request_.since->commit) return;
    continues_ = report_.head.digest == request_.since->digest;
  }

  void check_noted_head() {
    if (!request_.since || continues_.value_or(false)) return;
    const std::int64_t removed = report_.head.removed_sessions - request_.since->removed_sessions;
    const std::string commit = cat("commit ", request_.since->commit.value);
    sink_(StorePart::log,
          removed > 0 ? cat("the store cannot be compared with the head that was noted at ", commit,
                            ": gc removed sessions since, ", removed, " in all")
          : report_.last < request_.since->commit
              ? cat("the store ends at commit ", report_.last.value,
                    ", before the head that was noted at ", commit)
              : cat("the store does not continue the head that was noted at ", commit));
  }

  Result<void> read_log() {
    report_.last = TRY(store_.last_commit());
    JudgedLog log(store_);
    while (true) {
      const std::vector<Judged> page = TRY(log.next());
      if (page.empty()) return {};
      for (const Judged& judged : page) {
        if (const auto done = check_commit(judged); !done) {
          if (!tells_of_damage(done.error())) return done;
          problem(StorePart::file, judged.commit, done.error().message);
        }
        checked_ = judged.commit.no;
      }
      if (progress_) progress_(checked_, report_.last);
    }
  }

  void problem(StorePart part, const run::Commit& commit, std::string_view what) {
    sink_(part, cat(place_of(commit), what));
  }

  Result<void> check_commit(const Judged& judged) {
    const run::Commit& commit = judged.commit;
    ++report_.commits;
    run::SessionHead& head = heads_[commit.session];
    if (commit.seq.value != head.seq.value + 1) {
      problem(StorePart::log, commit, "its position in the session is wrong");
    }
    if (commit.previous != head.hash) {
      problem(StorePart::log, commit, "it does not continue the commit before it");
    }
    if (!judged.hash_fits) {
      problem(StorePart::log, commit, "its content does not match its hash");
    }
    head = {commit.seq, commit.hash};
    report_.head.take(commit);
    compare_with_noted();

    if (!judged.events) {
      problem(StorePart::log, commit, judged.events.error().message);
      return rows_.add(commit, nullptr, sink_);
    }
    if (!judged.is_canonical) problem(StorePart::log, commit, "its body is not canonical");
    if (!judged.artifacts_fit) problem(StorePart::log, commit, "an artifact differs from its hash");
    report_.events += std::ssize(*judged.events);
    TRY(rows_.add(commit, &*judged.events, sink_));
    seals_->add(commit, *judged.events, sink_);
    return check_events(commit, *judged.events);
  }

  Result<void> check_events(const run::Commit& commit, const std::vector<run::Event>& events) {
    std::size_t nodes = 0;
    for (const run::Event& event : events) {
      if (std::holds_alternative<run::RunStarted>(event)) ++report_.runs;
      if (const auto* lease = std::get_if<run::TaskLeased>(&event)) {
        TRY(check_lease(commit, *lease));
      } else if (const auto* settled = std::get_if<run::TaskSettled>(&event)) {
        if (settled->is_final && settled->type != "timeout" &&
            !settled_.emplace(settled->node, settled->task).second) {
          problem(StorePart::log, commit, cat("the task ", settled->task, " is settled twice"));
        }
      } else if (const auto* created = std::get_if<run::NodeCreated>(&event)) {
        const run::NodeNo no = run::NodeNo::of(commit.no, nodes++);
        TRY(check_state(commit, *created, no, events));
      }
    }
    report_.nodes += static_cast<std::int64_t>(nodes);
    return {};
  }

  /// The run that carries a task out says so itself; one that was carried elsewhere is not there.
  Result<void> check_lease(const run::Commit& commit, const run::TaskLeased& lease) {
    const auto row = TRY(store_.run(lease.child));
    if (row && (row->parent != lease.run || row->session != lease.session)) {
      problem(StorePart::log, commit, cat(lease.child.text(), " does not carry out ", lease.task));
    }
    return {};
  }

  /// The state at the node, folded from its parent's, must be what a snapshot of it says.
  Result<void> check_state(const run::Commit& commit, const run::NodeCreated& created,
                           run::NodeNo no, const std::vector<run::Event>& events) {
    const auto before = state_before(commit, created);
    if (!before) {
      if (!tells_of_damage(before.error())) return std::unexpected(before.error());
      problem(StorePart::log, commit,
              cat("the state before ", created.node.text(), ": ", before.error().message));
      return {};
    }
    auto folded = run::fold(*before, events);
    if (!folded) {
      problem(StorePart::log, commit, folded.error().message);
      return {};
    }
    const auto snapshot = TRY(store_.snapshot(no));
    if (snapshot) ++report_.snapshots;
    if (snapshot && !run::is_snapshot_of(snapshot->text, *folded)) {
      problem(StorePart::index, commit, "its snapshot does not match the log");
    }
    states_.put(created.node, *std::move(folded));
    return {};
  }

  Result<run::NodeState> state_before(const run::Commit& commit, const run::NodeCreated& created) {
    if (!created.parent) {
      run::NodeState state;
      state.session = commit.session;
      return state;
    }
    if (const auto known = states_.find(*created.parent)) return *known;
    const run::NodeRow parent = TRY(engine::load_node({store_, caches_}, *created.parent));
    return *TRY(engine::load_state({store_, caches_}, parent));
  }

  ports::EventReader& store_;
  ports::TableAudit& rows_;
  const VerifyProgress& progress_;
  const VerifyRequest& request_;
  std::optional<SealAudit> seals_;
  std::optional<bool> continues_;  // the noted head; nothing before its commit was read
  engine::Caches caches_;
  engine::Lru<NodeId, run::NodeState> states_{
      limits::cached_states_max};  // the latest that were folded
  run::CommitNo checked_;
  std::map<SessionId, run::SessionHead> heads_;
  std::set<std::pair<NodeId, std::string>> settled_;
  VerifyReport report_;
  const ports::ProblemSink sink_ = [this](StorePart part, std::string what) {
    ++report_.problems_of[static_cast<std::size_t>(part)];
    if (report_.problems.size() >= limits::verify_problems_max) return;
    report_.problems.push_back(cat(name_of(part), what));
  };
};

}  // namespace

Result<VerifyReport> verify(ports::EventStore& store, const VerifyProgress& progress,
                            const VerifyRequest& request) {
  const auto audit = TRY(store.audit());
  RowAudit rows(audit->reader());
  ports::TableAudit* tables = audit->tables();
  VerifyReport report = TRY(
      Verifier(audit->reader(), tables != nullptr ? *tables : rows, progress, request).verify());
  report.anchored = audit->anchored();
  return report;
}

Result<VerifyReport> verify(ports::EventReader& reader) {
  RowAudit rows(reader);
  const VerifyProgress silent;
  return Verifier(reader, rows, silent, {}).verify();
}

}  // namespace baton::verbs
