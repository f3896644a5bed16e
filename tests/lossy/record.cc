#include "record.h"

#include <algorithm>

#include "adapters/store/sqlite/sqlite_store.h"
#include "run/log/event.h"

namespace baton::lossy {
namespace {

constexpr std::size_t page_commits = 500;

struct Node {
  std::optional<NodeId> parent;
  bool is_complete = false;
  Settled settled;
};

struct Log {
  std::map<NodeId, Node> nodes;
  std::map<std::string, NodeId> newest;  // of a run, the complete ones first
  std::map<std::string, RunRecord> records;
};

Result<void> read_commit(const run::Commit& commit, Log& log) {
  Node node;
  const run::NodeCreated* created = nullptr;
  bool is_servers = false;
  const std::vector<run::Event> events = TRY(run::decode_events(commit.body));
  for (const run::Event& event : events) {
    if (const auto* found = std::get_if<run::NodeCreated>(&event)) created = found;
    if (std::holds_alternative<run::ProcessFinished>(event)) is_servers = true;
    if (const auto* found = std::get_if<run::ProcessIntended>(&event)) {
      ++log.records[found->run.text()].commands;
    }
    if (const auto* found = std::get_if<run::EdgeCreated>(&event)) {
      if (found->cause == run::EdgeCause::non_tip_advance) {
        ++log.records[found->run.text()].branches;
      }
    }
    if (const auto* found = std::get_if<run::NodeOutputAppended>(&event)) {
      if (const auto* notes = std::get_if<run::Notes>(&found->payload)) {
        node.settled.notes = notes->markdown;
      } else {
        node.settled.artifacts.push_back(std::get<run::Artifact>(found->payload).content);
      }
    }
  }
  if (created == nullptr) return fail(Code::STORE_CORRUPT, "a commit without a node");
  node.parent = created->parent;
  node.is_complete = created->open_steps.empty();
  if (!is_servers) node.settled.step = created->settled_step;
  log.nodes[created->node] = std::move(node);
  // A run that was completed is judged by that, also when a stray call began a branch behind it.
  const auto newest = log.newest.find(created->run.text());
  if (created->open_steps.empty() || newest == log.newest.end() ||
      !log.nodes[newest->second].is_complete) {
    log.newest[created->run.text()] = created->node;
  }
  return {};
}

}  // namespace

Result<std::map<std::string, RunRecord>> read_records(const std::filesystem::path& db) {
  const auto store = TRY(adapters::SqliteStore::open(db.string()));
  Log log;
  run::CommitNo after;
  for (;;) {
    const auto page = TRY(store->store_log(after, page_commits));
    for (const run::Commit& commit : page) {
      TRY(read_commit(commit, log));
      after = commit.no;
    }
    if (page.empty()) break;
  }
  for (const auto& [run, newest] : log.newest) {
    RunRecord& record = log.records[run];
    record.is_complete = log.nodes[newest].is_complete;
    for (std::optional<NodeId> at = newest; at; at = log.nodes[*at].parent) {
      const Settled& settled = log.nodes[*at].settled;
      if (!settled.step.empty()) record.path.push_back(settled);
    }
    std::ranges::reverse(record.path);
  }
  return std::move(log.records);
}

}  // namespace baton::lossy
