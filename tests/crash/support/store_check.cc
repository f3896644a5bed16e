#include "support/store_check.h"

#include <algorithm>
#include <set>

#include "adapters/store/sqlite/sqlite_store.h"
#include "base/core/limits.h"
#include "base/text/text.h"
#include "run/graph/placement.h"
#include "run/log/event.h"
#include "run/log/token.h"
#include "verbs/store/verify.h"

namespace baton::crash {
namespace {

constexpr std::size_t page_commits = 500;
constexpr std::size_t problems_max = 10;

using AttemptAt = std::pair<run::NodeNo, run::AttemptKey>;

struct Recorded {
  run::NodeNo to;
  std::string notes;
};

/// What the log says, from its events alone.
struct Log {
  std::map<NodeId, run::NodeNo> nodes;
  std::map<AttemptAt, Recorded> attempts;
  std::map<run::NodeNo, run::Descendant> newest_child;                // of a node
  std::map<std::string, std::map<run::NodeNo, run::NodeNo>> parents;  // of the nodes of a run
  std::map<std::string, std::int64_t> commits_of_run;
};

class Checker {
 public:
  Checker(ports::EventStore& store, const Held& held, StoreCheck& out)
      : store_(store), held_(held), out_(out) {}

  Result<void> run() {
    TRY(read_log());
    check_acked();
    check_in_flight();
    check_runs();
    const verbs::VerifyReport verified = TRY(verbs::verify(store_));
    for (const std::string& problem : verified.problems) say(cat("verify: ", problem));
    return {};
  }

 private:
  void say(std::string problem) {
    if (out_.problems.size() < problems_max) out_.problems.push_back(std::move(problem));
  }

  Result<void> read_log() {
    run::CommitNo after;
    WallMs last;
    for (;;) {
      const auto page = TRY(store_.store_log(after, page_commits));
      for (const run::Commit& commit : page) {
        TRY(read_commit(commit));
        if (commit.at < last) ++out_.steps_back;
        last = commit.at;
        after = commit.no;
      }
      out_.commits += std::ssize(page);
      if (page.empty()) return {};
    }
  }

  Result<void> read_commit(const run::Commit& commit) {
    const std::vector<run::Event> events = TRY(run::decode_events(commit.body));
    const run::AdvanceRecorded* advance = nullptr;
    const run::NodeCreated* node = nullptr;
    const run::EdgeCreated* edge = nullptr;
    std::string notes;
    std::string run;
    for (const run::Event& event : events) {
      if (const auto* found = std::get_if<run::AdvanceRecorded>(&event)) advance = found;
      if (const auto* found = std::get_if<run::NodeCreated>(&event)) node = found;
      if (const auto* found = std::get_if<run::EdgeCreated>(&event)) edge = found;
      if (const auto* found = std::get_if<run::NodeOutputAppended>(&event)) {
        if (const auto* text = std::get_if<run::Notes>(&found->payload)) notes = text->markdown;
      }
    }
    if (node == nullptr) return fail(Code::STORE_CORRUPT, "a commit without a node");
    const run::NodeNo to = run::NodeNo::of(commit.no, 0);
    log_.nodes[node->node] = to;
    ++log_.commits_of_run[node->run.text()];
    if (advance == nullptr) return {};
    if (advance->to != node->node || edge == nullptr || edge->to != node->node) {
      say(cat("commit ", commit.no.value, " holds a part of an advance"));
    }
    ++out_.attempts;
    if (edge != nullptr && node->parent) check_place(commit, *advance, *edge);
    if (node->parent) {
      log_.newest_child[log_.nodes[*node->parent]] = {to, node->settled_step};
      log_.parents[node->run.text()][to] = log_.nodes[*node->parent];
    }
    const AttemptAt at{log_.nodes[advance->node], advance->attempt};
    if (!log_.attempts.emplace(at, Recorded{to, notes}).second) {
      say(cat("commit ", commit.no.value, " records an attempt for the second time"));
    }
    return {};
  }

  /// The newest node below one.
  std::optional<run::NodeNo> newest_below(run::NodeNo node, const std::string& run) {
    const auto& parents = log_.parents[run];
    for (auto each = parents.rbegin(); each != parents.rend() && each->first > node; ++each) {
      auto above = parents.find(each->first);
      while (above != parents.end() && above->second > node) above = parents.find(above->second);
      if (above != parents.end() && above->second == node) return each->first;
    }
    return std::nullopt;
  }

  /// Whether an attempt went where it belongs after all that the log holds before it. One that was
  /// decided on an older head need not have.
  void check_place(const run::Commit& commit, const run::AdvanceRecorded& advance,
                   const run::EdgeCreated& edge) {
    std::vector<run::Descendant> below;
    const run::NodeNo from = log_.nodes[advance.node];
    for (auto at = log_.newest_child.find(from);
         at != log_.newest_child.end() && below.size() <= limits::rebase_walk_nodes_max;
         at = log_.newest_child.find(below.back().node)) {
      below.push_back(at->second);
      if (run::blocks_join(advance.step, below.back())) break;
    }
    std::optional<run::NodeNo> newest;
    if (advance.attempt.kind == run::AttemptKind::advance && advance.attempt.count > 0) {
      newest = newest_below(from, edge.run.text());
    }
    const run::Placement right = run::place_advance(from, advance.step, below, newest);
    const bool is_fork = edge.cause == run::EdgeCause::non_tip_advance;
    if (log_.nodes[edge.from] == right.parent &&
        is_fork == (right.cause == run::EdgeCause::non_tip_advance)) {
      return;
    }
    const bool is_right_fork = right.cause == run::EdgeCause::non_tip_advance;
    say(cat("commit ", commit.no.value, " stands below node ", log_.nodes[edge.from].value,
            is_fork ? " as a fork" : "", "; after the commits before it, it belongs below ",
            right.parent.value, is_right_fork ? " as a fork" : ""));
  }

  /// The attempt that a token names.
  static AttemptAt attempt_of(const std::string& token) {
    const run::UnverifiedToken read = MUST(run::decode_token(token));  // the server gave it
    const auto kind = read.kind == run::TokenKind::checkpoint ? run::AttemptKind::checkpoint
                                                              : run::AttemptKind::advance;
    return {read.node, {kind, read.ordinal, read.count}};
  }

  void check_acked() {
    for (const Acked& acked : held_.acked) {
      const AttemptAt at = attempt_of(acked.token);
      const auto found = log_.attempts.find(at);
      if (found == log_.attempts.end()) {
        say(cat("lost: ", acked.token, " was acknowledged and is not in the log"));
        continue;
      }
      known_.insert(at);
      const run::NodeNo told = MUST(run::decode_token(acked.outcome)).node;  // likewise
      if (found->second.to != told) {
        say(cat(acked.token, " led to node ", found->second.to.value, ", its client was told ",
                told.value));
      }
      if (!acked.notes.empty() && found->second.notes != acked.notes) {
        say(cat(acked.token, " has the notes '", found->second.notes, "', not '", acked.notes,
                '\''));
      }
    }
  }

  void check_in_flight() {
    for (const std::string& token : held_.in_flight) {
      const AttemptAt at = attempt_of(token);
      if (!log_.attempts.contains(at)) continue;
      known_.insert(at);
      ++out_.in_flight_recorded;
    }
    for (const auto& [at, recorded] : log_.attempts) {
      if (known_.contains(at)) continue;
      say(cat("node ", recorded.to.value, " records an attempt that nobody made"));
    }
  }

  void check_runs() {
    for (const std::string& run : held_.runs) {
      if (log_.commits_of_run.erase(run) == 0) say(cat("lost: ", run, " was started"));
    }
    out_.runs_unheard = std::ssize(log_.commits_of_run);
    if (out_.runs_unheard > held_.starts_unheard) {
      say(cat(out_.runs_unheard, " runs that nobody was told of, but only ", held_.starts_unheard,
              " starts went unheard"));
    }
    for (const auto& [run, commits] : log_.commits_of_run) {
      if (commits != 1) say(cat(run, " went on although nobody was told of it"));
    }
  }

  ports::EventStore& store_;
  const Held& held_;
  StoreCheck& out_;
  Log log_;
  std::set<AttemptAt> known_;
};

}  // namespace

void Held::add(const RunClient& client) {
  acked.insert(acked.end(), client.acked().begin(), client.acked().end());
  runs.insert(runs.end(), client.runs().begin(), client.runs().end());
  if (const auto token = client.attempt_out()) in_flight.push_back(*token);
  starts_unheard += client.starts_unheard();
}

StoreCheck check_store(const std::filesystem::path& db, const Held& held) {
  StoreCheck out;
  auto store = adapters::SqliteStore::open(db.string());
  if (!store) {
    out.problems.push_back(cat("the store does not open: ", store.error().message));
    return out;
  }
  const Result<void> checked = Checker(**store, held, out).run();
  if (!checked) out.problems.push_back(cat("the store cannot be read: ", checked.error().message));
  return out;
}

}  // namespace baton::crash
