#include "support/acts.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/text/text.h"
#include "ports/store_admin.h"

namespace baton::contract {
namespace {

template <class Id>
Id id_from(std::uint64_t n) {
  Id id;
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[15 - i] = static_cast<std::uint8_t>(n >> (8 * i));
  }
  return id;
}

std::string optional_text(const std::optional<run::NodeNo>& no) {
  return no ? cat(no->value) : "-";
}

std::string text_of(const run::NodeRow& row) {
  std::string open;
  for (const std::string& step : row.open_steps) open += cat(step, ',');
  return cat("node ", row.no.value, ' ', row.id.text(), ' ', row.session.text(), ' ',
             row.run.text(), " parent=", optional_text(row.parent), " depth=", row.depth,
             " kind=", run::name_of(row.kind), " open=", open, " settled=", row.settled_step,
             " at=", row.created.value, " snapshot=", optional_text(row.snapshot),
             " path=", row.path_events, '/', row.path_bytes, row.revoked ? " revoked\n" : "\n");
}

std::string text_of(const run::RunRow& row) {
  return cat("run ", row.run.text(), ' ', row.session.text(), ' ', row.workflow_id, ' ',
             row.workflow_hash.hex(), ' ', row.goal, ' ', row.started.value, ' ',
             row.last_active.value, " last=", row.last_commit.value, " tip=", row.tip.value,
             row.is_complete ? " complete" : " open", " nodes=", row.nodes, '\n');
}

}  // namespace

SessionId session_id(std::uint64_t n) { return id_from<SessionId>(n); }
RunId run_id(std::uint64_t n) { return id_from<RunId>(n); }
NodeId node_id(std::uint64_t n) { return id_from<NodeId>(n); }

run::CommitDraft start_run(std::uint64_t session, std::uint64_t run, std::uint64_t root) {
  run::CommitDraft append;
  append.session = session_id(session);
  append.expected = run::Seq{0};
  append.dedupe_key = cat("start:", run);
  append.at = WallMs{1000};
  append.workflow.emplace(cat("{\"id\":\"flow", run, "\"}"));
  append.events.emplace_back(run::SessionCreated{});
  append.events.emplace_back(
      run::RunStarted{run_id(run), "flow", append.workflow->hash, cat("goal ", run)});
  run::NodeCreated node;
  node.run = run_id(run);
  node.node = node_id(root);
  node.open_steps = {"a"};
  append.events.emplace_back(node);
  return append;
}

run::CommitDraft advance(std::uint64_t session, std::uint64_t run, const Step& step) {
  run::CommitDraft append;
  append.session = session_id(session);
  append.dedupe_key = cat("advance:", step.from, ':', static_cast<int>(step.attempt.kind), ':',
                          static_cast<int>(step.attempt.ordinal), ':', step.attempt.count);
  append.at = WallMs{2000};
  run::NodeCreated node;
  node.run = run_id(run);
  node.node = node_id(step.to);
  node.parent = node_id(step.from);
  node.open_steps = step.open;
  node.settled_step = "a";
  append.events.emplace_back(node);
  append.events.emplace_back(run::EdgeCreated{run_id(run), node_id(step.from), node_id(step.to)});
  run::AdvanceRecorded recorded;
  recorded.run = run_id(run);
  recorded.node = node_id(step.from);
  recorded.attempt = step.attempt;
  recorded.step = "a";
  recorded.to = node_id(step.to);
  recorded.drawn = {WallMs{2000}, 7};
  recorded.reply = json::Object{{"ok", true}};
  append.events.emplace_back(recorded);
  append.events.emplace_back(
      run::NodeOutputAppended{run_id(run), node_id(step.to), run::Notes{step.notes}});
  return append;
}

void refer_to(run::CommitDraft& append, std::string text) {
  for (run::Event& event : append.events) {
    auto* recorded = std::get_if<run::AdvanceRecorded>(&event);
    if (recorded == nullptr) continue;
    recorded->reply = json::Object{{"text", json::Object{{"$blob", sha256(text).hex()}}}};
  }
  append.blobs = {run::Content(std::move(text))};
}

run::CommitDraft note(std::uint64_t session, std::uint64_t run, std::uint64_t node, std::string key,
                      std::string_view text) {
  run::CommitDraft append;
  append.session = session_id(session);
  append.dedupe_key = std::move(key);
  append.at = WallMs{3000};
  append.events.emplace_back(
      run::NodeOutputAppended{run_id(run), node_id(node), run::Notes{std::string(text)}});
  return append;
}

ports::Appended must_append(ports::EventStore& store, run::CommitDraft append) {
  const auto outcome = store.append(std::move(append));
  if (!outcome) {
    ADD_FAILURE() << name_of(outcome.error().code) << ": " << outcome.error().message;
    return {};
  }
  const auto* appended = std::get_if<ports::Appended>(&*outcome);
  if (appended == nullptr) {
    ADD_FAILURE() << "not appended: outcome " << outcome->index();
    return {};
  }
  return *appended;
}

void must_purge(ports::EventStore& store, std::uint64_t session) {
  const run::Seq head = got(store.head(session_id(session))).seq;
  const auto outcome = got(store.purge(session_id(session), head, WallMs{9}));
  EXPECT_TRUE(std::holds_alternative<ports::Purged>(outcome));
}

run::NodeRow must_have_node(ports::EventReader& store, std::uint64_t node) {
  const auto row = store.node_by_id(node_id(node));
  if (!row || !*row) {
    ADD_FAILURE() << "there is no node " << node;
    return {};
  }
  return **row;
}

Result<std::vector<std::string>> table_problems(ports::EventStore& store) {
  std::vector<std::string> problems;
  const auto sink = [&](ports::StorePart, std::string what) {
    problems.push_back(std::move(what));
  };
  const auto audit = TRY(store.audit());
  ports::TableAudit* tables = audit->tables();
  if (tables == nullptr) return problems;
  TRY(tables->begin(sink));
  for (run::CommitNo after;;) {
    const auto page = TRY(audit->reader().store_log(after, 100));
    if (page.empty()) break;
    for (const run::Commit& commit : page) {
      const auto events = run::decode_events(commit.body);
      TRY(tables->add(commit, events ? &*events : nullptr, sink));
    }
    after = page.back().no;
  }
  TRY(tables->finish(sink));
  return problems;
}

std::string chain_problem(ports::EventReader& store, const SessionId& session) {
  run::SessionHead expected;
  for (;;) {
    const auto page = store.log(session, expected.seq, 100);
    if (!page) return page.error().message;
    for (const run::Commit& commit : *page) {
      const std::string at = cat("seq ", commit.seq.value);
      if (commit.seq.value != expected.seq.value + 1) return at + ": a gap before it";
      if (commit.previous != expected.hash) return at + ": its link is wrong";
      if (commit.hash != run::commit_hash(commit)) return at + ": its hash is wrong";
      expected = {commit.seq, commit.hash};
    }
    if (page->empty()) break;
  }
  const auto head = store.head(session);
  if (!head) return head.error().message;
  return *head == expected ? "" : "the head is not the last commit";
}

Result<std::vector<run::Commit>> whole_log(ports::EventReader& store) {
  std::vector<run::Commit> out;
  while (true) {
    auto page = TRY(store.store_log(out.empty() ? run::CommitNo{} : out.back().no, SIZE_MAX >> 1));
    if (page.empty()) return out;
    std::ranges::move(page, std::back_inserter(out));
  }
}

std::string dump(ports::EventReader& store) {
  std::string out;
  const auto commits = whole_log(store);
  if (!commits) return commits.error().message;
  for (const run::Commit& commit : *commits) {
    out += cat("commit ", commit.no.value, ' ', commit.session.text(), ' ', commit.seq.value, ' ',
               commit.dedupe_key, ' ', commit.at.value, ' ', commit.hash.hex(), '\n');
    for (std::size_t place = 0; place < limits::nodes_per_commit_max; ++place) {
      const auto row = store.node(run::NodeNo::of(commit.no, place));
      if (!row) return row.error().message;
      if (!*row) continue;
      out += text_of(**row);
      const auto by_id = store.node_by_id((*row)->id);
      if (!by_id || *by_id != *row) out += "  and differs when asked for by id\n";
      const auto snapshot = store.snapshot((*row)->no);
      if (snapshot && *snapshot) out += cat("  snapshot ", (*snapshot)->text, '\n');
      const auto children = store.children((*row)->no, 100);
      if (!children) return children.error().message;
      for (const run::NodeRow& child : *children) out += cat("  child ", child.no.value, '\n');
      for (const auto kind : {run::AttemptKind::advance, run::AttemptKind::checkpoint}) {
        for (std::uint8_t ordinal = 0; ordinal < 4; ++ordinal) {
          const auto settled = store.settled((*row)->no, kind, ordinal);
          if (!settled) return settled.error().message;
          for (std::uint16_t count = 0; count < settled->count; ++count) {
            const auto to = store.attempt((*row)->no, {kind, ordinal, count});
            if (!to) return to.error().message;
            out += cat("  attempt ", run::name_of(kind), ' ', ordinal, ' ', count, " -> ",
                       optional_text(*to), '\n');
          }
        }
      }
    }
  }
  const auto runs = store.runs(std::nullopt, SIZE_MAX >> 1);
  if (!runs) return runs.error().message;
  for (const run::RunRow& row : *runs) out += text_of(row);
  return out;
}

}  // namespace baton::contract
