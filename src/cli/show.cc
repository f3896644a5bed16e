#include <algorithm>

#include "base/text.h"
#include "cli/backend.h"
#include "cli/config_load.h"
#include "cli/parts.h"
#include "cli/verb.h"
#include "run/preferences.h"
#include "verbs/history.h"

namespace baton::cli {
namespace {

constexpr std::string_view used_settings[] = {"db"};
constexpr Option options[] = {{"--json", "", "One JSON object on one line, for programs", false}};

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

std::string line_of(const verbs::TreeNode& node) {
  std::string out = node.id.text();
  if (node.kind == run::NodeKind::checkpoint) {
    out += "  checkpoint";
  } else if (node.kind == run::NodeKind::blocked_attempt) {
    out += "  blocked";
  } else if (!node.parent) {
    out += "  start";
  } else {
    out += cat("  ", node.settled_step, node.state == run::RunState::failed ? " failed" : " done");
  }
  if (node.state != run::RunState::running) {
    out += cat("; ended as ", name_of(node.state));
  } else {
    out += node.open_steps.empty() ? "; complete" : cat("; pending: ", joined(node.open_steps));
  }
  if (!node.notes.empty()) out += cat("  \"", node.notes, '"');
  if (node.raise)
    out += cat("  [", run::raise_text(node.raise->effective, *node.raise->change), ']');
  if (node.is_tip) out += "  <- latest";
  return out;
}

/// The tree as indented lines. A chain stays in one column; only forks indent.
std::string tree_text(const std::vector<verbs::TreeNode>& tree) {
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

bool is_raised(const verbs::TreeNode& node) { return node.raise.has_value(); }

json::Object node_json(const verbs::TreeNode& node, const std::vector<verbs::TreeNode>& tree) {
  json::Array open;
  for (const std::string& step : node.open_steps) open.emplace_back(step);
  json::Object out{{"nodeId", node.id.text()},
                   {"kind", name_of(node.kind)},
                   {"open", std::move(open)},
                   {"createdAt", to_rfc3339(node.created)}};
  if (node.parent) out.set("parent", tree[*node.parent].id.text());
  if (!node.settled_step.empty()) out.set("settled", node.settled_step);
  if (node.state != run::RunState::running) out.set("endedAs", name_of(node.state));
  if (!node.notes.empty()) out.set("notes", node.notes);
  if (node.raise) {
    out.set("raise", json::Object{{"autonomy", name_of(node.raise->effective.autonomy)},
                                  {"riskPolicy", name_of(node.raise->effective.risk_policy)},
                                  {"change", to_json(*node.raise->change)}});
  }
  if (node.is_tip) out.set("isLatest", true);
  return out;
}

json::Object run_json(const run::RunRow& row, std::string_view progress,
                      const std::vector<verbs::TreeNode>& tree) {
  json::Array nodes;
  for (const verbs::TreeNode& node : tree) nodes.emplace_back(node_json(node, tree));
  return {{"runId", row.run.text()},
          {"sessionId", row.session.text()},
          {"workflowId", row.workflow_id},
          {"workflowHash", cat("sha256:", row.workflow_hash.hex())},
          {"goal", row.goal},
          {"state", progress},
          {"startedAt", to_rfc3339(row.started)},
          {"lastActiveAt", to_rfc3339(row.last_active)},
          {"raises", std::ranges::count_if(tree, is_raised)},
          {"nodes", std::move(nodes)}};
}

Result<Ending> run(const Call& call) {
  const Config config = TRY(load_config(call.world, call.arguments));
  const auto backend = call.parts.open_backend(config);
  verbs::Engine* engine = TRY(backend->existing());
  const run::RunRow row = TRY(verbs::find_run(engine->store, call.arguments.operand));
  std::string out =
      cat("run:      ", row.run.text(), "\nsession:  ", row.session.text(),
          "\nworkflow: ", row.workflow_id, " (sha256:", row.workflow_hash.hex(), ")\n");
  if (!row.goal.empty()) out += cat("goal:     ", row.goal, '\n');
  for (const run::ObservationRecorded& seen : TRY(verbs::observations(engine->store, row))) {
    if (const auto label = label_of(seen.key); !label.empty()) {
      out += cat(label, seen.value, '\n');
    }
  }
  const std::string progress = TRY(verbs::progress_of(engine->store, row));
  const std::vector<verbs::TreeNode> tree = TRY(verbs::run_tree(engine->store, row));
  if (call.arguments.has("--json")) {
    TRY(write_text(call.world.output, json::print(run_json(row, progress, tree)) + "\n"));
    return Exit::ok;
  }
  if (const auto raises = std::ranges::count_if(tree, is_raised); raises > 0) {
    out += cat("raised:   autonomy or riskPolicy, at ", raises, raises == 1 ? " point" : " points",
               " of the tree\n");
  }
  out += cat("state:    ", progress, ", started ", to_rfc3339(row.started), ", last active ",
             to_rfc3339(row.last_active), "\n\n", tree_text(tree));
  TRY(write_text(call.world.output, out));
  return Exit::ok;
}

}  // namespace

constinit const Verb show_verb = {
    .name = "show",
    .summary = "Show a run as a tree, with its forks",
    .help = R"(Shows the run's points from its start, one a line: what was done to get there,
what is pending, and the first line of the notes. A point with several
continuations is a fork; each continuation is indented below it. Where a call or
a command raised the autonomy or the risk policy, the point says from what to
what, who did it and how, also after they were lowered again.
)",
    .options = options,
    .operand = {"RUN", "A run or session id, as `baton runs` lists it", true},
    .settings = used_settings,
    .run = run};

}  // namespace baton::cli
