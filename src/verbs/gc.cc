#include "verbs/gc.h"

namespace baton::verbs {

Result<GcReport> gc(Engine& engine, const GcRequest& request) {
  constexpr std::int64_t day_ms = 86'400'000;
  const WallMs now = engine.clock.wall();
  GcReport report;
  std::optional<run::CommitNo> before;
  while (true) {
    const auto page = TRY(engine.store.runs(before, limits::log_page_commits));
    if (page.empty()) break;
    before = page.back().last_commit;
    for (const run::RunRow& row : page) {
      const bool quiet = now.value - row.last_active.value >= request.quiet_days * day_ms;
      if (quiet && (row.is_complete || !request.only_completed)) {
        report.removed.push_back(row.session);
      } else {
        ++report.kept;
      }
    }
  }
  if (request.dry_run) return report;
  for (const SessionId& session : report.removed) TRY(engine.store.purge(session, now));
  return report;
}

}  // namespace baton::verbs
