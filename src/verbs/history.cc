#include "verbs/history.h"

#include <map>

#include "base/text.h"
#include "base/utf8.h"
#include "verbs/load.h"

namespace baton::verbs {
namespace {

constexpr std::size_t note_line_bytes = 72;

/// A log that ends before what is known of the run.
std::unexpected<Error> cut_off(const run::RunRow& run) {
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("the log of ", run.run.text(), " ends before commit ", run.last_commit.value,
                  ", which made its latest point"),
              "`baton verify` lists what is damaged, `baton salvage` exports what is sound");
}

std::string first_line(std::string_view notes) {
  const std::string_view line = notes.substr(0, notes.find('\n'));
  return std::string(utf8::prefix(line, note_line_bytes));
}

}  // namespace

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
                "`baton runs` lists them");
  }
  return fail(Code::NOT_FOUND, cat("there is no ", id), "`baton runs` lists the runs there are");
}

Result<std::vector<LoggedEvent>> run_log(ports::EventReader& store, const run::RunRow& run) {
  std::vector<LoggedEvent> out;
  run::Seq after;
  bool is_whole = false;
  while (true) {
    const auto commits = TRY(store.log(run.session, after, limits::log_page_commits));
    if (commits.empty() && !is_whole) return cut_off(run);
    if (commits.empty()) return out;
    for (const run::Commit& commit : commits) {
      is_whole = is_whole || commit.no == run.last_commit;
      for (run::Event& event : TRY(events_of(commit))) {
        out.push_back({commit.seq, commit.at, std::move(event)});
      }
    }
    after = commits.back().seq;
  }
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

Result<run::RunState> run_state(ports::EventReader& store, const run::RunRow& run) {
  // Whatever ends a run makes its last point.
  const auto tip = TRY(store.commit(run.tip.commit()));
  if (!tip) return fail(Code::NOT_FOUND, cat(run.run.text(), " was removed meanwhile"));
  for (const run::Event& event : TRY(events_of(*tip))) {
    const auto* changed = std::get_if<run::RunStateChanged>(&event);
    if (changed != nullptr && changed->run == run.run) return changed->to;
  }
  return run::RunState::running;
}

Result<std::string> progress_of(ports::EventReader& store, const run::RunRow& run) {
  if (!run.is_complete) return "in progress";
  const run::RunState state = TRY(run_state(store, run));
  return state == run::RunState::running ? "complete" : std::string(name_of(state));
}

Result<std::vector<TreeNode>> run_tree(ports::EventReader& store, const run::RunRow& run) {
  std::vector<TreeNode> tree;
  std::map<NodeId, std::size_t> places;
  run::Seq notes_seq;
  std::string notes;
  for (const LoggedEvent& logged : TRY(run_log(store, run))) {
    if (logged.seq != notes_seq) notes.clear();
    notes_seq = logged.seq;
    if (const auto* output = std::get_if<run::NodeOutputAppended>(&logged.event)) {
      const auto* text = std::get_if<run::Notes>(&output->payload);
      if (text != nullptr) notes = first_line(text->markdown);
    }
    const auto* ended = std::get_if<run::RunStateChanged>(&logged.event);
    if (ended != nullptr && places.contains(ended->node)) {
      tree[places[ended->node]].state = ended->to;
    }
    const auto* changed = std::get_if<run::PreferencesChanged>(&logged.event);
    if (changed != nullptr && places.contains(changed->node) && changed->change &&
        is_raise(changed->change->from, changed->effective)) {
      tree[places[changed->node]].raise = *changed;
    }
    const auto* created = std::get_if<run::NodeCreated>(&logged.event);
    if (created == nullptr || created->run != run.run) continue;
    TreeNode node{.id = created->node,
                  .parent = std::nullopt,
                  .kind = created->kind,
                  .settled_step = created->settled_step,
                  .open_steps = created->open_steps,
                  .created = logged.at,
                  .notes = notes,
                  .is_tip = false};
    if (created->parent) {
      const auto parent = places.find(*created->parent);
      if (parent == places.end()) {
        return fail(Code::STORAGE_CORRUPTION_DETECTED,
                    cat(created->node.text(), " comes before its parent"));
      }
      node.parent = parent->second;
    }
    places[node.id] = tree.size();
    tree.push_back(std::move(node));
  }
  if (!tree.empty()) tree.back().is_tip = true;
  return tree;
}

}  // namespace baton::verbs
