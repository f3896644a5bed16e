#include "verbs/store/gc.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/text/text.h"
#include "engine/load/load.h"
#include "verbs/run/mcp_tasks.h"

namespace baton::verbs {
namespace {

constexpr std::int64_t day_ms = 86'400'000;

/// Whether there is such a run. A damaged one is there too.
Result<bool> is_there(engine::Engine& engine, const RunId& run) {
  const auto found = engine.store.run(run);
  if (!found && engine::is_damage(found.error())) return true;
  return TRY(found).has_value();
}

/// Whether a row of the list says what the log says. Nothing is removed because of a row that does
/// not, and nothing of a damaged run.
Result<bool> is_sound(engine::Engine& engine, const run::RunRow& row) {
  const auto found = engine.store.run(row.run);
  if (!found && engine::is_damage(found.error())) return false;
  return TRY(found) == row;
}

/// Sessions whose runs may all go, by what the list of runs says of them; the others are counted.
Result<std::vector<SessionId>> run_candidates(engine::Engine& engine, const GcRequest& request,
                                              WallMs now, GcReport& report) {
  std::map<SessionId, bool> may_go;
  std::vector<SessionId> found;
  std::optional<run::CommitNo> before;
  while (true) {
    const auto page = TRY(engine.store.runs(before, limits::log_page_commits));
    if (page.empty()) break;
    before = page.back().last_commit;
    for (const run::RunRow& row : page) {
      // A task's run goes with the run it belongs to, or by itself when that one is gone.
      if (row.parent && TRY(is_there(engine, *row.parent))) continue;
      const bool is_quiet = now.value - row.last_active.value >= request.quiet_days * day_ms;
      const bool may =
          is_quiet && (row.is_complete || !request.only_completed) && TRY(is_sound(engine, row));
      const auto [entry, is_new] = may_go.emplace(row.session, may);
      entry->second &= may;
      if (is_new) found.push_back(row.session);
    }
  }
  report.kept += std::erase_if(found, [&](const SessionId& id) { return !may_go.at(id); });
  return found;
}

/// Sessions that hold an MCP task which may go, once its life is over or it was quiet for long;
/// the others are counted.
Result<std::vector<SessionId>> task_candidates(engine::Engine& engine, const GcRequest& request,
                                               GcReport& report) {
  std::vector<SessionId> found;
  run::CommitNo after;
  while (true) {
    const auto page = TRY(engine.store.loose_sessions(after, limits::log_page_commits));
    if (page.empty()) return found;
    after = page.back().first;
    for (const run::LooseSession& loose : page) {
      if (loose.session == run::approvals_session) continue;  // as long as the store
      const auto read = task_in(engine.store, loose.session);
      const auto task = !read && engine::is_damage(read.error()) ? std::nullopt : TRY(read);
      const bool may = task && (protocol::is_terminal(task->status) || !request.only_completed);
      if (may) found.push_back(loose.session);
      if (!may) ++report.kept;
    }
  }
}

/// The sessions that carry out tasks of this one, and of those, in the order of their beginning.
Result<std::vector<SessionId>> task_sessions(ports::EventReader& store, const SessionId& session) {
  std::vector<SessionId> out;
  std::set<SessionId> seen;
  std::vector<SessionId> todo{session};
  while (!todo.empty()) {
    const SessionId of = todo.back();
    todo.pop_back();
    run::Seq after;
    while (true) {
      const auto commits = TRY(store.log(of, after, limits::log_page_commits));
      if (commits.empty()) break;
      after = commits.back().seq;
      for (const run::Commit& commit : commits) {
        if (!commit.dedupe_key.starts_with("lease/")) continue;
        for (const run::Event& event : TRY(engine::events_of(commit))) {
          const auto* lease = std::get_if<run::TaskLeased>(&event);
          if (lease == nullptr || !seen.insert(lease->session).second) continue;
          out.push_back(lease->session);
          todo.push_back(lease->session);
        }
      }
    }
  }
  return out;
}

/// The head of a session that may go now: an MCP task whose life is over, or any session to which
/// nothing at all was appended for long.
Result<std::optional<run::Seq>> quiet_head(engine::Engine& engine, const SessionId& session,
                                           std::int64_t quiet_days, WallMs now) {
  const run::Seq head = TRY(engine.store.head(session)).seq;
  if (head.value == 0) return std::nullopt;
  const auto last = TRY(engine.store.log(session, {head.value - 1}, 1));
  if (last.empty()) return std::nullopt;
  if (now.value - last.front().at.value >= quiet_days * day_ms) return head;
  const auto task = TRY(task_in(engine.store, session));
  if (task && is_over(*task, now)) return head;
  return std::nullopt;
}

/// Whether the session goes, and with it those of its tasks, which must all be quiet. Removed in
/// that order: what a crash leaves behind has no parent any more and goes by itself.
Result<bool> remove(engine::Engine& engine, const GcRequest& request, const SessionId& session,
                    WallMs now) {
  const auto head = TRY(quiet_head(engine, session, request.quiet_days, now));
  if (!head) return false;
  std::vector<std::pair<SessionId, run::Seq>> going{{session, *head}};
  for (const SessionId& task : TRY(task_sessions(engine.store, session))) {
    if (TRY(engine.store.head(task)).seq.value == 0) continue;
    const auto its_head = TRY(quiet_head(engine, task, request.quiet_days, now));
    if (!its_head) return false;
    going.emplace_back(task, *its_head);
  }
  if (request.dry_run) return true;
  for (const auto& [each, expected] : going) {
    // A later call has moved the head; then the session is not quiet.
    const auto outcome = TRY(engine.store.purge(each, expected, now));
    const bool goes = std::holds_alternative<ports::Purged>(outcome);
    if (!goes && each == session) return false;
    // What an index keeps of it by mistake is found out when it is looked for.
    if (goes && engine.search != nullptr) static_cast<void>(engine.search->forget(each));
  }
  return true;
}

}  // namespace

Result<GcReport> gc(engine::Engine& engine, const GcRequest& request) {
  if (request.quiet_days < 0 || request.quiet_days > limits::gc_quiet_days_max) {
    return fail(Code::INVALID_INPUT,
                cat("the age of a session can be 0 to ", limits::gc_quiet_days_max, " days"));
  }
  const WallMs now = engine.clock.wall();
  GcReport report;
  std::vector<SessionId> sessions = TRY(run_candidates(engine, request, now, report));
  std::ranges::copy(TRY(task_candidates(engine, request, report)), std::back_inserter(sessions));
  for (const SessionId& session : sessions) {
    const auto removed = remove(engine, request, session, now);
    if (!removed && engine::is_damage(removed.error())) {
      ++report.kept;
    } else if (TRY(removed)) {
      report.removed.push_back(session);
    } else {
      ++report.kept;
    }
  }
  return report;
}

}  // namespace baton::verbs
