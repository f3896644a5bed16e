#include "engine/load/find_run.h"

#include "base/text/text.h"
#include "engine/load/load.h"

namespace baton::engine {

Result<run::RunRow> find_run(ports::EventReader& store, std::string_view id) {
  if (const auto run = RunId::parse(id)) {
    if (auto row = TRY(store.run(*run))) return *std::move(row);
  } else if (const auto session = SessionId::parse(id)) {
    const auto first = TRY(store.log(*session, run::Seq{0}, 1));
    if (!first.empty()) {
      const auto index = run::index_of(TRY(events_of(first.front())));
      if (index.started) return find_run(store, index.started->run.text());
    }
  } else {
    return fail(Code::INVALID_ID, cat('"', id, "\" is neither a run id nor a session id"),
                Move::list_runs);
  }
  return fail(Code::NOT_FOUND, cat("there is no ", id), Move::list_runs);
}

Result<std::vector<run::ObservationRecorded>> observations(ports::EventReader& store,
                                                           const run::RunRow& run) {
  std::vector<run::ObservationRecorded> out;
  for (const run::Commit& commit : TRY(store.log(run.session, run::Seq{0}, 1))) {
    for (run::Event& event : TRY(events_of(commit))) {
      auto* seen = std::get_if<run::ObservationRecorded>(&event);
      if (seen != nullptr && seen->run == run.run) out.push_back(std::move(*seen));
    }
  }
  return out;
}

}  // namespace baton::engine
