#include "verbs/gc.h"

#include <map>

#include "base/text.h"

namespace baton::verbs {
namespace {

constexpr std::int64_t day_ms = 86'400'000;

/// Sessions whose runs may all go, by what the list of runs says of them; the others are counted.
Result<std::vector<SessionId>> candidates(Engine& engine, const GcRequest& request, WallMs now,
                                          GcReport& report) {
  std::map<SessionId, bool> may_go;
  std::vector<SessionId> found;
  std::optional<run::CommitNo> before;
  while (true) {
    const auto page = TRY(engine.store.runs(before, limits::log_page_commits));
    if (page.empty()) break;
    before = page.back().last_commit;
    for (const run::RunRow& row : page) {
      const bool is_quiet = now.value - row.last_active.value >= request.quiet_days * day_ms;
      const bool may = is_quiet && (row.is_complete || !request.only_completed);
      const auto [entry, is_new] = may_go.emplace(row.session, may);
      entry->second &= may;
      if (is_new) found.push_back(row.session);
    }
  }
  report.kept += std::erase_if(found, [&](const SessionId& id) { return !may_go.at(id); });
  return found;
}

/// The head of a session to which nothing at all was appended for long; nothing otherwise.
Result<std::optional<run::Seq>> quiet_head(Engine& engine, const SessionId& session,
                                           std::int64_t quiet_days, WallMs now) {
  const run::Seq head = TRY(engine.store.head(session)).seq;
  if (head.value == 0) return std::nullopt;
  const auto last = TRY(engine.store.log(session, {head.value - 1}, 1));
  if (last.empty() || now.value - last.front().at.value < quiet_days * day_ms) return std::nullopt;
  return head;
}

}  // namespace

Result<GcReport> gc(Engine& engine, const GcRequest& request) {
  if (request.quiet_days < 0 || request.quiet_days > limits::gc_quiet_days_max) {
    return fail(Code::INVALID_INPUT,
                cat("a session can be quiet for 0 to ", limits::gc_quiet_days_max, " days"));
  }
  const WallMs now = engine.clock.wall();
  GcReport report;
  for (const SessionId& session : TRY(candidates(engine, request, now, report))) {
    const auto head = TRY(quiet_head(engine, session, request.quiet_days, now));
    bool goes = head.has_value();
    if (goes && !request.dry_run) {
      // Whoever came since has moved the head; then the session is not quiet.
      const auto outcome = TRY(engine.store.purge(session, *head, now));
      goes = std::holds_alternative<ports::Purged>(outcome);
    }
    if (goes) {
      report.removed.push_back(session);
    } else {
      ++report.kept;
    }
  }
  return report;
}

}  // namespace baton::verbs
