#include "verbs/run/history.h"

#include <algorithm>
#include <map>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "engine/commands/command_status.h"
#include "engine/load/gate_words.h"
#include "engine/load/load.h"
#include "engine/load/owner_words.h"
#include "run/checks/person_rule.h"
#include "run/show/recap.h"
#include "run/steps/behaviour.h"
#include "run/walk/scope.h"

namespace baton::verbs {
namespace {

constexpr std::size_t note_line_bytes = 72;

/// A log that ends before what is known of the run.
std::unexpected<Error> cut_off(const run::RunRow& run) {
  return fail(Code::STORAGE_CORRUPTION_DETECTED,
              cat("the log of ", run.run.text(), " ends before commit ", run.last_commit.value,
                  ", which created its latest node"),
              Move::salvage_store);
}

std::string first_line(std::string_view notes) {
  const std::string_view line = notes.substr(0, notes.find('\n'));
  return std::string(utf8::prefix(line, note_line_bytes));
}

using Places = std::map<NodeId, std::size_t>;

/// The raise of the preferences that was made at a node, if one was.
std::optional<run::PreferencesChanged> raise_at(std::span<const run::Event> commit,
                                                const NodeId& node) {
  for (const run::Event& event : commit) {
    const auto* changed = std::get_if<run::PreferencesChanged>(&event);
    if (changed == nullptr || changed->node != node || !changed->change) continue;
    if (is_raise(changed->change->from, changed->effective)) return *changed;
  }
  return std::nullopt;
}

/// The nodes of the run that one commit made.
Result<void> add_nodes(std::vector<TreeNode>& tree, Places& places, const RunId& run,
                       std::span<const run::Event> commit, WallMs at) {
  for (const run::Event& event : commit) {
    const auto* created = std::get_if<run::NodeCreated>(&event);
    if (created == nullptr || created->run != run) continue;
    TreeNode node{.id = created->node,
                  .parent = std::nullopt,
                  .mark = run::mark_of(commit, created->node),
                  .open_steps = created->open_steps,
                  .created = at,
                  .notes = first_line(run::recap_entry(commit, created->node).notes)};
    if (created->parent) {
      const auto parent = places.find(*created->parent);
      if (parent == places.end()) {
        return fail(Code::STORAGE_CORRUPTION_DETECTED,
                    cat(created->node.text(), " comes before its parent"));
      }
      node.parent = parent->second;
    }
    node.raise = raise_at(commit, created->node);
    places[node.id] = tree.size();
    tree.push_back(std::move(node));
  }
  return {};
}

/// What the open step of a node that nothing follows waits for.
Result<OpenMark> open_mark_at(const engine::ReadContext& reading, const NodeId& node) {
  const auto state = TRY(load_state(reading, TRY(load_node(reading, node))));
  if (const auto command = TRY(command_status(reading, *state))) {
    if (*command == run::CommandStatus::held) return OpenMark::held;
    return *command == run::CommandStatus::unknown ? OpenMark::unknown_end : OpenMark::running;
  }
  const auto pinned = TRY(load_workflow(reading, state->workflow_hash));
  const workflow::Step* step = run::step_at(pinned->workflow, state->cursor);
  if (step == nullptr) return OpenMark::open;
  if (run::behaviour_of(*step).is_for_sub_agents) return OpenMark::sub_agents;
  if (state->gate != nullptr) {
    // Once it is decided the agent sends its output again.
    const engine::GateWords words = TRY(gate_words(reading, *state, *state->gate));
    return words.verdict(*state->gate).word == nullptr ? OpenMark::user : OpenMark::open;
  }
  // What was refused, by a person or by the rules of the step, is the agent's to do again.
  if (state->kind == run::NodeKind::blocked_attempt) return OpenMark::open;
  const run::PersonRule person =
      run::person_rule(*step, state->preferences, step->require_confirmation, false);
  return person.need == run::PersonRule::Need::word ? OpenMark::user : OpenMark::open;
}

}  // namespace

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
      for (run::Event& event : TRY(engine::events_of(commit))) {
        out.push_back({commit.seq, commit.at, std::move(event)});
      }
    }
    after = commits.back().seq;
  }
}

Result<RunProgress> progress_of(const engine::ReadContext& reading, const run::RunRow& run) {
  const auto state = TRY(load_state(reading, TRY(load_node(reading, run.tip))));
  RunProgress out;
  out.status = state->status();
  out.gaps = state->known().open_gaps;
  out.assumptions = state->known().assumptions;
  out.budget = state->known().budget;
  out.usage = state->known().usage;
  out.open_steps = state->open_steps;
  if (!out.open_steps.empty()) out.command = TRY(command_status(reading, *state));
  out.hold = TRY(hold_at(reading, *state));
  return out;
}

std::string words_of(const RunProgress& progress) {
  const std::size_t count = progress.gaps.size();
  const std::string gaps = count == 0 ? "" : cat(count, count == 1 ? " gap" : " gaps");
  std::string out(name_of(progress.status));
  std::ranges::replace(out, '_', ' ');
  if (progress.status == run::RunStatus::complete_with_gaps) {
    out = cat("complete with ", gaps);
  } else if (!gaps.empty()) {
    out += cat(", ", gaps);
  }
  if (progress.hold) out += cat(", ", name_of(progress.hold->hold), " by the user");
  if (progress.command == run::CommandStatus::running) out += ", a command is running";
  if (progress.command == run::CommandStatus::unknown) {
    out += ", no command is running: its result is unknown";
  }
  if (progress.command == run::CommandStatus::held) {
    out += ", no command is running: it was not started";
  }
  return out;
}

Result<std::vector<GuidanceEntry>> guidance_of(ports::EventReader& store, const run::RunRow& run) {
  std::vector<GuidanceEntry> out;
  for (LoggedEvent& each : TRY(run_log(store, run))) {
    auto* given = std::get_if<run::GuidanceGiven>(&each.event);
    if (given != nullptr) out.push_back({std::move(given->guidance), each.at});
  }
  return out;
}

std::string_view name_of(OpenMark mark) {
  switch (mark) {
    case OpenMark::open: return "open";
    case OpenMark::left_behind: return "left_behind";
    case OpenMark::user: return "waits_for_user";
    case OpenMark::sub_agents: return "waits_for_sub_agents";
    case OpenMark::running: return "command_running";
    case OpenMark::unknown_end: return "command_end_unknown";
    case OpenMark::held: return "command_held";
  }
  return "open";
}

Result<std::vector<TreeNode>> run_tree(const engine::ReadContext& reading, const run::RunRow& run) {
  std::vector<TreeNode> tree;
  Places places;
  const std::vector<LoggedEvent> log = TRY(run_log(reading.store, run));
  for (auto first = log.begin(); first != log.end();) {
    const auto last = std::find_if(first, log.end(),
                                   [&](const LoggedEvent& each) { return each.seq != first->seq; });
    std::vector<run::Event> commit;
    for (auto each = first; each != last; ++each) commit.push_back(each->event);
    TRY(add_nodes(tree, places, run.run, commit, first->at));
    first = last;
  }
  for (TreeNode& node : tree) {
    if (node.parent) tree[*node.parent].open_mark = OpenMark::left_behind;
  }
  for (TreeNode& node : tree) {
    if (node.open_mark == OpenMark::open && !node.open_steps.empty()) {
      node.open_mark = TRY(open_mark_at(reading, node.id));
    }
  }
  if (!tree.empty()) tree.back().is_tip = true;
  return tree;
}

}  // namespace baton::verbs
