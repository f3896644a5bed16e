#include "verbs/store/salvage.h"

#include <algorithm>
#include <map>

#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/log/bundle.h"
#include "run/show/reply.h"

namespace baton::verbs {
namespace {

/// What is known of a session after a first look at its commits, without their bodies.
struct Found {
  std::vector<run::CommitNo> commits;
  run::SessionHead head;
  std::string lost;
};

class Salvager {
 public:
  Salvager(ports::EventReader& raw, const TakeBundle& take) : raw_(raw), take_(take) {}

  Result<SalvageReport> salvage() {
    look_at_all();
    for (const auto& [session, found] : sessions_) TRY(take_out(session, found));
    return std::move(report_);
  }

 private:
  /// Page by page; where a page cannot be read, commit by commit.
  void look_at_all() {
    run::CommitNo after;
    const auto last = raw_.last_commit();
    while (true) {
      const auto page = raw_.store_log(after, limits::log_page_commits);
      if (page) {
        if (page->empty()) return;
        for (const run::Commit& commit : *page) look_at(commit);
        after = page->back().no;
        continue;
      }
      if (!last) return;
      const auto page_end = after.value + static_cast<std::int64_t>(limits::log_page_commits);
      const std::int64_t end = std::min(last->value, page_end);
      if (after.value >= end) return;
      for (std::int64_t no = after.value + 1; no <= end; ++no) {
        const auto commit = raw_.commit({no});
        if (!commit) ++report_.unreadable;
        if (commit && *commit) look_at(**commit);
      }
      after = {end};
    }
  }

  void look_at(const run::Commit& commit) {
    Found& found = sessions_[commit.session];
    if (!found.lost.empty()) return;
    if (commit.seq.value != found.head.seq.value + 1) {
      found.lost = cat("commit ", found.head.seq.value + 1, " is missing");
    } else if (commit.previous != found.head.hash || run::commit_hash(commit) != commit.hash) {
      found.lost = cat("commit ", commit.seq.value, " does not match its hash");
    } else {
      found.head = {commit.seq, commit.hash};
      found.commits.push_back(commit.no);
    }
  }

  /// The texts that the commit refers to; false: one is missing or was changed.
  Result<bool> add_parts(run::Bundle& bundle, const run::Commit& commit) {
    const auto events = run::decode_events(commit.body);
    if (!events) return false;
    for (const run::Event& event : *events) {
      if (const auto* started = std::get_if<run::RunStarted>(&event)) {
        const auto text = raw_.workflow(started->workflow_hash);
        if (!text || !*text || sha256(**text) != started->workflow_hash) return false;
        bundle.workflows.emplace(started->workflow_hash, **text);
      } else if (const auto* advance = std::get_if<run::AdvanceRecorded>(&event)) {
        for (const Sha256& hash : run::blobs_of(advance->reply)) {
          const auto text = raw_.blob(hash);
          if (!text || !*text || sha256(**text) != hash) return false;
          bundle.blobs.emplace(hash, **text);
        }
      }
    }
    return true;
  }

  /// Whether a session is of the store itself, which no other store takes over.
  Result<bool> leave_out(const SessionId& session, const Found& found) {
    if (session == run::approvals_session) {
      report_.has_approvals = true;
      return true;
    }
    const auto first = found.commits.empty() ? std::nullopt : TRY(readable(found.commits.front()));
    const bool is_task = first && std::ranges::all_of(*first, [](const run::Event& event) {
                           return std::holds_alternative<run::McpTaskChanged>(event);
                         });
    if (is_task) ++report_.client_tasks;
    return is_task;
  }

  /// The events of a commit; nothing where it does not give them.
  Result<std::optional<std::vector<run::Event>>> readable(run::CommitNo no) {
    const auto commit = raw_.commit(no);
    if (!commit || !*commit) return std::nullopt;
    auto events = run::decode_events((*commit)->body);
    return events ? std::optional(*std::move(events)) : std::nullopt;
  }

  Result<void> take_out(const SessionId& session, const Found& found) {
    if (TRY(leave_out(session, found))) return {};
    SalvagedSession out{session, 0, found.lost};
    run::Bundle bundle;
    bundle.session = session;
    for (const run::CommitNo no : found.commits) {
      auto commit = raw_.commit(no);
      if (!commit || !*commit || !TRY(add_parts(bundle, **commit))) {
        out.lost = cat("commit ", out.commits + 1, " refers to a text that is missing or changed");
        break;
      }
      bundle.commits.push_back(**std::move(commit));
      ++out.commits;
    }
    if (out.commits > 0) TRY(hand_over(session, bundle, out));
    report_.sessions.push_back(std::move(out));
    return {};
  }

  Result<void> hand_over(const SessionId& session, const run::Bundle& bundle,
                         SalvagedSession& out) {
    const auto text = run::encode_bundle(bundle);
    const auto sound = text ? run::check_meaning(bundle) : std::unexpected(text.error());
    if (sound) return take_(session, *text);
    out.commits = 0;
    out.lost = sound.error().message;
    return {};
  }

  ports::EventReader& raw_;
  const TakeBundle& take_;
  std::map<SessionId, Found> sessions_;
  SalvageReport report_;
};

}  // namespace

bool SalvageReport::is_whole() const {
  return unreadable == 0 && std::ranges::all_of(sessions, [](const SalvagedSession& session) {
           return session.lost.empty();
         });
}

Result<SalvageReport> salvage(ports::EventReader& raw, const TakeBundle& take) {
  return Salvager(raw, take).salvage();
}

}  // namespace baton::verbs
