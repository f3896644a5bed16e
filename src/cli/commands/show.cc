#include <algorithm>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "cli/commands/one_run.h"
#include "cli/config/load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "engine/load/find_run.h"
#include "run/decide/brakes.h"
#include "run/decide/hold.h"
#include "run/decide/preferences.h"
#include "verbs/run/decisions.h"
#include "verbs/run/history.h"

namespace baton::cli {
namespace {

// A feed wakes at once; this is for stores whose feed does not.
constexpr std::int64_t follow_wait_ms = 60'000;

using run::StepMark;
using verbs::OpenMark;
using verbs::TreeNode;

constexpr std::string_view show_settings[] = {"db"};
constexpr Option show_options[] = {
    {"--json", "", "One JSON object on one line, for programs", false},
    {"--follow", "", "Print each new node as it is made, until the run ends", false}};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += cat(out.empty() ? "" : ", ", word);
  return out;
}

std::string_view label_of(run::ObservationKey key) {
  switch (key) {
    case run::ObservationKey::workspace_path: return "folder:   ";
    case run::ObservationKey::git_branch: return "branch:   ";
    case run::ObservationKey::git_head_sha: return "commit:   ";
    case run::ObservationKey::principal: return "owner:    ";
    case run::ObservationKey::repo_root: break;
  }
  return {};
}

std::string failed_text(const run::StepFailed& failed) {
  std::string out = cat(failed.error.step, " failed");
  if (!failed.error.message.empty()) out += cat(" (", failed.error.message, ')');
  switch (failed.consequence) {
    case run::Consequence::retry: return out + ", will be retried";
    case run::Consequence::restart: return out + ", the run restarts";
    default: return out;
  }
}

/// What led to a node.
std::string mark_text(const run::NodeMark& mark) {
  switch (mark.mark) {
    case StepMark::start: return "start";
    case StepMark::done: return cat(mark.step, " done");
    case StepMark::failed: return failed_text(*mark.failure);
    case StepMark::blocked: return cat(mark.step, " blocked");
    case StepMark::unknown_end: return cat(mark.step, ": the result of its command is unknown");
    case StepMark::checkpoint: return "checkpoint";
    case StepMark::ended: return "ended";
    case StepMark::reopened: return "reopened";
  }
  return {};
}

std::string_view open_text(OpenMark mark) {
  switch (mark) {
    case OpenMark::open:
    case OpenMark::left_behind: return {};
    case OpenMark::user: return " (waits for the user)";
    case OpenMark::sub_agents: return " (waits for sub-agents)";
    case OpenMark::running: return " (its command is running)";
    case OpenMark::unknown_end: return " (no command is running: its result is unknown)";
    case OpenMark::held: return " (no command is running: the run is held)";
  }
  return {};
}

/// Where the run is at a node.
std::string place_text(const TreeNode& node) {
  const run::NodeMark& mark = node.mark;
  std::string out;
  if (!mark.skipped.empty()) out += cat("; skipped: ", joined(mark.skipped));
  if (mark.run_state != run::RunState::running) {
    out += cat("; ended as ", name_of(mark.run_state));
    if (mark.mark == StepMark::ended && !mark.reason.empty()) out += cat(": ", mark.reason);
    return out;
  }
  if (node.open_steps.empty()) return out + "; complete";
  return out + cat("; pending: ", joined(node.open_steps), open_text(node.open_mark));
}

std::string line_of(const TreeNode& node) {
  std::string out = cat(node.id.text(), "  ", mark_text(node.mark), place_text(node));
  if (!node.notes.empty()) out += cat("  \"", node.notes, '"');
  if (node.raise)
    out += cat("  [", run::raise_text(node.raise->effective, *node.raise->change), ']');
  if (node.is_tip) out += "  <- latest";
  return printable_line(out);
}

/// The tree as indented lines. A chain stays in one column; only forks indent.
std::string tree_text(const std::vector<TreeNode>& tree) {
  std::vector<std::vector<std::size_t>> children(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].parent) children[*tree[i].parent].push_back(i);
  }
  std::string out;
  struct Drawn {
    std::size_t node;
    std::size_t column;
    bool begins;  // a branch
  };
  std::vector<Drawn> todo;
  if (!tree.empty()) todo.push_back({0, 0, false});
  while (!todo.empty()) {
    const auto [at, column, begins] = todo.back();
    todo.pop_back();
    for (std::size_t i = 0; i < column; ++i) out += i + 1 == column && begins ? "|- " : "|  ";
    out += cat(line_of(tree[at]), '\n');
    const std::vector<std::size_t>& below = children[at];
    const std::size_t next = below.size() > 1 ? column + 1 : column;
    for (auto child = below.rbegin(); child != below.rend(); ++child)
      todo.push_back({*child, next, next > column});
  }
  return out;
}

std::string gaps_text(const std::vector<run::Gap>& gaps) {
  if (gaps.empty()) return {};
  std::string out = "open gaps:\n";
  for (const run::Gap& gap : gaps) {
    out += cat("  ",
               printable_line(cat(gap.id, ", ", name_of(gap.severity), ", ", name_of(gap.reason),
                                  gap.step.empty() ? "" : " at ", gap.step, ": ", gap.summary)),
               '\n');
  }
  return out;
}

std::string assumptions_text(const std::vector<run::Assumption>& assumptions) {
  if (assumptions.empty()) return {};
  std::string out = "decided in the user's place:\n";
  for (const run::Assumption& each : assumptions) {
    out += cat("  ", printable_line(cat(each.step, ": ", each.summary)), '\n');
  }
  return out;
}

std::string guidance_text(const std::vector<verbs::GuidanceEntry>& guidance) {
  if (guidance.empty()) return {};
  std::string out = "guidance:\n";
  for (const verbs::GuidanceEntry& each : guidance) {
    out += cat("  ", to_rfc3339(each.at), ", ", printable_line(each.guidance.source.principal),
               ": ", printable_line(each.guidance.text), '\n');
  }
  return out;
}

std::string decisions_text(const std::vector<verbs::Decision>& decisions) {
  if (decisions.empty()) return {};
  std::string out = "decisions:\n";
  for (const verbs::Decision& each : decisions) {
    out += cat("  ", to_rfc3339(each.at), ", ", printable_line(each.step), " (", name_of(each.kind),
               "): ", printable_line(verbs::decision_text(each)), '\n');
  }
  return out;
}

json::Array decisions_json(const std::vector<verbs::Decision>& decisions) {
  json::Array out;
  for (const verbs::Decision& each : decisions) {
    json::Object one{{"stepId", each.step},
                     {"kind", name_of(each.kind)},
                     {"gate", each.gate.text()},
                     {"decision", name_of(each.word.decision)},
                     {"assurance", name_of(each.word.assurance)},
                     {"by", each.word.source.principal},
                     {"how", name_of(each.word.source.how)},
                     {"at", to_rfc3339(each.at)}};
    if (!each.word.choice.empty()) one.set("choice", each.word.choice);
    if (!each.word.reason.empty()) one.set("reason", each.word.reason);
    out.emplace_back(std::move(one));
  }
  return out;
}

json::Array guidance_json(const std::vector<verbs::GuidanceEntry>& guidance) {
  json::Array out;
  for (const verbs::GuidanceEntry& each : guidance) {
    out.emplace_back(json::Object{{"text", each.guidance.text},
                                  {"by", each.guidance.source.principal},
                                  {"at", to_rfc3339(each.at)}});
  }
  return out;
}

json::Value used_json(const run::Usage& usage) {
  return json::Object{{"steps", usage.steps},
                      {"minutes", run::minutes_of(usage)},
                      {"attempts", usage.attempts},
                      {"bytes", usage.bytes},
                      {"tokens", usage.tokens}};
}

bool is_raised(const TreeNode& node) { return node.raise.has_value(); }

json::Value node_json(const TreeNode& node, const std::vector<TreeNode>& tree) {
  json::Object out{{"nodeId", node.id.text()}};
  if (node.parent) out.set("parentId", tree[*node.parent].id.text());
  out.set("mark", name_of(node.mark.mark));
  if (!node.mark.step.empty()) out.set("stepId", node.mark.step);
  if (node.mark.failure) {
    const run::StepFailed& failed = *node.mark.failure;
    out.set("error", json::Object{{"type", failed.error.type}, {"message", failed.error.message}});
    out.set("consequence", name_of(failed.consequence));
  }
  json::Array open;
  for (const std::string& step : node.open_steps) {
    open.emplace_back(json::Object{{"stepId", step}, {"mark", name_of(node.open_mark)}});
  }
  out.set("openSteps", std::move(open));
  if (!node.mark.skipped.empty()) {
    out.set("skipped", json::Array(node.mark.skipped.begin(), node.mark.skipped.end()));
  }
  if (node.mark.run_state != run::RunState::running) {
    out.set("endedAs", name_of(node.mark.run_state));
    if (!node.mark.reason.empty()) out.set("reason", node.mark.reason);
  }
  if (!node.notes.empty()) out.set("notes", node.notes);
  if (node.raise) {
    out.set("raise", json::Object{{"autonomy", name_of(node.raise->effective.autonomy)},
                                  {"riskPolicy", name_of(node.raise->effective.risk_policy)},
                                  {"change", to_json(*node.raise->change)}});
  }
  out.set("createdAt", to_rfc3339(node.created));
  out.set("isLatest", node.is_tip);
  return out;
}

/// What is known of a run.
struct RunView {
  run::RunRow row;
  verbs::RunProgress progress;
  std::vector<run::ObservationRecorded> around;
  std::vector<verbs::GuidanceEntry> guidance;
  std::vector<verbs::Decision> decisions;
  std::vector<TreeNode> tree;
};

std::string as_json(const RunView& view) {
  const auto& [row, progress, around, guidance, decisions, tree] = view;
  json::Object out = run_json(row, progress);
  json::Array gaps;
  for (const run::Gap& gap : progress.gaps) gaps.emplace_back(gap_json(gap));
  out.set("gaps", std::move(gaps));
  json::Array assumptions;
  for (const run::Assumption& each : progress.assumptions) {
    assumptions.emplace_back(json::Object{{"stepId", each.step}, {"summary", each.summary}});
  }
  if (!assumptions.empty()) out.set("assumptions", std::move(assumptions));
  if (!progress.budget.empty()) out.set("budget", to_json(progress.budget));
  if (!progress.usage.empty()) out.set("used", used_json(progress.usage));
  json::Object seen;
  for (const run::ObservationRecorded& each : around) seen.set(name_of(each.key), each.value);
  out.set("observations", std::move(seen));
  if (!guidance.empty()) out.set("guidance", guidance_json(guidance));
  if (!decisions.empty()) out.set("decisions", decisions_json(decisions));
  out.set("raises", std::ranges::count_if(tree, is_raised));
  json::Array nodes;
  for (const TreeNode& node : tree) nodes.emplace_back(node_json(node, tree));
  out.set("tree", std::move(nodes));
  return cat(json::print(out), '\n');
}

std::string as_text(const RunView& view) {
  const auto& [row, progress, around, guidance, decisions, tree] = view;
  std::string out = cat("run:      ", row.run.text(), "\nsession:  ", row.session.text(),
                        "\nworkflow: ", printable_line(row.workflow_id),
                        " (sha256:", row.workflow_hash.hex(), ")\n");
  if (!row.goal.empty()) out += cat("goal:     ", printable_line(row.goal), '\n');
  for (const run::ObservationRecorded& seen : around) {
    if (const auto label = label_of(seen.key); !label.empty()) {
      out += cat(label, printable_line(seen.value), '\n');
    }
  }
  if (const auto raises = std::ranges::count_if(tree, is_raised); raises > 0) {
    out += cat("raised:   autonomy or riskPolicy, at ", raises, raises == 1 ? " node" : " nodes",
               " of the tree\n");
  }
  out += cat("state:    ", verbs::words_of(progress), ", started ", to_rfc3339(row.started),
             ", last active ", to_rfc3339(row.last_active), '\n');
  if (!progress.budget.empty()) {
    out += cat("budget:   ", run::budget_text(progress.budget, progress.usage), '\n');
  } else if (progress.usage.tokens > 0) {
    out += cat("tokens:   ", progress.usage.tokens, '\n');
  }
  if (progress.hold) out += cat("held:     ", printable_line(run::hold_text(*progress.hold)), '\n');
  return cat(out, gaps_text(progress.gaps), assumptions_text(progress.assumptions),
             guidance_text(guidance), decisions_text(decisions), '\n', tree_text(tree));
}

Result<RunView> view_of(const engine::ReadContext& reading, const run::RunRow& row) {
  RunView view{
      .row = row, .progress = {}, .around = {}, .guidance = {}, .decisions = {}, .tree = {}};
  view.progress = TRY(verbs::progress_of(reading, row));
  view.around = TRY(engine::observations(reading.store, row));
  view.guidance = TRY(verbs::guidance_of(reading.store, row));
  view.decisions = TRY(verbs::decisions_of(reading.store, row));
  view.tree = TRY(verbs::run_tree(reading, row));
  return view;
}

bool is_over(const verbs::RunProgress& progress) {
  return progress.status != run::RunStatus::in_progress &&
         progress.status != run::RunStatus::blocked;
}

/// A node by itself, below what was printed before it.
std::string followed_line(const TreeNode& node, const std::vector<TreeNode>& tree) {
  // Where the line above is not its parent, the node names it.
  const bool continues = node.parent && &tree[*node.parent] + 1 == &node;
  return continues || !node.parent
             ? cat(line_of(node), '\n')
             : cat(line_of(node), "  (a branch below ", tree[*node.parent].id.text(), ")\n");
}

/// Prints what comes to the run from here on, until it ends.
Result<void> follow(const VerbCall& call, Backend& backend, const engine::Engine& engine,
                    RunView view) {
  const std::unique_ptr<ports::ChangeFeed> feed = TRY(backend.changes());
  std::string state = verbs::words_of(view.progress);
  while (feed && !is_over(view.progress)) {
    // Taken before the run is read, so that what comes in between ends the next wait.
    const run::CommitNo seen = TRY(engine.store.last_commit());
    const std::size_t printed = view.tree.size();
    view = TRY(view_of(engine.reading(), TRY(engine::find_run(engine.store, view.row.run.text()))));
    for (std::size_t i = printed; i < view.tree.size(); ++i) {
      TRY(write_text(call.world.output, followed_line(view.tree[i], view.tree)));
    }
    if (std::string now = verbs::words_of(view.progress); now != state) {
      TRY(write_text(call.world.output, cat("state:    ", now, '\n')));
      state = std::move(now);
    }
    if (!is_over(view.progress)) TRY(feed->wait_past(seen, follow_wait_ms));
  }
  return {};
}

Result<Ending> run_show(const VerbCall& call) {
  const bool is_json = call.arguments.has("--json");
  const bool follows = call.arguments.has("--follow");
  if (is_json && follows) return fail(Code::USAGE, "--json and --follow exclude each other");
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  engine::Engine* engine = TRY(backend->existing());
  const engine::ReadContext reading = engine->reading();
  const run::RunRow row = TRY(named_run(reading.store, call.arguments.operand));
  RunView view = TRY(view_of(reading, row));
  TRY(write_text(call.world.output, is_json ? as_json(view) : as_text(view)));
  if (follows) TRY(follow(call, *backend, *engine, std::move(view)));
  return ExitCode::ok;
}

}  // namespace

constinit const Verb show_verb = {
    .name = "show",
    .summary = "Show a run as a tree, with its forks",
    .help = R"(Shows the state of the run, its open gaps, what was decided in the user's place,
the guidance and the decisions at its gates with who made them and how, and its
nodes from the start, one per line: the outcome of the step that led to it
(done, failed, blocked, result of its command unknown), what is pending and what
it waits for, which steps were skipped, and the first line of the notes.
A node with several children is a fork; each child is indented below it. Where
a call or a command raised the autonomy or the risk policy, the node says from
what to what, who did it and how, even after they were lowered again. With
--follow it goes on with each node that is made, by any process, and with
changes of the state, until the run ends or you interrupt it.
)",
    .options = show_options,
    .operand = run_operand,
    .settings = show_settings,
    .run = run_show};

}  // namespace baton::cli
